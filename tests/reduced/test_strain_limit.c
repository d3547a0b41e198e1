/* SPDX-License-Identifier: MIT */
/* Bodies with strain limits: rest, the gradient of the objective, violent motion, rigs that stretch, precision, sizes,
 * flat bodies. That steps do not raise the energy is tested with all other materials (test_energy.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/flesh.h"
#include "tests/support/poses.h"
#include "tests/support/response.h"

#define LIMIT 0.08
#define KAPPA 15

typedef struct limited {
    sn_cook_context cooking;
    sn_model *cooked, model;
} limited;

static void cook(limited *l, int bone_count, double poisson, double kappa)
{
    static const int cells[3] = {12, 4, 3};
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 10;
    desc.cluster_count = 30;
    desc.poisson = poisson;
    l->cooked = sn_test_cook_bar_as(&l->cooking, cells, bone_count, &desc);
    l->model = sn_test_respond(l->cooked, &(sn_test_response){kappa, LIMIT, 0}, &l->cooking.arena);
}

static void finish(limited *l)
{
    sn_model_release(l->cooked);
    sn_cook_context_finish(&l->cooking);
}

static double max_coordinate(const sn_flesh *f)
{
    double max_value = 0;
    for (int i = 0; i < 3 * f->solver->coordinate_count; ++i) {
        max_value = fmax(max_value, fabs(f->body->coordinates[i]) * f->model->coordinate_bounds[i / 3]);
    }
    return max_value;
}

static void turn(double angle, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -(pose[4] = sin(angle));
}

/* At bind exactly; rotated, to float's rounding of the rotation times kappa. */
static void test_rest_is_a_fixed_point(void **state)
{
    (void)state;
    for (int run = 0; run < 4; ++run) {
        limited l;
        cook(&l, run % 2 ? 3 : 1, run / 2 ? 0.4 : 0, KAPPA);
        for (int is_turned = 0; is_turned < 2; ++is_turned) {
            const sn_reduced_desc desc = sn_default_reduced_desc();
            double pose[12];
            turn(is_turned ? 0.7 : 0, pose);
            sn_flesh f = sn_flesh_make(&l.model, &desc, pose);
            for (int frame = 0; frame < 100; ++frame) {
                sn_reduced_body_step(f.body, f.pose, NULL);
            }
            print_message("moved %.1e\n", max_coordinate(&f));
            assert_true(max_coordinate(&f) <= (is_turned ? 2e-5 : 1e-7));
            sn_flesh_finish(&f);
        }
        finish(&l);
    }
}

/* The gradient of the objective against differences of its values, within the limits, beyond, and inverted. */
static void test_objective_has_its_gradient(void **state)
{
    (void)state;
    for (int run = 0; run < 24; ++run) {
        limited l;
        sn_reduced_desc desc = sn_default_reduced_desc();
        double z[3 * 40], gradient[3 * 40], other[3 * 40];
        uint64_t random = (uint64_t)(run + 1) << 32;
        cook(&l, 1 + run % 3, run % 2 ? 0.3 : 0, KAPPA);
        desc.is_double = true;
        desc.is_neo_hookean = run % 4 == 3;
        sn_flesh f = sn_flesh_make(&l.model, &desc, NULL);
        assert_true(f.solver->coordinate_count <= 40);
        for (int b = 0; b < f.model->counts.bone_count; ++b) {
            sn_test_shake(&random, 0.1, f.pose + 12 * b);
        }
        const double size = pow(10, -3 + run % 12 * 0.25);
        for (int i = 0; i < 3 * f.solver->coordinate_count; ++i) {
            z[i] = size * sn_test_uniform(&random, -1, 1) / f.model->coordinate_bounds[i / 3];
        }
        sn_reduced_body_objective(f.body, f.pose, z, gradient);
        for (int i = 0; i < 3 * f.solver->coordinate_count; i += 7) {
            const double at = z[i], step = 1e-6 * size / f.model->coordinate_bounds[i / 3];
            z[i] = at + step;
            const double above = sn_reduced_body_objective(f.body, f.pose, z, other);
            z[i] = at - step;
            const double below = sn_reduced_body_objective(f.body, f.pose, z, other);
            z[i] = at;
            const double difference = (above - below) / (2 * step), noise = 1e-13 * (fabs(above) + 1) / step;
            double norm = 0;
            for (int k = 0; k < 3 * f.solver->coordinate_count; ++k) {
                norm += gradient[k] * gradient[k];
            }
            assert_true(fabs(difference - gradient[i]) < 1e-4 * sqrt(norm) + noise);
        }
        sn_flesh_finish(&f);
        finish(&l);
    }
}

/* The largest principal stretch of any cluster; of a flat body, in its plane. */
static double max_stretch(const sn_flesh *f)
{
    const sn_model *m = f->model;
    const int q = m->counts.coordinate_count, columns = 4 * m->counts.bone_count;
    double max_value = 0;
    for (int c = 0; c < m->counts.cluster_count; ++c) {
        double a[12] = {0}, v[3] = {0.6, 0.5, 0.62}, length = 0;
        for (int k = 0; k < 3; ++k) {
            sn_reduced_add_product(m->cluster_coordinate + (size_t)(3 * c + k) * (size_t)q, 1, q, 1,
                                   f->body->coordinates, a + 3 * k);
            sn_reduced_add_product(m->cluster_bone + (size_t)(3 * c + k) * (size_t)columns, 1, columns, 1, f->body->rig,
                                   a + 3 * k);
        }
        for (int k = 0; k < 9 && sn_model_is_flat(m); ++k) {
            a[k] = k % 3 == 2 || k / 3 == 2 ? 0 : a[k];
        }
        for (int i = 0; i < 60; ++i) { /* power iteration on a a^T */
            double w[3] = {0}, u[3] = {0};
            for (int k = 0; k < 9; ++k) {
                w[k % 3] += a[k] * v[k / 3];
            }
            for (int k = 0; k < 9; ++k) {
                u[k / 3] += a[k] * w[k % 3];
            }
            length = sqrt(sn_length3(u));
            for (int k = 0; k < 3; ++k) {
                v[k] = u[k] / (length * length);
            }
        }
        max_value = fmax(max_value, length / sn_model_cluster_stiffness(m, c));
    }
    return max_value;
}

static void shake_violently(sn_flesh *f, int frame)
{
    double pose[12];
    turn(0.5 * sin(0.35 * frame), pose);
    pose[3] = 0.2 * sin(0.4 * frame);
    pose[7] = 0.15 * sin(0.6 * frame);
    sn_flesh_set_pose(f, pose);
}

static double stretch_in_shake(const sn_model *model, bool is_neo_hookean)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    double max_value = 0;
    desc.damping = 2;
    desc.iteration_limit = 100;
    desc.is_neo_hookean = is_neo_hookean;
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    for (int frame = 0; frame < 120; ++frame) {
        shake_violently(&f, frame);
        assert_false(sn_reduced_body_step(f.body, f.pose, NULL).is_recovered);
        max_value = fmax(max_value, max_stretch(&f));
    }
    sn_flesh_finish(&f);
    return max_value;
}

static void test_limits_bound_stretch(void **state)
{
    (void)state;
    for (int run = 0; run < 3; ++run) {
        limited l;
        cook(&l, 1, run ? 0.4 : 0, KAPPA);
        const double without = stretch_in_shake(l.cooked, run == 2), with = stretch_in_shake(&l.model, run == 2);
        print_message("largest stretch: %.3f without, %.3f with limits of %g\n", without, with, LIMIT);
        assert_true(without > 1 + 3 * LIMIT && with - 1 < 0.15 * (without - 1));
        finish(&l);
    }
}

static double displacement_in(const sn_model *model, const double *pose)
{
    const sn_reduced_desc desc = sn_default_reduced_desc();
    sn_flesh f = sn_flesh_make(model, &desc, pose);
    for (int frame = 0; frame < 200; ++frame) {
        sn_reduced_body_step(f.body, f.pose, NULL);
    }
    const double displacement = sn_flesh_displacement(&f);
    sn_flesh_finish(&f);
    return displacement;
}

/* A rig that stretches beyond the limits moves flesh no more than without limits. */
static void test_the_rig_may_stretch(void **state)
{
    static const double pose[12] = {1.5, 0.1, 0, 0, 0, 0.8, 0, 0.1, 0, 0, 1.2, 0};
    (void)state;
    for (int is_posed = 0; is_posed < 2; ++is_posed) {
        limited l;
        cook(&l, 1, 0, KAPPA);
        l.model.is_posed = is_posed;
        sn_model plain = *l.cooked;
        plain.is_posed = is_posed;
        const double with = displacement_in(&l.model, pose), without = displacement_in(&plain, pose);
        print_message("stretched rig: %.2e with limits, %.2e without\n", with, without);
        assert_true(with < without + 1e-5);
        finish(&l);
    }
}

static void shake_both(const sn_model *model, double tolerance)
{
    double worst = 0, moved = 0;
    sn_flesh f[2];
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        desc.damping = 2;
        desc.tolerance = is_double ? 1e-9 : 1e-7;
        desc.iteration_limit = is_double ? 3000 : 200;
        f[is_double] = sn_flesh_make(model, &desc, NULL);
    }
    for (int frame = 0; frame < 40; ++frame) {
        for (int i = 0; i < 2; ++i) {
            shake_violently(&f[i], frame);
            assert_false(sn_reduced_body_step(f[i].body, f[i].pose, NULL).is_recovered);
        }
        for (int sample = 0; sample < model->counts.sample_count; sample += 5) {
            double a[3], b[3];
            moved = fmax(moved, sn_flesh_sample(&f[0], sample, a));
            sn_flesh_sample(&f[1], sample, b);
            worst = fmax(worst, sn_distance3(a, b));
        }
    }
    print_message("float against double: %.1e, of %.2g moved\n", worst, moved);
    assert_true(worst < tolerance && moved > 0.02);
    sn_flesh_finish(&f[0]);
    sn_flesh_finish(&f[1]);
}

static void test_float_agrees_with_double(void **state)
{
    (void)state;
    for (int run = 0; run < 3; ++run) {
        limited l;
        cook(&l, 1 + run, run == 1 ? 0.35 : 0, KAPPA);
        l.model.is_posed = run == 2;
        shake_both(&l.model, 2e-4);
        finish(&l);
    }
}

static void test_flat_bodies_have_limits_in_their_plane(void **state)
{
    sn_cook_context cooking = {.path = NULL};
    sn_model *cooked = NULL;
    sn_cook_desc desc = sn_default_cook_desc();
    (void)state;
    desc.mode_count = 7;
    desc.cluster_count = 20;
    cooking.mesh = sn_test_sheet(&cooking.arena, 12, 4, 0.25, 0);
    assert_int_equal(sn_cook_context_run(&cooking, "sheet", &desc), SN_OK);
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &cooked), SN_OK);
    const sn_model model = sn_test_respond(cooked, &(sn_test_response){KAPPA, LIMIT, 0}, &cooking.arena);
    const double without = stretch_in_shake(cooked, false), with = stretch_in_shake(&model, false);
    print_message("largest stretch in the plane: %.3f without, %.3f with limits\n", without, with);
    assert_true(with - 1 < 0.2 * (without - 1));
    double pose[12];
    turn(0.7, pose);
    assert_true(displacement_in(&model, pose) < 1e-5);
    shake_both(&model, 2e-4);
    sn_model_release(cooked);
    sn_cook_context_finish(&cooking);
}

/* samples (2 x frames x 3): a sample's place in diagonals. */
static void follow(const sn_model *model, double *track)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.damping = 2;
    desc.iteration_limit = 200;
    desc.tolerance = 1e-7;
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    for (int frame = 0; frame < 40; ++frame, track += 3) {
        shake_violently(&f, frame);
        for (int b = 0; b < model->counts.bone_count; ++b) {
            for (int d = 0; d < 3; ++d) {
                f.pose[12 * b + 4 * d + 3] *= model->diagonal;
            }
        }
        sn_reduced_body_step(f.body, f.pose, NULL);
        sn_flesh_sample(&f, 3, track);
        for (int d = 0; d < 3; ++d) {
            track[d] /= model->diagonal;
        }
    }
    sn_flesh_finish(&f);
}

static void test_sizes_move_alike(void **state)
{
    static const double sizes[3] = {1, 0x1p-7, 0x1p7}; /* powers of two, so that samples are the same */
    double tracks[3][40 * 3];
    (void)state;
    for (int i = 0; i < 3; ++i) {
        sn_cook_context cooking;
        sn_model *cooked = sn_test_cook_sized_bar(&cooking, sizes[i], 0.2);
        const sn_model model = sn_test_respond(cooked, &(sn_test_response){KAPPA, LIMIT, 4}, &cooking.arena);
        double worst = 0;
        follow(&model, tracks[i]);
        for (int k = 0; k < 40 * 3; ++k) {
            worst = fmax(worst, fabs(tracks[i][k] - tracks[0][k]));
        }
        print_message("size %g: apart by %.1e of the diagonal\n", sizes[i], worst);
        assert_true(worst < 2e-4);
        sn_model_release(cooked);
        sn_cook_context_finish(&cooking);
    }
}

int test_strain_limit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_a_fixed_point),
        cmocka_unit_test(test_objective_has_its_gradient),
        cmocka_unit_test(test_limits_bound_stretch),
        cmocka_unit_test(test_the_rig_may_stretch),
        cmocka_unit_test(test_float_agrees_with_double),
        cmocka_unit_test(test_sizes_move_alike),
        cmocka_unit_test(test_flat_bodies_have_limits_in_their_plane),
    };
    return cmocka_run_group_tests_name("strain_limit", tests, NULL, NULL);
}
