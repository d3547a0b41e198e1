/* SPDX-License-Identifier: MIT */
/* Morph targets as a part of the rig: what the step does with their weights, on a bar of three bones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/skin/skin.h"
#include "tests/support/flesh.h"
#include "tests/support/morph_model.h"

#define BONES 3
#define MODES 6
#define Z_LIMIT (3 * 4 * MODES)

static sn_cook_context cooking;
static sn_model *plain;
static sn_model model;

static int cook(void **state)
{
    static const int cells[3] = {10, 3, 3};
    (void)state;
    plain = sn_test_cook_bar(&cooking, cells, BONES, MODES);
    model = sn_test_morph_model(&cooking.arena, plain);
    return 0;
}

static int discard(void **state)
{
    (void)state;
    sn_model_release(plain);
    sn_cook_context_finish(&cooking);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

/* What the flesh adds to the rig at the tets' vertices. */
static double largest_displacement(const sn_flesh *f)
{
    double modes[12 * MODES], largest = 0;
    static double moved[3 * 1024];
    assert_true(model.counts.vertex_count <= 1024);
    memset(moved, 0, sizeof moved);
    sn_reduced_body_mode_transforms(f->body, 1, modes);
    sn_skin_add(model.mode_weights, MODES, modes, model.rest_positions, model.counts.vertex_count, moved);
    for (int i = 0; i < 3 * model.counts.vertex_count; ++i) {
        largest = fmax(largest, fabs(moved[i]));
    }
    return largest;
}

/* Weights that come within five frames, differently each. */
static void pop(int frame, float *weights)
{
    const float come = (float)fmin(fmax(frame / 5.0, 0), 1);
    weights[0] = 0.5F + come;
    weights[1] = 0.25F - 0.5F * come;
    weights[2] = -0.75F * come;
}

static void bend(int frame, double *pose)
{
    for (int b = 0; b < BONES; ++b) {
        const double angle = 0.2 * b * sin(0.3 * frame);
        double *m = pose + 12 * b;
        sn_affine_identity(m);
        m[0] = m[5] = cos(angle);
        m[1] = -sin(angle);
        m[4] = sin(angle);
        m[3] = 0.1 * sin(0.2 * frame);
    }
}

static void step(sn_flesh *f, const float *weights)
{
    sn_reduced_body_set_morphs(f->body, weights);
    assert_false(sn_reduced_body_step(f->body, f->pose, NULL).is_recovered);
}

/* A weight that comes shakes the flesh, one that is held does not: it ends as drawn. */
static void test_held_weights_come_to_rest(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        desc.damping = 4;
        sn_flesh f = sn_flesh_make(&model, &desc, NULL);
        float weights[SN_TEST_MORPHS];
        double most = 0;
        for (int frame = 0; frame < 900; ++frame) {
            pop(frame, weights);
            step(&f, weights);
            most = fmax(most, largest_displacement(&f));
            assert_true(frame > 0 || most < 1e-6); /* a body begins with the model's own weights */
        }
        assert_true(most > 1e-3);
        assert_true(largest_displacement(&f) < (is_double ? 1e-9 : 1e-6));
        sn_flesh_finish(&f);
    }
}

static void test_reset_rests_in_its_weights(void **state)
{
    (void)state;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    float weights[SN_TEST_MORPHS];
    for (int frame = 0; frame < 3; ++frame) {
        pop(frame, weights);
        step(&f, weights);
    }
    const float other[SN_TEST_MORPHS] = {-2, 1, 3};
    sn_reduced_body_set_morphs(f.body, other);
    sn_reduced_body_reset(f.body, f.pose);
    for (int frame = 0; frame < 30; ++frame) {
        step(&f, other);
        assert_true(largest_displacement(&f) < 1e-6);
    }
    sn_flesh_finish(&f);
}

/* Colliders meet the surface as morph targets have it: lifted by a quarter, it does not touch what is a tenth above its
 * bottom at rest; let down it does, and is pushed. */
static void test_contact_follows_morph_targets(void **state)
{
    (void)state;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider collider;
    double lowest = INFINITY;
    for (int i = 0; i < model.counts.sample_count; ++i) {
        lowest = fmin(lowest, (double)model.surface_positions[3 * model.sample_vertices[i] + 1]);
    }
    assert_int_equal(sn_collider_init(&floor, &collider), SN_OK);
    collider.transform[7] = collider.transform_before[7] = lowest + 0.1;
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &collider};
    const float lifted[SN_TEST_MORPHS] = {1, 1, 1}, down[SN_TEST_MORPHS] = {0, 0, 0};
    sn_reduced_body_set_morphs(f.body, lifted);
    sn_reduced_body_reset(f.body, f.pose);
    for (int frame = 0; frame < 5; ++frame) {
        sn_reduced_body_step(f.body, f.pose, &surroundings);
        assert_int_equal(f.body->contacts.count, 0);
    }
    assert_true(largest_displacement(&f) < 1e-6);
    sn_reduced_body_set_morphs(f.body, down);
    sn_reduced_body_reset(f.body, f.pose);
    sn_reduced_body_step(f.body, f.pose, &surroundings);
    assert_true(f.body->contacts.count > 0);
    assert_true(largest_displacement(&f) > 1e-4);
    sn_flesh_finish(&f);
}

/* Inertia: what comes up leaves the flesh behind, below. */
static void test_flesh_lags(void **state)
{
    (void)state;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    const float weights[SN_TEST_MORPHS] = {1.5F, 0.25F, 0};
    double modes[12 * MODES], along = 0, moved[3 * 1024] = {0};
    step(&f, weights);
    sn_reduced_body_mode_transforms(f.body, 1, modes);
    sn_skin_add(model.mode_weights, MODES, modes, model.rest_positions, model.counts.vertex_count, moved);
    for (int v = 0; v < model.counts.vertex_count; ++v) {
        const float *field = model.morph_fields + 3 * SN_TEST_FIELDS * (size_t)v;
        for (int d = 0; d < 3; ++d) {
            along += (double)model.vertex_mass[v] * (double)field[d] * moved[3 * v + d];
        }
    }
    assert_true(along < 0);
    sn_flesh_finish(&f);
}

static void test_gradient_matches_finite_differences(void **state)
{
    (void)state;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.damping = 2;
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    float weights[SN_TEST_MORPHS];
    for (int frame = 0; frame < 3; ++frame) {
        bend(frame, f.pose);
        pop(frame, weights);
        step(&f, weights);
    }
    const int size = 3 * model.counts.coordinate_count;
    double z[Z_LIMIT], gradient[Z_LIMIT], still[Z_LIMIT], unused[Z_LIMIT], scale = 0, felt = 0;
    assert_true(size <= Z_LIMIT);
    bend(3, f.pose);
    for (int i = 0; i < size; ++i) {
        z[i] = sn_reduced_body_coordinates(f.body)[i] + 0.01 * sin(i);
    }
    sn_reduced_body_objective(f.body, f.pose, z, still);
    pop(3, weights);
    sn_reduced_body_set_morphs(f.body, weights);
    sn_reduced_body_objective(f.body, f.pose, z, gradient);
    for (int i = 0; i < size; ++i) {
        scale = fmax(scale, fabs(gradient[i]));
        felt = fmax(felt, fabs(gradient[i] - still[i]));
    }
    assert_true(felt > 1e-3 * scale);
    for (int i = 0; i < size; ++i) {
        const double h = 1e-5, at = z[i];
        z[i] = at + h;
        const double above = sn_reduced_body_objective(f.body, f.pose, z, unused);
        z[i] = at - h;
        const double below = sn_reduced_body_objective(f.body, f.pose, z, unused);
        z[i] = at;
        assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-5 * scale);
    }
    sn_flesh_finish(&f);
}

/* The kinetic energy is that of the tets' vertices: bones, morph targets and flesh together. */
static void test_energy_counts_all_that_moves(void **state)
{
    (void)state;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    const int n = model.counts.vertex_count;
    double *places[2] = {SN_NEW(&cooking.arena, double, 3 * n), SN_NEW(&cooking.arena, double, 3 * n)};
    double *columns = NULL, fields[SN_TEST_FIELDS], rows[9 * SN_TEST_PAIRS], modes[12 * MODES], kinetic = 0;
    assert_int_equal(sn_morph_columns_from_model(&model, &cooking.arena, &columns), SN_OK);
    for (int frame = 1; frame <= 4; ++frame) {
        double *now = places[frame % 2];
        float weights[SN_TEST_MORPHS];
        bend(frame, f.pose);
        pop(frame, weights);
        step(&f, weights);
        memset(now, 0, 3 * (size_t)n * sizeof *now);
        sn_reduced_body_mode_transforms(f.body, 1, modes);
        sn_skin_add(model.mode_weights, MODES, modes, model.rest_positions, n, now);
        sn_skin_add(model.rig_weights, BONES, f.pose, model.rest_positions, n, now);
        sn_model_morph_fields(&model, weights, fields);
        sn_morph_pair_rows(model.morph_pairs, SN_TEST_PAIRS, f.pose, fields, rows);
        sn_morph_columns_add(columns, n, SN_TEST_PAIRS, rows, now);
    }
    for (int i = 0; i < 3 * n; ++i) {
        const double velocity = (places[0][i] - places[1][i]) / desc.time_step;
        kinetic += 0.5 * (double)model.vertex_mass[i / 3] * velocity * velocity;
    }
    assert_true(kinetic > 0);
    assert_true(fabs(sn_reduced_body_energy(f.body).kinetic - kinetic) < 1e-4 * kinetic); /* weights are floats */
    sn_flesh_finish(&f);
}

/* Rotating and moving the whole problem rotates the result, and so does a teleport on the way: exactly. */
static void test_equivariance_and_teleport(void **state)
{
    (void)state;
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    sn_flesh f = sn_flesh_make(&model, &desc, NULL), moved = sn_flesh_make(&model, &desc, NULL);
    sn_flesh elsewhere = sn_flesh_make(&model, &desc, world);
    double worst = 0, seen = 0;
    for (int frame = 1; frame < 40; ++frame) {
        float weights[SN_TEST_MORPHS];
        bend(frame, f.pose);
        pop(frame, weights);
        if (frame == 3) {
            sn_reduced_body_teleport(moved.body, world);
        }
        for (int b = 0; b < BONES; ++b) {
            sn_affine_multiply(world, f.pose + 12 * b, elsewhere.pose + 12 * b);
        }
        memcpy(moved.pose, frame < 3 ? f.pose : elsewhere.pose, sizeof moved.pose);
        step(&f, weights);
        step(&moved, weights);
        step(&elsewhere, weights);
        for (int i = 0; i < model.counts.coordinate_count; ++i) {
            const double *z = sn_reduced_body_coordinates(f.body) + 3 * i;
            for (int d = 0; d < 3; ++d) {
                const double *m = world + 4 * d, turned = m[0] * z[0] + m[1] * z[1] + m[2] * z[2];
                seen = fmax(seen, fabs(turned));
                worst = fmax(worst, fabs(sn_reduced_body_coordinates(elsewhere.body)[3 * i + d] - turned));
                if (frame >= 3) {
                    worst = fmax(worst, fabs(sn_reduced_body_coordinates(moved.body)[3 * i + d] - turned));
                }
            }
        }
    }
    assert_true(seen > 0 && worst < 1e-7 * seen);
    sn_flesh_finish(&f);
    sn_flesh_finish(&moved);
    sn_flesh_finish(&elsewhere);
}

static void test_bad_weights_are_recovered(void **state)
{
    (void)state;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    const float bad[2][SN_TEST_MORPHS] = {{0, NAN, 0}, {INFINITY, 0, 0}};
    float weights[SN_TEST_MORPHS];
    for (int i = 0; i < 2; ++i) {
        for (int frame = 0; frame < 10; ++frame) {
            pop(frame, weights);
            step(&f, weights);
        }
        assert_true(largest_displacement(&f) > 1e-4);
        sn_reduced_body_set_morphs(f.body, bad[i]);
        assert_true(sn_reduced_body_step(f.body, f.pose, NULL).is_recovered);
        assert_true(largest_displacement(&f) == 0);
        /* the last sound weights have stayed: nothing moves */
        assert_false(sn_reduced_body_step(f.body, f.pose, NULL).is_recovered);
        assert_true(largest_displacement(&f) < 1e-6);
    }
    sn_flesh_finish(&f);
}

/* Float follows double, and all instruction sets give the same bits. */
static void test_precisions_agree(void **state)
{
    (void)state;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.iteration_limit = 200;
    desc.tolerance = 1e-8;
    double coordinates[2 + SN_INSTRUCTIONS_BEST][Z_LIMIT] = {{0}}, scale = 0, worst = 0;
    for (int set = -1; set <= SN_INSTRUCTIONS_BEST; ++set) {
        desc.is_double = set < 0;
        desc.instructions = set < 0 ? SN_INSTRUCTIONS_BEST : (sn_instructions)set;
        sn_flesh f = sn_flesh_make(&model, &desc, NULL);
        for (int frame = 1; frame < 12; ++frame) {
            float weights[SN_TEST_MORPHS];
            bend(frame, f.pose);
            pop(frame, weights);
            step(&f, weights);
        }
        memcpy(coordinates[set + 1], f.body->coordinates, (size_t)(3 * model.counts.coordinate_count) * sizeof(double));
        assert_true(set < 1 || memcmp(coordinates[1], coordinates[set + 1], sizeof coordinates[1]) == 0);
        sn_flesh_finish(&f);
    }
    for (int i = 0; i < Z_LIMIT; ++i) {
        scale = fmax(scale, fabs(coordinates[0][i]));
        worst = fmax(worst, fabs(coordinates[0][i] - coordinates[1][i]));
    }
    assert_true(scale > 0 && worst < 1e-4 * scale);
}

/* A model without what flesh feels steps as if its targets were not there. */
static void test_drawn_targets_are_not_felt(void **state)
{
    (void)state;
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_model drawn = model;
    drawn.counts.morph_field_count = drawn.counts.morph_pair_count = 0;
    sn_flesh f = sn_flesh_make(&drawn, &desc, NULL), g = sn_flesh_make(plain, &desc, NULL);
    for (int frame = 1; frame < 20; ++frame) {
        float weights[SN_TEST_MORPHS];
        bend(frame, f.pose);
        memcpy(g.pose, f.pose, sizeof g.pose);
        pop(frame, weights);
        step(&f, weights);
        assert_false(sn_reduced_body_step(g.body, g.pose, NULL).is_recovered);
    }
    assert_memory_equal(f.body->coordinates, g.body->coordinates,
                        (size_t)(3 * model.counts.coordinate_count) * sizeof(double));
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

int test_morph_rig(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_weights_come_to_rest),
        cmocka_unit_test(test_reset_rests_in_its_weights),
        cmocka_unit_test(test_contact_follows_morph_targets),
        cmocka_unit_test(test_flesh_lags),
        cmocka_unit_test(test_gradient_matches_finite_differences),
        cmocka_unit_test(test_energy_counts_all_that_moves),
        cmocka_unit_test(test_equivariance_and_teleport),
        cmocka_unit_test(test_bad_weights_are_recovered),
        cmocka_unit_test(test_precisions_agree),
        cmocka_unit_test(test_drawn_targets_are_not_felt),
    };
    return cmocka_run_group_tests(tests, cook, discard);
}
