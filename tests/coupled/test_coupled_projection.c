/* SPDX-License-Identifier: MIT */
/* The complementary projection: its Gram matrix against a sum over vertices, C = 0 after it, the paper's sequential
 * form beside it; with compliance, a dense solution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/math/cholesky.h"
#include "tests/coupled/coupled_test.h"

#define LIMIT 8192
static double x[3 * LIMIT], skinned[3 * LIMIT], before[3 * LIMIT];

/* dx^_i / dtheta_s by central differences of the library's own skinning: a root's translations, then turns of all
 * handles that turn, then an affine one's entries in place of its turns. (scalars x vertices x 3) */
typedef struct jacobian {
    int count;
    int handles[96], numbers[96]; /* 0 .. 2: translation; 3 .. 5: rotation; 6 ..: entry of A */
    double columns[96][3 * 1024];
} jacobian;

static void skin_with(sn_coupled_body *body, int handle, int number, double amount, double *positions)
{
    sn_coupled_handle_state kept[32];
    memcpy(kept, body->handles, (size_t)body->rig->handle_count * sizeof *kept);
    sn_coupled_handle_state *h = &body->handles[handle];
    if (number < 3) {
        h->position[number] += amount;
    } else if (number < 6) {
        double vector[3] = {0}, rotation[4], r[9], turned[9];
        vector[number - 3] = amount;
        sn_quaternion_from_vector(vector, rotation);
        sn_quaternion_to_matrix(rotation, r);
        for (int i = 0; i < 9; ++i) {
            turned[i] = 0;
            for (int j = 0; j < 3; ++j) {
                turned[i] += r[3 * (i / 3) + j] * h->linear[3 * j + i % 3];
            }
        }
        memcpy(h->linear, turned, sizeof turned);
    } else {
        h->linear[number - 6] += amount;
    }
    sn_coupled_update_joints(body);
    sn_coupled_body_rig_positions(body, positions);
    memcpy(body->handles, kept, (size_t)body->rig->handle_count * sizeof *kept);
}

static void differentiate(sn_coupled_body *body, jacobian *j)
{
    const sn_coupled_rig *rig = body->rig;
    const int dimension = rig->dimension, numbers = 3 * rig->model->vertex_count;
    j->count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        for (int number = 0; number < 15; ++number) {
            const bool is_flat_axis = dimension == 2 && (number == 2 || number == 3 || number == 4);
            const bool is_entry_out = number >= 6 && ((number - 6) / 3 >= dimension || (number - 6) % 3 >= dimension);
            const bool is_wanted = number < 3   ? rig->handles[k].parent < 0
                                   : number < 6 ? rig->handles[k].type == SN_HANDLE_RIGID
                                                : rig->handles[k].type == SN_HANDLE_AFFINE;
            if (!is_wanted || is_flat_axis || is_entry_out) {
                continue;
            }
            double *column = j->columns[j->count];
            const double step = 1e-6;
            skin_with(body, k, number, step, column);
            skin_with(body, k, number, -step, before);
            for (int i = 0; i < numbers; ++i) {
                column[i] = (column[i] - before[i]) / (2 * step);
            }
            j->handles[j->count] = k;
            j->numbers[j->count++] = number;
        }
    }
}

static double weigh(const sn_coupled_rig *rig, const double *a, const double *b, bool is_free_only,
                    const sn_xpbd_body *flesh)
{
    double sum = 0;
    for (int v = 0; v < rig->model->vertex_count; ++v) {
        const int row = rig->model->rows[v];
        const bool is_out =
            is_free_only && !(sn_xpbd_get_real(flesh, flesh->state.displacements, 4 * (size_t)row + 3) > 0);
        sum += is_out ? 0 : sn_xpbd_model_mass(rig->model, v) * sn_dot3(a + 3 * v, b + 3 * v);
    }
    return sum;
}

/* C_s of all scalars but a handle's, largest, as a length: over sqrt(G_ss total mass). */
static double largest_constraint(sn_coupled_body *body, const jacobian *j, int except)
{
    double largest = 0, mass = 0;
    sn_xpbd_body_positions(body->flesh, x);
    sn_coupled_body_rig_positions(body, skinned);
    for (int v = 0; v < body->rig->model->vertex_count; ++v) {
        mass += sn_xpbd_model_mass(body->rig->model, v);
        sn_subtract3(x + 3 * v, skinned + 3 * v, x + 3 * v);
    }
    for (int s = 0; s < j->count; ++s) {
        if (j->handles[s] == except) {
            continue;
        }
        const double size = weigh(body->rig, j->columns[s], j->columns[s], false, body->flesh);
        largest = fmax(largest, fabs(weigh(body->rig, j->columns[s], x, false, body->flesh)) / sqrt(size * mass));
    }
    return largest;
}

static sn_coupled_body *bent_body(const sn_coupled_scene *scene, bool is_double)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.is_double = is_double;
    settings.regularity = 0;
    sn_coupled_body *body = sn_coupled_test_body(scene, &settings);
    sn_coupled_bend(scene, body, 0.02, 0.4);
    sn_coupled_fit_free_handles(body);
    for (int k = 0; k < 3; ++k) { /* away from the fit, so that there is something to project */
        const double axis[3] = {0, 0, 0.5}, move[3] = {0.03, 0.02, 0};
        double transform[12];
        sn_coupled_body_set_locks(body, k, SN_LOCK_ALL);
        sn_coupled_aim(scene->handles[k].pivot, axis, move, transform);
        sn_coupled_body_set_target(body, k, transform);
    }
    body->target_movement = INFINITY; /* all of that at once: nothing bounds the projection */
    return body;
}

/* Every pair of functions of the basis: S itself, against masses and functions of single vertices. */
static double gram_error(const sn_coupled_rig *rig)
{
    static double sum[64 * 64];
    double functions[64], raw[64], largest = 0, scale = 0;
    memset(sum, 0, sizeof sum);
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        sn_coupled_basis_functions(rig, row, raw, functions);
        for (int b = 0; b < rig->basis_count * rig->basis_count; ++b) {
            sum[b] += (double)rig->model->rest[4 * row + 3] * functions[b / rig->basis_count] *
                      functions[b % rig->basis_count];
        }
    }
    for (int b = 0; b < rig->basis_count * rig->basis_count; ++b) {
        largest = fmax(largest, fabs(sum[b] - rig->gram[b]));
        scale = fmax(scale, fabs(sum[b]));
    }
    return largest / scale;
}

/* A row of N: what a scalar of a handle is in the basis, for each axis (dimension x basis_count). */
static void row_of(const sn_coupled_body *body, int k, int number, double *y)
{
    const sn_coupled_rig *rig = body->rig;
    const int basis = rig->basis_count;
    for (int d = 0; d < rig->dimension; ++d) {
        if (number < 3) {
            y[basis * d + rig->roots[k]] = d == number;
        }
        for (int e = 0; e < rig->dimension && number >= 3; ++e) {
            double axis[3] = {0}, column[3] = {0}, turned[3];
            axis[number < 6 ? number - 3 : 0] = 1;
            for (int f = 0; f < 3; ++f) {
                column[f] = body->handles[k].linear[3 * f + e];
            }
            sn_cross3(axis, column, turned);
            y[basis * d + rig->rotation_column[k] + e] =
                rig->length * (number < 6 ? turned[d] : (number - 6 == 3 * d + e));
        }
    }
}

/* J^T M J by differences of the skinned mesh, against N S N^T. */
static double projection_error(const sn_coupled_body *body, const jacobian *j)
{
    const sn_coupled_rig *rig = body->rig;
    double apart = 0;
    for (int s = 0; s < j->count; ++s) {
        for (int t = 0; t < j->count; ++t) {
            const double expected = weigh(rig, j->columns[s], j->columns[t], true, body->flesh);
            const double size = sqrt(weigh(rig, j->columns[s], j->columns[s], false, body->flesh) *
                                     weigh(rig, j->columns[t], j->columns[t], false, body->flesh));
            double y[2][3 * 64] = {{0}}, found = 0;
            row_of(body, j->handles[s], j->numbers[s], y[0]);
            row_of(body, j->handles[t], j->numbers[t], y[1]);
            for (int d = 0; d < rig->dimension; ++d) {
                for (int b = 0; b < rig->basis_count * rig->basis_count; ++b) {
                    found += y[0][rig->basis_count * d + b / rig->basis_count] * body->free_gram[b] *
                             y[1][rig->basis_count * d + b % rig->basis_count];
                }
            }
            apart = fmax(apart, fabs(found - expected) / size);
        }
    }
    return apart;
}

/* The projection's matrix, all of it: what the library has eliminated is undone by bordering. Compared through
 * solutions: J^T M J L = C has one. */
static void test_gram_matrix(void **state)
{
    (void)state;
    static jacobian j;
    for (int i = 0; i < 4; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i % 2);
        sn_coupled_body *body = bent_body(&scene, true);
        for (int v = 0; v < 30 && i >= 2; ++v) {
            assert_int_equal(sn_xpbd_body_pin(body->flesh, 7 * v % scene.shape.desc.vertex_count, INFINITY), SN_OK);
        }
        sn_coupled_prepare(body);
        differentiate(body, &j);
        assert_true(gram_error(body->rig) < 1e-12);
        const double apart = projection_error(body, &j);
        print_message("%dD, %s: %d scalars, G apart by %.1e\n", body->rig->dimension, i < 2 ? "free" : "pinned",
                      j.count, apart);
        assert_true(apart < 1e-7);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* C was not zero where handles had been moved away, and is. */
static void test_constraints_vanish(void **state)
{
    (void)state;
    static jacobian j;
    for (int i = 0; i < 4; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i % 2);
        sn_coupled_body *body = bent_body(&scene, i < 2);
        sn_coupled_prepare(body);
        sn_coupled_write_targets(body, 1);
        sn_coupled_fit(body, 2);
        differentiate(body, &j);
        const double was = largest_constraint(body, &j, -1);
        sn_coupled_project(body);
        const double is = largest_constraint(body, &j, -1);
        print_message("%dD, %s: C was %.1e, is %.1e\n", 2 + i % 2, i < 2 ? "double" : "float", was, is);
        assert_true(was > 1e-6 && is < (i < 2 ? 1e-8 : 1e-7));
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* Of a large tree the root's place is a border of the small system. The fit leaves no C of what is free; a joint that
 * is turned leaves its own. */
static void test_large_tree(void **state)
{
    (void)state;
    static jacobian j;
    const int turned = 5;
    sn_coupled_scene scene = sn_coupled_tree(false);
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.is_double = true;
    settings.regularity = 0;
    sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
    const double axis[3] = {0.1, 0.2, 0.3}, move[3] = {0};
    double transform[12];
    sn_coupled_bend(&scene, body, 0.02, 0.4);
    sn_coupled_fit_free_handles(body);
    sn_coupled_body_set_locks(body, turned, SN_LOCK_ROTATION);
    sn_coupled_aim(scene.handles[turned].pivot, axis, move, transform);
    sn_coupled_body_set_target(body, turned, transform);
    body->target_movement = INFINITY;
    sn_coupled_prepare(body);
    assert_int_equal(body->fit.border_count, 3);
    assert_int_equal(body->projection.border_count, 3);
    sn_coupled_write_targets(body, 1);
    sn_coupled_fit(body, 20);
    differentiate(body, &j);
    const double was = largest_constraint(body, &j, -1), free = largest_constraint(body, &j, turned);
    sn_coupled_project(body);
    const double is = largest_constraint(body, &j, -1);
    print_message("tree: C was %.1e, of what is free %.1e, is %.1e\n", was, free, is);
    assert_true(was > 1e-4 && free < 1e-8 && is < 1e-8);
    sn_coupled_body_destroy(&body);
    sn_coupled_scene_finish(&scene);
}

/* ---- the paper's form ---- */

/* Constraint after constraint, for all scalars s: L = -C_s / G_ss, x += dx^/dtheta_s L; sweep after sweep. x: places,
 * in and out. */
static void project_in_turn(sn_coupled_body *body, const jacobian *j, int sweeps, double *places)
{
    static double left[3 * LIMIT];
    const int numbers = 3 * body->rig->model->vertex_count;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int s = 0; s < j->count; ++s) {
            for (int i = 0; i < numbers; ++i) {
                left[i] = places[i] - skinned[i];
            }
            const double by = weigh(body->rig, j->columns[s], left, false, body->flesh) /
                              weigh(body->rig, j->columns[s], j->columns[s], true, body->flesh);
            for (int i = 0; i < numbers; ++i) {
                const int row = body->rig->model->rows[i / 3];
                places[i] -= sn_coupled_is_pinned(body, row) ? 0 : by * j->columns[s][i];
            }
        }
    }
}

/* Both end in C = 0 and move along the same columns: where the sequential form ends, after many sweeps, the joint one
 * is at once. With pins, too. */
static void test_sequential_form(void **state)
{
    (void)state;
    static jacobian j;
    static double one[3 * LIMIT], in_turn[3 * LIMIT];
    for (int i = 0; i < 4; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i % 2);
        sn_coupled_body *body = bent_body(&scene, true);
        const int numbers = 3 * scene.shape.desc.vertex_count;
        for (int v = 0; v < (i < 2 ? 0 : 12); ++v) {
            assert_int_equal(sn_xpbd_body_pin(body->flesh, 11 * v, INFINITY), SN_OK);
        }
        sn_coupled_prepare(body);
        sn_coupled_write_targets(body, 1);
        sn_coupled_fit(body, 2);
        differentiate(body, &j);
        sn_xpbd_body_positions(body->flesh, x);
        sn_coupled_body_rig_positions(body, skinned);
        memcpy(one, x, sizeof one);
        memcpy(in_turn, x, sizeof in_turn);
        project_in_turn(body, &j, 1, one);
        project_in_turn(body, &j, 4000, in_turn);
        sn_coupled_project(body);
        sn_xpbd_body_positions(body->flesh, x);
        double apart = 0, apart_one = 0;
        for (int k = 0; k < numbers; ++k) {
            apart = fmax(apart, fabs(in_turn[k] - x[k]));
            apart_one = fmax(apart_one, fabs(one[k] - x[k]));
        }
        print_message("%dD%s: apart by %.1e after one sweep, %.1e after many\n", 2 + i % 2, i < 2 ? "" : ", pinned",
                      apart_one, apart);
        assert_true(apart < 1e-6 && apart_one > 100 * apart);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

/* ---- compliance ---- */

/* sqrt(compliance) / h of a scalar. */
static double softness_of(const sn_coupled_body *body, int handle)
{
    const double own = body->handles[handle].compliance;
    return sqrt(own >= 0 ? own : body->settings.compliance) / body->flesh->substep;
}

/* (G + a~) L = C, dense, from sums over vertices alone. */
static void test_compliance_against_a_dense_solution(void **state)
{
    (void)state;
    static jacobian j;
    static double matrix[64 * 64], multipliers[64], expected[3 * LIMIT];
    for (int i = 0; i < 4; ++i) {
        sn_coupled_scene scene = sn_coupled_mixed(2 + i % 2);
        sn_coupled_body *body = bent_body(&scene, true);
        const int numbers = 3 * scene.shape.desc.vertex_count;
        double apart = 0, moved = 0;
        body->settings.compliance = i < 2 ? 3e-6 : 0;
        sn_coupled_body_set_compliance(body, 1, 1e-5);
        sn_coupled_body_set_compliance(body, 4, 2e-6);
        sn_coupled_prepare(body);
        sn_coupled_write_targets(body, 1);
        sn_coupled_fit(body, 2);
        differentiate(body, &j);
        sn_xpbd_body_positions(body->flesh, x);
        sn_coupled_body_rig_positions(body, skinned);
        for (int n = 0; n < numbers; ++n) {
            expected[n] = x[n] - skinned[n];
        }
        for (int s = 0; s < j.count; ++s) {
            multipliers[s] = weigh(body->rig, j.columns[s], expected, false, body->flesh);
            for (int t = 0; t < j.count; ++t) {
                const double softer = 1 + softness_of(body, j.handles[s]) * softness_of(body, j.handles[t]);
                matrix[j.count * s + t] = softer * weigh(body->rig, j.columns[s], j.columns[t], true, body->flesh);
            }
        }
        assert_true(sn_cholesky_factor(j.count, matrix));
        sn_cholesky_solve(j.count, matrix, multipliers);
        sn_coupled_project(body);
        sn_xpbd_body_positions(body->flesh, before);
        for (int n = 0; n < numbers; ++n) {
            double change = 0;
            for (int s = 0; s < j.count; ++s) {
                change -= j.columns[s][n] * multipliers[s];
            }
            apart = fmax(apart, fabs(before[n] - x[n] - change));
            moved = fmax(moved, fabs(change));
        }
        print_message("%dD: apart by %.1e of %.1e\n", 2 + i % 2, apart, moved);
        assert_true(apart < 1e-6 * moved && moved > 1e-3);
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

int test_coupled_projection(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gram_matrix), cmocka_unit_test(test_constraints_vanish),
                                       cmocka_unit_test(test_large_tree), cmocka_unit_test(test_sequential_form),
                                       cmocka_unit_test(test_compliance_against_a_dense_solution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
