/* SPDX-License-Identifier: MIT */
/* A bar of arrays with point handles at its ends, and coupled bodies of it: for tests of the public API alone. Include
 * it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_COUPLED_BAR_H
#define SN_TESTS_SUPPORT_COUPLED_BAR_H

#include <math.h>
#include <string.h>

#include "sinew/author.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define STEP (1.0 / 60)
#define LENGTH 2.0 /* of the bar, along x; it is .5 high and deep */

static sn_blob blobs[8];
static sn_model *models[8];
static int model_count;

static size_t bytes_before; /* a test that fails leaves its world */

static inline int start(void **state)
{
    (void)state;
    bytes_before = sn_allocated_bytes();
    begin_log();
    model_count = 0;
    return 0;
}

static inline int finish(void **state)
{
    (void)state;
    while (model_count > 0) {
        sn_model_release(models[--model_count]);
        sn_blob_release(&blobs[model_count]);
    }
    sn_set_log(NULL, NULL);
    return sn_allocated_bytes() == bytes_before ? 0 : -1;
}

/* Takes the blob over. */
static inline const sn_model *keep(sn_blob blob)
{
    blobs[model_count] = blob;
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &models[model_count]), SN_OK);
    return models[model_count++];
}

static inline sn_cook_handle point(const char *name, double x, double y, double z)
{
    return (sn_cook_handle){.shape = SN_HANDLE_SHAPE_POINT, .name = name, .parent = -1, .start = {x, y, z}};
}

static inline sn_cook_desc cook_desc(const sn_cook_handles *handles)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.units = SN_UNITS_KEEP;
    desc.is_coupled = true;
    desc.handles = handles;
    return desc;
}

static inline sn_result cook_tets(const sn_cook_desc *desc, sn_blob *blob)
{
    sn_arena arena = {0};
    const sn_tet_mesh bar = sn_test_bar(&arena, 8, 2, 2, 0.25);
    const sn_cook_mesh_input input = {.name = "bar",
                                      .vertex_count = bar.vertex_count,
                                      .positions = bar.positions,
                                      .tet_count = bar.tet_count,
                                      .tets = bar.tets};
    const sn_result result = sn_cook_mesh(&input, desc, blob, NULL);
    sn_arena_finish(&arena);
    return result;
}

static inline const sn_model *cook_bar(const sn_cook_handle *handles, int count)
{
    const sn_cook_handles list = {.count = count, .handles = handles};
    const sn_cook_desc desc = cook_desc(&list);
    sn_blob blob;
    assert_int_equal(cook_tets(&desc, &blob), SN_OK);
    return keep(blob);
}

/* "head" at x = 0, "tail" at the other end. */
static inline const sn_model *cook_ends(void)
{
    const sn_cook_handle ends[2] = {point("head", 0, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25)};
    return cook_bar(ends, 2);
}

static inline sn_world_id make_world(int workers)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    desc.worker_count = workers;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    return world;
}

static inline sn_body_desc coupled_desc(const sn_model *model)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.solver = SN_SOLVER_COUPLED;
    return desc;
}

/* What comes to rest. */
static inline sn_body_desc damped_desc(const sn_model *model, double damping)
{
    sn_body_desc desc = coupled_desc(model);
    desc.damping = damping;
    desc.is_rigid_damped = true;
    return desc;
}

static inline sn_body_id create_body(sn_world_id world, const sn_body_desc *desc)
{
    sn_body_id body;
    assert_int_equal(sn_body_create(world, desc, &body), SN_OK);
    return body;
}

static inline sn_body_id make_body(sn_world_id world, const sn_model *model, const double *gravity)
{
    sn_body_desc desc = coupled_desc(model);
    memcpy(desc.gravity, gravity, sizeof desc.gravity);
    return create_body(world, &desc);
}

static const double none[3] = {0, 0, 0}, down[3] = {0, -10, 0};

/* Where a bone's pivot is drawn. */
static inline void bone_place(sn_body_id body, int bone, double *place)
{
    const sn_body_matrices output = sn_body_output(body);
    double pivot[3];
    sn_model_bone_pivot(sn_body_model(body), bone, pivot);
    for (int d = 0; d < 3; ++d) {
        const float *m = output.matrices[bone].m[d];
        place[d] = (double)m[0] * pivot[0] + (double)m[1] * pivot[1] + (double)m[2] * pivot[2] + (double)m[3];
    }
}

/* How low the flesh of a bar of cook_tets lies. */
static inline double sag_of(sn_body_id body)
{
    double places[3 * 81], lowest = INFINITY;
    sn_body_tet_positions(body, places, 81);
    for (int v = 0; v < 81; ++v) {
        lowest = fmin(lowest, places[3 * v + 1]);
    }
    return -lowest;
}

static inline double difference(const sn_mat3x4 *a, const sn_mat3x4 *b)
{
    double most = 0;
    for (int i = 0; i < 12; ++i) {
        most = fmax(most, fabs((double)a->m[i / 4][i % 4] - (double)b->m[i / 4][i % 4]));
    }
    return most;
}

static const sn_mat3x4 identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* About z, then a translation along y. */
static inline sn_mat3x4 turned(double angle, double y)
{
    const float c = (float)cos(angle), s = (float)sin(angle);
    return (sn_mat3x4){{{c, -s, 0, 0}, {s, c, 0, (float)y}, {0, 0, 1, 0}}};
}

/* What is drawn is a step behind. */
static inline void run(sn_world_id world, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(sn_world_step(world, STEP).recovery_count, 0);
    }
}

static inline void free_all(sn_body_id body)
{
    for (int bone = 0; bone < sn_model_bone_count(sn_body_model(body)); ++bone) {
        sn_body_set_locks(body, bone, 0);
    }
}

#define COUPLED_TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

#endif
