/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/strain.h"

#include <math.h>

#include "author/cook/materials/fibre_factors.h"
#include "author/cook/materials/fibres.h"
#include "author/cook/materials/given_fibres.h"
#include "author/cook/stages/stages.h"
#include "author/cook/surface/carried.h"
#include "host/layered/solver.h"

/* Stiffness of the Green strain constraints (host/layered): 2 mu for stretch and mu for shear, times the fibre factors;
 * lambda for volume, but at least mu and at least the smallest shear stiffness, since an inverted tet has no strain and
 * only its volume resists. */
static sn_result add_stiffness(sn_cooking *k, sn_model *model)
{
    const size_t t = (size_t)k->mesh.tet_count;
    float *all = SN_NEW(&k->arena, float, SN_STRAIN_STIFFNESS_COUNT *t);
    for (size_t i = 0; all && i < t; ++i) {
        const double twice_mu = (double)model->tet_stiffness[i];
        float *own = all + SN_STRAIN_STIFFNESS_COUNT * i;
        double least = INFINITY;
        for (size_t j = 0; j < 6; ++j) {
            const double factor = k->fibre_factors ? k->fibre_factors[6 * i + j] : 1;
            const double value = (j < SN_STRAIN_SHEAR ? twice_mu : twice_mu / 2) * factor;
            own[j] = (float)value;
            least = j < SN_STRAIN_SHEAR ? least : fmin(least, value);
        }
        own[SN_STRAIN_VOLUME] = (float)fmax(fmax((double)model->tet_lame[i], twice_mu / 2), least);
    }
    model->strain_stiffness = all;
    return all ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_frames(sn_cooking *k, const sn_bone_lines *lines, sn_model *model)
{
    double *frames = NULL;
    const sn_result result = sn_fibres_build(k, lines, &frames);
    if (result != SN_OK) {
        return result;
    }
    model->strain_frames = sn_narrow(&k->arena, frames, 9 * (size_t)k->mesh.tet_count);
    model->strain_kind = SN_STRAIN_FRAMES;
    k->frames = frames;
    k->report.has_fibres = true;
    return model->strain_frames ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result report_carried(sn_cooking *k, const int32_t *bones)
{
    bool *is_carried = SN_NEW(&k->arena, bool, k->mesh.vertex_count);
    int32_t *layers = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    if (!is_carried || !layers) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        is_carried[v] = bones[v] >= 0;
        k->report.carried_count += is_carried[v];
    }
    k->report.layer_count =
        sn_layered_find_layers(k->mesh.vertex_count, k->mesh.tet_count, k->mesh.tets, is_carried, layers);
    return k->report.layer_count >= 0 ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_strain_add(sn_cooking *k, sn_model *model)
{
    int32_t *bones = SN_NEW(&k->arena, int32_t, k->mesh.vertex_count);
    sn_bone_lines lines;
    sn_result result = bones ? sn_bone_lines_build(k, model, &lines) : SN_ERROR_MEMORY;
    result = result ? result : sn_carried_find(k, &lines, bones);
    result = result ? result : add_stiffness(k, model);
    model->strain_kind = SN_STRAIN_GLOBAL;
    model->strain_bones = k->carrying_bones = bones;
    result = result ? result : report_carried(k, bones);
    return result == SN_OK && (k->fibre_factors || sn_given_fibres(k)) ? add_frames(k, &lines, model) : result;
}
