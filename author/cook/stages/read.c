/* SPDX-License-Identifier: MIT */
/* The first stage: reads files into a mesh or a character, with bones and clips. */
#include <string.h>
#include <strings.h>

#include "author/cook/handles/handles.h"
#include "author/cook/stages/sidecar_names.h"
#include "author/cook/stages/stages.h"
#include "author/import/character_bones.h"
#include "author/import/drawing.h"
#include "author/import/motion_file.h"
#include "author/import/names.h"
#include "author/import/read.h"
#include "author/io/tets/tet_file.h"
#include "host/math/affine.h"

/* Frames per second of clip JSON files, which store none. */
#define CLIP_FRAME_RATE 60.0

/* A drawing's sidecar names bones and handles, but no parts. */
static sn_result read_drawing(sn_cooking *k)
{
    sn_drawn_body body;
    sn_result result =
        sn_drawn_body_build(k->path, k->desc->mask_path, k->desc->drawing_vertex_count, &k->arena, &body);
    if (result == SN_OK) {
        result = sn_sidecar_find(k->path, &k->arena, &k->sidecar);
    }
    if (result != SN_OK) {
        return result;
    }
    k->character = body.character;
    k->has_character = true;
    k->drawn_nodes = body.nodes;
    k->tet_fill = body.fill;
    sn_handles_turn_up(&k->sidecar.handles, body.height);
    sn_handles_turn_up(&k->rig.handles, body.height);
    if (!k->has_rig && body.handles.count > 0) {
        k->rig = (sn_rig_file){.handles = body.handles};
        k->has_rig = true;
    }
    if (k->has_rig && k->rig.handles.count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: this rig is for a tet mesh; %s needs handles", k->desc->rig_path,
                       k->path);
    }
    return sn_character_mark_rigid(&k->character, &k->sidecar);
}

static sn_result read_mesh(sn_cooking *k)
{
    if (k->mesh.tet_count > 0 || k->has_character) { /* set by the caller */
        return SN_OK;
    }
    if (k->desc->mask_path && !sn_is_drawing_file(k->path)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a mask is for a picture, which %s is not", k->desc->mask_path, k->path);
    }
    if (k->is_flat && (sn_is_tet_file(k->path) || k->desc->tets_path)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a flat body needs a surface, not a tet mesh",
                       k->desc->tets_path ? k->desc->tets_path : k->path);
    }
    if (sn_is_tet_file(k->path)) {
        if (k->desc->tets_path) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: is a tet mesh; --tets %s is only for surfaces", k->path,
                           k->desc->tets_path);
        }
        const sn_result read = sn_tet_file_read_with_groups(k->path, &k->arena, &k->mesh, &k->groups);
        return read == SN_OK ? sn_sidecar_find(k->path, &k->arena, &k->sidecar) : read;
    }
    if (sn_is_drawing_file(k->path)) {
        return read_drawing(k);
    }
    sn_result result = sn_character_read(k->path, &k->arena, &k->sidecar, &k->character);
    k->has_character = result == SN_OK;
    if (result == SN_OK && k->desc->tets_path) {
        result = sn_tet_file_read_with_groups(k->desc->tets_path, &k->arena, &k->mesh, &k->groups);
    }
    if (result == SN_OK && !k->desc->tets_path && !k->is_flat && k->has_rig && k->rig.handles.count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: this rig is for a tet mesh; %s needs --tets for it", k->desc->rig_path,
                       k->path);
    }
    return result;
}

static sn_result read_rig(sn_cooking *k)
{
    sn_source source;
    if (sn_is_handles_file(k->desc->rig_path)) {
        const sn_result read = sn_handles_file_read(k->desc->rig_path, &k->arena, &k->rig.handles);
        k->has_rig = read == SN_OK;
        return read;
    }
    sn_result result = sn_source_read(k->desc->rig_path, &k->arena, &source);
    if (result == SN_OK) {
        result = sn_rig_read(&source, &k->arena, &k->rig);
    }
    k->has_rig = result == SN_OK;
    return result;
}

/* Without a skin: a single affine handle that moves everything. */
static sn_result make_handle(sn_cooking *k)
{
    int32_t *parents = SN_NEW(&k->arena, int32_t, 1);
    double *bind = SN_NEW(&k->arena, double, 12);
    if (!parents || !bind) {
        return SN_ERROR_MEMORY;
    }
    parents[0] = -1;
    sn_affine_identity(bind);
    k->bone_count = 1;
    k->bone_parents = parents;
    k->bone_bind = bind;
    return SN_OK;
}

/* Names unnamed bones by their index, as the model does. */
static sn_result name_bones(sn_cooking *k)
{
    const char **names = SN_NEW(&k->arena, const char *, k->bone_count);
    const char **named = SN_NEW(&k->arena, const char *, k->bone_count);
    int32_t size = 0;
    char *bytes = NULL;
    if (!names || !named) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < k->bone_count; ++b) {
        names[b] = k->bone_names ? k->bone_names[b] : "";
    }
    const sn_result result = sn_names_pack(names, k->bone_count, "bone", &k->arena, &bytes, &size);
    for (int b = 0; b < k->bone_count && result == SN_OK; ++b) {
        named[b] = names[b][0] ? names[b] : bytes;
        bytes += strlen(bytes) + 1;
    }
    k->bone_names = named;
    return result;
}

static sn_result take_bones(sn_cooking *k)
{
    sn_result result = sn_handles_take(k);
    if (result != SN_OK || k->handles.handles.count > 0) {
        return result;
    }
    if (k->has_rig && k->rig.bone_count > SN_BONE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: pI: %d bones, more than %d", k->desc->rig_path, k->rig.bone_count,
                       SN_BONE_LIMIT);
    }
    if (k->has_rig) {
        k->bone_count = k->rig.bone_count;
        k->bone_parents = k->rig.parents;
        k->bone_bind = k->rig.bind;
    } else if (k->has_character) {
        k->bone_count = k->character.bone_count;
        k->bone_parents = k->character.bone_parents;
        k->bone_bind = k->character.bone_bind;
        k->bone_names = k->character.bone_names;
        k->bone_roles = k->character.bone_roles;
    } else {
        result = make_handle(k);
    }
    return result;
}

/* Checks that a clip only translates the vertices of cages. */
static sn_result check_translations(const sn_cooking *k, const char *path, const sn_character_clip *clip)
{
    const size_t bones = (size_t)k->bone_count;
    for (size_t i = 0; k->is_translated && i < bones * (size_t)clip->frame_count; ++i) {
        if (k->is_translated[i % bones] && !sn_affine_is_translation(clip->transforms + 12 * i)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: P[%zu][%zu]: the transform of cage vertex '%s' is not a translation",
                           path, i / bones, i % bones, k->bone_names[i % bones]);
        }
    }
    return SN_OK;
}

/* Reads a clip for a rig's own bones, matched by index. */
static sn_result read_rig_clip(sn_cooking *k, const char *path, sn_character_clip *clip)
{
    sn_source source;
    sn_clip_file file;
    sn_result result = sn_source_read(path, &k->arena, &source);
    if (result == SN_OK) {
        result = sn_clip_read(&source, k->bone_count, &k->arena, &file);
    }
    if (result != SN_OK) {
        return result;
    }
    const size_t bones = (size_t)k->bone_count;
    double *unbind = SN_NEW(&k->arena, double, 12 * bones);
    *clip = (sn_character_clip){.name = sn_file_stem(&k->arena, path),
                                .frame_count = file.frame_count,
                                .frame_rate = CLIP_FRAME_RATE,
                                .transforms = SN_NEW(&k->arena, double, 12 * bones * (size_t)file.frame_count)};
    if (!unbind || !clip->name || !clip->transforms) {
        return SN_ERROR_MEMORY;
    }
    for (size_t bone = 0; bone < bones; ++bone) {
        if (!sn_affine_invert(k->bone_bind + 12 * bone, unbind + 12 * bone)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: p0[%zu]: the rest transform is singular", k->desc->rig_path, bone);
        }
    }
    for (size_t i = 0; i < bones * (size_t)file.frame_count; ++i) {
        sn_affine_multiply(file.transforms + 12 * i, unbind + 12 * (i % bones), clip->transforms + 12 * i);
    }
    return check_translations(k, path, clip);
}

static sn_result read_clips(sn_cooking *k, const char *path, sn_motion_limit *limit, sn_character_clip **clips,
                            int *count)
{
    if (sn_is_motion_file(path)) {
        sn_motion_target target = {
            {k->path, k->bone_count, k->bone_names, k->bone_parents, k->bone_bind, k->bone_roles}, {0}};
        const sn_result result = sn_face_of_character(&k->character, &k->arena, &target.face);
        return result ? result : sn_motion_file_read(path, &target, limit, &k->arena, clips, count);
    }
    *count = 1;
    *clips = SN_NEW(&k->arena, sn_character_clip, 1);
    return *clips ? read_rig_clip(k, path, *clips) : SN_ERROR_MEMORY;
}

/* The character's own clips, unless another rig replaces its bones, then those of files. */
static sn_result take_clips(sn_cooking *k)
{
    const bool is_own = k->has_rig ? !k->desc->rig_path : k->bone_count == k->character.bone_count;
    k->clips = k->character.clips;
    k->clip_count = k->has_character && is_own ? k->character.clip_count : 0;
    sn_motion_limit limit = SN_MOTION_LIMIT;
    sn_result result = SN_OK;
    for (int i = 0; i < k->desc->clip_count && result == SN_OK; ++i) {
        sn_character_clip *more = NULL;
        int count = 0;
        result = read_clips(k, k->desc->clip_paths[i], &limit, &more, &count);
        sn_character_clip *all = result == SN_OK ? SN_NEW(&k->arena, sn_character_clip, k->clip_count + count) : NULL;
        if (!all) {
            return result ? result : SN_ERROR_MEMORY;
        }
        for (int c = 0; c < k->clip_count + count; ++c) {
            all[c] = c < k->clip_count ? k->clips[c] : more[c - k->clip_count];
        }
        k->clips = all;
        k->clip_count += count;
    }
    return result;
}

sn_result sn_cooking_read(sn_cooking *k)
{
    if (k->path && k->desc->rig_path && sn_is_drawing_file(k->desc->rig_path) && !sn_is_drawing_file(k->path)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: this skeleton is for a drawing, in pixels; %s is not a drawing",
                       k->desc->rig_path, k->path);
    }
    sn_result result = k->has_rig || !k->desc->rig_path ? SN_OK : read_rig(k);
    if (result == SN_OK) {
        result = read_mesh(k);
    }
    if (result == SN_OK) {
        result = take_bones(k);
    }
    if (result == SN_OK) {
        result = name_bones(k);
    }
    if (result == SN_OK && k->sidecar.path) {
        result = sn_sidecar_check_names(k);
    }
    return result == SN_OK ? take_clips(k) : result;
}
