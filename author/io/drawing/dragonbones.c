/* SPDX-License-Identifier: MIT */
/* Reads DragonBones 5 JSON: the slots of an armature attach pictures of an atlas to its bones, in drawing order. */
#include "author/io/drawing/dragonbones.h"

#include <math.h>
#include <string.h>

#include "author/io/json_load.h"
#include "author/io/rig/rig_handles.h"

#define PICTURE_LIMIT 4096
#define MAX_DEPTH 8                         /* nesting of armatures in slots */
#define ARMATURE_LIMIT 256                  /* drawn armatures, with repetitions */
#define MAX_DRAWN_PIXELS ((int64_t)1 << 28) /* pixels of all pictures together */
#define MARGIN 2

typedef sn_dragon_affine placement;
typedef sn_dragon_bone bone;

typedef struct picture {
    placement transform; /* from the region's pixels to the drawing */
    int x, y, width, height;
    double alpha;
} picture;

typedef struct reader {
    const char *file, *atlas_file;
    const json_t *armatures;
    sn_dragon_names armature_names, regions;
    const sn_image *pixels;
    sn_arena *arena, *handle_arena;
    picture *pictures; /* (PICTURE_LIMIT) */
    int picture_count, armature_count, skipped_count;
    double frame_rate;
} reader;

/* A name for a message: printable and truncated. */
static const char *printable_name(const reader *r, const char *name)
{
    return sn_dragon_printable(r->arena, name);
}

static sn_result add_picture(reader *r, const json_t *display, const placement *at, double alpha)
{
    const char *name =
        *sn_dragon_text(display, "path") ? sn_dragon_text(display, "path") : sn_dragon_text(display, "name");
    const json_t *region = sn_dragon_find(&r->regions, name), *pivot = json_object_get(display, "pivot");
    if (!region) {
        return sn_fail(SN_ERROR_FORMAT, "%s: SubTexture: the picture '%s' does not exist", r->atlas_file,
                       printable_name(r, name));
    }
    if (json_is_true(json_object_get(region, "rotated"))) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: SubTexture '%s': rotated pictures are not supported", r->atlas_file,
                       printable_name(r, name));
    }
    const double x = sn_dragon_number(region, "x", -1), y = sn_dragon_number(region, "y", -1),
                 width = sn_dragon_number(region, "width", 0);
    const double height = sn_dragon_number(region, "height", 0);
    if (!(x >= 0 && y >= 0 && width >= 1 && height >= 1 && x + width <= r->pixels->width &&
          y + height <= r->pixels->height)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: SubTexture '%s': not within the %d x %d pixels of the picture",
                       r->atlas_file, printable_name(r, name), r->pixels->width, r->pixels->height);
    }
    if (r->picture_count == PICTURE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: more than %d pictures", r->file, PICTURE_LIMIT);
    }
    const double frame_width = sn_dragon_number(region, "frameWidth", width),
                 frame_height = sn_dragon_number(region, "frameHeight", height);
    const placement shift = {
        {1, 0, 0, 1, -sn_dragon_number(pivot, "x", 0.5) * frame_width - sn_dragon_number(region, "frameX", 0),
         -sn_dragon_number(pivot, "y", 0.5) * frame_height - sn_dragon_number(region, "frameY", 0)}};
    const placement transform = sn_dragon_compose(at, &shift);
    if (!sn_dragon_is_finite(&transform)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the transform of the picture '%s' is out of range", r->file,
                       printable_name(r, name));
    }
    r->pictures[r->picture_count++] = (picture){transform, (int)x, (int)y, (int)width, (int)height, alpha};
    return SN_OK;
}

static sn_result draw_armature(reader *r, const json_t *armature, const placement *at, double alpha, int depth,
                               sn_dragon_skeleton *s);

static sn_result draw_child(reader *r, const char *name, const placement *at, double alpha, int depth)
{
    const json_t *child = sn_dragon_find(&r->armature_names, name);
    if (!child || depth == MAX_DEPTH || ++r->armature_count > ARMATURE_LIMIT) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the armature '%s' of a slot %s", r->file, printable_name(r, name),
                       child ? "contains itself or is drawn too often" : "does not exist");
    }
    sn_dragon_skeleton s = {0};
    return draw_armature(r, child, at, alpha, depth + 1, &s);
}

/* Draws the display of a slot in the setup pose. */
static sn_result draw_slot(reader *r, const json_t *slot, const json_t *skin_slot, const placement *at, double alpha,
                           int depth, bone *b)
{
    const double index = sn_dragon_number(slot, "displayIndex", 0);
    const json_t *displays = json_object_get(skin_slot, "display");
    if (!(index >= 0 && index < (double)json_array_size(displays))) {
        return SN_OK;
    }
    const json_t *display = json_array_get(displays, (size_t)index);
    const placement local = sn_dragon_transform(json_object_get(display, "transform"));
    const placement in_bone = sn_dragon_compose(&b->world, &local), transform = sn_dragon_compose(at, &in_bone);
    const char *type = sn_dragon_text(display, "type");
    alpha *= fmin(fmax(sn_dragon_number(json_object_get(slot, "color"), "aM", 100) / 100, 0), 1);
    if (!sn_dragon_is_finite(&transform)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: slot '%s': the transform is out of range", r->file,
                       printable_name(r, sn_dragon_text(slot, "name")));
    }
    b->has_picture = true;
    if (!*type || strcmp(type, "image") == 0) {
        return add_picture(r, display, &transform, alpha);
    }
    if (strcmp(type, "armature") == 0) {
        return draw_child(r, sn_dragon_text(display, "name"), &transform, alpha, depth);
    }
    ++r->skipped_count;
    b->has_picture = false;
    return SN_OK;
}

static sn_result draw_slots(reader *r, const json_t *armature, const sn_dragon_names *skin, const placement *at,
                            double alpha, int depth, const sn_dragon_skeleton *s)
{
    const json_t *slots = json_object_get(armature, "slot");
    for (size_t i = 0; i < json_array_size(slots); ++i) {
        const json_t *slot = json_array_get(slots, i), *skin_slot = sn_dragon_find(skin, sn_dragon_text(slot, "name"));
        const int bone_index = sn_dragon_find_bone(s->bones, s->bone_count, sn_dragon_text(slot, "parent"));
        if (bone_index < 0) {
            return sn_fail(SN_ERROR_FORMAT, "%s: armature '%s': slot[%zu].parent: the bone '%s' does not exist",
                           r->file, printable_name(r, sn_dragon_text(armature, "name")), i,
                           printable_name(r, sn_dragon_text(slot, "parent")));
        }
        SN_TRY(skin_slot ? draw_slot(r, slot, skin_slot, at, alpha, depth, &s->bones[bone_index]) : SN_OK);
    }
    return SN_OK;
}

static sn_result draw_armature(reader *r, const json_t *armature, const placement *at, double alpha, int depth,
                               sn_dragon_skeleton *s)
{
    sn_dragon_names skin;
    sn_result result =
        sn_dragon_names_build(json_object_get(json_array_get(json_object_get(armature, "skin"), 0), "slot"), &skin);
    if (result == SN_OK) {
        result = sn_dragon_skeleton_read(r->file, armature, r->arena, s);
    }
    if (result == SN_OK) {
        result = draw_slots(r, armature, &skin, at, alpha, depth, s);
    }
    sn_dragon_names_finish(&skin);
    return result;
}

/* ---- the drawing ---- */

static void apply(const placement *p, double x, double y, double *to)
{
    to[0] = p->m[0] * x + p->m[2] * y + p->m[4];
    to[1] = p->m[1] * x + p->m[3] * y + p->m[5];
}

/* The box of a picture, with a margin for filtering. */
static void picture_box(const picture *p, double *low, double *high)
{
    for (int corner = 0; corner < 4; ++corner) {
        double at[2];
        apply(&p->transform, corner % 2 ? p->width + 0.5 : -0.5, corner / 2 ? p->height + 0.5 : -0.5, at);
        for (int d = 0; d < 2; ++d) {
            low[d] = corner == 0 ? at[d] : fmin(low[d], at[d]);
            high[d] = corner == 0 ? at[d] : fmax(high[d], at[d]);
        }
    }
}

/* Bilinear sample of the region, premultiplied by alpha; transparent outside. */
static void sample(const reader *r, const picture *p, double x, double y, double *color)
{
    const double left = floor(x - 0.5), top = floor(y - 0.5), u = x - 0.5 - left, v = y - 0.5 - top;
    memset(color, 0, 4 * sizeof *color);
    for (int i = 0; i < 4; ++i) {
        const int column = (int)left + i % 2, row = (int)top + i / 2;
        if (column < 0 || row < 0 || column >= p->width || row >= p->height) {
            continue;
        }
        const uint8_t *from =
            r->pixels->pixels + 4 * ((size_t)(p->y + row) * (size_t)r->pixels->width + (size_t)(p->x + column));
        const double weight = (i % 2 ? u : 1 - u) * (i / 2 ? v : 1 - v) * from[3] / 255 * p->alpha;
        for (int k = 0; k < 3; ++k) {
            color[k] += weight * from[k];
        }
        color[3] += weight;
    }
}

static void draw_picture(const reader *r, const picture *p, const double *origin, sn_image *image)
{
    const double *m = p->transform.m, determinant = m[0] * m[3] - m[1] * m[2];
    double low[2], high[2];
    if (fabs(determinant) < 1e-9) {
        return;
    }
    picture_box(p, low, high);
    for (int y = (int)floor(low[1] - origin[1]); y <= (int)(high[1] - origin[1]); ++y) {
        for (int x = (int)floor(low[0] - origin[0]); x <= (int)(high[0] - origin[0]); ++x) {
            const double at[2] = {x + 0.5 + origin[0] - m[4], y + 0.5 + origin[1] - m[5]};
            double over[4];
            sample(r, p, (m[3] * at[0] - m[2] * at[1]) / determinant, (m[0] * at[1] - m[1] * at[0]) / determinant,
                   over);
            uint8_t *to = image->pixels + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            const double under = to[3] / 255.0 * (1 - over[3]), alpha = over[3] + under;
            for (int k = 0; k < 3 && alpha > 0; ++k) {
                to[k] = (uint8_t)lrint(fmin((over[k] + under * to[k]) / alpha, 255));
            }
            to[3] = (uint8_t)lrint(255 * fmin(alpha, 1));
        }
    }
}

static sn_result draw_all(const reader *r, sn_drawing *drawing, double *origin)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, total = 0;
    for (int i = 0; i < r->picture_count; ++i) {
        double from[2], to[2];
        picture_box(&r->pictures[i], from, to);
        for (int d = 0; d < 2; ++d) {
            low[d] = fmin(low[d], from[d]);
            high[d] = fmax(high[d], to[d]);
        }
        total += (to[0] - from[0] + 2) * (to[1] - from[1] + 2);
    }
    if (r->picture_count == 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: armature: none of its slots has a picture", r->file);
    }
    for (int d = 0; d < 2; ++d) {
        origin[d] = floor(low[d]) - MARGIN;
        high[d] = ceil(high[d]) + MARGIN;
    }
    if (!(total < (double)MAX_DRAWN_PIXELS) || high[0] - origin[0] > SN_DRAWING_SIDE_LIMIT ||
        high[1] - origin[1] > SN_DRAWING_SIDE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: armature: its pictures are more than %d pixels wide or high", r->file,
                       SN_DRAWING_SIDE_LIMIT);
    }
    sn_image *image = &drawing->image;
    image->width = (int)(high[0] - origin[0]);
    image->height = (int)(high[1] - origin[1]);
    image->pixels = SN_NEW(r->arena, uint8_t, 4 * (size_t)image->width * (size_t)image->height);
    if (!image->pixels) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < r->picture_count; ++i) {
        draw_picture(r, &r->pictures[i], origin, image);
    }
    drawing->height = image->height;
    drawing->pixel_size = 1;
    return SN_OK;
}

/* ---- the skeleton ---- */

static bool is_opaque_at(const sn_image *image, const double *transform)
{
    const int x = (int)floor(transform[0]), y = (int)floor(transform[1]);
    return x >= 0 && y >= 0 && x < image->width && y < image->height &&
           image->pixels[4 * ((size_t)y * (size_t)image->width + (size_t)x) + 3] > 127;
}

static char *copy_text(sn_arena *arena, const char *from)
{
    const size_t size = strlen(from) + 1;
    char *copy = SN_NEW(arena, char, size);
    return copy ? memcpy(copy, from, size) : NULL;
}

/* For each handle, selects its first bone with a picture, else its first bone. */
static void find_followed_bones(const bone *bones, int count, const bool *is_used, const int32_t *handle_of,
                                int32_t *followed)
{
    int joint = 0, handle_count = 0;
    for (int i = 0; i < count; ++i) {
        if (is_used[i]) {
            const int32_t handle = handle_of[joint++];
            if (handle >= handle_count) {
                followed[handle] = i;
                handle_count = handle + 1;
            } else if (bones[i].has_picture && !bones[followed[handle]].has_picture) {
                followed[handle] = i;
            }
        }
    }
}

/* Selects bones with a picture, and those on the body with such a descendant. Other bones, such as effects or the
 * ground, move nothing. */
static void find_used_bones(const sn_dragon_rig *rig, const sn_image *image, bool *is_used)
{
    const bone *bones = rig->bones;
    for (int i = rig->bone_count - 1; i >= 0; --i) { /* children come after their parents */
        const double head[2] = {bones[i].world.m[4] - rig->origin[0], bones[i].world.m[5] - rig->origin[1]};
        is_used[i] = bones[i].has_picture || is_used[i];
        if (is_used[i] && bones[i].parent >= 0) {
            is_used[bones[i].parent] = true;
        }
        is_used[i] = bones[i].has_picture || (is_used[i] && is_opaque_at(image, head));
    }
}

static sn_rig_joint joint_of(const bone *b, int32_t parent, const double *origin, sn_arena *arena)
{
    sn_rig_joint j = {.name = copy_text(arena, b->name), .parent = parent, .has_tail = b->length > 0};
    apply(&b->world, 0, 0, j.head);
    apply(&b->world, b->length, 0, j.tail);
    for (int d = 0; d < 2; ++d) {
        j.head[d] -= origin[d];
        j.tail[d] -= origin[d];
    }
    return j;
}

static sn_result build_handles(const reader *r, sn_dragon_rig *rig, sn_drawing *drawing)
{
    const bone *bones = rig->bones;
    const int count = rig->bone_count;
    bool *is_used = SN_NEW(r->arena, bool, count);
    int32_t *index = SN_NEW(r->arena, int32_t, count);
    sn_rig_joint *joints = SN_NEW(r->arena, sn_rig_joint, count);
    int32_t *handle_of = SN_NEW(r->arena, int32_t, count), *followed = SN_NEW(r->arena, int32_t, count);
    int joint_count = 0;
    if (!is_used || !index || !joints || !handle_of || !followed) {
        return SN_ERROR_MEMORY;
    }
    find_used_bones(rig, &drawing->image, is_used);
    for (int i = 0; i < count; ++i) {
        index[i] = bones[i].parent >= 0 ? index[bones[i].parent] : -1;
        if (is_used[i]) {
            joints[joint_count] = joint_of(&bones[i], index[i], rig->origin, r->handle_arena);
            if (!joints[joint_count].name) {
                return SN_ERROR_MEMORY;
            }
            index[i] = joint_count++;
        }
    }
    const sn_result result =
        sn_rig_joints_to_handles(r->file, joints, joint_count, r->handle_arena, &drawing->handles, handle_of);
    if (result == SN_OK) {
        find_followed_bones(bones, count, is_used, handle_of, followed);
        rig->followed = followed;
        rig->handle_count = drawing->handles.count;
    }
    return result;
}

static int count_animated(const json_t *armature, const char *what)
{
    const json_t *animations = json_object_get(armature, "animation");
    int count = 0;
    for (size_t a = 0; a < json_array_size(animations); ++a) {
        count += json_array_size(json_object_get(json_array_get(animations, a), what)) > 0;
    }
    return count;
}

static sn_result warn(const reader *r, const json_t *armature)
{
    const char *name = printable_name(r, sn_dragon_text(armature, "name"));
    const int animated = count_animated(armature, "ik");
    int exchanged = 0;
    const sn_result result = sn_dragon_count_animated_slots(armature, &exchanged);
    if (exchanged > 0) {
        sn_log(SN_LOG_WARNING, "%s: armature '%s': %d slots change their picture in animations, which is not supported",
               r->file, name, exchanged);
    }
    if (animated > 0) {
        sn_log(SN_LOG_WARNING, "%s: armature '%s': %d animations change inverse kinematics, which is not supported",
               r->file, name, animated);
    }
    if (r->skipped_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: armature '%s': %d slots contain meshes, which are not supported", r->file, name,
               r->skipped_count);
    }
    return result;
}

/* The armature's frame rate, or that of the file. */
static double frame_rate_of(const reader *r, const json_t *armature)
{
    const double rate = sn_dragon_number(armature, "frameRate", r->frame_rate);
    return rate >= 1 && rate <= 1000 ? rate : 24;
}

static sn_result read_armature(reader *r, sn_drawing *drawing)
{
    static const placement identity = {{1, 0, 0, 1, 0, 0}};
    const json_t *armature = json_array_get(r->armatures, 0);
    sn_dragon_skeleton s = {0};
    double origin[2] = {0, 0};
    r->pictures = SN_NEW(r->arena, picture, PICTURE_LIMIT);
    if (!r->pictures) {
        return SN_ERROR_MEMORY;
    }
    if (!json_is_object(armature)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: armature: must be a list of armatures", r->file);
    }
    SN_TRY(draw_armature(r, armature, &identity, 1, 0, &s));
    SN_TRY(draw_all(r, drawing, origin));
    sn_dragon_rig rig = {.file = r->file,
                         .bones = s.bones,
                         .bone_count = s.bone_count,
                         .ik_list = s.ik_list,
                         .ik_count = s.ik_count,
                         .origin = {origin[0], origin[1]}};
    SN_TRY(build_handles(r, &rig, drawing));
    SN_TRY(sn_dragon_clips_read(&rig, armature, frame_rate_of(r, armature), r->handle_arena, drawing));
    return warn(r, armature);
}

sn_result sn_dragonbones_read(const sn_source *skeleton, const sn_source *atlas, const sn_image *pixels,
                              sn_arena *arena, sn_arena *pixel_arena, sn_drawing *drawing)
{
    json_t *bones = NULL, *regions = NULL;
    sn_result result = sn_json_load(skeleton, 0, &bones);
    result = result ? result : sn_json_load(atlas, 0, &regions);
    if (result != SN_OK) {
        json_decref(bones);
        return result;
    }
    reader r = {.file = skeleton->name,
                .atlas_file = atlas->name,
                .armatures = json_object_get(bones, "armature"),
                .pixels = pixels,
                .arena = pixel_arena,
                .handle_arena = arena,
                .frame_rate = sn_dragon_number(bones, "frameRate", 24)};
    result = sn_dragon_names_build(r.armatures, &r.armature_names);
    if (result == SN_OK) {
        result = sn_dragon_names_build(json_object_get(regions, "SubTexture"), &r.regions);
    }
    result = result == SN_OK ? read_armature(&r, drawing) : result;
    sn_dragon_names_finish(&r.armature_names);
    sn_dragon_names_finish(&r.regions);
    json_decref(bones);
    json_decref(regions);
    return result;
}
