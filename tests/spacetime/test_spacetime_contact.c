/* SPDX-License-Identifier: MIT */
/* Contacts: the step fulfils the conditions of Karush, Kuhn and Tucker. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/spacetime/contact.h"
#include "tests/spacetime/sequences.h"

typedef struct hit {
    sequence s;
    sn_spacetime_key keys[4];
    sn_spacetime_problem problem;
    sn_spacetime_solver solver;
    sn_spacetime_contacts contacts;
    size_t size; /* function_count x vertex_count */
    double *free_step, *step;
} hit;

static void start(hit *h, const sn_spacetime_obstacle *obstacle)
{
    *h = (hit){0};
    sequence_start(&h->s, HELD_NOTHING, false);
    for (int i = 0; i < 4; ++i) {
        h->keys[i] = h->s.keys[i / 2 + i / 3];
        h->keys[i].duration = i == 1 ? 0 : 0.4;
    }
    h->s.input.keys = h->keys;
    h->s.input.key_count = 4;
    h->s.input.gravity[1] = -30;
    h->s.input.obstacle_count = 1;
    h->s.input.obstacles = obstacle;
    assert_int_equal(sn_spacetime_problem_build(&h->s.input, &h->s.desc, &h->s.arena, &h->problem), SN_OK);
    assert_int_equal(sn_spacetime_contacts_init(&h->problem, &h->s.arena, &h->contacts), SN_OK);
    assert_int_equal(sn_spacetime_solver_prepare(&h->problem, &h->solver), SN_OK);
    h->size = (size_t)h->problem.trajectory.function_count * (size_t)h->problem.elastic.vertex_count;
    h->free_step = SN_NEW(&h->s.arena, double, 3 * h->size);
    h->step = SN_NEW(&h->s.arena, double, 3 * h->size);
    sn_spacetime_evaluate(&h->problem);
    sn_spacetime_gradient(&h->problem, h->free_step);
    for (size_t i = 0; i < 3 * h->size; ++i) {
        h->free_step[i] *= -1;
    }
    assert_int_equal(sn_spacetime_solver_solve(&h->solver, 3, h->free_step), SN_OK);
    memcpy(h->step, h->free_step, 3 * h->size * sizeof *h->step);
    assert_int_equal(sn_spacetime_contacts_constrain(&h->contacts, &h->solver, h->step), SN_OK);
}

static void finish(hit *h)
{
    sn_spacetime_contacts_finish(&h->contacts);
    sn_spacetime_solver_finish(&h->solver);
    sn_arena_finish(&h->s.arena);
}

/* step = free step + N^-1 of forces that push along the normals of vertices that touch; no other goes in. */
static void check(const sn_spacetime_obstacle *obstacle)
{
    hit h;
    start(&h, obstacle);
    const size_t n = (size_t)h.problem.elastic.vertex_count;
    double *expected = SN_NEW(&h.s.arena, double, 3 * h.size), moved = 0;
    for (int i = 0; i < h.contacts.count; ++i) {
        const sn_spacetime_contact *c = &h.contacts.items[i];
        const size_t at = (size_t)c->function * n + (size_t)c->vertex;
        double along = 0;
        for (size_t d = 0; d < 3; ++d) {
            along += c->normal[d] * h.step[d * h.size + at];
            expected[d * h.size + at] += c->is_active ? c->force * c->normal[d] : 0;
        }
        assert_true(c->is_active ? fabs(along - c->gap) < 1e-9 && c->force >= 0 : along > c->gap - 1e-6);
    }
    assert_true(sn_spacetime_contacts_active_count(&h.contacts) > 0);
    assert_int_equal(sn_spacetime_solver_solve(&h.solver, 3, expected), SN_OK);
    for (size_t i = 0; i < 3 * h.size; ++i) {
        assert_true(fabs(h.free_step[i] + expected[i] - h.step[i]) < 1e-9);
        moved = fmax(moved, fabs(expected[i]));
    }
    assert_true(moved > 1e-3);
    finish(&h);
}

static void planes_push(void **state)
{
    (void)state;
    check(&(sn_spacetime_obstacle){.point = {0, 0.1, 0}, .normal = {0.6, 0.8, 0}});
}

static void spheres_push(void **state)
{
    (void)state;
    check(&(sn_spacetime_obstacle){.is_sphere = true, .point = {0.4, -0.9, 0.2}, .radius = 1});
}

int test_spacetime_contact(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planes_push), cmocka_unit_test(spheres_push)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
