/* SPDX-License-Identifier: MIT */
/* Limits the momentum that flesh gets from morph targets. Soft flesh, such as that of a figure that sways as a whole,
 * would lag by most of a target's displacement and then drift after it, so that the visible change would be late. Each
 * field is ramped up within 0.1 s in a trial. Where flesh moves farther from the rig than the limit allows, the field's
 * momentum is reduced by one factor for all of its flesh. */
#include <math.h>

#include "author/cook/stages/targets.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"

#define DEFAULT_EXCITATION 0.2
#define RAMP_STEPS 6 /* at 60 Hz; the duration in which an expression appears */
#define STEPS 36
#define MEASURE_INTERVAL 2 /* steps between measurements */
#define MIN_FRACTION 0.3   /* part of a field's largest displacement from which a vertex is measured */

typedef struct excitation {
    const sn_cook_context *cook;
    const sn_model *model;
    sn_reduced_body *body;
    double *pose, *modes; /* (bone_count x 12), (mode_count x 12) */
    float *weights;       /* (morph_count) */
    int32_t *vertices;    /* (vertex_count) measured vertices */
    int vertex_count;
    double movement; /* the field's largest displacement */
} excitation;

static sn_result allocate(excitation *s, sn_arena *scratch)
{
    const sn_model_counts *c = &s->model->counts;
    s->pose = SN_NEW(scratch, double, 12 * (size_t)c->bone_count);
    s->modes = SN_NEW(scratch, double, 12 * (size_t)c->mode_count);
    s->weights = SN_NEW(scratch, float, c->morph_count);
    s->vertices = SN_NEW(scratch, int32_t, c->vertex_count);
    if (s->pose) {
        sn_model_rest_pose(s->model, s->pose);
    }
    return s->pose && s->modes && s->weights && s->vertices ? SN_OK : SN_ERROR_MEMORY;
}

static const double *displacement(const excitation *s, int field, int vertex)
{
    return s->cook->morph_fields + 3 * ((size_t)vertex * (size_t)s->cook->morph_field_count + (size_t)field);
}

static void list_moved(excitation *s, int field)
{
    s->movement = s->vertex_count = 0;
    for (int v = 0; v < s->cook->mesh.vertex_count; ++v) {
        s->movement = fmax(s->movement, sn_length3(displacement(s, field, v)));
    }
    for (int v = 0; v < s->cook->mesh.vertex_count; ++v) {
        if (sn_length3(displacement(s, field, v)) > MIN_FRACTION * s->movement) {
            s->vertices[s->vertex_count++] = v;
        }
    }
}

/* Largest distance of the flesh from the rig's position. */
static double measure_displacement(const excitation *s)
{
    const size_t modes = (size_t)s->model->counts.mode_count;
    double max_displacement = 0;
    sn_reduced_body_mode_transforms(s->body, 1, s->modes);
    for (int i = 0; i < s->vertex_count; ++i) {
        const size_t v = (size_t)s->vertices[i];
        double sum[3] = {0};
        for (size_t j = 0; j < modes; ++j) {
            const double weight = (double)s->model->mode_weights[v * modes + j];
            double moved[3];
            sn_affine_apply(s->modes + 12 * j, s->cook->mesh.positions + 3 * v, moved);
            for (int d = 0; d < 3; ++d) {
                sum[d] += weight * moved[d];
            }
        }
        max_displacement = fmax(max_displacement, sn_length3(sum));
    }
    return max_displacement;
}

/* Largest motion of a field's flesh over the field's displacement. */
static double measure_excitation(excitation *s, int field)
{
    double max_displacement = 0;
    float *weight = s->weights + s->cook->morph_targets[field];
    list_moved(s, field);
    for (int step = 0; step <= STEPS; ++step) {
        *weight = (float)fmin((double)step / RAMP_STEPS, 1);
        sn_reduced_body_set_morphs(s->body, s->weights);
        if (step == 0) {
            sn_reduced_body_reset(s->body, s->pose);
        } else {
            sn_reduced_body_step(s->body, s->pose, NULL);
        }
        max_displacement =
            step % MEASURE_INTERVAL == 0 ? fmax(max_displacement, measure_displacement(s)) : max_displacement;
    }
    *weight = 0;
    return s->movement > 0 ? max_displacement / s->movement : 0;
}

static void scale_field(const sn_cook_context *cook, int field, double factor)
{
    const size_t columns = 3 * (size_t)cook->morph_pair_count;
    for (size_t i = 0; i < (size_t)cook->reduced.coordinate_count * columns; ++i) {
        cook->reduced.morph_cross[i] *= cook->morph_pairs[i % columns / 3].field == field ? factor : 1;
    }
}

static sn_result limit(excitation *s, double max_displacement)
{
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_arena scratch = {0};
    double *factors = SN_NEW(&scratch, double, s->cook->morph_field_count);
    sn_result result = factors ? allocate(s, &scratch) : SN_ERROR_MEMORY;
    result = result == SN_OK ? sn_reduced_solver_create(s->model, &desc, &solver) : result;
    result = result == SN_OK ? sn_reduced_body_create(solver, s->pose, &s->body) : result;
    for (int f = 0; f < s->cook->morph_field_count && result == SN_OK; ++f) {
        const double ratio = measure_excitation(s, f);
        factors[f] = ratio > max_displacement ? max_displacement / ratio : 1;
    }
    for (int f = 0; f < s->cook->morph_field_count && result == SN_OK; ++f) {
        scale_field(s->cook, f, factors[f]);
    }
    sn_reduced_body_destroy(&s->body);
    sn_reduced_solver_destroy(&solver);
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_targets_limit_inertia(sn_cook_context *cook, const sn_model *model)
{
    const double sidecar_limit =
        cook->sidecar.has_target_inertia_gain ? cook->sidecar.target_inertia_gain : DEFAULT_EXCITATION;
    const double max_displacement =
        cook->desc->target_inertia_gain < 0 ? sidecar_limit : cook->desc->target_inertia_gain;
    excitation s = {.cook = cook, .model = model};
    return cook->morph_field_count > 0 ? limit(&s, max_displacement) : SN_OK;
}
