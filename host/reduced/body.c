/* SPDX-License-Identifier: MIT */
/* Creates, resets, moves and reads a body's state. */
#include "host/reduced/solver.h"

#include <string.h>

void sn_reduced_rig_from_pose(const double *pose, int bone_count, double *rig)
{
    for (int b = 0; b < bone_count; ++b) {
        for (int k = 0; k < 4; ++k) {
            for (int d = 0; d < 3; ++d) {
                const double bind = k == d ? 1 : 0;
                rig[(4 * b + k) * 3 + d] = pose ? pose[12 * b + 4 * d + k] : bind;
            }
        }
    }
}

void sn_reduced_clear_warm_start(sn_reduced_body *body)
{
    body->stored_forces.count = 0;
    body->corrections.count = 0;
    body->corrections.is_extrapolable = false;
}

static sn_result allocate_corrections(sn_correction_history *corrections, int coordinate_count)
{
    const size_t size = 3 * (size_t)((coordinate_count + SN_GROUP - 1) / SN_GROUP * SN_GROUP);
    corrections->capacity = SN_CORRECTION_COUNT * size;
    corrections->all = sn_alloc(corrections->capacity, sizeof *corrections->all);
    for (size_t k = 0; k < SN_CORRECTION_COUNT && corrections->all; ++k) {
        corrections->steps[k] = corrections->all + k * size;
    }
    return corrections->all ? SN_OK : SN_ERROR_MEMORY;
}

/* Allocates for every level of detail of the model. */
static sn_result allocate_state(sn_reduced_body *body)
{
    const sn_model_counts *c = &body->solver->source->counts;
    const size_t z = 3 * (size_t)c->coordinate_count, p = 3 * (size_t)body->solver->column_count;
    const size_t m = 9 * (size_t)c->morph_pair_count;
    body->state_count = 3 * z + 3 * p + 3 * m + (size_t)c->morph_field_count;
    body->state = sn_alloc(body->state_count, sizeof *body->state);
    if (!body->state) {
        return SN_ERROR_MEMORY;
    }
    body->coordinates = body->state;
    body->coordinates_before = body->state + z;
    body->velocity_change = body->state + 2 * z;
    body->rig = body->state + 3 * z;
    body->rig_before = body->rig + p;
    body->rig_next = body->rig_before + p;
    body->morphs = body->rig_next + p;
    body->morphs_before = body->morphs + m;
    body->morphs_next = body->morphs_before + m;
    body->fields = body->morphs_next + m;
    body->weight_count = 2 * (size_t)c->morph_count + 1;
    body->weights = sn_alloc(body->weight_count, sizeof *body->weights);
    if (!body->weights) {
        return SN_ERROR_MEMORY;
    }
    body->weights_before = body->weights + c->morph_count;
    body->own_capacity = (size_t)sn_model_valid_bone_collider_count(body->solver->source);
    body->own = body->own_capacity > 0 ? sn_alloc(body->own_capacity, sizeof *body->own) : NULL;
    if (body->own_capacity > 0 && !body->own) {
        return SN_ERROR_MEMORY;
    }
    return allocate_corrections(&body->corrections, c->coordinate_count);
}

sn_result sn_reduced_body_create(const sn_reduced_solver *solver, const double *pose, sn_reduced_body **body)
{
    *body = NULL;
    sn_reduced_body *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->solver = solver;
    const sn_result result = allocate_state(created);
    if (result != SN_OK) {
        sn_reduced_body_destroy(&created);
        return result;
    }
    sn_reduced_body_set_morphs(created, solver->model->morph_default_weights);
    sn_reduced_body_reset(created, pose);
    *body = created;
    return SN_OK;
}

/* Converts the coordinates z of one model to those of another with the same modes but another stiffness, and so another
 * basis of the same space: through the modes' transforms. */
static void change_model(const sn_model *from, const sn_model *to, const double *z, double *result)
{
    const size_t count = (size_t)to->counts.coordinate_count, rows = 4 * (size_t)to->counts.mode_count;
    memset(result, 0, 3 * count * sizeof *result);
    for (size_t j = 0; j < rows; ++j) {
        double row[3] = {0}; /* of the transforms */
        for (size_t i = 0; i < 3 * count; ++i) {
            row[i % 3] += from->mode_from_coordinate[j * count + i / 3] * z[i];
        }
        for (size_t i = 0; i < 3 * count; ++i) {
            result[i] += to->coordinate_from_mode[i / 3 * rows + j] * row[i % 3];
        }
    }
}

/* z: Z in the basis of `from` becomes V_to^T M V_from Z in the basis of `to`, through the models' own coordinates. */
static void change_basis(const sn_reduced_solver *from, const sn_reduced_solver *to, sn_reduced_body *body, double *z)
{
    double *scratch = body->local64;
    const size_t row = 3 * sizeof *z;
    const int all = to->source->counts.coordinate_count;
    if (from->view.basis) {
        memset(scratch, 0, (size_t)all * row);
        sn_reduced_add_product(from->view.basis, all, from->coordinate_count, 1, z, scratch);
    } else {
        memcpy(scratch, z, (size_t)all * row);
    }
    if (from->source != to->source) {
        change_model(from->source, to->source, scratch, body->z64);
        scratch = body->z64;
    }
    if (!to->view.basis) {
        memcpy(z, scratch, (size_t)all * row);
        return;
    }
    memset(z, 0, (size_t)to->coordinate_count * row);
    for (int i = 0; i < all; ++i) {
        const double *basis = to->view.basis + (size_t)i * (size_t)to->coordinate_count;
        for (int k = 0; k < 3 * to->coordinate_count; ++k) {
            z[k] += basis[k / 3] * scratch[3 * i + k % 3];
        }
    }
}

/* Whether the warm start stays valid under other parameters. Compares all parameters that it depends on. Same rule as
 * on devices (shaders/reduced/initial_guess.glsl), which have no double mode. */
static bool keeps_warm_start(const sn_reduced_solver *from, const sn_reduced_solver *to)
{
    const sn_reduced_desc *a = &from->desc, *b = &to->desc;
    const double elastic_a = a->stiffness * a->time_step * a->time_step,
                 elastic_b = b->stiffness * b->time_step * b->time_step;
    return from->source == to->source && elastic_a == elastic_b && from->view.mode_count == to->view.mode_count &&
           from->model->counts.cluster_count == to->model->counts.cluster_count &&
           a->is_neo_hookean == b->is_neo_hookean && a->is_double == b->is_double;
}

void sn_reduced_body_set_solver(sn_reduced_body *body, const sn_reduced_solver *solver)
{
    const sn_reduced_solver *before = body->solver;
    const sn_model_counts *a = &before->source->counts, *b = &solver->source->counts;
    SN_ASSERT(a->coordinate_count == b->coordinate_count && a->mode_count == b->mode_count);
    if (before->view.mode_count != solver->view.mode_count || before->source != solver->source) {
        sn_reduced_scratch_acquire(body);
        change_basis(before, solver, body, body->coordinates);
        change_basis(before, solver, body, body->coordinates_before);
        change_basis(before, solver, body, body->velocity_change);
        sn_reduced_scratch_release(body);
    }
    if (!keeps_warm_start(before, solver)) {
        sn_reduced_clear_warm_start(body);
    }
    body->solver = solver;
}

void sn_reduced_body_set_morphs(sn_reduced_body *body, const float *weights)
{
    const sn_model *model = body->solver->model;
    float sum = 0;
    for (int m = 0; m < model->counts.morph_count; ++m) {
        sum += 0 * weights[m];
    }
    if (sum == 0) {
        sn_model_morph_fields(model, weights, body->fields);
        for (int m = 0; m < model->counts.morph_count; ++m) {
            body->weights[m] = weights[m];
        }
    }
    body->has_invalid_morphs |= sum != 0;
}

void sn_reduced_store_weights(sn_reduced_body *body)
{
    memcpy(body->weights_before, body->weights, (size_t)body->solver->model->counts.morph_count * sizeof(float));
}

void sn_reduced_body_reset(sn_reduced_body *body, const double *pose)
{
    const sn_model *model = body->solver->model;
    const size_t coordinate_bytes = (size_t)(3 * body->solver->coordinate_count) * sizeof(double);
    sn_reduced_rig_from_pose(pose, model->counts.bone_count, body->rig);
    sn_reduced_rig_from_pose(pose, model->counts.bone_count, body->rig_before);
    sn_morph_pair_rows(model->morph_pairs, body->solver->pair_count, pose, body->fields, body->morphs);
    sn_morph_pair_rows(model->morph_pairs, body->solver->pair_count, pose, body->fields, body->morphs_before);
    sn_reduced_store_weights(body);
    memset(body->coordinates, 0, coordinate_bytes);
    memset(body->coordinates_before, 0, coordinate_bytes);
    memset(body->velocity_change, 0, coordinate_bytes);
    memset(body->grabs, 0, sizeof body->grabs);
    sn_reduced_clear_warm_start(body);
}

/* rows (count x 3) <- rows R^T; with has_translation, every fourth row is a translation and t is added. */
static void rotate_rows(const double *m, bool has_translation, int count, double *rows)
{
    for (int i = 0; i < count; ++i, rows += 3) {
        const double x = rows[0], y = rows[1], z = rows[2];
        for (int d = 0; d < 3; ++d) {
            rows[d] = m[4 * d] * x + m[4 * d + 1] * y + m[4 * d + 2] * z;
            rows[d] += has_translation && i % 4 == 3 ? m[4 * d + 3] : 0;
        }
    }
}

void sn_reduced_body_teleport(sn_reduced_body *body, const double *transform)
{
    const int q = body->solver->coordinate_count, p = body->solver->column_count, morphs = 3 * body->solver->pair_count;
    rotate_rows(transform, false, q, body->coordinates);
    rotate_rows(transform, false, q, body->coordinates_before);
    rotate_rows(transform, false, q, body->velocity_change);
    rotate_rows(transform, true, p, body->rig);
    rotate_rows(transform, true, p, body->rig_before);
    rotate_rows(transform, false, morphs, body->morphs);
    rotate_rows(transform, false, morphs, body->morphs_before);
    sn_grabs_transform(body->grabs, transform);
    sn_reduced_clear_warm_start(body);
}

static void visit_grabs(const sn_reduced_body *body, sn_grab *grabs, sn_state_visitor *visitor)
{
    const int sample_count = body->solver->source->counts.sample_count;
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        sn_state_visit(visitor, &grabs[i].is_active, sizeof grabs[i].is_active);
        sn_state_visit(visitor, &grabs[i].sample, sizeof grabs[i].sample);
        sn_state_visit(visitor, grabs[i].offset, sizeof grabs[i].offset);
        sn_state_visit(visitor, grabs[i].target, sizeof grabs[i].target);
        sn_state_visit(visitor, &grabs[i].desc, sizeof grabs[i].desc);
        if (grabs[i].is_active && (grabs[i].sample < 0 || grabs[i].sample >= sample_count)) {
            grabs[i].is_active = false;
        }
    }
}

/* Contacts are matched by sample and key, so a wrong one is ignored; only the count matters. */
static void visit_warm_start(sn_reduced_body *body, sn_state_visitor *visitor)
{
    sn_correction_history *corrections = &body->corrections;
    for (int k = 0; k < SN_CORRECTION_COUNT; ++k) {
        sn_state_visit(visitor, corrections->steps[k],
                       corrections->capacity / SN_CORRECTION_COUNT * sizeof *corrections->all);
    }
    sn_state_visit(visitor, &corrections->count, sizeof corrections->count);
    sn_state_visit(visitor, &corrections->is_extrapolable, sizeof corrections->is_extrapolable);
    sn_state_visit(visitor, &body->stored_forces, sizeof body->stored_forces);
    if (corrections->count < 0 || corrections->count > SN_CORRECTION_COUNT || body->stored_forces.count < 0 ||
        body->stored_forces.count > SN_CONTACT_LIMIT) {
        sn_reduced_clear_warm_start(body);
    }
}

void sn_reduced_body_visit_state(sn_reduced_body *body, sn_state_visitor *visitor)
{
    const sn_model_counts *c = &body->solver->source->counts;
    const size_t z = 3 * (size_t)c->coordinate_count, p = 3 * (size_t)body->solver->column_count;
    const size_t m = 9 * (size_t)c->morph_pair_count;
    const struct {
        double *values;
        size_t count;
    } arrays[] = {{body->coordinates, z},     {body->coordinates_before, z},
                  {body->velocity_change, z}, {body->rig, p},
                  {body->rig_before, p},      {body->morphs, m},
                  {body->morphs_before, m},   {body->fields, (size_t)c->morph_field_count}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        sn_state_visit(visitor, arrays[i].values, arrays[i].count * sizeof *arrays[i].values);
    }
    sn_state_visit(visitor, body->weights, body->weight_count * sizeof *body->weights);
    sn_state_visit(visitor, &body->has_invalid_morphs, sizeof body->has_invalid_morphs);
    visit_grabs(body, body->grabs, visitor);
    visit_warm_start(body, visitor);
}

void sn_reduced_body_destroy(sn_reduced_body **body)
{
    if (*body) {
        sn_free((*body)->corrections.all, (*body)->corrections.capacity, sizeof *(*body)->corrections.all);
        sn_free((*body)->own, (*body)->own_capacity, sizeof *(*body)->own);
        sn_free((*body)->weights, (*body)->weight_count, sizeof *(*body)->weights);
        sn_free((*body)->state, (*body)->state_count, sizeof *(*body)->state);
        sn_free(*body, 1, sizeof **body);
        *body = NULL;
    }
}

const double *sn_reduced_body_coordinates(const sn_reduced_body *body)
{
    return body->coordinates;
}

void sn_reduced_body_set_coordinates(sn_reduced_body *body, const double *coordinates)
{
    const size_t bytes = (size_t)(3 * body->solver->coordinate_count) * sizeof(double);
    memcpy(body->coordinates, coordinates, bytes);
    memcpy(body->coordinates_before, coordinates, bytes);
    sn_reduced_clear_warm_start(body);
}

void sn_reduced_body_mode_transforms(const sn_reduced_body *body, double amount, double *transforms)
{
    sn_reduced_transforms(&body->solver->view, body->coordinates, amount, transforms);
}

void sn_reduced_body_interpolated_transforms(sn_reduced_body *body, double fraction, double amount, double *transforms)
{
    sn_reduced_scratch_acquire(body);
    for (int i = 0; i < 3 * body->solver->coordinate_count; ++i) {
        const double before = body->coordinates_before[i];
        body->z64[i] = before + fraction * (body->coordinates[i] - before);
    }
    sn_reduced_transforms(&body->solver->view, body->z64, amount, transforms);
    sn_reduced_scratch_release(body);
}
