/* SPDX-License-Identifier: MIT */
/* The rig's fit: gradient and matrix of its Newton step against differences of the energy, with and without locks; it
 * finds the least; locks hold; what is already there is found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "tests/coupled/coupled_test.h"

#define LIMIT 2048
static double x[3 * LIMIT], skinned[3 * LIMIT];

/* 1/2 sum m w |x - x_k|^2 of all handles, each on its own. */
static double single_energy(const sn_coupled_body *body)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    double energy = 0, transforms[12 * 8];
    sn_coupled_body_transforms(body, transforms);
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
            const float *rest = body->rig->model->rest + 4 * row;
            double at[3], there[3];
            for (int d = 0; d < 3; ++d) {
                at[d] = (double)rest[d] + body->rig->model->centre[d];
            }
            sn_affine_apply(transforms + 12 * b->handles[slot], at, there);
            const double apart = sn_distance3(x + 3 * body->rig->model->order[row], there);
            energy += 0.5 * (double)rest[3] * (double)b->weights[SN_BATCH * slot + row % SN_BATCH] * apart * apart;
        }
    }
    return energy;
}

/* 1/2 sum m |x - x^|^2 with the share of single handles, and what holds joints. */
static double energy_of(const sn_coupled_body *body)
{
    const double share = body->settings.regularity;
    double energy = 0;
    sn_xpbd_body_positions(body->flesh, x);
    sn_coupled_body_rig_positions(body, skinned);
    for (int v = 0; v < body->rig->model->vertex_count; ++v) {
        const double apart = sn_distance3(x + 3 * v, skinned + 3 * v);
        energy += 0.5 * (1 - share) * sn_xpbd_model_mass(body->rig->model, v) * apart * apart;
    }
    energy += share * single_energy(body);
    for (int i = 0; i < body->joint_lock_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double apart = body->joint_locks[i].target[d] + body->flesh->origin[d] -
                                 body->handles[body->joint_locks[i].handle].position[d];
            energy += body->joint_locks[i].axes >> d & 1 ? 0.5 * body->joint_lock_mass * apart * apart : 0;
        }
    }
    return energy;
}

static sn_coupled_body *start(const sn_coupled_scene *scene, double regularity, const unsigned *locks)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.is_double = true;
    settings.regularity = regularity;
    sn_coupled_body *body = sn_coupled_test_body(scene, &settings);
    sn_coupled_bend(scene, body, 0.03, 0.5);
    for (int k = 0; k < scene->handle_count && locks; ++k) {
        sn_coupled_body_set_locks(body, k, locks[k]);
    }
    sn_coupled_fit_free_handles(body); /* moments, and systems */
    return body;
}

/* Energy with scalars of Q changed, at its least over what moves linearly. */
static double energy_at(sn_coupled_body *body, const sn_coupled_handle_state *base, int s, double by_s, int t,
                        double by_t)
{
    const sn_coupled_system *system = &body->fit;
    memcpy(body->handles, base, (size_t)body->rig->handle_count * sizeof *base);
    for (int k = 0; k < body->rig->handle_count; ++k) {
        double vector[3] = {0}, rotation[4];
        for (int side = 0; side < 2; ++side) {
            const sn_coupled_scalar *scalar = &system->scalars[side ? t : s];
            const double by = (side ? by_t : by_s) / body->rig->length;
            if (scalar->handle == k && scalar->number < 3) {
                vector[scalar->number] += by;
            } else if (scalar->handle == k) {
                int i, j;
                sn_coupled_symmetric_entry(body->rig->dimension, scalar->number - 3, &i, &j);
                body->handles[k].stretch[3 * i + j] += by;
                body->handles[k].stretch[3 * j + i] += i == j ? 0 : by;
            }
        }
        if (sn_length3(vector) > 0) {
            sn_quaternion_from_vector(vector, rotation);
            sn_quaternion_multiply(rotation, body->handles[k].rotation, body->handles[k].rotation);
        }
        if (body->rig->handles[k].type == SN_HANDLE_RIGID ||
            body->handles[k].locks & (SN_LOCK_ROTATION | SN_LOCK_STRETCH)) {
            sn_coupled_compose(&body->handles[k]);
        }
    }
    sn_coupled_update_joints(body);
    sn_coupled_fit(body, 0);
    return energy_of(body);
}

static void check_newton(int dimension, double regularity, const unsigned *locks)
{
    static double matrix[64 * 64];
    sn_coupled_scene scene = sn_coupled_mixed(dimension);
    sn_coupled_body *body = start(&scene, regularity, locks);
    sn_coupled_handle_state base[8];
    for (int k = 0; k < scene.handle_count; ++k) { /* away from the fit */
        const double vector[3] = {dimension == 3 ? 0.11 : 0, dimension == 3 ? -0.07 : 0, 0.1 + 0.02 * k};
        double rotation[4];
        sn_quaternion_from_vector(vector, rotation);
        if (body->rig->rotation_column[k] >= 0) {
            sn_quaternion_multiply(rotation, body->handles[k].rotation, body->handles[k].rotation);
            sn_coupled_compose(&body->handles[k]);
        }
    }
    sn_coupled_update_joints(body);
    sn_coupled_fit(body, 0);
    memcpy(base, body->handles, (size_t)scene.handle_count * sizeof *base);
    sn_coupled_fit_begin(body);
    sn_coupled_compute_generators(body, &body->fit, body->generators);
    sn_coupled_linearise(body, false);
    const int count = body->fit.scalar_count;
    const sn_coupled_tiles tiles = body->fit.tiles;
    assert_true(SN_TILE * tiles.rank <= 64);
    memcpy(matrix, body->matrix, sn_tiles_stride(&tiles) * sn_tiles_stride(&tiles) * sizeof *matrix);
    double gradient_size = 0, gradient_apart = 0, matrix_size = 0, matrix_apart = 0;
    for (int s = 0; s < count; ++s) {
        const double h = 1e-4,
                     slope = (energy_at(body, base, s, h, s, 0) - energy_at(body, base, s, -h, s, 0)) / (2 * h);
        gradient_size = fmax(gradient_size, fabs(slope));
        gradient_apart = fmax(gradient_apart, fabs(slope + matrix[sn_tiles_at(&tiles, tiles.count, s)]));
        for (int t = 0; t <= s; ++t) {
            const bool is_stretchable = body->fit.scalars[s].handle == 1 && !(locks[1] & SN_LOCK_STRETCH);
            if (is_stretchable && body->fit.scalars[t].handle == 1) {
                continue; /* its terms of second order are left out */
            }
            const double bend = (energy_at(body, base, s, h, t, h) - energy_at(body, base, s, h, t, -h) -
                                 energy_at(body, base, s, -h, t, h) + energy_at(body, base, s, -h, t, -h)) /
                                (4 * h * h);
            matrix_size = fmax(matrix_size, fabs(bend));
            matrix_apart = fmax(matrix_apart, fabs(bend - matrix[sn_tiles_at(&tiles, s, t)]));
        }
    }
    print_message("%dD, %d scalars: gradient apart by %.1e, matrix by %.1e\n", dimension, count,
                  gradient_apart / gradient_size, matrix_apart / matrix_size);
    assert_true(gradient_apart < 1e-6 * gradient_size && matrix_apart < 1e-5 * matrix_size);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* handles: rigid, affine, translation, a rigid root, its joint, and the joint's */
static const unsigned lock_sets[5][6] = {
    {0},
    {SN_LOCK_ALL, SN_LOCK_STRETCH, 0, 0, 0, 0},
    {SN_LOCK_X | SN_LOCK_ROTATION_Y, SN_LOCK_ROTATION | SN_LOCK_Y, SN_LOCK_Y, 0, 0, SN_LOCK_ROTATION},
    {0, SN_LOCK_STRETCH | SN_LOCK_X, SN_LOCK_TRANSLATION, SN_LOCK_X | SN_LOCK_Y,
     SN_LOCK_ROTATION_X | SN_LOCK_ROTATION_Z, 0},
    {SN_LOCK_ROTATION, SN_LOCK_ALL, 0, SN_LOCK_TRANSLATION, 0, 0},
};

static void test_newton_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < 10; ++i) {
        check_newton(2 + i % 2, 0, lock_sets[i / 2]);
        check_newton(2 + i % 2, 0.1, lock_sets[i / 2]);
    }
}

/* No change of a free scalar, any combination of them at random, lowers the energy. */
static void test_least(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 10; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i % 2);
        sn_coupled_body *body = start(&scene, i % 4 ? 0.05 : 0, lock_sets[i / 2]);
        sn_coupled_handle_state base[8];
        sn_coupled_fit(body, 20);
        const double least = energy_of(body);
        memcpy(base, body->handles, (size_t)scene.handle_count * sizeof *base);
        for (int trial = 0; trial < 200; ++trial) {
            memcpy(body->handles, base, (size_t)scene.handle_count * sizeof *base);
            for (int k = 0; k < scene.handle_count; ++k) {
                sn_coupled_handle_state *handle = &body->handles[k];
                double vector[3] = {0}, rotation[4];
                const double size = trial % 2 ? 1e-2 : 1e-4;
                for (int axis = 0; axis < 3; ++axis) {
                    const bool is_flat = scene.shape.desc.element_corners == 3 && axis != 2;
                    vector[axis] =
                        is_flat || handle->locks >> (3 + axis) & 1 ? 0 : size * (sn_random_unit(&seed) - 0.5);
                    handle->position[axis] +=
                        handle->locks >> axis & 1 || (scene.shape.desc.element_corners == 3 && axis == 2)
                            ? 0
                            : size * (sn_random_unit(&seed) - 0.5);
                }
                if (body->rig->rotation_column[k] >= 0) {
                    sn_quaternion_from_vector(vector, rotation);
                    sn_quaternion_multiply(rotation, handle->rotation, handle->rotation);
                }
                if (body->rig->handles[k].type == SN_HANDLE_RIGID) {
                    sn_coupled_compose(handle);
                }
            }
            sn_coupled_update_joints(body);
            assert_true(energy_of(body) >= least * (1 - 1e-12));
        }
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* The flesh is where some handles' motions take it: the fit finds them, and nothing is left. */
static void test_motions_found(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i);
        sn_coupled_body *body = start(&scene, 0, lock_sets[0]);
        static double expected[12 * 8], found[12 * 8];
        for (int k = 0; k < scene.handle_count; ++k) {
            sn_coupled_handle_state *handle = &body->handles[k];
            const double vector[3] = {i ? 0.3 : 0, i ? -0.2 : 0, 0.4 - 0.1 * k};
            handle->position[0] += 0.01 * k;
            handle->position[1] -= 0.02;
            if (body->rig->rotation_column[k] >= 0) {
                sn_quaternion_from_vector(vector, handle->rotation);
                handle->stretch[0] = k == 1 ? 1.3 : 1;
                handle->stretch[1] = handle->stretch[3] = k == 1 ? 0.1 : 0;
                handle->stretch[8] = 1;
                handle->stretch[2] = handle->stretch[5] = handle->stretch[6] = handle->stretch[7] = 0;
                handle->stretch[4] = 1;
                sn_coupled_compose(handle);
            }
        }
        sn_coupled_update_joints(body);
        sn_coupled_body_transforms(body, expected);
        sn_coupled_body_rig_positions(body, skinned);
        sn_xpbd_body_set_positions(body->flesh, skinned);
        const double still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        sn_coupled_body_reset(body);
        sn_xpbd_body_set_positions(body->flesh, skinned);
        sn_coupled_body_transforms(body, found);
        for (int k = 0; k < 12; ++k) {
            assert_true(fabs(found[k] - still[k]) < 1e-12);
        }
        sn_coupled_fit_free_handles(body);
        sn_coupled_body_transforms(body, found);
        double apart = 0;
        for (int k = 0; k < 12 * scene.handle_count; ++k) {
            apart = fmax(apart, fabs(found[k] - expected[k]));
        }
        print_message("%dD: motions apart by %.1e\n", 2 + i, apart);
        assert_true(apart < 1e-5); /* weights are floats */
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

int test_coupled_fit(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_newton_matrix), cmocka_unit_test(test_least),
                                       cmocka_unit_test(test_motions_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
