/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/strain.h"

#include <math.h>

#include "author/cook/materials/fibre_factors.h"
#include "author/cook/materials/fibres.h"
#include "author/cook/materials/input_fibres.h"
#include "author/cook/stages/stages.h"
#include "author/cook/surface/bone_attached_vertices.h"
#include "host/layered/solver.h"

/* Stiffness of the Green strain constraints (host/layered): 2 mu for stretch and mu for shear, times the fibre factors;
 * lambda for volume, but at least mu and at least the smallest shear stiffness, since an inverted tet has no strain and
 * only its volume resists. */
static sn_result add_stiffness(sn_cook_context *cook, sn_model *model)
{
    const size_t t = (size_t)cook->mesh.tet_count;
    float *all = SN_NEW(&cook->arena, float, SN_STRAIN_STIFFNESS_COUNT *t);
    for (size_t i = 0; all && i < t; ++i) {
        const double twice_mu = (double)model->tet_stiffness[i];
        float *own = all + SN_STRAIN_STIFFNESS_COUNT * i;
        double min_shear = INFINITY;
        for (size_t j = 0; j < 6; ++j) {
            const double factor = cook->fibre_factors ? cook->fibre_factors[6 * i + j] : 1;
            const double value = (j < SN_STRAIN_SHEAR ? twice_mu : twice_mu / 2) * factor;
            own[j] = (float)value;
            min_shear = j < SN_STRAIN_SHEAR ? min_shear : fmin(min_shear, value);
        }
        own[SN_STRAIN_VOLUME] = (float)fmax(fmax((double)model->tet_lame[i], twice_mu / 2), min_shear);
    }
    model->strain_stiffness = all;
    return all ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_frames(sn_cook_context *cook, const sn_bone_lines *lines, sn_model *model)
{
    double *frames = NULL;
    const sn_result result = sn_fibres_build(cook, lines, &frames);
    if (result != SN_OK) {
        return result;
    }
    model->strain_frames = sn_to_float(&cook->arena, frames, 9 * (size_t)cook->mesh.tet_count);
    model->strain_type = SN_STRAIN_FRAMES;
    cook->frames = frames;
    cook->report.has_fibres = true;
    return model->strain_frames ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result report_attached(sn_cook_context *cook, const int32_t *bones)
{
    bool *is_attached = SN_NEW(&cook->arena, bool, cook->mesh.vertex_count);
    int32_t *layers = SN_NEW(&cook->arena, int32_t, cook->mesh.tet_count);
    if (!is_attached || !layers) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        is_attached[v] = bones[v] >= 0;
        cook->report.attached_vertex_count += is_attached[v];
    }
    cook->report.layer_count =
        sn_layered_find_layers(cook->mesh.vertex_count, cook->mesh.tet_count, cook->mesh.tets, is_attached, layers);
    return cook->report.layer_count >= 0 ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_strain_add(sn_cook_context *cook, sn_model *model)
{
    int32_t *bones = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count);
    sn_bone_lines lines;
    sn_result result = bones ? sn_bone_lines_build(cook, model, &lines) : SN_ERROR_MEMORY;
    result = result ? result : sn_bone_attached_vertices_find(cook, &lines, bones);
    result = result ? result : add_stiffness(cook, model);
    model->strain_type = SN_STRAIN_GLOBAL;
    model->strain_attached_bones = cook->attached_bones = bones;
    result = result ? result : report_attached(cook, bones);
    return result == SN_OK && (cook->fibre_factors || sn_input_fibres(cook)) ? add_frames(cook, &lines, model) : result;
}
