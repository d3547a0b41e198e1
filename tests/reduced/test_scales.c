/* SPDX-License-Identifier: MIT */
/* Bodies from a micrometre to a thousand kilometres, in float: what they do, in diagonals, does not depend on the size
 * where everything that acts on them grows with it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/flesh.h"

/* Powers of two, so that cooks choose the same samples. */
static const double sizes[] = {1, 0x1p-20, 0x1p-16, 0x1p-10, 0x1p10, 0x1p16, 0x1p20};
#define SIZE_COUNT 7
#define FRAMES 60
#define SAMPLES 16
#define TRACK (FRAMES * SAMPLES * 3)
#define HELD 5 /* a sample */

typedef struct case_desc {
    const char *says;
    double poisson;
    bool is_neo_hookean, is_held, is_pushed; /* by a hand; by a floor, wind and blows */
    double tolerance;                        /* of the diagonal */
} case_desc;

static void swing(sn_flesh *f, double size, int frame)
{
    const double angle = 0.5 * sin(0.2 * frame);
    double pose[12];
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = size * 0.2 * sin(0.15 * frame);
    pose[7] = size * 0.1 * sin(0.3 * frame);
    sn_flesh_set_pose(f, pose);
}

static void hold(sn_flesh *f, double size, int frame)
{
    static double place[3];
    if (frame == 5) {
        sn_grab_desc desc = sn_default_grab_desc();
        desc.max_distance = size;
        sn_flesh_sample(f, HELD, place);
        assert_int_equal(sn_reduced_body_grab(f->body, place, &desc), 0);
    }
    if (frame >= 5) {
        const double target[3] = {place[0], place[1] + size * 0.01 * (frame - 5), place[2]};
        sn_reduced_body_drag(f->body, 0, target);
    }
}

static void blow(sn_flesh *f, double size, int frame)
{
    double place[3];
    const double impulse[3] = {0, 0.05 * size * f->model->total_mass, 0};
    sn_flesh_sample(f, HELD, place);
    if (frame == 20) {
        sn_reduced_body_apply_impulse(f->body, place, impulse);
    } else if (frame == 40) {
        sn_reduced_body_apply_bone_impulse(f->body, 0, impulse);
    }
}

/* A floor that the bar's underside swings into. */
static sn_collider floor_at(double height)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider floor;
    desc.shape = SN_COLLIDER_PLANE;
    assert_int_equal(sn_collider_init(&desc, &floor), SN_OK);
    floor.transform[7] = floor.transform_before[7] = height;
    return floor;
}

/* track: samples' places, frame by frame, in diagonals. Returns how many contacts there were. */
static int follow(const sn_model *model, const case_desc *which, bool is_double, double *track)
{
    const double size = model->diagonal;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = is_double;
    desc.is_neo_hookean = which->is_neo_hookean;
    desc.iteration_limit = is_double ? 1000 : 100;
    desc.tolerance = is_double ? 1e-9 : 1e-7;
    desc.damping = 2;
    desc.gravity[1] = -2 * size;
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    const sn_collider floor = floor_at(-0.2 * size);
    const sn_surroundings around = {1, &floor, {0.5 * size, 0, 3 * size}};
    double moved = 0;
    int contacts = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        swing(&f, size, frame);
        if (which->is_held) {
            hold(&f, size, frame);
        }
        if (which->is_pushed) {
            blow(&f, size, frame);
        }
        assert_false(sn_reduced_body_step(f.body, f.pose, which->is_pushed ? &around : NULL).is_recovered);
        contacts += f.body->contacts.count;
        for (int i = 0; i < SAMPLES; ++i, track += 3) {
            moved = fmax(moved, sn_flesh_sample(&f, i, track) / size);
            for (int d = 0; d < 3; ++d) {
                track[d] /= size;
            }
        }
    }
    assert_true(moved > 0.02);
    sn_flesh_finish(&f);
    return contacts;
}

static double apart(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < TRACK; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void expect_alike(const case_desc *which)
{
    static double first[TRACK], track[TRACK];
    for (int i = 0; i < SIZE_COUNT; ++i) {
        sn_cook_context cooking;
        sn_model *model = sn_test_cook_sized_bar(&cooking, sizes[i], which->poisson);
        if (i == 0) {
            follow(model, which, !which->is_neo_hookean, first); /* in double it has no guard */
        }
        const int contacts = follow(model, which, false, track);
        const double error = apart(first, track);
        print_message("%s, %g: %.1e of the diagonal, %d contacts\n", which->says, sizes[i], error, contacts);
        assert_true(error < which->tolerance);
        assert_int_equal(contacts > 0, which->is_held || which->is_pushed);
        sn_model_release(model);
        sn_cook_context_finish(&cooking);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_free_flesh(void **state)
{
    (void)state;
    expect_alike(&(case_desc){.says = "ARAP", .tolerance = 2e-5});
    expect_alike(&(case_desc){.says = "volume", .poisson = 0.4, .tolerance = 2e-5});
    expect_alike(&(case_desc){.says = "Neo-Hookean", .poisson = 0.4, .is_neo_hookean = true, .tolerance = 2e-5});
}

static void test_what_pushes_flesh(void **state)
{
    (void)state;
    expect_alike(&(case_desc){.says = "held", .is_held = true, .tolerance = 1e-4});
    expect_alike(&(case_desc){.says = "pushed", .is_pushed = true, .tolerance = 1e-4});
}

int test_scales(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flesh),
        cmocka_unit_test(test_what_pushes_flesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
