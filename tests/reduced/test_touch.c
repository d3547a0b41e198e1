/* SPDX-License-Identifier: MIT */
/* Contacts are those that looking at every vertex and every collider would find, whatever the pose, the flesh and the
 * shapes; and they give the same bits on all instruction sets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/contact/grid.h"
#include "tests/reduced/contact_flesh.h"
#include "tests/support/energy.h"
#include "tests/support/poses.h"

#define MARGIN 0.02 /* of the diagonal: see host/reduced/contact_detection.c */

enum { SHAPE_COUNT = 5, RUN_COUNT = 400 };

/* A ball in a box. */
static void make_grid(void)
{
    enum { SIDE = 12 };
    float distances[SIDE * SIDE * SIDE];
    sn_grid_desc desc = {.counts = {SIDE, SIDE, SIDE}, .origin = {-0.3, -0.3, -0.3}, .spacing = 0.6 / (SIDE - 1)};
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = desc.origin[d] + desc.spacing * at[d];
        }
        distances[i] = (float)(sn_length3(x) - 0.2);
    }
    desc.distances = distances;
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
}

static int set_up(void **state)
{
    make_grid();
    return cook(state);
}

/* By any rotation: orthonormal vectors. */
static void turn(uint64_t *random, double *transform)
{
    const double up[3] = {0, 1, 0};
    double axes[3][3];
    for (int d = 0; d < 3; ++d) {
        axes[0][d] = sn_test_uniform(random, -1, 1);
        axes[1][d] = sn_test_uniform(random, -1, 1);
    }
    sn_normalize3(axes[0], up);
    sn_cross3(axes[0], axes[1], axes[2]);
    sn_normalize3(axes[2], up);
    sn_cross3(axes[2], axes[0], axes[1]);
    for (int i = 0; i < 9; ++i) {
        transform[i / 3 * 4 + i % 3] = axes[i % 3][i / 3];
    }
}

static sn_collider random_collider(uint64_t *random, int shape, const double *root)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = (sn_collider_shape)shape;
    desc.radius = (float)sn_test_uniform(random, 0.02, 0.2);
    desc.half_height = (float)sn_test_uniform(random, 0.05, 0.3);
    desc.grid = shape == SN_COLLIDER_GRID ? grid : NULL;
    for (int d = 0; d < 3; ++d) {
        desc.half_extents[d] = (float)sn_test_uniform(random, 0.02, 0.3);
    }
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    turn(random, c.transform);
    for (int d = 0; d < 3; ++d) {
        c.transform[4 * d + 3] = root[d] + sn_test_uniform(random, -0.7, 0.7);
    }
    memcpy(c.transform_before, c.transform, sizeof c.transform);
    return c;
}

/* Of a vertex: from the rig, and with the flesh of a row of V. */
static void distances_of(const sn_reduced_body *body, const sn_collider *c, size_t vertex, const float *row,
                         double *distances)
{
    double at[3], flesh[3];
    sn_sample_rig_position(body->solver->model, vertex, body->rig_next, body->weights, at);
    sn_row_flesh_offset(body->solver->coordinate_count, row, body->predicted64, flesh);
    distances[0] = sn_collider_distance(c, at, NULL);
    for (int d = 0; d < 3; ++d) {
        at[d] += flesh[d];
    }
    distances[1] = sn_collider_distance(c, at, NULL);
}

/* How near a sample, and what it stands for, is to a collider: for the first, and for all. */
static void look_at(const sn_reduced_body *body, int sample, const sn_collider *c, double *own, double *nearest)
{
    const sn_model *model = body->solver->model;
    const size_t count = (size_t)model->counts.coordinate_count, s = (size_t)sample;
    double distances[2], by_rig, least;
    distances_of(body, c, (size_t)model->sample_vertices[s], model->sample_coordinate + s * count, distances);
    *own = fmin(distances[0], distances[1]);
    by_rig = distances[0];
    least = *own;
    for (size_t i = SN_SAMPLE_EXTREMES * s; i < SN_SAMPLE_EXTREMES * (s + 1); ++i) {
        distances_of(body, c, (size_t)model->sample_extremes[i], model->extreme_coordinate + i * count, distances);
        by_rig = fmin(by_rig, distances[0]);
        least = fmin(least, fmin(distances[0], distances[1]));
    }
    *nearest = by_rig < MARGIN ? by_rig : least; /* there flesh has no say */
}

static bool has_contact(const sn_contact_set *set, int sample, int collider)
{
    for (int i = 0; i < set->count; ++i) {
        if (set->contacts[i].sample == sample && set->contacts[i].collider == collider) {
            return true;
        }
    }
    return false;
}

/* Where the answer does not hang on rounding. */
static void check_contacts(const sn_reduced_body *body, const sn_collider *colliders, int *counts)
{
    const double doubt = 1e-5;
    const int last = body->contacts.contacts[SN_CONTACT_LIMIT - 1].sample;
    const bool is_full = body->contacts.count == SN_CONTACT_LIMIT;
    for (int sample = 0; sample < body->solver->model->counts.sample_count; ++sample) {
        for (int k = 0; k < SHAPE_COUNT && !(is_full && sample >= last); ++k) {
            double own, nearest;
            look_at(body, sample, &colliders[k], &own, &nearest);
            const double in_reach = MARGIN + (double)body->solver->response.influence_radius[sample] - own;
            const double in_margin = MARGIN - nearest;
            const bool is_contact = has_contact(&body->contacts, sample, k);
            assert_true(in_reach < doubt || in_margin < doubt || is_contact);
            assert_true((in_reach > -doubt && in_margin > -doubt) || !is_contact);
            ++counts[is_contact];
        }
    }
}

static void test_contacts_are_what_is_near(void **state)
{
    (void)state;
    uint64_t random = 7;
    int counts[2] = {0};
    for (int run = 0; run < RUN_COUNT; ++run) {
        const sn_reduced_desc desc = desc_with(1, 0);
        sn_flesh f = sn_flesh_make(run % 2 ? wide : bar, &desc, NULL);
        sn_reduced_body *body = f.body;
        sn_collider colliders[SHAPE_COUNT];
        const double size = pow(10, sn_test_uniform(&random, -3, -0.5));
        sn_reduced_scratch_acquire(body);
        for (int b = 0; b < f.model->counts.bone_count; ++b) {
            sn_test_shake(&random, 0.3, f.pose + 12 * b);
        }
        assert_true(sn_reduced_set_next_pose(body, f.pose));
        for (int i = 0; i < 3 * f.solver->coordinate_count; ++i) {
            body->predicted64[i] = size * sn_test_uniform(&random, -1, 1);
        }
        for (int k = 0; k < SHAPE_COUNT; ++k) {
            colliders[k] = random_collider(&random, k, body->rig_next + 9);
        }
        const sn_surroundings surroundings = {.collider_count = SHAPE_COUNT, .colliders = colliders};
        sn_contacts_find(body, &surroundings);
        check_contacts(body, colliders, counts);
        sn_reduced_scratch_release(body);
        sn_flesh_finish(&f);
    }
    print_message("%d contacts, %d others\n", counts[1], counts[0]);
    assert_true(counts[1] > 1000 && counts[0] > 1000);
}

/* How many samples are looked at one by one. */
static int count_marked(const sn_model *model, const sn_collider *ground)
{
    const sn_reduced_desc desc = desc_with(1, 0);
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    sn_reduced_body *body = f.body;
    int count = 0;
    sn_reduced_scratch_acquire(body);
    assert_true(sn_reduced_set_next_pose(body, f.pose));
    memset(body->predicted64, 0, 3 * (size_t)f.solver->coordinate_count * sizeof(double));
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = ground};
    sn_contacts_find(body, &surroundings);
    assert_true(body->contacts.count > 0);
    for (int i = 0; i < model->counts.sample_count; ++i) {
        count += body->samples.near_flags[SN_SAMPLE_FLAG_WORDS * i] != 0;
    }
    sn_reduced_scratch_release(body);
    sn_flesh_finish(&f);
    return count;
}

/* A level top at a height, much larger than the body. */
static sn_collider large_ground(int shape, const sn_grid *flat, double height)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = (sn_collider_shape)shape;
    desc.radius = shape == SN_COLLIDER_BOX ? 0 : 50;
    desc.half_height = 50;
    desc.half_extents[0] = desc.half_extents[1] = desc.half_extents[2] = 50;
    desc.grid = flat;
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    const double to_top = shape == SN_COLLIDER_CAPSULE                              ? 100
                          : shape == SN_COLLIDER_PLANE || shape == SN_COLLIDER_GRID ? 0
                                                                                    : 50;
    c.transform[7] = c.transform_before[7] = height - to_top;
    return c;
}

/* Large grounds of any shape leave out what a plane does, but for their curvature. */
static void test_large_grounds_are_near_where_they_touch(void **state)
{
    (void)state;
    float distances[27];
    sn_grid *flat = NULL;
    sn_grid_desc desc = {.counts = {3, 3, 3}, .origin = {-50, -50, -50}, .spacing = 50, .distances = distances};
    for (int i = 0; i < 27; ++i) {
        distances[i] = (float)(50 * (i / 3 % 3 - 1));
    }
    assert_int_equal(sn_grid_create(&desc, &flat), SN_OK);
    const double height = lowest_at_rest(bar) + 0.01;
    const sn_collider plane = large_ground(SN_COLLIDER_PLANE, NULL, height);
    const int by_plane = count_marked(bar, &plane);
    assert_true(by_plane < bar->counts.sample_count / 2);
    for (int shape = 0; shape < SHAPE_COUNT; ++shape) {
        const sn_collider ground = large_ground(shape, flat, height);
        const int count = count_marked(bar, &ground);
        print_message("shape %d: %d of %d samples, %d by a plane\n", shape, count, bar->counts.sample_count, by_plane);
        assert_true(count >= by_plane - 2 && count <= by_plane + 4);
    }
    sn_grid_destroy(&flat);
}

/* In wind on a floor beside a ball. */
static void run(sn_instructions instructions, double *coordinates)
{
    sn_reduced_desc desc = desc_with(0.5, 9.81);
    desc.instructions = instructions;
    sn_flesh f = sn_flesh_make(bar, &desc, NULL);
    const double beside[3] = {0.3, 0.05, 0.35}, by[3] = {0, 0, -0.005};
    sn_collider colliders[2] = {floor_at(lowest_at_rest(bar) - 0.005), collider_at(SN_COLLIDER_SPHERE, 0.2, beside)};
    const sn_surroundings surroundings = {.collider_count = 2, .colliders = colliders, .wind = {2, 0.5, -1}};
    int pushing = 0;
    for (int frame = 0; frame < 60; ++frame) {
        move_collider(&colliders[1], by);
        f.pose[3] = 0.1 * sin(0.3 * frame);
        sn_reduced_body_step(f.body, f.pose, &surroundings);
        pushing += check_forces(&f);
    }
    assert_true(pushing > 60);
    memcpy(coordinates, f.body->coordinates, 3 * (size_t)f.solver->coordinate_count * sizeof *coordinates);
    sn_flesh_finish(&f);
}

static void test_instruction_sets_agree(void **state)
{
    (void)state;
    const size_t bytes = 3 * (size_t)bar->counts.coordinate_count * sizeof(double);
    double baseline[3 * SN_TEST_COORDINATE_LIMIT], other[3 * SN_TEST_COORDINATE_LIMIT];
    run(SN_INSTRUCTIONS_BASELINE, baseline);
    for (int i = SN_INSTRUCTIONS_BASELINE + 1; i <= SN_INSTRUCTIONS_BEST; ++i) {
        run((sn_instructions)i, other);
        assert_memory_equal(baseline, other, bytes);
    }
}

/* What lies in something begins with the forces of the last step: it takes fewer iterations, to where more would take
 * it. */
static void test_forces_are_kept(void **state)
{
    (void)state;
    enum { KEPT, FORGOTTEN, EXACT, KIND_COUNT };
    int iterations[KIND_COUNT] = {0};
    double positions[KIND_COUNT][3];
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        sn_reduced_desc desc = desc_with(0.5, 9.81);
        desc.damping = 4;
        desc.iteration_limit = kind == EXACT ? 1000 : desc.iteration_limit;
        desc.tolerance = kind == EXACT ? 1e-7 : desc.tolerance;
        sn_flesh f = sn_flesh_make(wide, &desc, NULL);
        const sn_collider ground = floor_at(lowest_at_rest(wide) + 0.02);
        for (int frame = 0; frame < 120; ++frame) {
            f.body->stored_forces.count = kind == FORGOTTEN ? 0 : f.body->stored_forces.count;
            iterations[kind] += step(&f, &ground, 1).iteration_count;
        }
        sn_flesh_sample(&f, 0, positions[kind]);
        assert_true(check_forces(&f) > 10);
        sn_flesh_finish(&f);
    }
    print_message("%d iterations, %d without, %d exactly\n", iterations[KEPT], iterations[FORGOTTEN],
                  iterations[EXACT]);
    assert_true(iterations[KEPT] < 0.5 * iterations[FORGOTTEN]);
    assert_true(sn_distance3(positions[KEPT], positions[EXACT]) < 1e-3);
}

int test_touch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_are_what_is_near),
        cmocka_unit_test(test_large_grounds_are_near_where_they_touch),
        cmocka_unit_test(test_instruction_sets_agree),
        cmocka_unit_test(test_forces_are_kept),
    };
    return cmocka_run_group_tests(tests, set_up, finish);
}
