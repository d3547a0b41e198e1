/* SPDX-License-Identifier: MIT */
/* Coupled bodies that change while they move, through the public API: parameters, flesh that tears and is tied. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/coupled_bar.h"

static double flesh[3 * 81];

/* The vertices at the lower edge near the head, and at the tail. */
static void find_ends(sn_body_id body, int *ends)
{
    sn_body_tet_positions(body, flesh, 81);
    for (int v = 0; v < 81; ++v) {
        const double *x = flesh + 3 * v;
        ends[0] = x[0] < 0.3 && x[0] > 0.2 && x[1] < 0.1 && x[2] < 0.1 ? v : ends[0];
        ends[1] = x[0] > LENGTH - 0.1 && x[1] < 0.1 && x[2] < 0.1 ? v : ends[1];
    }
}

/* At rest under gravity, held at the head. */
static double sag(const sn_model *model, sn_body_desc desc)
{
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    double place[3];
    memcpy(desc.gravity, down, sizeof down);
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    sn_body_set_locks(body, 1, 0);
    run(world, 180);
    bone_place(body, 1, place);
    sn_world_destroy(world);
    return 0.25 - place[1];
}

static void parameters_change_live(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    sn_body_desc desc = damped_desc(model, 6);
    const double plain = sag(model, desc);
    desc.stiffness = 10;
    const double stiff = sag(model, desc);
    desc = damped_desc(model, 6);
    desc.compliance = 1e-2;
    const double loose = sag(model, desc);
    assert_true(plain > 0.05 && plain < 0.4);
    assert_true(stiff < 0.15 * plain && stiff > 0.05 * plain);
    assert_true(loose > 2 * plain);
}

/* Another Poisson's ratio in flight: other constraints, the same motion. */
static void poisson_changes_in_flight(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = coupled_desc(cook_ends());
    memcpy(desc.gravity, down, sizeof down);
    sn_body_id body = create_body(world, &desc);
    free_all(body);
    run(world, 15);
    desc.poisson = 0.1;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    run(world, 15);
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[1] - (0.25 - 0.5 * 10 * 0.5 * (0.5 + STEP / 15))) < 1e-3);
    sn_world_destroy(world);
}

/* What is held stays so: with another Poisson's ratio, and as hard for other stiffness. */
static void grabs_outlive_changes(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = damped_desc(cook_ends(), 6);
    sn_body_id body = create_body(world, &desc);
    const double at[3] = {LENGTH, 0.5, 0.5}, to[3] = {LENGTH, 1, 0.5};
    const sn_grab_desc grab_desc = sn_default_grab_desc();
    double place[3], reached;
    sn_body_set_locks(body, 1, 0);
    const int grab = sn_body_grab(body, at, &grab_desc);
    sn_body_drag(body, grab, to);
    run(world, 120);
    bone_place(body, 1, place);
    reached = place[1];
    assert_true(reached > 0.4);
    for (int i = 0; i < 3; ++i) {
        desc.poisson = i == 0 ? 0.2 : 0.4;
        desc.stiffness = i == 2 ? 10 : 1;
        assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
        run(world, 90);
        bone_place(body, 1, place);
        print_message("at %.3f, before %.3f\n", place[1], reached);
        assert_true(fabs(place[1] - reached) < 0.1 * (reached - 0.25));
    }
    sn_body_release(body, grab);
    run(world, 240);
    bone_place(body, 1, place);
    assert_true(fabs(place[1] - 0.25) < 0.02);
    sn_world_destroy(world);
}

/* Ten times the mass falls as fast, is flung a tenth as far, sags as soft flesh does, and bears down tenfold; in
 * flight, too. */
static void mass_changes_live(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    sn_body_desc desc = coupled_desc(model), heavy = desc;
    double places[2][3], impulses[2][6];
    for (int i = 0; i < 2; ++i) { /* the same thing: ten times the mass, or a tenth of stiffness, spring and push */
        sn_world_id world = make_world(1);
        heavy = desc;
        heavy.mass = i == 0 ? 10 : 1;
        heavy.stiffness = i == 0 ? 1 : 0.1;
        memcpy(heavy.gravity, down, sizeof down);
        sn_body_id body = create_body(world, &desc);
        run(world, 3);
        int ends[2] = {0, 0};
        find_ends(body, ends);
        assert_int_equal(sn_body_add_spring(body, ends[0], ends[1], 1.4, i == 0 ? 3e3 : 3e2), 0);
        assert_int_equal(sn_body_set_desc(body, &heavy), SN_OK);
        sn_body_set_locks(body, 1, 0);
        const double push = i == 0 ? 300 : 30;
        sn_body_apply_impulse(body, (const double[]){LENGTH, 0.25, 0.5}, (const double[]){0, push, 0});
        sn_body_apply_bone_impulse(body, 1, (const double[]){0, 0, push});
        run(world, 40);
        bone_place(body, 1, places[i]);
        sn_body_lock_impulse(body, 0, impulses[i]);
        sn_world_destroy(world);
    }
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(places[0][d] - places[1][d]) < 1e-6);
        assert_true(fabs(impulses[0][d] - 10 * impulses[1][d]) < 1e-3 * fabs(impulses[0][1]));
    }
    assert_true(fabs(places[0][1] - 0.25) > 0.05);
    sn_world_id world = make_world(1);
    sn_body_id body = create_body(world, &desc);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        heavy.mass = wrong[i];
        assert_int_equal(sn_body_set_desc(body, &heavy), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(logged.last, "mass"));
    }
    sn_world_destroy(world);
}

/* Held at its head a bar sags; torn half through it sags more, its twin does not feel it, another Poisson's ratio keeps
 * the tear, and mended it comes back. */
static void flesh_tears_and_mends(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = damped_desc(cook_ends(), 6);
    sn_body_id bodies[2];
    desc.stiffness = 2;
    memcpy(desc.gravity, down, sizeof down);
    for (int i = 0; i < 2; ++i) {
        bodies[i] = create_body(world, &desc);
        sn_body_set_locks(bodies[i], 1, 0);
    }
    run(world, 240);
    const double whole = sag_of(bodies[0]), wound[3] = {0.5, 0.5, 0.25};
    assert_int_equal(sn_body_tear(bodies[0], wound, 0), 0);
    const int torn = sn_body_tear(bodies[0], wound, 0.3);
    assert_true(torn > 10);
    assert_true(fabs(sag_of(bodies[0]) - whole) < 1e-12);
    run(world, 240);
    const double weakened = sag_of(bodies[0]);
    print_message("%d tets torn: sags by %.3f, whole by %.3f\n", torn, weakened, whole);
    assert_true(weakened > 1.1 * whole && fabs(sag_of(bodies[1]) / whole - 1) < 1e-3);
    desc.poisson = 0.3;
    assert_int_equal(sn_body_set_desc(bodies[0], &desc), SN_OK);
    run(world, 240);
    assert_true(fabs(sag_of(bodies[0]) / weakened - 1) < 0.2 && sag_of(bodies[0]) > 1.1 * whole);
    desc.poisson = 0.4;
    assert_int_equal(sn_body_set_desc(bodies[0], &desc), SN_OK);
    assert_int_equal(sn_body_repair(bodies[0]), SN_OK);
    run(world, 300);
    assert_true(fabs(sag_of(bodies[0]) / whole - 1) < 0.02);
    assert_int_equal(sn_body_tear(bodies[0], (const double[3]){0, 0, 0}, 100), sn_body_tear(bodies[1], wound, 100));
    run(world, 30); /* each vertex keeps a tet: nothing falls out of the world */
    assert_true(sag_of(bodies[0]) < 100);
    sn_world_destroy(world);
}

/* Grown together before it has moved, flesh is what it was, to the bit; other springs stay. */
static void a_wound_leaves_no_scar(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_model *model = cook_ends();
    sn_body_id bodies[2] = {make_body(world, model, down), make_body(world, model, down)};
    static double twin[3 * 81];
    int ends[2] = {0, 0};
    find_ends(bodies[0], ends);
    for (int i = 0; i < 2; ++i) {
        sn_body_set_locks(bodies[i], 1, 0);
        assert_int_equal(sn_body_repair(bodies[i]), SN_OK); /* nothing to do */
        assert_int_equal(sn_body_add_spring(bodies[i], ends[0], ends[1], 1.5, 1e3), 0);
    }
    for (int i = 0; i < 10; ++i) {
        assert_true(sn_body_tear(bodies[0], (const double[3]){0.2 * i, 0.25, 0.25}, 0.4) > 0);
        assert_int_equal(sn_body_repair(bodies[0]), SN_OK);
        run(world, 6);
    }
    sn_body_tet_positions(bodies[0], flesh, 81);
    sn_body_tet_positions(bodies[1], twin, 81);
    assert_memory_equal(flesh, twin, sizeof twin);
    sn_world_destroy(world);
}

/* The far end's lowest vertex tied to the near end's: the bar bends up, and goes back when the spring is gone. */
static void springs_tie_flesh(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_desc desc = damped_desc(cook_ends(), 6);
    sn_body_id body = create_body(world, &desc);
    sn_body_set_locks(body, 1, 0);
    int ends[2] = {0, 0};
    find_ends(body, ends);
    assert_int_equal(sn_body_add_spring(body, ends[0], ends[0], 1, 1), -1);
    assert_int_equal(sn_body_add_spring(body, -1, ends[1], 1, 1), -1);
    assert_int_equal(sn_body_add_spring(body, ends[0], 81, 1, 1), -1);
    sn_body_remove_spring(body, -1);
    sn_body_remove_spring(body, 1000);
    assert_int_equal(sn_body_add_spring(body, ends[0], ends[1], NAN, 1), -1);
    assert_int_equal(sn_body_add_spring(body, ends[0], ends[1], 1, 0), -1);
    const int still = sn_body_add_spring(body, ends[0], ends[1], -1, 1e5); /* as long as it is: nothing moves */
    run(world, 30);
    sn_body_tet_positions(body, flesh, 81);
    assert_true(still >= 0 && fabs(flesh[3 * ends[1]] - LENGTH) < 1e-4);
    sn_body_remove_spring(body, still);
    const int spring = sn_body_add_spring(body, ends[0], ends[1], 1.2, INFINITY);
    assert_true(spring > still);
    run(world, 240);
    sn_body_tet_positions(body, flesh, 81);
    const double *a = flesh + 3 * ends[0], *b = flesh + 3 * ends[1];
    const double length =
        sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    print_message("a rod of 1.2: %.3f\n", length);
    assert_true(fabs(length - 1.2) < 0.06);
    sn_body_remove_spring(body, spring);
    sn_body_remove_spring(body, spring); /* gone already */
    run(world, 400);
    sn_body_tet_positions(body, flesh, 81);
    assert_true(fabs(flesh[3 * ends[1]] - LENGTH) < 0.02);
    sn_world_destroy(world);
}

int test_coupled_live(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(parameters_change_live), COUPLED_TEST(poisson_changes_in_flight),
                                       COUPLED_TEST(grabs_outlive_changes),  COUPLED_TEST(mass_changes_live),
                                       COUPLED_TEST(a_wound_leaves_no_scar), COUPLED_TEST(flesh_tears_and_mends),
                                       COUPLED_TEST(springs_tie_flesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
