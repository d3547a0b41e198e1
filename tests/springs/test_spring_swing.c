/* SPDX-License-Identifier: MIT */
/* Our spring bones: VRM's at sixty steps a second, and the same swing at any other rate and any size. */
#include "host/base/hash.h"
#include "tests/springs/spring_test.h"

#define BONES 10 /* of chains of eight */

static const double down[3] = {0.01, -0.1, 0.02};

static sn_spring_link values(double stiffness, double drag, double gravity, double hit_radius)
{
    return (sn_spring_link){
        .stiffness = stiffness, .drag = drag, .gravity = {0, -gravity, 0.1 * gravity}, .hit_radius = hit_radius};
}

/* A head that walks, turns and nods, in seconds. */
static motion wander(double t)
{
    return (motion){.axis = {sin(t), 1, cos(2 * t)},
                    .angle = 0.6 * sin(7 * t),
                    .shift = {0.3 * sin(2 * t), 0.05 * sin(9 * t), 0.8 * t}};
}

static void add_solids(chain *c)
{
    const sn_spring_collider solids[] = {
        {.shape = SN_COLLIDER_SPHERE, .offset = {0.06, -0.2, 0}, .radius = 0.05},
        {.shape = SN_COLLIDER_CAPSULE, .offset = {-0.2, -0.45, 0.02}, .tail = {0.2, -0.5, 0.05}, .radius = 0.06},
        {.shape = SN_COLLIDER_PLANE, .offset = {0, 0, -0.15}, .normal = {0, 0, 1}},
        {.shape = SN_COLLIDER_SPHERE, .offset = {0, -0.3, 0.1}, .radius = 0.7, .is_inside = true},
    };
    for (int i = 0; i < 4; ++i) {
        chain_add_solid(c, &solids[i]);
    }
}

/* Steps of a sixtieth are the algorithm itself, but for floats, with whatever it bumps into. */
static void sixty_is_the_reference(void **state)
{
    (void)state;
    const sn_spring_link all[] = {values(1, 0.4, 0, 0.01), values(4, 0.1, 0.5, 0), values(0.05, 1, 0.2, 0.02),
                                  values(0, 0.02, 1, 0.01), values(30, 0.5, 0, 0)};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        for (int has_solids = 0; has_solids < 2; ++has_solids) {
            chain c;
            double posed[12 * BONES], largest = 0;
            chain_build(&c, 8, down, &all[i], 1);
            if (has_solids) {
                add_solids(&c);
            }
            chain_open(&c, 1.0 / 60);
            /* both from VRM's start, where gravity has not pulled anything down: after a while they forget */
            for (int frame = -1500; frame <= 400; ++frame) {
                const motion m = wander(frame < 0 ? 0 : frame / 60.0);
                chain_step(&c, &m, 1.0 / 60, posed);
                largest = frame >= 0 ? fmax(largest, chain_difference(&c, posed)) : 0;
            }
            if (!(largest < (all[i].stiffness == 0 ? 2e-3 : 2e-4))) { /* of chains of .8 m */
                fail_msg("values %zu, solids %d: off by %g m", i, has_solids, largest);
            }
            chain_close(&c);
        }
    }
}

static motion wander_by(double t, double share)
{
    motion m = wander(t);
    m.angle *= share;
    for (int d = 0; d < 3; ++d) {
        m.shift[d] *= share;
    }
    return m;
}

/* The largest distance, over two seconds, between tails at two time steps, over the share of the motion. */
static double compare_steps(const sn_spring_link *v, int per_sixtieth, int sixtieths, double share)
{
    chain coarse, fine;
    double largest = 0, a[12 * BONES], b[12 * BONES];
    const double fine_step = 1.0 / 60 / per_sixtieth, coarse_step = sixtieths / 60.0;
    chain_build(&coarse, 8, down, v, 1);
    chain_build(&fine, 8, down, v, 1);
    chain_open(&coarse, coarse_step);
    chain_open(&fine, fine_step);
    for (int step = 1; step <= 120 / sixtieths; ++step) {
        const motion m = wander_by(step * coarse_step, share);
        chain_step(&coarse, &m, 0, a);
        for (int i = 1; i <= per_sixtieth * sixtieths; ++i) {
            const motion between = wander_by((step - 1) * coarse_step + i * fine_step, share);
            chain_step(&fine, &between, 0, b);
        }
        for (int i = 0; i < 8; ++i) {
            double x[3], y[3];
            chain_tail(&coarse, i, a, x);
            chain_tail(&fine, i, b, y);
            largest = fmax(largest, sn_distance3(x, y));
        }
    }
    chain_close(&coarse);
    chain_close(&fine);
    return largest / share;
}

/* The same swing at 120, 240 and 30 steps a second, of a chain of .8 m on a head that goes by metres and turns. Small
 * ones agree to hundredths of what the head moves; of large ones, where what is linear ends, the tip to .12 m. */
static void any_step_is_the_same_swing(void **state)
{
    (void)state;
    const sn_spring_link all[] = {values(1, 0.4, 0, 0), values(4, 0.4, 0.5, 0), values(0.2, 0.7, 0.2, 0)};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        for (int parts = 2; parts <= 4; parts += 2) {
            assert_true(compare_steps(&all[i], parts, 1, 0.05) < (i == 0 ? 0.008 : 0.06));
            assert_true(compare_steps(&all[i], parts, 1, 1) < 0.12);
        }
        assert_true(compare_steps(&all[i], 1, 2, 1) < 0.005);
    }
}

/* The roots of the recurrence of a small swing, by stepping it: the rates at t frames are those of a frame, t times as
 * often. */
static void rates_are_those_of_a_frame(void **state)
{
    (void)state;
    const double drags[] = {0, 0.1, 0.4, 0.9, 1}, pulls[] = {0, 1e-6, 0.01, 0.3, 5, 100};
    const int parts[] = {2, 3, 5, 12};
    for (size_t i = 0; i < 5 * 6 * 4; ++i) {
        const double drag = drags[i % 5], pull = pulls[i / 5 % 6];
        const int n = parts[i / 30];
        const sn_spring_coefficients whole = sn_spring_compute_coefficients(1, drag, pull),
                                     part = sn_spring_compute_coefficients(1.0 / n, drag, pull);
        const double q = 1 / (1 + pull), p = 1 / (1 + part.force_factor * pull);
        /* z^2 - q (1 + k) z + q k: sums of powers of the roots, as Newton has them */
        double sum = p * (1 + part.inertia_factor), before = 2, sums = sum;
        for (int power = 2; power <= n; ++power) {
            const double next = sum * sums - p * part.inertia_factor * before;
            before = sums;
            sums = next;
        }
        assert_true(whole.inertia_factor == 1 - drag && whole.force_factor == 1);
        assert_true(part.inertia_factor >= 0 && part.inertia_factor <= 1 && part.force_factor >= 0 &&
                    isfinite(part.force_factor));
        assert_true(fabs(sums - q * (1 + whole.inertia_factor)) < 1e-8);
        assert_true(fabs(pow(p * part.inertia_factor, n) - q * whole.inertia_factor) < 1e-8);
    }
}

/* Shares of the way of what pulls go to none with the pull, in proportion to it. */
static void rates_of_small_pulls(void **state)
{
    (void)state;
    const double drags[] = {0.1, 0.4, 0.9}, steps[] = {0.25, 0.5, 0.9}, at = 1e-3;
    for (int i = 0; i < 9; ++i) {
        const double drag = drags[i % 3], t = steps[i / 3];
        const sn_spring_coefficients whole = sn_spring_compute_coefficients(t, drag, at);
        for (double pull = 1.5e-7; pull < 1e-4; pull *= 3) {
            const sn_spring_coefficients r = sn_spring_compute_coefficients(t, drag, pull);
            assert_true(fabs(r.follow_factor / pull - whole.follow_factor / at) <
                        0.15 * fabs(whole.follow_factor / at));
            assert_true(fabs(r.follow_change_factor / pull - whole.follow_change_factor / at) <
                        0.15 * fabs(whole.follow_change_factor / at));
        }
    }
}

/* A body ten times as large, and one of a tenth, swing as it does, to rounding. */
static void any_size_is_the_same_swing(void **state)
{
    (void)state;
    const double sizes[] = {0.1, 10};
    const sn_spring_link v = values(1, 0.2, 0.4, 0.01);
    for (int i = 0; i < 2; ++i) {
        chain one, other;
        double a[12 * BONES], b[12 * BONES], largest = 0;
        chain_build(&one, 8, down, &v, 1);
        chain_build(&other, 8, down, &v, sizes[i]);
        add_solids(&one);
        add_solids(&other);
        chain_open(&one, 1.0 / 60);
        chain_open(&other, 1.0 / 60);
        for (int frame = 1; frame <= 240; ++frame) {
            const motion m = wander(frame / 60.0);
            chain_step(&one, &m, 0, a);
            chain_step(&other, &m, 0, b);
            for (int joint = 0; joint < 8; ++joint) {
                double x[3], y[3];
                chain_tail(&one, joint, a, x);
                chain_tail(&other, joint, b, y);
                largest = fmax(largest, sn_distance3(x, y));
            }
        }
        assert_true(largest < 1e-3);
        chain_close(&one);
        chain_close(&other);
    }
}

/* As does one that its pose makes larger. */
static void poses_may_scale(void **state)
{
    (void)state;
    chain one, other;
    const sn_spring_link v = values(1, 0.2, 0.4, 0.01);
    double largest = 0;
    chain_build(&one, 8, down, &v, 1);
    chain_build(&other, 8, down, &v, 1);
    add_solids(&one);
    add_solids(&other);
    chain_open(&one, 1.0 / 60);
    chain_open(&other, 1.0 / 60);
    other.model.diagonal = 10; /* for the cap on speed */
    sn_springs_destroy(&other.springs);
    assert_int_equal(sn_springs_create(&other.model, 1.0 / 60, &other.springs), SN_OK);
    for (int frame = 0; frame <= 240; ++frame) {
        const motion m = wander(frame / 60.0);
        double a[12 * BONES], b[12 * BONES];
        chain_pose(&one, &m, a);
        for (int i = 0; i < 12 * BONES; ++i) {
            b[i] = 10 * a[i];
        }
        if (frame == 0) {
            sn_springs_reset(one.springs, a);
            sn_springs_reset(other.springs, b);
        }
        sn_springs_step(one.springs, a, NULL, a);
        sn_springs_step(other.springs, b, NULL, b);
        for (int joint = 0; joint < 8; ++joint) {
            double x[3], y[3];
            chain_tail(&one, joint, a, x);
            chain_tail(&other, joint, b, y);
            largest = fmax(largest, hypot(hypot(x[0] - y[0] / 10, x[1] - y[1] / 10), x[2] - y[2] / 10));
        }
    }
    assert_true(largest < 1e-3);
    chain_close(&one);
    chain_close(&other);
}

static uint64_t hash_swing(sn_spring_instructions most)
{
    chain c;
    const sn_spring_link v = values(1, 0.2, 0.4, 0.01);
    uint64_t hash = SN_HASH_SEED;
    double posed[12 * 66];
    chain_build(&c, 64, (const double[3]){0, -0.01, 0.002}, &v, 1);
    add_solids(&c);
    for (int i = 0; i < 64; ++i) {
        c.joints[i].parent = i % 11 == 0 ? -1 : i - 1; /* several of a depth, and ragged */
    }
    chain_open(&c, 1.0 / 60);
    sn_springs_limit_instructions(c.springs, most);
    for (int frame = 0; frame < 100; ++frame) {
        const motion m = wander(frame / 60.0);
        chain_step(&c, &m, 0, posed);
        hash = sn_hash(hash, posed, sizeof posed);
    }
    chain_close(&c);
    return hash;
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    assert_true(hash_swing(SN_SPRING_BASELINE) == hash_swing(SN_SPRING_AVX2));
    assert_true(hash_swing(SN_SPRING_AVX2) == hash_swing(SN_SPRING_AVX2));
}

static void hold_beside(chain *c, const double *posed)
{
    double point[3];
    chain_tail(c, 4, posed, point);
    point[0] += 0.05;
    point[2] -= 0.03;
    assert_true(sn_springs_grab(c->springs, 4, posed, point) >= 0);
}

/* Moved by a teleport it goes on as if nothing had been, also where it is held; after a reset it is at rest. */
static void teleport_as(bool is_held)
{
    chain stays, goes;
    const sn_spring_link v = values(1, 0.2, 0, 0);
    const double turn[12] = {0, 0, 1, 300, 0, 1, 0, -20, -1, 0, 0, 50};
    double a[12 * BONES], b[12 * BONES], largest = 0;
    chain_build(&stays, 8, down, &v, 1);
    chain_build(&goes, 8, down, &v, 1);
    chain_open(&stays, 1.0 / 60);
    chain_open(&goes, 1.0 / 60);
    for (int frame = 0; frame < 120; ++frame) {
        const motion m = wander(frame / 60.0);
        double pose[12 * BONES];
        chain_step(&stays, &m, 0, a);
        chain_pose(&goes, &m, pose);
        if (frame == 60) {
            sn_springs_teleport(goes.springs, turn);
        }
        if (frame == 59 && is_held) {
            hold_beside(&stays, a);
        }
        for (int bone = 0; bone < BONES && frame >= 60; ++bone) {
            double from[12];
            memcpy(from, pose + 12 * bone, sizeof from);
            sn_affine_multiply(turn, from, pose + 12 * bone);
        }
        sn_springs_step(goes.springs, pose, NULL, b);
        for (int joint = 0; joint < 8; ++joint) {
            double x[3], y[3], moved[3];
            chain_tail(&stays, joint, a, x);
            chain_tail(&goes, joint, b, y);
            sn_affine_apply(turn, x, moved);
            largest = fmax(largest, sn_distance3(frame < 60 ? x : moved, y));
        }
        if (frame == 59 && is_held) {
            hold_beside(&goes, b);
        }
        if (frame == 119) {
            sn_springs_reset(goes.springs, pose);
            sn_springs_step(goes.springs, pose, NULL, b);
            for (int i = 0; i < 12 * BONES; ++i) {
                assert_true(fabs(b[i] - pose[i]) < 1e-4); /* without gravity, as posed */
            }
        }
    }
    print_message("after a teleport%s: %.1e\n", is_held ? ", held" : "", largest);
    assert_true(largest < 1e-4);
    chain_close(&stays);
    chain_close(&goes);
}

static void teleport_and_reset(void **state)
{
    (void)state;
    teleport_as(false);
    teleport_as(true);
}

/* At the start, and after a reset, gravity and solids have done their part: nothing moves that the pose does not. */
static void begins_at_rest(void **state)
{
    (void)state;
    chain c;
    const sn_spring_link v = values(0.3, 0.2, 1.5, 0.01);
    const motion still = {0};
    double first[12 * BONES], posed[12 * BONES];
    chain_build(&c, 8, (const double[3]){0.1, 0, 0}, &v, 1);
    chain_open(&c, 1.0 / 60);
    chain_step(&c, &still, 0, first);
    for (int frame = 0; frame < 300; ++frame) {
        chain_step(&c, &still, 0, posed);
    }
    for (int joint = 0; joint < 8; ++joint) {
        double x[3], y[3];
        chain_tail(&c, joint, first, x);
        chain_tail(&c, joint, posed, y);
        assert_true(sn_distance3(x, y) < 1e-4);
        assert_true(x[1] < -0.05 * joint);
    }
    chain_close(&c);
}

/* Jumps of the root, turns by half a circle in a step, and steps of a second: bones keep their length, and come to rest
 * again. */
static void nothing_explodes(void **state)
{
    (void)state;
    const double steps[] = {1.0 / 144, 1.0 / 60, 1.0 / 7, 1, 100};
    for (int i = 0; i < 10; ++i) {
        const bool has_solids = i >= 5;
        const double step = steps[i % 5];
        chain c;
        const sn_spring_link v = values(2, 0.05, 0.5, 0.02);
        double posed[12 * BONES], rest[12 * BONES];
        motion m = {0};
        chain_build(&c, 8, down, &v, 1);
        if (has_solids) {
            add_solids(&c);
        }
        chain_open(&c, step);
        chain_step(&c, &m, 0, rest);
        for (int frame = 0; frame < 60; ++frame) {
            m = (motion){.axis = {frame % 3, 1, frame % 2},
                         .angle = 3.1 * (frame % 2),
                         .shift = {frame % 5 * 1e3, frame % 2 * 1e5, 0}};
            chain_step(&c, &m, 0, posed);
            for (int joint = 1; joint < 8; ++joint) {
                double x[3], y[3];
                chain_tail(&c, joint, posed, x);
                chain_tail(&c, joint - 1, posed, y);
                assert_true(fabs(sn_distance3(x, y) - sn_length3(down)) < 1e-4);
            }
        }
        m = (motion){0};
        for (int frame = 0; frame < 20 / fmin(step, 1); ++frame) {
            chain_step(&c, &m, 0, posed);
        }
        for (int b = 0; b < 12 * BONES && !has_solids; ++b) { /* solids may be passed on either side */
            assert_true(fabs(posed[b] - rest[b]) < 2e-2);
        }
        chain_close(&c);
    }
}

/* What moves faster than ten of its diagonals a second is felt as if it moved so fast. */
static void speed_is_capped(void **state)
{
    (void)state;
    chain walks, flies;
    const sn_spring_link v = values(1, 0.2, 0, 0);
    double a[12 * BONES], b[12 * BONES];
    chain_build(&walks, 8, down, &v, 1);
    chain_build(&flies, 8, down, &v, 1);
    chain_open(&walks, 1.0 / 60);
    chain_open(&flies, 1.0 / 60);
    for (int frame = 1; frame < 30; ++frame) {
        const motion slow = {.shift = {0, 0, frame * SN_SPRING_MAX_SPEED / 60}}, fast = {.shift = {0, 0, frame * 7.0}};
        chain_step(&walks, &slow, 0, a);
        chain_step(&flies, &fast, 0, b);
        for (int joint = 0; joint < 8; ++joint) {
            double x[3], y[3];
            chain_tail(&walks, joint, a, x);
            chain_tail(&flies, joint, b, y);
            x[2] += fast.shift[2] - slow.shift[2];
            assert_true(sn_distance3(x, y) < 1e-4);
        }
    }
    chain_close(&walks);
    chain_close(&flies);
}

/* Between two steps bones are on the way, and hang on the pose that is asked for, not on the one that was stepped. */
static void shown_between_steps(void **state)
{
    (void)state;
    chain c;
    const sn_spring_link v = values(1, 0.2, 0, 0);
    double before[12 * BONES], after[12 * BONES], pose[12 * BONES], shown[12 * BONES], x[3], y[3], z[3];
    motion m = {0};
    chain_build(&c, 8, down, &v, 1);
    chain_open(&c, 1.0 / 60);
    for (int frame = 0; frame < 20; ++frame) {
        m = wander(frame / 60.0);
        chain_step(&c, &m, 0, frame < 19 ? before : after);
    }
    chain_pose(&c, &m, pose);
    sn_springs_interpolate(c.springs, 1, pose, shown);
    for (int i = 0; i < 12 * BONES; ++i) {
        assert_true(fabs(shown[i] - after[i]) < 1e-5);
    }
    sn_springs_interpolate(c.springs, 0.5, pose, shown);
    chain_tail(&c, 7, shown, y);
    chain_tail(&c, 7, after, x);
    sn_springs_interpolate(c.springs, 0, pose, shown);
    chain_tail(&c, 7, shown, z);
    assert_true(sn_distance3(x, z) > 1e-4 && sn_distance3(x, y) < 0.6 * sn_distance3(x, z));
    assert_true(sn_distance3(y, z) < 0.6 * sn_distance3(x, z));
    /* moved on, the tip goes along */
    for (int i = 3; i < 12 * BONES; i += 12) {
        pose[i] += 5;
    }
    sn_springs_interpolate(c.springs, 1, pose, shown);
    chain_tail(&c, 7, shown, y);
    assert_true(fabs(y[0] - x[0] - 5) < 1e-4 && fabs(y[1] - x[1]) < 1e-4);
    /* and the next step is as if nobody had looked */
    chain_close(&c);
}

/* A pose too large for floats is told, and nothing of it is left. */
static void too_large_a_pose_is_forgotten(void **state)
{
    (void)state;
    const double sizes[] = {1e21, 1e25, 1e30, 1e37, 1e200};
    const sn_spring_link v = values(0.2, 0.4, 1, 0.01);
    for (int i = 0; i < 10; ++i) {
        chain c;
        const motion still = {0};
        double rest[12 * BONES], large[12 * BONES], posed[12 * BONES];
        chain_build(&c, 8, (const double[3]){0.1, 0, 0}, &v, 1);
        if (i >= 5) {
            add_solids(&c);
        }
        chain_open(&c, i % 2 ? 1.0 / 60 : 1.0 / 100);
        chain_pose(&c, &still, rest);
        sn_springs_reset(c.springs, rest);
        assert_true(sn_springs_step(c.springs, rest, NULL, rest));
        chain_pose(&c, &still, large);
        for (int k = 0; k < 12 * BONES; ++k) {
            large[k] *= sizes[i % 5];
        }
        assert_false(sn_springs_step(c.springs, large, NULL, posed));
        chain_pose(&c, &still, posed);
        sn_springs_step(c.springs, posed, NULL, posed);
        for (int k = 0; k < 12 * BONES; ++k) {
            assert_true(fabs(posed[k] - rest[k]) < (i < 5 ? 1e-3 : 1e-2)); /* on solids it still settles */
        }
        chain_close(&c);
    }
}

static void nothing_swings(void **state)
{
    (void)state;
    const sn_model none = {.counts = {.bone_count = 1}};
    sn_springs *springs = (sn_springs *)&none;
    double pose[12] = {1, 0, 0, 7, 0, 1, 0, 8, 0, 0, 1, 9};
    assert_int_equal(sn_springs_create(&none, 1.0 / 60, &springs), SN_OK);
    assert_null(springs);
    assert_true(sn_springs_step(NULL, pose, NULL, pose));
    sn_springs_reset(NULL, pose);
    sn_springs_interpolate(NULL, 1, pose, pose);
    sn_springs_teleport(NULL, pose);
    sn_springs_destroy(&springs);
    assert_true(pose[3] == 7 && pose[11] == 9);
}

int test_spring_swing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixty_is_the_reference),
        cmocka_unit_test(any_step_is_the_same_swing),
        cmocka_unit_test(rates_are_those_of_a_frame),
        cmocka_unit_test(rates_of_small_pulls),
        cmocka_unit_test(any_size_is_the_same_swing),
        cmocka_unit_test(poses_may_scale),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(teleport_and_reset),
        cmocka_unit_test(begins_at_rest),
        cmocka_unit_test(nothing_explodes),
        cmocka_unit_test(speed_is_capped),
        cmocka_unit_test(shown_between_steps),
        cmocka_unit_test(too_large_a_pose_is_forgotten),
        cmocka_unit_test(nothing_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
