/* SPDX-License-Identifier: MIT */
/* What spring bones feel of a world: wind, with a lean that has an answer, and colliders, on which they come to rest.
 */
#include "host/base/hash.h"
#include "sinew/world.h"
#include "tests/springs/spring_test.h"

#define BONES 10   /* of chains of eight */
#define RESTS 5e-5 /* what lies still turns by less in a step, or goes by less metres */

static const double rates[] = {30, 60, 90, 144, 240};
static const motion still = {0};

static sn_spring_link values(double stiffness, double drag, double gravity, double hit_radius)
{
    return (sn_spring_link){
        .stiffness = stiffness, .drag = drag, .gravity = {0, -gravity, 0}, .hit_radius = hit_radius};
}

static void open_chain(chain *c, int count, const double *way, const sn_spring_link *v, double scale, double time_step)
{
    chain_build(c, count, way, v, scale);
    chain_open(c, time_step);
}

/* One step with the root as it is. */
static void step(chain *c, const motion *m, const sn_surroundings *around, double *posed)
{
    double pose[12 * (CHAIN_LIMIT + 2)];
    const sn_spring_step_input with = {.surroundings = around, .area = 1};
    chain_pose(c, m, pose);
    assert_true(sn_springs_step(c->springs, pose, &with, posed));
}

/* What VRM's numbers have of 1/2 rho v |v| area: a sixtieth of the acceleration. */
static double pull_of(double wind)
{
    return 0.5 * 1.2 * wind * fabs(wind) / 60;
}

/* A bone that hangs along stiffness and gravity leans by atan(wind / (stiffness + gravity)): at any step, any size. */
static void leans_by_what_balances(void **state)
{
    (void)state;
    const double winds[] = {1, 4, 12, -30}, sizes[] = {0.2, 1, 7};
    for (int i = 0; i < 4 * 3 * 5; ++i) {
        const double wind = winds[i % 4], size = sizes[i / 4 % 3], rate = rates[i / 12];
        const sn_spring_link v = values(0.8, 0.4, 0.3, 0);
        const sn_surroundings around = {.wind = {size * wind, 0, 0}};
        double posed[12 * 3], tail[3];
        chain c;
        open_chain(&c, 1, (const double[3]){0, -0.2, 0}, &v, size, 1 / rate);
        for (int frame = 0; frame < 8 * rate; ++frame) {
            step(&c, &still, &around, posed);
        }
        chain_tail(&c, 0, posed, tail);
        assert_true(fabs(atan2(tail[0], -tail[1]) - atan2(pull_of(wind), 0.8 + 0.3)) < 2e-4);
        chain_close(&c);
    }
}

/* No wind, or nothing that meets it, is what there was, to the bit. */
static void no_wind_changes_nothing(void **state)
{
    (void)state;
    const sn_spring_link v = values(1, 0.2, 0.3, 0.01);
    const sn_surroundings calm = {0}, windy = {.wind = {3, 1, 0}};
    const sn_spring_step_input cases[] = {{.surroundings = &calm, .area = 1}, {.surroundings = &windy}};
    chain c, other;
    open_chain(&c, 8, (const double[3]){0.01, -0.1, 0}, &v, 1, 1.0 / 60);
    for (int i = 0; i < 2; ++i) {
        open_chain(&other, 8, (const double[3]){0.01, -0.1, 0}, &v, 1, 1.0 / 60);
        for (int frame = 0; frame < 120; ++frame) {
            const motion m = {.axis = {0, 0, 1}, .angle = 0.5 * sin(0.1 * frame), .shift = {0.01 * frame, 0, 0}};
            double pose[12 * BONES], a[12 * BONES], b[12 * BONES];
            chain_pose(&c, &m, pose);
            if (frame == 0) {
                sn_springs_reset(c.springs, pose);
            }
            assert_true(sn_springs_step(c.springs, pose, NULL, a));
            assert_true(sn_springs_step(other.springs, pose, &cases[i], b));
            assert_memory_equal(a, b, sizeof a);
        }
        chain_close(&other);
    }
    chain_close(&c);
}

/* How far the tip goes to the side in the second after the wind has risen. */
static double swing_in_wind(double rate)
{
    const sn_spring_link v = values(1, 0.15, 0.3, 0);
    const sn_surroundings around = {.wind = {8, 0, 0}};
    double farthest = 0, posed[12 * BONES];
    chain c;
    open_chain(&c, 8, (const double[3]){0, -0.05, 0}, &v, 1, 1 / rate);
    for (int frame = 0; frame < rate; ++frame) {
        double tail[3];
        step(&c, &still, &around, posed);
        chain_tail(&c, 7, posed, tail);
        farthest = fmax(farthest, tail[0]);
    }
    chain_close(&c);
    return farthest;
}

/* The swing that wind begins: within three hundredths at any step. */
static void gusts_are_the_same_at_any_step(void **state)
{
    (void)state;
    const double sixty = swing_in_wind(60);
    assert_true(sixty > 0.05);
    for (int i = 0; i < 5; ++i) {
        const double other = swing_in_wind(rates[i]);
        if (!(fabs(other - sixty) < 0.03 * sixty)) {
            fail_msg("at %g steps a second %g, at 60 %g", rates[i], other, sixty);
        }
    }
}

/* However strong: chains keep their lengths, and no tail outruns the air. */
static void storms_tear_nothing(void **state)
{
    (void)state;
    const double winds[] = {100, 1e4, 1e9};
    const sn_spring_link v = values(0.5, 0.02, 0, 0);
    for (int i = 0; i < 3; ++i) {
        const sn_surroundings around = {.wind = {winds[i], 0, winds[i]}};
        double posed[12 * BONES], x[3], y[3];
        chain c;
        open_chain(&c, 8, (const double[3]){0, -0.1, 0}, &v, 1, 1.0 / 60);
        for (int frame = 0; frame < 300; ++frame) {
            step(&c, &still, &around, posed);
            for (int joint = 1; joint < 8; ++joint) {
                chain_tail(&c, joint, posed, x);
                chain_tail(&c, joint - 1, posed, y);
                assert_true(fabs(sn_distance3(x, y) - 0.1) < 1e-4);
            }
        }
        chain_tail(&c, 7, posed, x);
        assert_true(x[0] > 0.5 && x[2] > 0.5 && x[0] < 0.6);
        chain_close(&c);
    }
}

/* ---- colliders ---- */

static float ball(double x, double y, double z)
{
    return (float)(sqrt(x * x + y * y + z * z) - 0.2);
}

/* A ball of .2 on a lattice. */
static sn_grid *make_grid(void)
{
    static float distances[17 * 17 * 17];
    const double spacing = 0.05, first = -0.4;
    const sn_grid_desc desc = {
        .counts = {17, 17, 17}, .origin = {first, first, first}, .spacing = spacing, .distances = distances};
    sn_grid *grid;
    for (int i = 0; i < 17 * 17 * 17; ++i) {
        distances[i] = ball(first + spacing * (i % 17), first + spacing * (i / 17 % 17), first + spacing * (i / 289));
    }
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    return grid;
}

static sn_collider place(sn_collider_desc desc, double x, double y, double z)
{
    sn_collider collider;
    desc.transform = (sn_mat3x4){{{1, 0, 0, (float)x}, {0, 1, 0, (float)y}, {0, 0, 1, (float)z}}};
    assert_int_equal(sn_collider_init(&desc, &collider), SN_OK);
    return collider;
}

/* A chain that falls onto each shape lies on it, no nearer than its hit radius, and rests: at 30, 60, 90, 144 and 240
 * steps a second, at the same place. */
static void rests_on_any_shape(void **state)
{
    (void)state;
    sn_grid *grid = make_grid();
    const sn_spring_link v = values(0.1, 0.3, 0.6, 0.02);
    const sn_collider_desc shapes[] = {
        {.shape = SN_COLLIDER_PLANE, .friction = 0.5},
        {.shape = SN_COLLIDER_SPHERE, .radius = 0.2, .friction = 0.5},
        {.shape = SN_COLLIDER_CAPSULE, .radius = 0.15, .half_height = 0.3},
        {.shape = SN_COLLIDER_BOX, .half_extents = {0.2, 0.18, 0.2}, .radius = 0.02, .friction = 0.3},
        {.shape = SN_COLLIDER_GRID, .grid = grid}};
    const double heights[] = {-0.3, -0.4, -0.65, -0.4, -0.4};
    for (int i = 0; i < 5 * 5; ++i) {
        const sn_collider collider = place(shapes[i % 5], 0.1, heights[i % 5], 0);
        const sn_surroundings around = {.collider_count = 1, .colliders = &collider};
        const double rate = rates[i / 5];
        double posed[12 * BONES], last[12 * BONES], moved = 0, nearest = 1;
        chain c;
        open_chain(&c, 8, (const double[3]){0.1, 0, 0}, &v, 1, 1 / rate);
        for (int frame = 0; frame < 10 * rate; ++frame) {
            memcpy(last, posed, sizeof last);
            step(&c, &still, &around, posed);
        }
        for (int k = 0; k < 12 * BONES; ++k) {
            moved = fmax(moved, fabs(posed[k] - last[k]));
        }
        double head[3] = {0, 0, 0};
        for (int joint = 0; joint < 8; ++joint) {
            double tail[3], middle[3];
            chain_tail(&c, joint, posed, tail);
            for (int d = 0; d < 3; ++d) {
                middle[d] = (head[d] + tail[d]) / 2;
            }
            nearest = fmin(nearest, sn_collider_distance(&collider, tail, NULL));
            nearest = fmin(nearest, sn_collider_distance(&collider, middle, NULL));
            memcpy(head, tail, sizeof head);
        }
        if (!(moved < RESTS && nearest > 0.0195 && nearest < 0.0205)) {
            fail_msg("shape %d at %g steps a second: moves by %g a step, as near as %g", i % 5, rate, moved, nearest);
        }
        chain_close(&c);
    }
    sn_grid_destroy(&grid);
}

/* Straight down onto a floor it folds, and does not go through. */
static void folds_on_a_floor(void **state)
{
    (void)state;
    const sn_spring_link v = values(0.1, 0.3, 0.6, 0.01);
    const sn_collider floor = place((sn_collider_desc){.shape = SN_COLLIDER_PLANE, .friction = 0.5}, 0, -0.45, 0);
    const sn_surroundings around = {.collider_count = 1, .colliders = &floor};
    double posed[12 * BONES], last[12 * BONES] = {0}, moved = 0;
    chain c;
    open_chain(&c, 8, (const double[3]){0, -0.1, 0}, &v, 1, 1.0 / 60);
    for (int frame = 0; frame < 900; ++frame) {
        memcpy(last, posed, sizeof last);
        step(&c, &still, &around, posed);
        for (int joint = 4; joint < 8; ++joint) {
            double tail[3];
            chain_tail(&c, joint, posed, tail);
            assert_true(tail[1] > -0.4401);
        }
    }
    for (int k = 0; k < 12 * BONES; ++k) {
        moved = fmax(moved, fabs(posed[k] - last[k]));
    }
    assert_true(moved < RESTS);
    chain_close(&c);
}

/* Friction holds what is drawn along a floor by less than it times the weight, and lets go of what is drawn by more. */
static void friction_holds(void **state)
{
    (void)state;
    for (int is_rough = 0; is_rough < 2; ++is_rough) {
        const sn_spring_link v = values(0, 0.3, 0.5, 0);
        const double wind = sqrt(0.15 * 60 / 0.6); /* a pull of .15: .3 of the weight */
        const sn_collider floor =
            place((sn_collider_desc){.shape = SN_COLLIDER_PLANE, .friction = is_rough ? 0.4 : 0.2}, 0, -0.02, 0);
        const sn_surroundings calm = {.collider_count = 1, .colliders = &floor};
        sn_surroundings windy = calm;
        double posed[12 * 3], tail[3];
        chain c;
        windy.wind[2] = wind;
        open_chain(&c, 1, (const double[3]){0.3, 0, 0}, &v, 1, 1.0 / 60);
        for (int frame = 0; frame < 240; ++frame) {
            step(&c, &still, frame < 120 ? &calm : &windy, posed);
        }
        chain_tail(&c, 0, posed, tail);
        assert_true(fabs(tail[1] + 0.02) < 1e-5);
        assert_true(is_rough ? fabs(tail[2]) < 2e-3 : tail[2] > 0.1);
        chain_close(&c);
    }
}

/* What falls on a floor does not bounce; what begins deep inside comes out at no speed. */
static void does_not_bounce(void **state)
{
    (void)state;
    for (int is_inside = 0; is_inside < 2; ++is_inside) {
        const sn_spring_link v = values(0, 0, 0.6, 0);
        const sn_collider floor = place((sn_collider_desc){.shape = SN_COLLIDER_PLANE}, 0, is_inside ? 0.1 : -0.2, 0);
        const sn_surroundings around = {.collider_count = 1, .colliders = &floor};
        double posed[12 * 3], pose[12 * 3], tail[3], lowest = 1, highest = -1;
        chain c;
        open_chain(&c, 1, (const double[3]){0.3, 0, 0}, &v, 1, 1.0 / 144);
        chain_pose(&c, &still, pose);
        for (int frame = 0; frame < 144; ++frame) {
            step(&c, &still, &around, posed);
            chain_tail(&c, 0, posed, tail);
            lowest = fmin(lowest, tail[1]);
            highest = frame > 40 || is_inside ? fmax(highest, tail[1]) : highest;
        }
        assert_true(lowest > (is_inside ? 0.1999 : -0.2001) && highest < (is_inside ? 0.2001 : -0.1999));
        chain_close(&c);
    }
}

/* A ball that comes takes a tail along, at its own speed. */
static void goes_along_with_what_pushes(void **state)
{
    (void)state;
    const sn_spring_link v = values(0.05, 0.4, 0.3, 0.01);
    double posed[12 * 3], tail[3], before = 0, fastest = 0;
    chain c;
    open_chain(&c, 1, (const double[3]){0, -0.3, 0}, &v, 1, 1.0 / 60);
    for (int frame = 0; frame < 40; ++frame) {
        sn_collider hand =
            place((sn_collider_desc){.shape = SN_COLLIDER_SPHERE, .radius = 0.05}, -0.2 + 0.01 * (frame + 1), -0.3, 0);
        hand.transform_before[3] -= 0.01;
        const sn_surroundings around = {.collider_count = 1, .colliders = &hand};
        step(&c, &still, &around, posed);
        chain_tail(&c, 0, posed, tail);
        assert_true(sn_collider_distance(&hand, tail, NULL) > 0.0099);
        fastest = fmax(fastest, fabs(tail[0] - before));
        before = tail[0];
    }
    assert_true(tail[0] > 0.15 && fastest < 0.0101);
    chain_close(&c);
}

/* A floor that was added after more balls than a body is looked at beside, all farther away than the floor. */
static void the_nearest_are_felt(void **state)
{
    (void)state;
    enum { BALLS = 200 };
    const sn_spring_link v = values(0.1, 0.3, 0.6, 0.02);
    sn_collider all[BALLS + 1];
    double posed[12 * BONES], lowest = 0;
    chain c;
    for (int i = 0; i < BALLS; ++i) {
        all[i] = place((sn_collider_desc){.shape = SN_COLLIDER_SPHERE, .radius = 0.05}, 0.5, -0.5, 0.002 * (i - 100));
    }
    all[BALLS] = place((sn_collider_desc){.shape = SN_COLLIDER_PLANE, .friction = 0.5}, 0, -0.3, 0);
    const sn_surroundings around = {.collider_count = BALLS + 1, .colliders = all};
    open_chain(&c, 8, (const double[3]){0.1, 0, 0}, &v, 1, 1.0 / 60);
    for (int frame = 0; frame < 180; ++frame) {
        step(&c, &still, &around, posed);
        for (int joint = 0; joint < 8; ++joint) {
            double tail[3];
            chain_tail(&c, joint, posed, tail);
            lowest = fmin(lowest, tail[1]);
        }
    }
    assert_true(lowest > -0.2805 && lowest < -0.2795);
    chain_close(&c);
}

static uint64_t hash_all(sn_spring_instructions most)
{
    const sn_spring_link v = values(0.4, 0.2, 0.4, 0.01);
    const sn_collider floor = place((sn_collider_desc){.shape = SN_COLLIDER_PLANE, .friction = 0.2}, 0, -0.3, 0);
    const sn_surroundings around = {.collider_count = 1, .colliders = &floor, .wind = {4, 0, 1}};
    uint64_t hash = SN_HASH_SEED;
    double posed[12 * 34];
    chain c;
    chain_build(&c, 32, (const double[3]){0, -0.02, 0.002}, &v, 1);
    for (int i = 0; i < 32; ++i) {
        c.joints[i].parent = i % 11 == 0 ? -1 : i - 1;
    }
    chain_open(&c, 1.0 / 60);
    sn_springs_limit_instructions(c.springs, most);
    for (int frame = 0; frame < 100; ++frame) {
        const motion m = {.axis = {0, 1, 0}, .angle = 0.02 * frame, .shift = {0.01 * frame, 0, 0}};
        step(&c, &m, &around, posed);
        hash = sn_hash(hash, posed, sizeof posed);
    }
    chain_close(&c);
    return hash;
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    assert_true(hash_all(SN_SPRING_BASELINE) == hash_all(SN_SPRING_AVX2));
}

int test_spring_world(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leans_by_what_balances),
        cmocka_unit_test(no_wind_changes_nothing),
        cmocka_unit_test(gusts_are_the_same_at_any_step),
        cmocka_unit_test(storms_tear_nothing),
        cmocka_unit_test(rests_on_any_shape),
        cmocka_unit_test(folds_on_a_floor),
        cmocka_unit_test(friction_holds),
        cmocka_unit_test(does_not_bounce),
        cmocka_unit_test(goes_along_with_what_pushes),
        cmocka_unit_test(the_nearest_are_felt),
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
