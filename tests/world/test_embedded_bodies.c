/* SPDX-License-Identifier: MIT */
/* Bodies of worlds that are drawn as their flesh: coupled ones, whose surface here is the boundary of their tets, so
 * that it is drawn exactly where sn_body_tet_positions has these. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/surface.h"
#include "tests/support/count_allocations.h"
#include "tests/support/coupled_bar.h"

#define COUNT 81   /* vertices of the tets */
#define SURFACE 80 /* of the boundary, at most */

typedef struct drawn {
    float positions[3 * COUNT], normals[3 * COUNT];
    int count;
} drawn;

static drawn draw(sn_body_id body)
{
    drawn d;
    const sn_surface surface = sn_embedding_surface(sn_body_embedding(body));
    const sn_body_matrices output = sn_body_embedded_output(body);
    assert_int_equal(output.bone_count,
                     sn_model_bone_count(sn_body_model(body)) + sn_embedding_matrix_count(sn_body_embedding(body)));
    assert_int_equal(output.mode_count, 0);
    assert_in_range(surface.vertex_count, 50, SURFACE);
    d.count = surface.vertex_count;
    assert_int_equal(sn_surface_skin(&surface, &output, d.positions, d.normals, NULL), SN_OK);
    return d;
}

/* How far the drawn vertices are from the tets' that rest at the same place, where flesh is (81 x 3). */
static double distance_from(sn_body_id body, const double *flesh)
{
    const sn_model *model = sn_body_model(body);
    const sn_surface rest = sn_model_surface(model);
    const drawn d = draw(body);
    double most = 0;
    sn_arena arena = {0};
    const sn_tet_mesh bar = sn_test_bar(&arena, 8, 2, 2, 0.25);
    for (int v = 0; v < d.count; ++v) {
        int same = 0;
        for (int k = 0; k < 3; ++k) { /* the place, on the lattice */
            const int at = (int)lround(4 * (double)rest.positions[3 * v + k]);
            same += at * (k == 0 ? 1 : k == 1 ? 9 : 27);
        }
        assert_in_range(same, 0, bar.vertex_count - 1);
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, fabs((double)d.positions[3 * v + k] - flesh[3 * same + k]));
        }
    }
    sn_arena_finish(&arena);
    return most;
}

static sn_embedding *embed(sn_body_id body)
{
    sn_embedding *embedding;
    assert_int_equal(sn_embedding_create(sn_body_model(body), &embedding), SN_OK);
    assert_null(sn_body_embedding(body));
    assert_int_equal(sn_body_set_embedding(body, embedding), SN_OK);
    assert_ptr_equal(sn_body_embedding(body), embedding);
    return embedding;
}

/* Held at its head, under gravity. */
static sn_body_id hang(sn_world_id world)
{
    const sn_body_id body = make_body(world, cook_ends(), down);
    sn_body_set_locks(body, 1, 0);
    return body;
}

static void flesh_is_drawn_where_it_is(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_id body = hang(world);
    sn_embedding *embedding = embed(body);
    double flesh[3 * COUNT];
    for (int i = 0; i < 20; ++i) {
        sn_world_step(world, STEP);
        sn_body_tet_positions(body, flesh, COUNT);
        assert_true(distance_from(body, flesh) < 2e-6);
    }
    assert_true(sag_of(body) > 0.1);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
}

static void between_steps_it_is_between(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_id body = hang(world);
    sn_embedding *embedding = embed(body);
    double before[3 * COUNT], after[3 * COUNT], between[3 * COUNT];
    run(world, 9);
    sn_body_tet_positions(body, before, COUNT);
    for (int part = 1; part < 4; ++part) { /* a step, then none, and a quarter of the way more each time */
        assert_int_equal(sn_world_step(world, (part == 1 ? 1.25 : 0.25) * STEP).step_count, part == 1);
        sn_body_tet_positions(body, after, COUNT);
        for (int i = 0; i < 3 * COUNT; ++i) {
            between[i] = before[i] + 0.25 * part * (after[i] - before[i]);
        }
        assert_true(distance_from(body, between) < 2e-6);
    }
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
}

/* Two steps in a call: the way is that of the last one. */
static void a_call_of_two_steps_shows_the_last(void **state)
{
    (void)state;
    sn_world_id worlds[2] = {make_world(1), make_world(1)};
    const sn_body_id twice = hang(worlds[0]), once = hang(worlds[1]);
    sn_embedding *embeddings[2] = {embed(twice), embed(once)};
    sn_world_step(worlds[0], 2.5 * STEP);
    sn_world_step(worlds[1], STEP);
    sn_world_step(worlds[1], 1.5 * STEP);
    const drawn a = draw(twice), b = draw(once);
    for (int i = 0; i < 3 * a.count; ++i) { /* but for the rounding of half a step */
        assert_true(fabs((double)(a.positions[i] - b.positions[i])) < 1e-6);
    }
    for (int i = 0; i < 2; ++i) {
        sn_world_destroy(worlds[i]);
        sn_embedding_destroy(&embeddings[i]);
    }
}

static void resets_and_teleports_are_seen_at_once(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_id body = hang(world);
    sn_embedding *embedding = embed(body);
    double flesh[3 * COUNT];
    sn_world_step(world, 9.5 * STEP); /* cut, and between steps */
    sn_world_step(world, 3.5 * STEP);
    const drawn before = draw(body);
    const sn_mat3x4 quarter = {{{0, -1, 0, 5}, {1, 0, 0, 0}, {0, 0, 1, 0}}};
    sn_body_teleport(body, &quarter);
    const drawn after = draw(body);
    for (int v = 0; v < after.count; ++v) {
        const float *p = before.positions + 3 * v, *n = before.normals + 3 * v;
        assert_true(fabs((double)(after.positions[3 * v] - (5 - p[1]))) < 3e-6);
        assert_true(fabs((double)(after.positions[3 * v + 1] - p[0])) < 3e-6);
        assert_true(fabs((double)(after.normals[3 * v] + n[1])) < 1e-5);
    }
    sn_body_set_rigid_pose(body, &identity);
    sn_body_reset(body);
    sn_body_tet_positions(body, flesh, COUNT);
    assert_true(distance_from(body, flesh) < 2e-6);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
}

static void what_has_no_flesh_of_its_own_is_refused(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_id coupled = hang(world);
    sn_embedding *embedding = embed(coupled);
    assert_int_equal(sn_body_set_embedding(coupled, NULL), SN_OK);
    assert_null(sn_body_embedding(coupled));
    sn_body_set_embedding(coupled, embedding);

    const sn_cook_handle ends[2] = {point("head", 0, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25)};
    const sn_cook_handles list = {.count = 2, .handles = ends};
    sn_cook_desc cook = cook_desc(&list);
    sn_blob blob;
    cook.is_coupled = false;
    cook.mode_count = 4;
    assert_int_equal(cook_tets(&cook, &blob), SN_OK);
    sn_body_desc desc = sn_default_body_desc();
    sn_embedding *other;
    desc.model = keep(blob);
    const sn_body_id reduced = create_body(world, &desc);
    assert_int_equal(sn_embedding_create(desc.model, &other), SN_OK);
    begin_log();
    assert_int_equal(sn_body_set_embedding(reduced, other), SN_ERROR_UNSUPPORTED);
    assert_one_error("no flesh of its own");
    assert_null(sn_body_embedding(reduced));
    sn_embedding_destroy(&other);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
}

/* The embedding was of the model before. */
static void another_rig_undoes_it(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_id body = hang(world);
    sn_embedding *embedding = embed(body);
    const sn_cook_handle middle = point("middle", 0.5 * LENGTH, 0.25, 0.25);
    run(world, 3);
    assert_int_equal(sn_body_set_model(body, cook_bar(&middle, 1)), SN_OK);
    assert_null(sn_body_embedding(body));
    run(world, 3);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
}

static void drawing_flesh_allocates_nothing(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_body_id body = hang(world);
    sn_embedding *embedding = embed(body);
    run(world, 2);
    allocation_count = 0;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    run(world, 3);
    const int during = allocation_count;
    sn_set_allocator(NULL, NULL, NULL);
    assert_int_equal(during, 0);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
}

int test_embedded_bodies(void)
{
    const struct CMUnitTest tests[] = {
        COUPLED_TEST(flesh_is_drawn_where_it_is),
        COUPLED_TEST(between_steps_it_is_between),
        COUPLED_TEST(a_call_of_two_steps_shows_the_last),
        COUPLED_TEST(resets_and_teleports_are_seen_at_once),
        COUPLED_TEST(what_has_no_flesh_of_its_own_is_refused),
        COUPLED_TEST(another_rig_undoes_it),
        COUPLED_TEST(drawing_flesh_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
