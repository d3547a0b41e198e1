/* SPDX-License-Identifier: MIT */
/* The first stage: reads files into a mesh or a character, with bones and clips. */
#include <string.h>
#include <strings.h>

#include "author/cook/handles/handles.h"
#include "author/cook/stages/sidecar_names.h"
#include "author/cook/stages/stages.h"
#include "author/cook/surface/surface.h"
#include "author/import/bone_constraints.h"
#include "author/import/character_bones.h"
#include "author/import/drawing.h"
#include "author/import/motion_file.h"
#include "author/import/names.h"
#include "author/import/read_character.h"
#include "author/io/tets/tet_file.h"
#include "host/math/affine.h"

/* Frames per second of clip JSON files, which store none. */
#define CLIP_FRAME_RATE 60.0

/* A drawing's sidecar names bones and handles, but no parts. */
static sn_result read_drawing(sn_cook_context *cook)
{
    sn_drawing_body body;
    sn_result result =
        sn_drawing_body_build(cook->path, cook->desc->mask_path, cook->desc->drawing_vertex_count, &cook->arena, &body);
    if (result == SN_OK) {
        result = sn_sidecar_find(cook->path, &cook->arena, &cook->sidecar);
    }
    if (result != SN_OK) {
        return result;
    }
    cook->character = body.character;
    cook->has_character = true;
    cook->drawing_nodes = body.nodes;
    cook->tet_fill = body.fill;
    sn_handles_flip_y(&cook->sidecar.handles, body.height);
    sn_handles_flip_y(&cook->rig.handles, body.height);
    if (!cook->has_rig && body.handles.count > 0) {
        cook->rig = (sn_rig_file){.handles = body.handles};
        cook->has_rig = true;
    }
    if (cook->has_rig && cook->rig.handles.count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: this rig is for a tet mesh; %s needs handles", cook->desc->rig_path,
                       cook->path);
    }
    return sn_character_find_rigid_parts(&cook->character, &cook->sidecar);
}

static sn_result read_mesh(sn_cook_context *cook)
{
    if (cook->mesh.tet_count > 0 || cook->has_character) { /* set by the caller */
        return SN_OK;
    }
    if (cook->desc->mask_path && !sn_is_drawing_file(cook->path)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a mask is for a picture, which %s is not", cook->desc->mask_path,
                       cook->path);
    }
    if (cook->is_flat && (sn_is_tet_file(cook->path) || cook->desc->tets_path)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a flat body needs a surface, not a tet mesh",
                       cook->desc->tets_path ? cook->desc->tets_path : cook->path);
    }
    if (sn_is_tet_file(cook->path)) {
        if (cook->desc->tets_path) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: is a tet mesh; --tets %s is only for surfaces", cook->path,
                           cook->desc->tets_path);
        }
        sn_result read = sn_tet_file_read_with_groups(cook->path, &cook->arena, &cook->mesh, &cook->groups);
        read = read ? read : sn_cook_context_find_surface_file(cook);
        return read == SN_OK ? sn_sidecar_find(cook->path, &cook->arena, &cook->sidecar) : read;
    }
    if (sn_is_drawing_file(cook->path)) {
        return read_drawing(cook);
    }
    sn_result result = sn_character_read(cook->path, &cook->arena, &cook->sidecar, &cook->character);
    cook->has_character = result == SN_OK;
    if (result == SN_OK && cook->desc->tets_path) {
        result = sn_tet_file_read_with_groups(cook->desc->tets_path, &cook->arena, &cook->mesh, &cook->groups);
    }
    if (result == SN_OK && !cook->desc->tets_path && !cook->is_flat && cook->has_rig && cook->rig.handles.count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: this rig is for a tet mesh; %s needs --tets for it",
                       cook->desc->rig_path, cook->path);
    }
    return result;
}

static sn_result read_rig(sn_cook_context *cook)
{
    sn_source source;
    if (sn_is_handles_file(cook->desc->rig_path)) {
        const sn_result read = sn_handles_file_read(cook->desc->rig_path, &cook->arena, &cook->rig.handles);
        cook->has_rig = read == SN_OK;
        return read;
    }
    sn_result result = sn_source_read(cook->desc->rig_path, &cook->arena, &source);
    if (result == SN_OK) {
        result = sn_rig_read(&source, &cook->arena, &cook->rig);
    }
    cook->has_rig = result == SN_OK;
    return result;
}

/* Without a skin: a single affine handle that moves everything. */
static sn_result build_default_handle(sn_cook_context *cook)
{
    int32_t *parents = SN_NEW(&cook->arena, int32_t, 1);
    double *bind = SN_NEW(&cook->arena, double, 12);
    if (!parents || !bind) {
        return SN_ERROR_MEMORY;
    }
    parents[0] = -1;
    sn_affine_identity(bind);
    cook->bone_count = 1;
    cook->bone_parents = parents;
    cook->bone_bind = bind;
    return SN_OK;
}

/* Names unnamed bones by their index, as the model does. */
static sn_result name_bones(sn_cook_context *cook)
{
    const char **names = SN_NEW(&cook->arena, const char *, cook->bone_count);
    const char **named = SN_NEW(&cook->arena, const char *, cook->bone_count);
    int32_t size = 0;
    char *bytes = NULL;
    if (!names || !named) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < cook->bone_count; ++b) {
        names[b] = cook->bone_names ? cook->bone_names[b] : "";
    }
    const sn_result result = sn_names_pack(names, cook->bone_count, "bone", &cook->arena, &bytes, &size);
    for (int b = 0; b < cook->bone_count && result == SN_OK; ++b) {
        named[b] = names[b][0] ? names[b] : bytes;
        bytes += strlen(bytes) + 1;
    }
    cook->bone_names = named;
    return result;
}

static sn_result set_bones(sn_cook_context *cook)
{
    sn_result result = sn_handles_load(cook);
    if (result != SN_OK || cook->handles.handles.count > 0) {
        return result;
    }
    if (cook->has_rig && cook->rig.bone_count > SN_BONE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: pI: %d bones, more than %d", cook->desc->rig_path,
                       cook->rig.bone_count, SN_BONE_LIMIT);
    }
    if (cook->has_rig) {
        cook->bone_count = cook->rig.bone_count;
        cook->bone_parents = cook->rig.parents;
        cook->bone_bind = cook->rig.bind;
    } else if (cook->has_character) {
        cook->bone_count = cook->character.bone_count;
        cook->bone_parents = cook->character.bone_parents;
        cook->bone_bind = cook->character.bone_bind;
        cook->bone_names = cook->character.bone_names;
        cook->bone_roles = cook->character.bone_roles;
    } else {
        result = build_default_handle(cook);
    }
    return result;
}

/* Checks that a clip only translates the vertices of cages. */
static sn_result check_translations(const sn_cook_context *cook, const char *path, const sn_character_clip *clip)
{
    const size_t bones = (size_t)cook->bone_count;
    for (size_t i = 0; cook->is_translated && i < bones * (size_t)clip->frame_count; ++i) {
        if (cook->is_translated[i % bones] && !sn_affine_is_translation(clip->transforms + 12 * i)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: P[%zu][%zu]: the transform of cage vertex '%s' is not a translation",
                           path, i / bones, i % bones, cook->bone_names[i % bones]);
        }
    }
    return SN_OK;
}

/* Reads a clip for a rig's own bones, matched by index. */
static sn_result read_rig_clip(sn_cook_context *cook, const char *path, sn_character_clip *clip)
{
    sn_source source;
    sn_clip_file file;
    sn_result result = sn_source_read(path, &cook->arena, &source);
    if (result == SN_OK) {
        result = sn_clip_read(&source, cook->bone_count, &cook->arena, &file);
    }
    if (result != SN_OK) {
        return result;
    }
    const size_t bones = (size_t)cook->bone_count;
    double *unbind = SN_NEW(&cook->arena, double, 12 * bones);
    *clip = (sn_character_clip){.name = sn_file_stem(&cook->arena, path),
                                .frame_count = file.frame_count,
                                .frame_rate = CLIP_FRAME_RATE,
                                .transforms = SN_NEW(&cook->arena, double, 12 * bones * (size_t)file.frame_count)};
    if (!unbind || !clip->name || !clip->transforms) {
        return SN_ERROR_MEMORY;
    }
    for (size_t bone = 0; bone < bones; ++bone) {
        if (!sn_affine_invert(cook->bone_bind + 12 * bone, unbind + 12 * bone)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: p0[%zu]: the rest transform is singular", cook->desc->rig_path, bone);
        }
    }
    for (size_t i = 0; i < bones * (size_t)file.frame_count; ++i) {
        sn_affine_multiply(file.transforms + 12 * i, unbind + 12 * (i % bones), clip->transforms + 12 * i);
    }
    return check_translations(cook, path, clip);
}

static sn_result read_clips(sn_cook_context *cook, const char *path, sn_motion_limit *limit, sn_character_clip **clips,
                            int *count)
{
    if (sn_is_motion_file(path)) {
        sn_motion_target target = {
            {cook->path, cook->bone_count, cook->bone_names, cook->bone_parents, cook->bone_bind, cook->bone_roles},
            {0}};
        const sn_result result = sn_face_of_character(&cook->character, &cook->arena, &target.face);
        return result ? result : sn_motion_file_read(path, &target, limit, &cook->arena, clips, count);
    }
    *count = 1;
    *clips = SN_NEW(&cook->arena, sn_character_clip, 1);
    return *clips ? read_rig_clip(cook, path, *clips) : SN_ERROR_MEMORY;
}

/* Whether the bones are those of the character's file. */
static bool has_own_bones(const sn_cook_context *cook)
{
    return cook->has_character &&
           (cook->has_rig ? !cook->desc->rig_path : cook->bone_count == cook->character.bone_count);
}

/* The character's own clips, unless another rig replaces its bones, then those of files. */
static sn_result list_clips(sn_cook_context *cook)
{
    cook->clips = cook->character.clips;
    cook->clip_count = has_own_bones(cook) ? cook->character.clip_count : 0;
    sn_motion_limit limit = SN_MOTION_LIMIT;
    sn_result result = SN_OK;
    for (int i = 0; i < cook->desc->clip_count && result == SN_OK; ++i) {
        sn_character_clip *added_clips = NULL;
        int count = 0;
        result = read_clips(cook, cook->desc->clip_paths[i], &limit, &added_clips, &count);
        sn_character_clip *all =
            result == SN_OK ? SN_NEW(&cook->arena, sn_character_clip, cook->clip_count + count) : NULL;
        if (!all) {
            return result ? result : SN_ERROR_MEMORY;
        }
        for (int c = 0; c < cook->clip_count + count; ++c) {
            all[c] = c < cook->clip_count ? cook->clips[c] : added_clips[c - cook->clip_count];
        }
        cook->clips = all;
        cook->clip_count += count;
    }
    return result;
}

/* Twist bones and the like follow in all clips, the file's and others. */
static void constrain_bones(sn_cook_context *cook)
{
    const bool is_constrained =
        has_own_bones(cook) && cook->bone_count == cook->character.bone_count && cook->character.constraint_count > 0;
    for (int clip = 0; clip < cook->clip_count && is_constrained; ++clip) {
        for (int frame = 0; frame < cook->clips[clip].frame_count; ++frame) {
            sn_bone_constraints_apply(&cook->character,
                                      cook->clips[clip].transforms + 12 * (size_t)frame * (size_t)cook->bone_count);
        }
    }
}

sn_result sn_cook_context_read(sn_cook_context *cook)
{
    if (cook->path && cook->desc->rig_path && sn_is_drawing_file(cook->desc->rig_path) &&
        !sn_is_drawing_file(cook->path)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: this skeleton is for a drawing, in pixels; %s is not a drawing",
                       cook->desc->rig_path, cook->path);
    }
    SN_TRY(cook->has_rig || !cook->desc->rig_path ? SN_OK : read_rig(cook));
    SN_TRY(read_mesh(cook));
    SN_TRY(set_bones(cook));
    SN_TRY(name_bones(cook));
    if (cook->sidecar.path) {
        SN_TRY(sn_sidecar_check_names(cook));
    }
    SN_TRY(list_clips(cook));
    SN_TRY(sn_cook_context_generate_clips(cook));
    constrain_bones(cook);
    return SN_OK;
}
