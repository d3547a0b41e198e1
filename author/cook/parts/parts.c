/* SPDX-License-Identifier: MIT */
/* Assigns tet vertices to parts, and gives each part its motion. */
#include "author/cook/parts/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "author/cook/parts/part_bones.h"
#include "author/cook/parts/part_depth.h"
#include "author/cook/parts/part_surface.h"
#include "host/math/vec3.h"

#define SECTION_COUNT 12 /* of the torso, along the spine */
#define CHEST_START 0.6  /* of the way from the hips to the shoulders */
#define BUTTOCKS_END 0.3
#define BUTTOCKS_OF_THIGH 0.2 /* of a thigh's length */
#define LARGE_HEAD 0.36       /* of the character's height: a cartoon's head, whose cheeks move */
#define AMPLITUDE_OF_THICKNESS 0.12
#define SKIN_PERCENTILE 0.9

/* What distinguishes the parts. -1 and null where it does not matter. */
typedef struct part_key {
    sn_flesh_kind kind;
    int32_t chain, object;
    bool is_spring;
    const sn_named_part *setting; /* of a bone or an object */
} part_key;

typedef struct divider {
    sn_cook_context *cook;
    sn_flesh_parts *parts;
    sn_flesh_skeleton skeleton;
    sn_flesh_objects objects;
    sn_flesh_distances distances;
    part_key *keys; /* (capacity) of the parts */
    bool *is_hanging;
    int capacity;
    bool has_large_head;
} divider;

static bool has_own_part(sn_flesh_kind kind)
{
    return kind == SN_FLESH_GENERIC || sn_flesh_is_accessory(kind) || sn_flesh_is_appendage(kind);
}

static const char *bone_name(const sn_cook_context *cook, int32_t bone)
{
    return cook->bone_names && cook->bone_names[bone] ? cook->bone_names[bone] : "";
}

static int32_t add_part(divider *d, const part_key *key, const char *name, const char *reason)
{
    for (int32_t p = 0; p < d->parts->count; ++p) {
        const part_key *own = &d->keys[p];
        if (own->kind == key->kind && own->chain == key->chain && own->object == key->object &&
            own->is_spring == key->is_spring && own->setting == key->setting) {
            return p;
        }
    }
    if (d->parts->count == d->capacity) {
        return 0;
    }
    const int32_t part = d->parts->count++;
    d->keys[part] = *key;
    d->parts->list[part] = (sn_flesh_part){.name = name, .kind = key->kind, .reason = reason};
    return part;
}

/* The part of the flesh that a bone moves. */
static int32_t part_of_bone(divider *d, int32_t bone)
{
    const sn_flesh_bone *own = &d->skeleton.bones[bone];
    const sn_named_part *setting = sn_flesh_setting_of(d->cook, bone_name(d->cook, bone));
    /* a cheek bone of a realistic head animates the face */
    const sn_flesh_kind found = own->kind == SN_FLESH_CHEEKS && !d->has_large_head ? SN_FLESH_FACE : own->kind;
    const sn_flesh_kind torso =
        sn_flesh_is_torso(found) && found != SN_FLESH_BELLY && found != SN_FLESH_BUTTOCKS ? SN_FLESH_TORSO : found;
    part_key key = {.kind = sn_flesh_setting_kind(setting, torso),
                    .chain = has_own_part(found) ? own->chain : -1,
                    .object = -1,
                    .is_spring = own->is_spring,
                    .setting = setting};
    if (!setting && key.chain >= 0) { /* the name of a chain's first bone means the chain */
        setting = sn_flesh_setting_of(d->cook, bone_name(d->cook, key.chain));
        key.kind = sn_flesh_setting_kind(setting, torso);
        key.setting = setting;
    }
    key.chain = setting || own->is_spring ? own->chain : key.chain;
    const bool is_named = key.chain >= 0;
    return add_part(d, &key,
                    setting    ? setting->name
                    : is_named ? bone_name(d->cook, own->chain)
                               : sn_flesh_preset_of(key.kind)->name,
                    setting          ? "sidecar"
                    : own->is_spring ? "spring bone"
                                     : own->reason);
}

/* Every vertex goes to the part whose bones have the largest total weight; the torso is one part here. */
static sn_result assign_bones(divider *d)
{
    const size_t n = (size_t)d->cook->mesh.vertex_count, bones = (size_t)d->cook->bone_count;
    int32_t *of_bone = SN_NEW(&d->cook->arena, int32_t, bones);
    double *weights = SN_NEW(&d->cook->arena, double, d->capacity);
    if (!of_bone || !weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t b = 0; b < bones; ++b) {
        of_bone[b] = d->skeleton.bones[b].mass > 0 ? part_of_bone(d, (int32_t)b) : 0;
    }
    if (d->parts->count == 0) {
        const part_key key = {.kind = SN_FLESH_GENERIC, .chain = -1, .object = -1};
        add_part(d, &key, sn_flesh_preset_of(SN_FLESH_GENERIC)->name, "default");
    }
    for (size_t v = 0; v < n; ++v) {
        memset(weights, 0, (size_t)d->parts->count * sizeof *weights);
        int32_t best = 0;
        for (size_t b = 0; b < bones; ++b) {
            weights[of_bone[b]] += d->cook->rig_weights[v * bones + b];
        }
        for (int32_t p = 1; p < d->parts->count; ++p) {
            best = weights[p] > weights[best] ? p : best;
        }
        d->parts->of_vertex[v] = best;
    }
    return SN_OK;
}

/* ---- division by position ---- */

static void torso_coordinates(const sn_flesh_axes *axes, const double *x, double *height, double *front)
{
    double from_hips[3];
    sn_subtract3(x, axes->hips, from_hips);
    *height = sn_dot3(from_hips, axes->spine) / axes->length;
    *front = sn_dot3(from_hips, axes->front);
}

static int section_of(double height)
{
    return (int)fmin(fmax((height + 0.5) * SECTION_COUNT / 2, 0), SECTION_COUNT - 1);
}

static sn_flesh_kind kind_in_torso(double height, bool is_front)
{
    return is_front ? (height < CHEST_START ? SN_FLESH_BELLY : SN_FLESH_CHEST)
                    : (height < BUTTOCKS_END ? SN_FLESH_BUTTOCKS : SN_FLESH_BACK);
}

static int32_t divided_part(divider *d, sn_flesh_kind kind)
{
    const part_key key = {.kind = kind, .chain = -1, .object = -1};
    return add_part(d, &key, sn_flesh_preset_of(kind)->name, "position");
}

/* Objects such as capes and hair say nothing about the shape of the body. */
static bool is_skin(const divider *d, size_t v)
{
    return d->objects.of_vertex[v] < 0;
}

/* The torso's middle between front and back is that of its flesh in each section; bones are often nearer to one. */
static void divide_torso(divider *d)
{
    const sn_flesh_axes *axes = &d->skeleton.axes;
    const size_t n = (size_t)d->cook->mesh.vertex_count;
    double low[SECTION_COUNT], high[SECTION_COUNT], height, front;
    for (int i = 0; i < SECTION_COUNT; ++i) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (size_t v = 0; v < n; ++v) {
        const part_key *key = &d->keys[d->parts->of_vertex[v]];
        if (key->kind == SN_FLESH_TORSO && key->chain < 0 && is_skin(d, v)) {
            torso_coordinates(axes, d->cook->mesh.positions + 3 * v, &height, &front);
            low[section_of(height)] = fmin(low[section_of(height)], front);
            high[section_of(height)] = fmax(high[section_of(height)], front);
        }
    }
    for (size_t v = 0; v < n; ++v) {
        const part_key *key = &d->keys[d->parts->of_vertex[v]];
        torso_coordinates(axes, d->cook->mesh.positions + 3 * v, &height, &front);
        const int section = section_of(height);
        if (key->kind == SN_FLESH_TORSO && key->chain < 0) {
            d->parts->of_vertex[v] =
                divided_part(d, kind_in_torso(height, front > 0.5 * (low[section] + high[section])));
        }
    }
}

/* The flesh behind and around the hip joint belongs to the buttocks, although the thigh bone often moves it. */
static void divide_thighs(divider *d)
{
    const sn_flesh_axes *axes = &d->skeleton.axes;
    for (size_t v = 0; v < (size_t)d->cook->mesh.vertex_count; ++v) {
        const part_key *key = &d->keys[d->parts->of_vertex[v]];
        const int32_t bone = d->distances.bones[v];
        const int32_t first = d->skeleton.segment_starts[bone];
        if (key->kind != SN_FLESH_THIGHS || key->chain >= 0 || d->skeleton.bones[bone].kind != SN_FLESH_THIGHS ||
            first == d->skeleton.segment_starts[bone + 1]) {
            continue;
        }
        const sn_flesh_segment *segment = &d->skeleton.segments[first];
        const double *x = d->cook->mesh.positions + 3 * v;
        double across[3];
        sn_subtract3(x, segment->start, across);
        const bool is_behind = sn_dot3(across, axes->front) < 0;
        if (is_behind && sn_segment_nearest(x, segment->start, segment->end) < BUTTOCKS_OF_THIGH) {
            d->parts->of_vertex[v] = divided_part(d, SN_FLESH_BUTTOCKS);
        }
    }
}

/* The low sides of the face of a large, upright head are cheeks. */
static void divide_head(divider *d)
{
    const sn_flesh_axes *axes = &d->skeleton.axes;
    const size_t n = (size_t)d->cook->mesh.vertex_count;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double *directions[3] = {axes->left, axes->spine, axes->front};
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t v = 0; v < n; ++v) {
            const part_key *key = &d->keys[d->parts->of_vertex[v]];
            const double *x = d->cook->mesh.positions + 3 * v;
            double at[3];
            if (key->kind != SN_FLESH_HEAD || key->chain >= 0 || !is_skin(d, v)) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                at[k] = sn_dot3(x, directions[k]);
                low[k] = pass == 0 ? fmin(low[k], at[k]) : low[k];
                high[k] = pass == 0 ? fmax(high[k], at[k]) : high[k];
                at[k] = (at[k] - low[k]) / fmax(high[k] - low[k], 1e-30);
            }
            if (pass == 1 && fabs(at[0] - 0.5) > 0.2 && at[1] > 0.05 && at[1] < 0.36 && at[2] > 0.5) {
                d->parts->of_vertex[v] = divided_part(d, SN_FLESH_CHEEKS);
            }
        }
    }
}

/* Whether the flesh of the head is a large share of the character's height. */
static bool is_head_large(const divider *d)
{
    const sn_flesh_axes *axes = &d->skeleton.axes;
    const size_t n = (size_t)d->cook->mesh.vertex_count, bones = (size_t)d->cook->bone_count;
    const double up[3] = {0, 1, 0}, *direction = axes->is_valid && axes->is_upright ? axes->spine : up;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t v = 0; v < n; ++v) {
        double head = 0;
        for (size_t b = 0; b < bones; ++b) {
            const sn_flesh_kind kind = d->skeleton.bones[b].kind;
            head += kind == SN_FLESH_HEAD || kind == SN_FLESH_FACE ? d->cook->rig_weights[v * bones + b] : 0;
        }
        const double at = sn_dot3(d->cook->mesh.positions + 3 * v, direction);
        for (int k = 0; k < (head > 0.5 && is_skin(d, v) ? 2 : 1); ++k) {
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
    }
    return d->skeleton.head >= 0 && high[1] - low[1] > LARGE_HEAD * (high[0] - low[0]);
}

/* Objects on the surface. An accessory does not replace flesh of spring bones or of a bone that the sidecar names. */
static void assign_objects(divider *d)
{
    for (int v = 0; v < d->cook->mesh.vertex_count; ++v) {
        const int32_t index = d->objects.of_vertex[v];
        const part_key *below = &d->keys[d->parts->of_vertex[v]];
        if (index < 0 || (below->setting && !d->objects.list[index].setting)) {
            continue;
        }
        const sn_flesh_object *object = &d->objects.list[index];
        const bool is_soft = !sn_flesh_preset_of(object->kind)->is_rigid;
        const bool has_bones = below->is_spring || sn_flesh_is_accessory(below->kind);
        if (is_soft && !object->setting && (has_bones || sn_flesh_is_appendage(below->kind))) {
            continue; /* hair or cloth with bones of its own */
        }
        const part_key key = {.kind = object->kind, .chain = -1, .object = index, .setting = object->setting};
        const int32_t part = add_part(d, &key, object->name, object->reason);
        d->is_hanging[part] = object->kind == SN_FLESH_CLOTH || object->kind == SN_FLESH_HAIR;
        d->parts->of_vertex[v] = part;
    }
}

/* ---- the list ---- */

static double style_gain(sn_character_style style)
{
    static const double gains[SN_STYLE_COUNT] = {
        [SN_STYLE_DEFAULT] = 1, [SN_STYLE_REALISTIC] = 0.6, [SN_STYLE_CARTOON] = 1.4, [SN_STYLE_JELLY] = 2.2};
    return gains[style];
}

static void apply_setting(const sn_named_part *setting, sn_flesh_part *part)
{
    const bool is_rigid = setting->kind && sn_flesh_preset_of(part->kind)->is_rigid;
    part->is_rigid = setting->kind ? is_rigid : part->is_rigid;
    part->reason = "sidecar";
    if (setting->amplitude > 0 && !setting->kind) {
        part->is_rigid = false; /* motion is requested of a part that does not move by default */
    }
    if (!part->is_rigid && part->max_frequency <= 0) {
        const sn_flesh_preset *flesh = sn_flesh_preset_of(SN_FLESH_GENERIC);
        part->min_frequency = flesh->min_frequency;
        part->max_frequency = flesh->max_frequency;
        part->settling_time = flesh->settling_time;
        part->amplitude = flesh->amplitude;
        part->core_depth = flesh->core_depth;
    }
    part->settling_time = setting->settling_time > 0 ? setting->settling_time : part->settling_time;
    part->core_depth = setting->core_depth >= 0 ? setting->core_depth : part->core_depth;
    part->has_user_frequency = setting->frequency > 0;
    part->frequency = setting->frequency > 0 ? setting->frequency : 0;
    if (part->has_user_frequency) {
        part->min_frequency = part->max_frequency = setting->frequency;
    }
}

/* The sidecar's entry of a part: of its bone or object, of its name, or of its kind. */
static const sn_named_part *setting_of(const divider *d, int part)
{
    const sn_flesh_part *own = &d->parts->list[part];
    const sn_named_part *setting = d->keys[part].setting;
    setting = setting ? setting : sn_flesh_setting_find(d->cook, own->name);
    return setting ? setting : sn_flesh_setting_find(d->cook, sn_flesh_preset_of(own->kind)->name);
}

static void set_motion(divider *d)
{
    for (int p = 0; p < d->parts->count; ++p) {
        sn_flesh_part *part = &d->parts->list[p];
        const sn_named_part *setting = setting_of(d, p);
        part->kind = sn_flesh_setting_kind(setting, part->kind);
        const sn_flesh_preset *preset = sn_flesh_preset_of(part->kind);
        part->is_rigid = preset->is_rigid || d->keys[p].is_spring;
        part->amplitude = preset->amplitude;
        part->min_frequency = preset->min_frequency;
        part->max_frequency = preset->max_frequency;
        part->settling_time = preset->settling_time;
        part->core_depth = preset->core_depth;
        if (setting) {
            apply_setting(setting, part);
        }
        part->core_depth = part->is_rigid ? 1 : part->core_depth;
    }
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Thickness, mass, and the amplitude that the thickness allows. */
static sn_result measure_parts(divider *d)
{
    const sn_cook_context *cook = d->cook;
    const size_t n = (size_t)cook->mesh.vertex_count;
    sn_arena scratch = {0};
    double *distances = SN_NEW(&scratch, double, n);
    for (int p = 0; p < d->parts->count && distances; ++p) {
        sn_flesh_part *part = &d->parts->list[p];
        const sn_named_part *setting = setting_of(d, p);
        size_t count = 0;
        for (size_t v = 0; v < n; ++v) {
            if (d->parts->of_vertex[v] == p) {
                part->mass += cook->mass[v];
                part->vertex_count += 1;
                distances[count] = d->distances.bone[v];
                count += d->distances.skin[v] <= 0;
            }
        }
        for (size_t v = 0; v < n && count == 0 && part->vertex_count > 0; ++v) { /* a part without skin */
            if (d->parts->of_vertex[v] == p) {
                distances[count++] = d->distances.bone[v];
            }
        }
        qsort(distances, count, sizeof *distances, compare_doubles);
        part->thickness = count > 0 ? 2 * distances[(size_t)(SKIN_PERCENTILE * (double)(count - 1))] : 0;
        if (part->is_rigid) {
            part->amplitude = 0;
        } else if (setting && setting->amplitude >= 0) {
            part->has_user_amplitude = setting->amplitude > 0 && !part->has_user_frequency;
            part->amplitude = setting->amplitude;
        } else {
            const double gain = style_gain(cook->sidecar.style);
            const double limit = AMPLITUDE_OF_THICKNESS * part->thickness / fmax(cook->height, 1e-30);
            part->amplitude = fmin(gain * part->amplitude, fmax(gain, 1) * limit);
        }
    }
    sn_arena_finish(&scratch);
    return distances ? SN_OK : SN_ERROR_MEMORY;
}

/* If nothing would move, what is rigid by its shape or kind becomes flesh, unless the sidecar or a spring says so. */
static void ensure_soft(divider *d)
{
    for (size_t v = 0; v < (size_t)d->cook->mesh.vertex_count; ++v) {
        if (!d->parts->list[d->parts->of_vertex[v]].is_rigid) {
            return;
        }
    }
    const sn_flesh_preset *flesh = sn_flesh_preset_of(SN_FLESH_GENERIC);
    for (int p = 0; p < d->parts->count; ++p) {
        sn_flesh_part *part = &d->parts->list[p];
        if (strcmp(part->reason, "sidecar") != 0 && !d->keys[p].is_spring) {
            part->is_rigid = false;
            part->reason = "nothing else moves";
            part->amplitude = flesh->amplitude;
            part->min_frequency = flesh->min_frequency;
            part->max_frequency = flesh->max_frequency;
            part->settling_time = flesh->settling_time;
            part->core_depth = flesh->core_depth;
        }
    }
}

/* Removes parts without vertices, and makes names unique. */
static sn_result finish_list(divider *d)
{
    sn_flesh_parts *parts = d->parts;
    const size_t n = (size_t)d->cook->mesh.vertex_count;
    int32_t *new_index = SN_NEW(&d->cook->arena, int32_t, parts->count);
    bool *is_used = SN_NEW(&d->cook->arena, bool, parts->count);
    int count = 0;
    if (!new_index || !is_used) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        is_used[parts->of_vertex[v]] = true;
    }
    for (int p = 0; p < parts->count; ++p) {
        new_index[p] = count;
        if (is_used[p]) {
            parts->list[count] = parts->list[p];
            d->keys[count] = d->keys[p];
            d->is_hanging[count++] = d->is_hanging[p];
        }
    }
    parts->count = count;
    for (size_t v = 0; v < n; ++v) {
        parts->of_vertex[v] = new_index[parts->of_vertex[v]];
    }
    int of_kind[SN_FLESH_KIND_COUNT] = {0};
    for (int p = 0; p < count; ++p) {
        ++of_kind[parts->list[p].kind];
    }
    for (int p = 0; p < count; ++p) { /* the only tail is "tail", whatever its bone is called */
        sn_flesh_part *part = &parts->list[p];
        const bool is_plain = d->keys[p].object < 0 && !d->keys[p].setting &&
                              (sn_flesh_is_appendage(part->kind) || part->kind == SN_FLESH_GENERIC);
        if ((is_plain && of_kind[part->kind] == 1) || !part->name[0]) {
            part->name = sn_flesh_preset_of(part->kind)->name;
        }
    }
    for (int p = 0; p < count; ++p) {
        int suffix = 2;
        const char *plain = parts->list[p].name;
        while (sn_flesh_parts_find_name(parts, parts->list[p].name) < p) {
            const size_t size = strlen(plain) + 16;
            char *name = SN_NEW(&d->cook->arena, char, size);
            if (!name) {
                return SN_ERROR_MEMORY;
            }
            snprintf(name, size, "%s %d", plain, suffix++);
            parts->list[p].name = name;
        }
    }
    return SN_OK;
}

/* Rigid pieces outside of the tets, for the report. */
static void list_outside(divider *d)
{
    const sn_character *c = &d->cook->character;
    for (int i = 0; i < c->part_count && d->cook->has_character; ++i) {
        const sn_character_part *part = &c->parts[i];
        if (part->is_hidden || part->rigid_piece_count < part->piece_count || part->piece_count == 0 ||
            sn_flesh_parts_find_name(d->parts, part->name) >= 0 || d->parts->count == d->capacity) {
            continue;
        }
        const sn_flesh_kind kind = sn_flesh_kind_of_object(part->name);
        const bool is_named = kind != SN_FLESH_GENERIC;
        d->parts->list[d->parts->count++] = (sn_flesh_part){.name = part->name,
                                                            .kind = is_named ? kind : SN_FLESH_HARD,
                                                            .is_rigid = true,
                                                            .reason = is_named ? "name" : "piece",
                                                            .core_depth = 1};
    }
}

static bool is_known_name(const divider *d, const char *name)
{
    const sn_character *c = &d->cook->character;
    bool is_known = sn_flesh_parts_find_name(d->parts, name) >= 0;
    for (int p = 0; p < d->parts->count && !is_known; ++p) {
        is_known = strcmp(sn_flesh_preset_of(d->parts->list[p].kind)->name, name) == 0 ||
                   (d->keys[p].setting && strcmp(d->keys[p].setting->name, name) == 0);
    }
    for (int b = 0; b < d->cook->bone_count && !is_known; ++b) {
        is_known = strcmp(bone_name(d->cook, b), name) == 0;
    }
    for (int p = 0; p < c->part_count && !is_known; ++p) {
        is_known = strcmp(c->parts[p].name, name) == 0;
    }
    for (int m = 0; m < c->material_count && !is_known; ++m) {
        is_known = strcmp(c->materials[m].name, name) == 0;
    }
    return is_known;
}

static void check_names(const divider *d)
{
    for (int i = 0; i < d->cook->sidecar.part_count; ++i) {
        const char *name = d->cook->sidecar.parts[i].name;
        if (!is_known_name(d, name)) {
            sn_log(SN_LOG_WARNING, "%s: parts: no part, bone, mesh or material is called '%s'", d->cook->sidecar.path,
                   name);
        }
    }
}

static sn_result divide(divider *d)
{
    SN_TRY(sn_flesh_distances_measure(d->cook, &d->skeleton, &d->distances));
    d->has_large_head = is_head_large(d);
    SN_TRY(assign_bones(d));
    if (d->skeleton.axes.is_valid) {
        divide_torso(d);
        divide_thighs(d);
        if (d->has_large_head && d->skeleton.axes.is_upright) {
            divide_head(d);
        }
    }
    assign_objects(d);
    set_motion(d);
    ensure_soft(d);
    SN_TRY(finish_list(d));
    SN_TRY(sn_flesh_depth_fill(d->cook, &d->skeleton, d->is_hanging, &d->distances, d->parts));
    SN_TRY(measure_parts(d));
    list_outside(d);
    check_names(d);
    return SN_OK;
}

sn_result sn_flesh_parts_find(sn_cook_context *cook, sn_flesh_parts *parts)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    divider d = {.cook = cook, .parts = parts};
    *parts = (sn_flesh_parts){.of_vertex = SN_NEW(&cook->arena, int32_t, n), .depth = SN_NEW(&cook->arena, double, n)};
    sn_result result = parts->of_vertex && parts->depth ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_flesh_skeleton_build(cook, &d.skeleton);
    }
    if (result == SN_OK) {
        result = sn_flesh_objects_find(cook, &d.skeleton, &d.objects);
    }
    d.capacity = cook->bone_count + d.objects.count + cook->character.part_count + SN_FLESH_KIND_COUNT + 1;
    if (result == SN_OK) {
        parts->list = SN_NEW(&cook->arena, sn_flesh_part, d.capacity);
        d.keys = SN_NEW(&cook->arena, part_key, d.capacity);
        d.is_hanging = SN_NEW(&cook->arena, bool, d.capacity);
        result = parts->list && d.keys && d.is_hanging ? SN_OK : SN_ERROR_MEMORY;
    }
    return result == SN_OK ? divide(&d) : result;
}

int sn_flesh_parts_find_name(const sn_flesh_parts *parts, const char *name)
{
    for (int p = 0; p < parts->count; ++p) {
        if (strcmp(parts->list[p].name, name) == 0) {
            return p;
        }
    }
    return -1;
}

void sn_flesh_parts_describe(const sn_flesh_parts *parts, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0) {
        text[0] = 0;
    }
    for (int p = 0; p < parts->count && used + 1 < size; ++p) {
        const sn_flesh_part *part = &parts->list[p];
        const char *separator = p > 0 ? "; " : "";
        char frequency[32] = "";
        if (part->frequency > 0) {
            snprintf(frequency, sizeof frequency, " %.1f Hz,", part->frequency);
        }
        const int written =
            part->is_rigid ? snprintf(text + used, size - used, "%s%s rigid (%s)", separator, part->name, part->reason)
                           : snprintf(text + used, size - used, "%s%s%s %.1f%%, settles %.1f s", separator, part->name,
                                      frequency, 100 * part->amplitude, part->settling_time);
        used += written > 0 ? (size_t)written : 0;
    }
}
