/* SPDX-License-Identifier: MIT */
/* VRM's algorithm as published, against another evaluation of it in the plane by angles, and cases with an answer. */
#include "tests/springs/spring_test.h"

static const double down[3] = {0, -0.1, 0};

static sn_spring_link values(double stiffness, double drag, double gravity)
{
    return (sn_spring_link){.stiffness = stiffness, .drag = drag, .gravity = {0, -gravity, 0}};
}

/* A pendulum in the plane, by complex numbers: the tail's place, next = head + L unit(...). */
typedef struct plane_tail {
    double now[2], before[2];
} plane_tail;

static void step_plane(plane_tail *t, const double *head, const double *axis, const sn_spring_link *v, double length,
                       double seconds)
{
    double next[2], norm;
    for (int d = 0; d < 2; ++d) {
        next[d] =
            t->now[d] + (1 - v->drag) * (t->now[d] - t->before[d]) + seconds * (v->stiffness * axis[d] + v->gravity[d]);
    }
    norm = hypot(next[0] - head[0], next[1] - head[1]);
    for (int d = 0; d < 2; ++d) {
        t->before[d] = t->now[d];
        t->now[d] = head[d] + length * (next[d] - head[d]) / norm;
    }
}

static motion swing(double t)
{
    return (motion){.axis = {0, 0, 1}, .angle = 0.7 * sin(5 * t), .shift = {0.2 * sin(3 * t), 0.1 * t, 0}};
}

/* Three joints, each seeing the one above as it has left it. */
static void plane_evaluation(void **state)
{
    (void)state;
    chain c;
    const sn_spring_link v = values(1.5, 0.3, 0.4);
    plane_tail tails[3];
    chain_build(&c, 3, down, &v, 1);
    chain_open(&c, 1.0 / 60);
    for (int i = 0; i < 3; ++i) {
        tails[i] = (plane_tail){{0, -0.1 * (i + 1)}, {0, -0.1 * (i + 1)}};
    }
    for (int frame = 1; frame <= 120; ++frame) {
        const motion m = swing(frame / 60.0);
        double posed[12 * 5], head[2] = {m.shift[0], m.shift[1]}, angle = m.angle;
        chain_step(&c, &m, 1.0 / 60, posed);
        for (int i = 0; i < 3; ++i) {
            const double axis[2] = {sin(angle), -cos(angle)};
            double tail[3];
            step_plane(&tails[i], head, axis, &v, 0.1, 1.0 / 60);
            sn_vrm_springs_tail(c.reference, i, tail);
            assert_true(hypot(tail[0] - tails[i].now[0], tail[1] - tails[i].now[1]) < 1e-12 && fabs(tail[2]) < 1e-15);
            angle = atan2(tail[0] - head[0], head[1] - tail[1]);
            memcpy(head, tails[i].now, sizeof head);
        }
    }
    chain_close(&c);
}

/* However it is swung, bones keep their length, and nodes are where tails are. */
static void lengths_are_kept(void **state)
{
    (void)state;
    chain c;
    const sn_spring_link v = values(0.4, 0.05, 0.7);
    chain_build(&c, 6, down, &v, 1);
    chain_open(&c, 1.0 / 60);
    for (int frame = 1; frame <= 200; ++frame) {
        const motion m = {.axis = {1, 2, 3}, .angle = 3 * sin(frame * 0.2), .shift = {sin(frame * 0.4), 0, 0}};
        double posed[12 * 8];
        chain_step(&c, &m, 1.0 / 60, posed);
        for (int i = 0; i < 6; ++i) {
            double tail[3], head[12], world[12];
            sn_vrm_springs_tail(c.reference, i, tail);
            sn_vrm_springs_world(c.reference, i + 1, head);
            sn_vrm_springs_world(c.reference, i + 2, world);
            assert_true(fabs(sn_distance3(tail, (double[3]){head[3], head[7], head[11]}) - 0.1) < 1e-12);
            assert_true(sn_distance3(tail, (double[3]){world[3], world[7], world[11]}) < 1e-12);
        }
    }
    chain_close(&c);
}

/* At rest it stays; pulled aside it comes to where stiffness and gravity balance: tan = gravity / stiffness. */
static void comes_to_rest(void **state)
{
    (void)state;
    chain c;
    const double aside[3] = {0.1, 0, 0};
    for (int has_gravity = 0; has_gravity < 2; ++has_gravity) {
        const sn_spring_link v = values(1, 0.4, has_gravity ? 0.5 : 0);
        const motion still = {0};
        double posed[12 * 3], tail[3];
        chain_build(&c, 1, aside, &v, 1);
        chain_open(&c, 1.0 / 60);
        for (int frame = 0; frame < 600; ++frame) {
            chain_step(&c, &still, 1.0 / 60, posed);
        }
        sn_vrm_springs_tail(c.reference, 0, tail);
        assert_true(fabs(atan2(-tail[1], tail[0]) - (has_gravity ? atan(0.5) : 0)) < 1e-9);
        assert_true(chain_difference(&c, posed) < 1e-7);
        chain_close(&c);
    }
}

/* As the root starts, tails stay behind; as it stops, they go on. */
static void swings_the_right_way(void **state)
{
    (void)state;
    chain c;
    const sn_spring_link v = values(1, 0.2, 0);
    double posed[12 * 3], started[3], stopped[3];
    chain_build(&c, 1, down, &v, 1);
    chain_open(&c, 1.0 / 60);
    motion m = {.shift = {0.05, 0, 0}};
    chain_step(&c, &m, 1.0 / 60, posed);
    sn_vrm_springs_tail(c.reference, 0, started);
    for (int frame = 2; frame < 60; ++frame) {
        m.shift[0] = 0.05 * frame;
        chain_step(&c, &m, 1.0 / 60, posed);
    }
    chain_step(&c, &m, 1.0 / 60, posed);
    sn_vrm_springs_tail(c.reference, 0, stopped);
    assert_true(started[0] < 0.05 - 0.02);
    chain_step(&c, &m, 1.0 / 60, posed);
    for (int frame = 0; frame < 8; ++frame) {
        double tail[3];
        chain_step(&c, &m, 1.0 / 60, posed);
        sn_vrm_springs_tail(c.reference, 0, tail);
        stopped[0] = fmax(stopped[0], tail[0]);
    }
    assert_true(stopped[0] > m.shift[0] + 0.01);
    chain_close(&c);
}

/* Where the pull would put the tail into a solid, it stays at its surface, as far off as the hit radius. */
static void solids_hold(void **state)
{
    (void)state;
    const struct {
        sn_spring_collider solid;
        double distance; /* of the tail at (.1, 0, 0), from where it would be */
    } cases[] = {
        {{.shape = SN_COLLIDER_SPHERE, .offset = {0.1, -0.01, 0}, .radius = 0.03}, 0.04},
        {{.shape = SN_COLLIDER_CAPSULE, .offset = {0.1, -0.01, -1}, .tail = {0.1, -0.01, 1}, .radius = 0.03}, 0.04},
        {{.shape = SN_COLLIDER_PLANE, .offset = {0, 0.02, 0}, .normal = {0, 1, 0}}, 0.01},
        {{.shape = SN_COLLIDER_SPHERE, .offset = {0.1, 0.05, 0}, .radius = 0.04, .is_inside = true}, 0.03},
        {{.shape = SN_COLLIDER_CAPSULE,
          .offset = {0.1, 0.05, -1},
          .tail = {0.1, 0.05, 1},
          .radius = 0.04,
          .is_inside = true},
         0.03},
    };
    const double aside[3] = {0.1, 0, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        chain c;
        sn_spring_link v = values(1, 0.4, 0);
        const motion still = {0};
        double posed[12 * 3], tail[3], ours[3];
        v.hit_radius = 0.01;
        chain_build(&c, 1, aside, &v, 1);
        chain_add_solid(&c, &cases[i].solid);
        chain_open(&c, 1.0 / 60);
        for (int frame = 0; frame < 300; ++frame) {
            chain_step(&c, &still, 1.0 / 60, posed);
        }
        sn_vrm_springs_tail(c.reference, 0, tail);
        chain_tail(&c, 0, posed, ours);
        const sn_spring_collider *s = &cases[i].solid;
        const double distance = s->shape == SN_COLLIDER_PLANE ? tail[1] - s->offset[1]
                                                              : hypot(tail[0] - s->offset[0], tail[1] - s->offset[1]);
        assert_true(tail[1] > 0.005); /* it was pushed */
        assert_true(fabs(distance - cases[i].distance) < 0.002);
        assert_true(sn_distance3(tail, ours) < 1e-6);
        assert_true(fabs(sn_length3(tail) - 0.1) < 1e-12);
        chain_close(&c);
    }
}

/* With its root as the center, it does not feel that go. */
static void center_carries_inertia(void **state)
{
    (void)state;
    for (int has_center = 0; has_center < 2; ++has_center) {
        chain c;
        const sn_spring_link v = values(0.5, 0.3, 0);
        double posed[12 * 4], largest = 0;
        chain_build(&c, 2, down, &v, 1);
        c.group.center = has_center ? 0 : -1;
        c.joints[0].center = c.joints[1].center = c.group.center;
        chain_open(&c, 1.0 / 60);
        for (int frame = 1; frame <= 60; ++frame) {
            const motion m = {.axis = {0, 1, 0}, .angle = 0.1 * frame, .shift = {0.001 * frame * frame, 0, 0}};
            double tail[3];
            chain_step(&c, &m, 1.0 / 60, posed);
            sn_vrm_springs_tail(c.reference, 1, tail);
            largest = fmax(largest, fabs(tail[0] - m.shift[0]));
            assert_true(chain_difference(&c, posed) < 1e-5);
        }
        assert_true(has_center ? largest < 1e-9 : largest > 0.02);
        chain_close(&c);
    }
}

/* VRM 0.x: 7 cm on from where the node is in its parent's frame. */
static void free_ends(void **state)
{
    (void)state;
    chain c;
    const sn_spring_link v = values(1, 0.4, 0);
    double tail[3];
    chain_build(&c, 2, down, &v, 1);
    c.links[1].tail = -1;
    chain_open(&c, 1.0 / 60);
    sn_vrm_springs_tail(c.reference, 1, tail);
    assert_true(sn_distance3(tail, (double[3]){0, -0.1 - 0.07, 0}) < 1e-15);
    chain_close(&c);
}

int test_spring_reference(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_evaluation), cmocka_unit_test(lengths_are_kept),
        cmocka_unit_test(comes_to_rest),    cmocka_unit_test(swings_the_right_way),
        cmocka_unit_test(solids_hold),      cmocka_unit_test(center_carries_inertia),
        cmocka_unit_test(free_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
