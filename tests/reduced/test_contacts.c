/* SPDX-License-Identifier: MIT */
/* Contact of the reduced body: what it keeps out, what it must not do (pull, gain energy, tear, allocate), and
 * friction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/contact_flesh.h"
#include "tests/support/count_allocations.h"

/* ---- lying on the ground ---- */

static void test_flesh_sags_onto_a_plane_and_rests(void **state)
{
    (void)state;
    const double stiffness[] = {0.2, 1};
    for (int i = 0; i < 8; ++i) {
        sn_reduced_desc desc = desc_with(stiffness[i / 4], 9.81);
        desc.is_double = i % 2;
        desc.damping = 4;
        desc.time_step = i / 2 % 2 ? 1.0 / 60 : 1.0 / 30;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL), loose = sn_flesh_make(bar, &desc, NULL);
        const sn_collider ground = floor_at(lowest_at_rest(bar) - 0.01);
        double fallen = 0;
        for (int frame = 0; frame < 150; ++frame) {
            assert_false(step(&f, &ground, 1).is_recovered);
            assert_true(deepest(&f, &ground) < 1e-3);
            check_forces(&f);
            step(&loose, NULL, 0);
            fallen = fmax(fallen, deepest(&loose, &ground));
        }
        assert_true(fallen > 0.02); /* where nothing holds it */
        assert_true(check_forces(&f) > 2);
        const double still = sn_flesh_displacement(&f);
        step(&f, &ground, 1);
        assert_true(fabs(sn_flesh_displacement(&f) - still) < 1e-5);
        assert_true(sn_reduced_body_energy(f.body).kinetic < 1e-5);
        sn_flesh_finish(&f);
        sn_flesh_finish(&loose);
    }
}

static void test_energy_never_grows(void **state)
{
    (void)state;
    const double stiffness[] = {0.2, 1, 100};
    for (int i = 0; i < 6; ++i) {
        sn_reduced_desc desc = desc_with(stiffness[i / 2], 9.81);
        desc.time_step = i % 2 ? 1.0 / 60 : 1.0 / 30;
        desc.iteration_limit = 100;
        desc.tolerance = 1e-8;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL);
        /* the stiffest hardly sags: its ground is where it would */
        const sn_collider ground = floor_at(lowest_at_rest(bar) - (i < 4 ? 0.01 : 1e-4));
        double before = sn_flesh_energy(&f), moved = 0;
        const double first = before;
        int pushing = 0;
        for (int frame = 0; frame < 300; ++frame) {
            step(&f, &ground, 1);
            const double now = sn_flesh_energy(&f);
            moved = fmax(moved, fabs(now - first));
            assert_true(now <= before + 2e-5 * moved);
            before = now;
            pushing += check_forces(&f) > 0;
        }
        assert_true(before < first && pushing > 100);
        sn_flesh_finish(&f);
    }
}

/* ---- where a pose itself puts flesh into a collider ---- */

/* Held a little below the ground, halfway, and deep inside: it comes to rest, near its rig. */
static void test_rigs_inside_a_plane_do_not_tear(void **state)
{
    (void)state;
    const double depths[] = {0.01, 0.1, 1}, most[] = {0.06, 0.25, 0.2};
    for (int i = 0; i < 12; ++i) {
        sn_reduced_desc desc = desc_with(i / 3 % 2 ? 100 : 1, 1);
        desc.damping = 4;
        desc.iteration_limit = 8;
        sn_flesh f = sn_flesh_make(i < 6 ? bar : wide, &desc, NULL);
        const sn_collider ground = floor_at(lowest_at_rest(f.model) + depths[i % 3]);
        double before[3] = {0}, position[3];
        for (int frame = 0; frame < 120; ++frame) {
            assert_false(step(&f, &ground, 1).is_recovered);
            assert_true(sn_flesh_displacement(&f) < most[i % 3]);
            check_forces(&f);
            memcpy(before, position, sizeof before);
            sn_flesh_sample(&f, 0, position);
        }
        assert_true(sn_distance3(before, position) < 1e-4);
        assert_true(sn_reduced_body_energy(f.body).kinetic < 1e-3);
        sn_flesh_finish(&f);
    }
}

/* Two planes that leave it no room, and more samples that touch them than there may be contacts. */
static void test_a_press_that_closes(void **state)
{
    (void)state;
    sn_reduced_desc desc = desc_with(1, 0);
    desc.damping = 4;
    desc.iteration_limit = 8;
    sn_flesh f = sn_flesh_make(wide, &desc, NULL);
    const double low = lowest_at_rest(wide) + 0.02, up[3] = {0, -lowest_at_rest(wide) - 0.02, 0};
    sn_collider press[2] = {floor_at(low), collider_at(SN_COLLIDER_PLANE, 0, up)};
    for (int d = 0; d < 2; ++d) { /* the second looks down */
        press[1].transform[5 * d] = press[1].transform_before[5 * d] = -1;
    }
    double before[3] = {0}, position[3];
    for (int frame = 0; frame < 120; ++frame) {
        assert_false(step(&f, press, 2).is_recovered);
        assert_in_range(f.body->contacts.count, 0, SN_CONTACT_LIMIT);
        assert_true(sn_flesh_displacement(&f) < 0.1);
        memcpy(before, position, sizeof before);
        sn_flesh_sample(&f, 0, position);
    }
    assert_int_equal(f.body->contacts.count, SN_CONTACT_LIMIT);
    assert_true(sn_distance3(before, position) < 1e-4);
    sn_flesh_finish(&f);
}

/* Samples that modes hardly move, or not at all to speak of: pushing them must not throw about the rest. */
static void test_stiff_samples_do_not_throw_the_others(void **state)
{
    (void)state;
    const double shares[] = {1e-2, 1e-3, 1e-17};
    const size_t width = (size_t)bar->counts.coordinate_count, size = width * (size_t)bar->counts.sample_count;
    float *rows = malloc(size * sizeof *rows);
    assert_non_null(rows);
    for (int i = 0; i < 3; ++i) {
        sn_model changed = *bar;
        memcpy(rows, bar->sample_coordinate, size * sizeof *rows);
        for (size_t k = 0; k < size; ++k) { /* every third sample */
            rows[k] *= k / width % 3 == 0 ? (float)shares[i] : 1;
        }
        changed.sample_coordinate = rows;
        sn_reduced_desc desc = desc_with(1, 1);
        sn_flesh f = sn_flesh_make(&changed, &desc, NULL);
        const sn_collider ground = floor_at(lowest_at_rest(bar) + 0.02);
        for (int frame = 0; frame < 60; ++frame) {
            assert_false(step(&f, &ground, 1).is_recovered);
            assert_true(sn_flesh_displacement(&f) < 1);
        }
        sn_flesh_finish(&f);
    }
    free(rows);
}

/* Half of the samples touch, but hardly move, as feet do; the others feel no contact. The pose has them in the floor.
 */
static void test_stiff_feet_do_not_throw_the_rest(void **state)
{
    (void)state;
    const size_t width = (size_t)bar->counts.coordinate_count, count = (size_t)bar->counts.sample_count;
    float *rows = malloc((1 + SN_SAMPLE_EXTREMES) * width * count * sizeof *rows);
    assert_non_null(rows);
    float *extremes = rows + width * count;
    for (size_t k = 0; k < (1 + SN_SAMPLE_EXTREMES) * width * count; ++k) {
        const bool is_extreme = k >= width * count;
        const size_t of = k - (is_extreme ? width * count : 0);
        const size_t sample = of / width / (is_extreme ? SN_SAMPLE_EXTREMES : 1);
        const float share = bar->surface_positions[3 * bar->sample_vertices[sample]] < 0 ? 0.1F : 0;
        rows[k] = share * (is_extreme ? bar->extreme_coordinate[of] : bar->sample_coordinate[of]);
    }
    size_t highest = 0; /* stays as soft as it is */
    for (size_t i = 1; i < count; ++i) {
        const float *const at = bar->surface_positions;
        highest = at[3 * bar->sample_vertices[i] + 1] > at[3 * bar->sample_vertices[highest] + 1] ? i : highest;
    }
    memcpy(rows + highest * width, bar->sample_coordinate + highest * width, width * sizeof *rows);
    sn_model changed = *bar;
    changed.sample_coordinate = rows;
    changed.extreme_coordinate = extremes;
    sn_reduced_desc desc = desc_with(1, 0);
    sn_flesh f = sn_flesh_make(&changed, &desc, NULL);
    const sn_collider ground = floor_at(lowest_at_rest(bar) + 0.06);
    double most = 0;
    for (int frame = 0; frame < 120; ++frame) {
        step(&f, &ground, 1);
        most = fmax(most, sn_flesh_displacement(&f));
    }
    assert_true(most < 0.1); /* .15 where each contact presses as if it were alone */
    sn_flesh_finish(&f);
    free(rows);
}

/* A sphere comes, and goes: flesh gives way before it, mostly, and is as it was after. */
static void test_a_sphere_dents_and_flesh_springs_back(void **state)
{
    (void)state;
    sn_reduced_desc desc = desc_with(1, 0);
    desc.damping = 2;
    sn_flesh f = sn_flesh_make(bar, &desc, NULL);
    const double depth = 0.04, down[3] = {0, -depth / 60, 0}, up[3] = {0, depth / 20, 0}, still[3] = {0};
    const double place[3] = {0.4, -lowest_at_rest(bar) + 0.15, 0};
    sn_collider ball = collider_at(SN_COLLIDER_SPHERE, 0.15, place);
    for (int frame = 0; frame < 240; ++frame) {
        move_collider(&ball, frame < 60 ? down : still);
        step(&f, &ball, 1);
        check_forces(&f);
    }
    assert_true(sn_flesh_displacement(&f) > 0.7 * depth && sn_flesh_displacement(&f) < 1.2 * depth);
    assert_true(deepest(&f, &ball) < 0.2 * depth);
    for (int frame = 0; frame < 600; ++frame) {
        move_collider(&ball, frame < 60 ? up : still);
        step(&f, &ball, 1);
    }
    assert_true(sn_flesh_displacement(&f) < 1e-6);
    sn_flesh_finish(&f);
}

/* ---- friction ---- */

/* Sagged onto ground with this friction, which then slides along x; the mean of where samples that touch it go. */
static double drag(double friction, double speed, double *coordinates)
{
    const sn_reduced_desc desc = desc_with(1, 9.81);
    sn_flesh f = sn_flesh_make(bar, &desc, NULL);
    sn_collider ground = floor_at(lowest_at_rest(bar) - 0.005);
    double before = 0, after = 0, position[3];
    ground.friction = friction;
    for (int frame = 0; frame < 90; ++frame) {
        const double by[3] = {frame < 60 ? 0 : speed / 60, 0, 0};
        move_collider(&ground, by);
        step(&f, &ground, 1);
        check_forces(&f);
        for (int i = 0; i < f.body->contacts.count && (frame == 59 || frame == 89); ++i) {
            sn_flesh_sample(&f, f.body->contacts.contacts[i].sample, position);
            *(frame == 59 ? &before : &after) += position[0] / f.body->contacts.count;
        }
    }
    memcpy(coordinates, f.body->coordinates, 3 * (size_t)f.solver->coordinate_count * sizeof *coordinates);
    sn_flesh_finish(&f);
    return after - before;
}

static void test_a_moving_plane_drags_flesh(void **state)
{
    (void)state;
    double sliding[3 * 64], still[3 * 64];
    assert_true(drag(0, 0.5, sliding) == drag(0, 0, still));
    assert_memory_equal(sliding, still, 3 * (size_t)bar->counts.coordinate_count * sizeof *still);
    const double right = drag(SN_TEST_FRICTION, 0.5, sliding), left = drag(SN_TEST_FRICTION, -0.5, sliding),
                 more = drag(2 * SN_TEST_FRICTION, 0.5, sliding);
    assert_true(right > 1e-4 && left < -1e-4);
    assert_true(more > 1.2 * right);
    assert_true(fabs(drag(SN_TEST_FRICTION, 0, still)) < 0.05 * right);
}

/* Inside the cone, nothing slips: what touches goes along. */
static void test_friction_sticks(void **state)
{
    (void)state;
    const sn_reduced_desc desc = desc_with(1, 9.81);
    sn_flesh f = sn_flesh_make(bar, &desc, NULL);
    sn_collider ground = floor_at(lowest_at_rest(bar) - 0.005);
    const double still[3] = {0}, by[3] = {1e-4, 0, 5e-5};
    int stuck = 0;
    ground.friction = 10;
    for (int frame = 0; frame < 140; ++frame) {
        double before[256][3];
        for (int i = 0; i < bar->counts.sample_count; ++i) {
            sn_flesh_sample(&f, i, before[i]);
        }
        move_collider(&ground, frame < 120 ? still : by);
        step(&f, &ground, 1);
        for (int i = 0; i < f.body->contacts.count && frame >= 120; ++i) {
            const sn_contact *c = &f.body->contacts.contacts[i];
            const double press = (double)c->force[1], along = hypot((double)c->force[0], (double)c->force[2]);
            double now[3];
            if (along < 0.9 * 10 * press) {
                sn_flesh_sample(&f, c->sample, now);
                assert_true(fabs(now[0] - before[c->sample][0] - by[0]) < 1e-5);
                assert_true(fabs(now[2] - before[c->sample][2] - by[2]) < 1e-5);
                ++stuck;
            }
        }
    }
    assert_true(stuck > 20);
    sn_flesh_finish(&f);
}

/* ---- memory ---- */

static void test_step_allocates_nothing(void **state)
{
    (void)state;
    const sn_reduced_desc desc = desc_with(1, 9.81);
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    sn_flesh f = sn_flesh_make(bar, &desc, NULL);
    const sn_collider ground = floor_at(lowest_at_rest(bar));
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ground, .wind = {1, 0, 0}};
    const int before = allocation_count;
    assert_true(before > 0);
    for (int frame = 0; frame < 30; ++frame) {
        sn_reduced_body_step(f.body, f.pose, &surroundings);
    }
    assert_true(check_forces(&f) > 0);
    assert_int_equal(allocation_count, before);
    sn_flesh_finish(&f);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_contacts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flesh_sags_onto_a_plane_and_rests),
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_rigs_inside_a_plane_do_not_tear),
        cmocka_unit_test(test_a_press_that_closes),
        cmocka_unit_test(test_stiff_samples_do_not_throw_the_others),
        cmocka_unit_test(test_stiff_feet_do_not_throw_the_rest),
        cmocka_unit_test(test_a_sphere_dents_and_flesh_springs_back),
        cmocka_unit_test(test_a_moving_plane_drags_flesh),
        cmocka_unit_test(test_friction_sticks),
        cmocka_unit_test(test_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, cook, finish);
}
