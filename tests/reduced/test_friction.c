/* SPDX-License-Identifier: MIT */
/* Coulomb's friction, where physics says what it does: a block on a slope, one that is thrown along a floor, a table
 * that turns, what contacts do to momentum, and flesh that its rig drags along. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/reduced/contact_flesh.h"

#define GRAVITY 9.81
#define PI 3.14159265358979

static sn_cook_context block_cooking;
static sn_model *block; /* that nothing holds */

static int set_up(void **state)
{
    const int cells[3] = {8, 4, 4};
    block = sn_test_cook_free_bar(&block_cooking, cells, 10);
    return cook(state);
}

static int tear_down(void **state)
{
    sn_model_release(block);
    sn_cook_context_finish(&block_cooking);
    return finish(state);
}

/* ---- a block ---- */

static void centre_of(const sn_flesh *f, double *centre)
{
    const int count = f->model->counts.sample_count;
    memset(centre, 0, 3 * sizeof *centre);
    for (int i = 0; i < count; ++i) {
        double position[3];
        sn_flesh_sample(f, i, position);
        for (int d = 0; d < 3; ++d) {
            centre[d] += position[d] / count;
        }
    }
}

/* Stiff, on a floor: gravity leans by an angle, downhill along x. */
static sn_flesh make_block(double angle, double rate, bool is_double)
{
    sn_reduced_desc desc = desc_with(100, 0);
    desc.gravity[0] = GRAVITY * sin(angle);
    desc.gravity[1] = -GRAVITY * cos(angle);
    desc.time_step = 1 / rate;
    desc.tolerance = 1e-4;
    desc.is_double = is_double;
    return sn_flesh_make(block, &desc, NULL);
}

/* How fast along x it is after each of two seconds. */
static void slide_down(double angle, double rate, bool is_double, double *speeds)
{
    sn_flesh f = make_block(angle, rate, is_double);
    const sn_collider ground = floor_at(lowest_at_rest(block));
    double before[3], now[3];
    centre_of(&f, before);
    for (int frame = 0; frame < (int)(2 * rate); ++frame) {
        assert_false(step(&f, &ground, 1).is_recovered);
        check_forces(&f);
        centre_of(&f, now);
        speeds[frame < (int)rate ? 0 : 1] = (now[0] - before[0]) * rate;
        memcpy(before, now, sizeof before);
    }
    sn_flesh_finish(&f);
}

static void test_a_block_on_a_slope(void **state)
{
    static const double degrees[] = {10, 26, 27, 45, 60}; /* atan .5 = 26.57 */
    (void)state;
    for (int i = 0; i < 20; ++i) {
        const double angle = degrees[i / 4] * PI / 180, rate = i % 2 ? 60 : 30;
        const double slips = GRAVITY * (sin(angle) - SN_TEST_FRICTION * cos(angle));
        double speeds[2];
        slide_down(angle, rate, i / 2 % 2, speeds);
        print_message("%g degrees at %g: %.5f m/s^2, by Coulomb %.5f\n", degrees[i / 4], rate, speeds[1] - speeds[0],
                      fmax(slips, 0));
        assert_true(fabs(speeds[1] - speeds[0] - fmax(slips, 0)) < 1e-3);
        assert_true(slips > 0 || fabs(speeds[1]) < 1e-3);
    }
}

/* v^2 / (2 mu g), but for what a step rounds. */
static void test_a_thrown_block_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double rate = i % 2 ? 240 : 60, speed = 2;
        sn_flesh f = make_block(0, rate, i / 2);
        const sn_collider ground = floor_at(lowest_at_rest(block));
        const double impulse[3] = {speed * block->total_mass, 0, 0},
                     way = speed * speed / (2 * SN_TEST_FRICTION * GRAVITY);
        double start[3], end[3];
        for (int frame = 0; frame < (int)rate; ++frame) {
            step(&f, &ground, 1);
        }
        centre_of(&f, start);
        sn_reduced_body_apply_bone_impulse(f.body, 0, impulse);
        for (int frame = 0; frame < (int)rate; ++frame) {
            step(&f, &ground, 1);
        }
        centre_of(&f, end);
        print_message("stops after %.4f, by Coulomb %.4f\n", end[0] - start[0], way);
        assert_true(fabs(end[0] - start[0] - way) < 0.7 * speed / rate);
        sn_flesh_finish(&f);
    }
}

static void turn_floor(sn_collider *c, double angle)
{
    memcpy(c->transform_before, c->transform, sizeof c->transform);
    c->transform[0] = c->transform[10] = cos(angle);
    c->transform[2] = sin(angle);
    c->transform[8] = -sin(angle);
}

/* By how much a block turns on a table that turns by an angle. */
static double carry_round(double friction, double angle)
{
    sn_flesh f = make_block(0, 60, false);
    sn_collider table = floor_at(lowest_at_rest(block));
    double ends[2][3];
    int first = 0, last = 0;
    for (int i = 0; i < block->counts.sample_count; ++i) { /* of the block, the ends */
        const float *x = block->surface_positions;
        first = x[3 * block->sample_vertices[i]] < x[3 * block->sample_vertices[first]] ? i : first;
        last = x[3 * block->sample_vertices[i]] > x[3 * block->sample_vertices[last]] ? i : last;
    }
    table.friction = friction;
    for (int frame = 0; frame <= 240; ++frame) { /* for half of the time it stands */
        turn_floor(&table, angle * fmax(frame - 120, 0) / 120);
        step(&f, &table, 1);
    }
    sn_flesh_sample(&f, first, ends[0]);
    sn_flesh_sample(&f, last, ends[1]);
    const float *a = block->surface_positions + 3 * (size_t)block->sample_vertices[first],
                *b = block->surface_positions + 3 * (size_t)block->sample_vertices[last];
    const double rest = atan2((double)b[2] - (double)a[2], (double)b[0] - (double)a[0]);
    sn_flesh_finish(&f);
    return rest - atan2(ends[1][2] - ends[0][2], ends[1][0] - ends[0][0]);
}

static void test_a_table_that_turns_carries(void **state)
{
    (void)state;
    const double carried = carry_round(1, 1), slipped = carry_round(0, 1);
    print_message("turned by %.4f of 1 rad, by %.1e without friction\n", carried, slipped);
    assert_true(fabs(carried - 1) < 0.02);
    assert_true(fabs(slipped) < 1e-3);
}

/* Contacts and gravity alone change the momentum. */
static void test_contacts_balance_momentum(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_flesh f = make_block(0.7, 60, is_double);
        const sn_collider ground = floor_at(lowest_at_rest(block) - 0.1);
        const sn_reduced_solver *solver = f.solver;
        const double h = solver->desc.time_step, unit2 = solver->unit * solver->unit,
                     weight = block->total_mass * GRAVITY;
        double before[3] = {0}, pressed = 0;
        for (int frame = 0; frame < 120; ++frame) {
            double now[3] = {0}, force[3] = {0};
            assert_false(step(&f, &ground, 1).is_recovered);
            for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
                const double share = block->coordinate_mass[i / 3];
                now[i % 3] += share * (f.body->coordinates[i] - f.body->coordinates_before[i]) / h;
            }
            for (int i = 0; i < f.body->contacts.count; ++i) {
                for (int d = 0; d < 3; ++d) {
                    force[d] += unit2 * (double)f.body->contacts.contacts[i].force[d];
                }
            }
            for (int d = 0; d < 3; ++d) {
                const double gained = now[d] - before[d],
                             given = h * (force[d] + block->total_mass * solver->desc.gravity[d]);
                assert_true(fabs(gained - given) < 2e-3 * h * weight);
                before[d] = now[d];
            }
            pressed = fmax(pressed, force[1]);
        }
        assert_true(pressed > 2 * weight); /* it has fallen on the floor */
        sn_flesh_finish(&f);
    }
}

/* ---- flesh that is dragged ---- */

/* Sagged onto a floor, its rig goes along that at a constant speed. After a while friction is what Coulomb says, in
 * every step, and flesh is as still as if it stood: it neither sticks nor slips by jerks. */
static void drag_along(const sn_model *model, double speed, bool is_double)
{
    enum { RATE = 60, SECONDS = 8 };
    sn_reduced_desc desc = desc_with(0.5, GRAVITY);
    desc.damping = 4;
    desc.tolerance = 1e-4;
    desc.is_double = is_double;
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    const sn_collider ground = floor_at(lowest_at_rest(model) + 0.01);
    double before[3 * 512] = {0}, worst = 0, most = 0, least_press = INFINITY, most_press = 0;
    assert_true(model->counts.sample_count <= 512);
    for (int frame = 0; frame < SECONDS * RATE; ++frame) {
        const double way = speed * frame / RATE, pose[12] = {1, 0, 0, way, 0, 1, 0, 0, 0, 0, 1, 0};
        double press = 0, drag = 0;
        sn_flesh_set_pose(&f, pose);
        step(&f, &ground, 1);
        for (int i = 0; i < f.body->contacts.count; ++i) {
            press += (double)f.body->contacts.contacts[i].force[1];
            drag -= (double)f.body->contacts.contacts[i].force[0];
        }
        for (int i = 0; i < model->counts.sample_count; ++i) {
            double position[3];
            sn_flesh_sample(&f, i, position);
            position[0] -= way;
            most = frame < (SECONDS - 1) * RATE ? 0 : fmax(most, sn_distance3(position, before + 3 * i));
            memcpy(before + 3 * i, position, sizeof position);
        }
        if (frame >= (SECONDS - 1) * RATE) {
            worst = fmax(worst, fabs(drag / press - SN_TEST_FRICTION));
            least_press = fmin(least_press, press);
            most_press = fmax(most_press, press);
        }
    }
    print_message("at %g m/s: friction off by %.1e of the press, which changes by %.1e; moves by %.1e a step\n", speed,
                  worst, most_press / least_press - 1, most / model->diagonal);
    assert_true(worst < 1e-3 && most_press < 1.001 * least_press && most < 1e-4 * model->diagonal);
    sn_flesh_finish(&f);
}

static void test_dragged_flesh_slides(void **state)
{
    static const double speeds[] = {0.1, 0.5, 2, 10};
    (void)state;
    for (int i = 0; i < 16; ++i) {
        drag_along(i / 4 % 2 ? wide : bar, speeds[i % 4], i / 8);
    }
}

int test_friction(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_block_on_a_slope),         cmocka_unit_test(test_a_thrown_block_stops),
        cmocka_unit_test(test_a_table_that_turns_carries), cmocka_unit_test(test_contacts_balance_momentum),
        cmocka_unit_test(test_dragged_flesh_slides),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
