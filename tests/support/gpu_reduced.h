/* SPDX-License-Identifier: MIT */
/* Models, bodies on the device and their references on the CPU, for tests of the reduced solver on the device. Include
 * it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_REDUCED_H
#define SN_TESTS_SUPPORT_GPU_REDUCED_H

#include <math.h>

#include "author/cook/cook.h"
#include "compute/reduced/reduced.h"
#include "host/math/affine.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/gpu.h"

#define BONE_LIMIT 3
#define MODE_LIMIT 24
#define COORDINATE_LIMIT (4 * MODE_LIMIT)

typedef struct fixture_desc {
    int size[3]; /* cubes; none along z: a flat body of squares */
    int bone_count, mode_count, cluster_count;
    double bend; /* radians that the bar turns through: a torus, but for its seam */
    double poisson;
    double taper; /* fraction of the thickness that the far half loses */
} fixture_desc;

/* Counts that are multiples of nothing, one that fills the group, more clusters than invocations, one that keeps
 * its volume, and one that is flat. */
static const fixture_desc fixture_descs[] = {{{12, 4, 3}, 1, 8, 20, 0, 0, 0},    {{8, 2, 2}, 3, 5, 7, 0, 0, 0},
                                             {{20, 3, 3}, 1, 16, 70, 5.5, 0, 0}, {{10, 3, 2}, 2, 21, 33, 1, 0, 0},
                                             {{12, 3, 3}, 2, 9, 25, 0, .4, 0},   {{14, 5, 0}, 2, 11, 40, 0, .3, 0}};
#define FIXTURE_COUNT 6

typedef struct fixture {
    sn_cook_context cooking;
    sn_model *model;
} fixture;
static fixture fixtures[FIXTURE_COUNT];

static inline void bend_bar(double *positions, int vertex_count, double angle, double length)
{
    const double radius = length / angle;
    for (double *x = positions; x < positions + 3 * vertex_count; x += 3) {
        const double at = x[0] / radius, reach = radius - x[1];
        x[0] = reach * sin(at);
        x[1] = radius - reach * cos(at);
    }
}

/* A far half that is thinner is also softer. */
static inline void taper_bar(double *positions, int vertex_count, double taper, double length)
{
    for (double *x = positions; x < positions + 3 * vertex_count; x += 3) {
        const double scale = 1 - taper * fmin(fmax(4 * x[0] / length - 2, 0), 1);
        x[1] *= scale;
        x[2] *= scale;
    }
}

/* Weights that go over from bone to bone along the bar. */
static inline sn_rig_file make_rig(sn_arena *arena, const sn_tet_mesh *mesh, int bones, double length)
{
    const int n = mesh->vertex_count;
    sn_rig_file rig = {.is_volume = true, .vertex_count = n, .bone_count = bones, .corner_count = 3};
    rig.positions = SN_NEW(arena, double, 3 * n);
    rig.weights = SN_NEW(arena, double, bones *n);
    rig.parents = SN_NEW(arena, int32_t, bones);
    rig.bind = SN_NEW(arena, double, 12 * bones);
    assert_true(rig.positions && rig.weights && rig.parents && rig.bind);
    memcpy(rig.positions, mesh->positions, 3 * (size_t)n * sizeof(double));
    for (int b = 0; b < bones; ++b) {
        rig.parents[b] = b - 1;
        sn_affine_identity(rig.bind + 12 * b);
        for (int v = 0; v < n; ++v) {
            const double at = bones > 1 ? mesh->positions[3 * v] / length * (bones - 1) : 0;
            rig.weights[bones * v + b] = fmax(0, 1 - fabs(at - b));
        }
    }
    return rig;
}

static inline void cook(const fixture_desc *desc, fixture *f)
{
    const double size = 0.125, length = size * desc->size[0];
    sn_arena *arena = &f->cooking.arena;
    const bool is_flat = desc->size[2] == 0;
    f->cooking.mesh = is_flat ? sn_test_sheet(arena, desc->size[0], desc->size[1], size, 0)
                              : sn_test_bar(arena, desc->size[0], desc->size[1], desc->size[2], size);
    f->cooking.rig = make_rig(arena, &f->cooking.mesh, desc->bone_count, length);
    f->cooking.has_rig = true;
    if (desc->bend > 0) {
        bend_bar(f->cooking.mesh.positions, f->cooking.mesh.vertex_count, desc->bend, length);
        bend_bar(f->cooking.rig.positions, f->cooking.rig.vertex_count, desc->bend, length);
    }
    taper_bar(f->cooking.mesh.positions, f->cooking.mesh.vertex_count, desc->taper, length);
    taper_bar(f->cooking.rig.positions, f->cooking.rig.vertex_count, desc->taper, length);
    sn_cook_desc cooked = sn_default_cook_desc();
    cooked.mode_count = desc->mode_count;
    cooked.cluster_count = desc->cluster_count;
    cooked.poisson = desc->poisson;
    assert_int_equal(sn_cook_context_run(&f->cooking, "bar", &cooked), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    assert_true(f->model->counts.mode_count <= MODE_LIMIT && f->model->counts.bone_count <= BONE_LIMIT);
}

static inline int cook_all(void **state)
{
    (void)state;
    for (int i = 0; i < FIXTURE_COUNT; ++i) {
        cook(&fixture_descs[i], &fixtures[i]);
    }
    return 0;
}

static inline int release_all(void **state)
{
    (void)state;
    sn_test_gpu_close();
    for (int i = 0; i < FIXTURE_COUNT; ++i) {
        sn_model_release(fixtures[i].model);
        sn_cook_context_finish(&fixtures[i].cooking);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

/* ---- bodies ---- */

static inline sn_solver_desc default_desc(void)
{
    return (sn_solver_desc){
        .time_step = 1.0 / 60, .stiffness = 1, .has_gravity_at_rest = true, .tolerance = 1e-6, .iteration_limit = 30};
}

/* Soft flesh that falls onto what is around it. */
static inline sn_solver_desc heavy_desc(void)
{
    sn_solver_desc desc = default_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 2;
    desc.stiffness = 0.5;
    desc.tolerance = 1e-5;
    desc.iteration_limit = 200;
    return desc;
}

/* Swings each bone by its own; variants differ in pace. */
static inline void swing(const sn_model *model, int frame, int variant, double *pose)
{
    for (int b = 0; b < model->counts.bone_count; ++b) {
        const double angle = 0.4 * sin((0.3 + 0.02 * variant) * frame + b);
        double *m = pose + 12 * b;
        sn_affine_identity(m);
        m[0] = m[5] = cos(angle);
        m[1] = -sin(angle);
        m[4] = sin(angle);
        m[3] = 0.2 * sin(0.2 * frame) + 0.05 * variant;
        m[11] = 0.1 * sin(0.13 * frame + b);
    }
}

static inline sn_gpu_reduced *create(sn_gpu_device *device, const sn_gpu_reduced_desc *desc)
{
    sn_gpu_reduced *reduced = NULL;
    const sn_gpu_reduced_desc defaults = sn_default_gpu_reduced_desc();
    assert_int_equal(sn_gpu_reduced_create(device, desc ? desc : &defaults, &reduced), SN_OK);
    for (int i = 0, index = -1; i < FIXTURE_COUNT; ++i) {
        assert_int_equal(sn_gpu_reduced_add_model(reduced, fixtures[i].model, &index), SN_OK);
        assert_int_equal(index, i);
    }
    return reduced;
}

static inline int add(sn_gpu_reduced *reduced, int model, const sn_solver_desc *desc, const double *pose)
{
    int body = -1;
    assert_int_equal(sn_gpu_reduced_add_body(reduced, model, desc, pose, &body), SN_OK);
    return body;
}

static inline void run(sn_gpu_device *device, sn_gpu_reduced *reduced, bool is_step, double fraction)
{
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    (is_step ? sn_gpu_reduced_record_step : sn_gpu_reduced_record_output)(reduced, commands, fraction);
    sn_test_gpu_run(device, commands);
}

typedef struct body_result {
    double coordinates[3 * COORDINATE_LIMIT], velocity[3 * COORDINATE_LIMIT];
    float matrices[12 * (BONE_LIMIT + MODE_LIMIT)];
    sn_gpu_reduced_reading reading;
} body_result;

static inline body_result *read_body(sn_gpu_reduced *reduced, int body, body_result *result)
{
    *result = (body_result){.coordinates = {0}};
    result->reading = (sn_gpu_reduced_reading){
        .coordinates = result->coordinates, .velocity = result->velocity, .matrices = result->matrices};
    assert_int_equal(sn_gpu_reduced_read(reduced, body, &result->reading), SN_OK);
    return result;
}

static inline void assert_same_bits(const body_result *a, const body_result *b)
{
    assert_memory_equal(a->coordinates, b->coordinates, sizeof a->coordinates);
    assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
    assert_memory_equal(a->matrices, b->matrices, sizeof a->matrices);
}

static inline double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

/* Vertices of the tets, of matrices (bones, then modes); freed by the caller. */
static inline double *positions_of(const sn_model *model, const double *bones, const double *modes)
{
    const sn_model_counts *c = &model->counts;
    double *positions = sn_alloc((size_t)c->vertex_count, 3 * sizeof(double));
    assert_non_null(positions);
    sn_skin_add(model->rig_weights, c->bone_count, bones, model->rest_positions, c->vertex_count, positions);
    sn_skin_add(model->mode_weights, c->mode_count, modes, model->rest_positions, c->vertex_count, positions);
    return positions;
}

/* As a fraction of the height. */
static inline double distance_of(const sn_model *model, const float *matrices, const double *bones, const double *modes)
{
    const int n = 3 * model->counts.vertex_count;
    double widened[12 * (BONE_LIMIT + MODE_LIMIT)];
    for (int i = 0; i < 12 * (model->counts.bone_count + model->counts.mode_count); ++i) {
        widened[i] = (double)matrices[i];
    }
    double *a = positions_of(model, widened, widened + 12 * model->counts.bone_count);
    double *b = positions_of(model, bones, modes);
    for (int i = 0; i < n; ++i) {
        a[i] -= b[i];
    }
    const double difference = largest(a, n) / model->height;
    sn_free(a, (size_t)n / 3, 3 * sizeof(double));
    sn_free(b, (size_t)n / 3, 3 * sizeof(double));
    return difference;
}

/* The CPU's reference for a device body, to its minimum: double, but for Neo-Hookean flesh, whose plain iterations are
 * too many. */
typedef struct reference {
    sn_reduced_solver *solver;
    sn_reduced_body *body;
} reference;

static inline reference create_reference(const sn_model *model, const sn_solver_desc *desc, const double *pose)
{
    reference twin;
    sn_reduced_desc d = sn_reduced_desc_from_solver(desc);
    d.is_double = !desc->is_neo_hookean;
    d.tolerance = desc->is_neo_hookean ? 1e-7 : 1e-9;
    d.iteration_limit = 1000;
    assert_int_equal(sn_reduced_solver_create(model, &d, &twin.solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(twin.solver, pose, &twin.body), SN_OK);
    return twin;
}

static inline void destroy_reference(reference *twin)
{
    sn_reduced_body_destroy(&twin->body);
    sn_reduced_solver_destroy(&twin->solver);
}

/* A body on the device follows the CPU's: both step to the minimum. */
typedef void pose_function(const sn_model *model, int frame, int variant, double *pose);

static inline void expect_agreement(sn_gpu_device *device, int index, sn_solver_desc desc, pose_function *pose_at,
                                    int frames)
{
    const sn_model *model = fixtures[index].model;
    double pose[12 * BONE_LIMIT], modes[12 * MODE_LIMIT], worst = 0, moved = 0, iterations = 0;
    body_result result;
    desc.tolerance = 1e-7;
    desc.iteration_limit = 400;
    pose_at(model, 0, 0, pose);
    sn_gpu_reduced *reduced = create(device, NULL);
    const int body = add(reduced, index, &desc, pose);
    reference twin = create_reference(model, &desc, pose);
    for (int frame = 0; frame < frames; ++frame) {
        pose_at(model, frame, 0, pose);
        sn_gpu_reduced_set_pose(reduced, body, pose);
        run(device, reduced, true, 1);
        read_body(reduced, body, &result);
        sn_reduced_body_step(twin.body, pose, NULL);
        sn_reduced_body_mode_transforms(twin.body, 1, modes);
        worst = fmax(worst, distance_of(model, result.matrices, pose, modes));
        moved = fmax(moved, largest(modes, 12 * model->counts.mode_count));
        iterations += result.reading.iteration_count;
    }
    print_message("%d bones, %d modes, %d coordinates, %d clusters: %.1e of the height, %.1f iterations\n",
                  model->counts.bone_count, model->counts.mode_count, model->counts.coordinate_count,
                  model->counts.cluster_count, worst, iterations / frames);
    assert_true(worst <= 1e-5);
    assert_true(moved > 0.01);
    assert_int_equal(result.reading.recovery_count, 0);
    destroy_reference(&twin);
    sn_gpu_reduced_destroy(&reduced);
}

#endif
