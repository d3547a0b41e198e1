/* SPDX-License-Identifier: MIT */
/* Colliders on bones from a cook: where they are, what feels them, and that it is kept out while the rest of the body
 * does not notice. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/import/animated_springs.h"
#include "author/import/read_character.h"
#include "host/contact/bone_collider.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/solver.h"
#include "tests/support/log.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

static bool has_bare_tip; /* what earR2 moves, earR1 does */

/* All lines of a cook. */
static char said[8192];

static void keep_line(sn_log_level level, const char *message, void *user)
{
    const size_t length = strlen(said);
    count_log(level, message, user);
    snprintf(said + length, sizeof said - length, "%s\n", message);
}

/* The mascot with springs in its ears, and what a VRM would say of them: spring 0 is of the right ear, which names no
 * collider but the last, twice; 1 of the left one, which names the first and the last. */
static sn_result cook_with(sn_cook_context *k, const sn_cook_desc *desc, sn_character_collider *colliders, int count)
{
    const int32_t members[] = {count - 1, count - 1, 0, count - 1};
    const sn_spring_group groups[] = {{0, count > 1 ? 2 : 0, -1}, {2, count > 1 ? 2 : 1, -1}};
    *k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_character_read(MASCOT, &k->arena, &k->sidecar, &k->character), SN_OK);
    k->has_character = true;
    for (int b = 0; b < k->character.bone_count; ++b) {
        k->character.springs[b].is_spring = strncmp(k->character.bone_names[b], "ear", 3) == 0;
        k->character.springs[b].spring = strncmp(k->character.bone_names[b], "earL", 4) == 0;
    }
    for (int i = 0; has_bare_tip && i < k->character.influence_starts[k->character.vertex_count]; ++i) {
        int32_t *bone = &k->character.influence_bones[i];
        *bone = strcmp(k->character.bone_names[*bone], "earR2") == 0 ? k->character.bone_parents[*bone] : *bone;
    }
    k->character.collider_count = count;
    k->character.colliders = colliders;
    k->character.spring_list = groups;
    k->character.spring_colliders = members;
    sn_springs_find_animated(&k->character);
    begin_log();
    said[0] = 0;
    sn_set_log(keep_line, NULL);
    const sn_result result = sn_cook_context_run(k, MASCOT, desc);
    sn_set_log(NULL, NULL);
    return result;
}

static sn_result cook(sn_cook_context *k, const sn_cook_desc *desc, sn_character_collider *collider)
{
    return cook_with(k, desc, collider, collider ? 1 : 0);
}

static sn_cook_desc quick(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 8;
    desc.cluster_count = 20;
    desc.tet_vertex_count = 1200;
    desc.soft_bones = SN_SOFT_BONES_SPRINGS;
    desc.young = 2e3; /* no trials */
    return desc;
}

static int find_bone(const sn_model *model, const char *name)
{
    int bone = 0;
    while (strcmp(sn_model_bone_name(model, bone), name) != 0) {
        ++bone;
    }
    return bone;
}

static float share_of(const sn_model *model, int sample, const char *prefix)
{
    const int32_t v = model->sample_vertices[sample];
    float share = 0;
    for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i) {
        const char *name = sn_model_bone_name(model, model->influences[i].bone);
        share += strncmp(name, prefix, strlen(prefix)) == 0 ? model->influences[i].weight : 0;
    }
    return share;
}

/* Samples of these bones, and they alone, feel the collider, no deeper than they are at rest; returns how many. */
static int check_felt(const sn_model *model, int collider, const char *prefix)
{
    const int count = sn_model_bone_collider_count(model);
    int felt = 0;
    sn_collider c;
    sn_bone_collider_bind(&model->bone_colliders[collider], &c);
    for (int s = 0; s < model->counts.sample_count; ++s) {
        const float clearance = model->sample_clearances[s * count + collider];
        const float *x = model->surface_positions + 3 * (size_t)model->sample_vertices[s];
        const double place[3] = {(double)x[0], (double)x[1], (double)x[2]};
        const double expected = fmin(sn_collider_distance(&c, place, NULL), 0);
        assert_true((clearance > -FLT_MAX) == (share_of(model, s, prefix) >= 0.5F));
        assert_true(!(clearance > -FLT_MAX) || fabs((double)clearance - expected) < 1e-6);
        felt += clearance > -FLT_MAX;
    }
    assert_int_equal(sn_model_get_bone_collider(model, collider).sample_count, felt);
    return felt;
}

/* Where the file's own place of a point is in the model. */
static void place_in_model(const sn_model *model, const double *point, double *place)
{
    const double origin[3] = {model->origin_x, model->origin_y, model->origin_z};
    for (int d = 0; d < 3; ++d) {
        place[d] = (point[d] - origin[d]) * model->scale;
    }
}

static void named_and_placed(void **state)
{
    (void)state;
    static const char *const left[] = {"earL1"};
    const sn_cook_collider given[] = {
        {.bone = "head", .shape = SN_COLLIDER_SPHERE, .offset = {0.1, 0.2, 0.05}, .radius = 0.1, .friction = 0.25},
        {.bone = "head",
         .shape = SN_COLLIDER_CAPSULE,
         .tail = {0, 0.4, 0},
         .radius = 0.05,
         .flesh = left,
         .flesh_count = 1},
        {.bone = "head", .shape = SN_COLLIDER_PLANE, .normal = {0, 0, 2}},
        {.bone = "nobody's", .shape = SN_COLLIDER_SPHERE, .radius = 1}};
    const double sizes[] = {0, 2};
    for (int i = 0; i < 2; ++i) {
        sn_cook_context k;
        sn_model *model = NULL;
        sn_cook_desc desc = quick();
        desc.colliders = given;
        desc.collider_count = 4;
        desc.size = sizes[i];
        assert_int_equal(cook(&k, &desc, NULL), SN_OK);
        assert_int_equal(logged.warnings, 2);
        assert_non_null(strstr(said, "colliders: no bone is called 'nobody's': 1 skipped\n"));
        assert_non_null(strstr(said, "contacts at rest, and a body has at most 128: other contacts may be missing\n"));
        assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
        assert_int_equal(sn_model_bone_collider_count(model), 3);
        assert_int_equal(k.report.bone_collider_count, 3);
        const sn_bone_collider *c = model->bone_colliders;
        const int head = find_bone(model, "head");
        double bind[12], point[3], place[3];
        memcpy(bind, k.character.bone_bind + 12 * head, sizeof bind);
        sn_affine_apply(bind, given[0].offset, point);
        place_in_model(model, point, place);
        for (int d = 0; d < 3; ++d) {
            assert_true(c[0].bone == head && fabs((double)c[0].transform[4 * d + 3] - place[d]) < 1e-6);
        }
        assert_true(fabs((double)c[0].radius - 0.1 * model->scale) < 1e-6 && c[0].friction == 0.25F);
        assert_true(fabs((double)c[1].half_height - 0.2 * model->scale) < 1e-6);
        assert_int_equal(c[2].shape, SN_COLLIDER_PLANE);
        assert_true(c[2].radius == 0);
        const int all = check_felt(model, 0, "ear"), ones = check_felt(model, 1, "earL");
        assert_true(ones > 30 && all > ones + 30);
        assert_int_equal(check_felt(model, 2, "ear"), all);
        sn_model_release(model);
        sn_cook_context_finish(&k);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void refused_and_absent(void **state)
{
    (void)state;
    const sn_cook_collider bad[] = {{.bone = NULL},
                                    {.bone = "head", .shape = SN_COLLIDER_BOX},
                                    {.bone = "head", .shape = SN_COLLIDER_SPHERE, .radius = -1},
                                    {.bone = "head", .shape = SN_COLLIDER_SPHERE, .radius = NAN},
                                    {.bone = "head", .shape = SN_COLLIDER_SPHERE, .offset = {0, INFINITY, 0}},
                                    {.bone = "head", .shape = SN_COLLIDER_SPHERE, .offset = {0, -1e9, 0}},
                                    {.bone = "head", .shape = SN_COLLIDER_CAPSULE, .tail = {0, 0, 1e9}},
                                    {.bone = "head", .shape = SN_COLLIDER_PLANE}};
    const sn_cook_collider ball = {.bone = "head", .shape = SN_COLLIDER_SPHERE, .radius = 0.1};
    sn_cook_context k, plain;
    sn_cook_desc desc = quick();
    desc.collider_count = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        desc.colliders = &bad[i];
        assert_int_equal(cook(&k, &desc, NULL), SN_ERROR_ARGUMENT);
        assert_one_error("collider 0 of the desc");
        sn_cook_context_finish(&k);
    }
    /* where no flesh is loose, none feels any: the same bytes */
    desc.colliders = &ball;
    desc.soft_bones = SN_SOFT_BONES_NONE;
    assert_int_equal(cook(&k, &desc, NULL), SN_OK);
    assert_one_warning("mascot.glb: no bone is soft: 1 colliders on bones are skipped");
    desc.collider_count = 0;
    assert_int_equal(cook(&plain, &desc, NULL), SN_OK);
    assert_int_equal(k.size, plain.size);
    assert_memory_equal(k.bytes, plain.bytes, k.size);
    sn_cook_context_finish(&k);
    sn_cook_context_finish(&plain);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* ---- left out ---- */

/* Cooks with those of the desc: the model loads, has `count` of them, and of warnings these words alone. */
static void check_left_out(const sn_cook_desc *desc, sn_character_collider *vrm, int count, const char *words)
{
    sn_cook_context k;
    sn_model *model = NULL;
    assert_int_equal(cook(&k, desc, vrm), SN_OK);
    if (logged.warnings != (words ? 1 : 0) || (words && !strstr(said, words))) {
        fail_msg("%d warnings: %s", logged.warnings, said);
    }
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_int_equal(sn_model_bone_collider_count(model), count);
    assert_int_equal(k.report.bone_collider_count, count);
    sn_model_release(model);
    sn_cook_context_finish(&k);
}

static void what_is_left_out_is_told(void **state)
{
    (void)state;
    static const char *const bare[] = {"earR2"};
    static const char *const held[] = {"legL1"}, *const absent[] = {"earL9", "earL1"};
    const sn_cook_collider far = {.bone = "head", .shape = SN_COLLIDER_SPHERE, .offset = {0, 9, 0}, .radius = 0.1};
    sn_cook_collider given[SN_BONE_COLLIDER_LIMIT + 1];
    sn_character_collider vrm = {.shape = SN_COLLIDER_PLANE, .is_flat = true};
    sn_cook_desc desc = quick();
    desc.colliders = given;
    for (int i = 0; i <= SN_BONE_COLLIDER_LIMIT; ++i) {
        given[i] = far;
    }
    desc.collider_count = SN_BONE_COLLIDER_LIMIT;
    check_left_out(&desc, NULL, SN_BONE_COLLIDER_LIMIT, NULL);
    desc.collider_count += 1;
    check_left_out(&desc, NULL, SN_BONE_COLLIDER_LIMIT, "on bone 'head': a model has at most 128 colliders: 1 skipped");
    desc.collider_count = 3;
    given[1].bone = "ears", given[2].bone = "nobody";
    check_left_out(&desc, NULL, 1, "colliders: no bone is called 'ears', and others: 2 skipped");
    desc.collider_count = 1;
    given[0].flesh = absent, given[0].flesh_count = 2;
    check_left_out(&desc, NULL, 1, "colliders: flesh: no bone is called 'earL9'");
    has_bare_tip = true;
    given[0].flesh = bare, given[0].flesh_count = 1;
    check_left_out(&desc, NULL, 0, "colliders: 1 skipped, since no sample of the flesh collides with them");
    has_bare_tip = false;
    given[0] = far;
    check_left_out(&desc, &vrm, 1, "its bind transform is singular, or a plane's normal is 0: 1 skipped");
    desc.size = 100; /* of a body of a few metres */
    given[0].radius = 9e8;
    check_left_out(&desc, NULL, 0, "on bone 'head': larger or farther away than 1e9 m: 1 skipped");
    given[0] = (sn_cook_collider){.bone = "head", .shape = SN_COLLIDER_SPHERE, .offset = {0, 9e8, 0}};
    check_left_out(&desc, NULL, 0, "on bone 'head': larger or farther away than 1e9 m: 1 skipped");
    /* what does not hang on it is not loose: two warnings, of the name and of the collider */
    sn_cook_context k;
    given[0] = far;
    given[0].flesh = held, given[0].flesh_count = 1;
    assert_int_equal(cook(&k, &desc, NULL), SN_OK);
    assert_int_equal(logged.warnings, 2);
    assert_non_null(strstr(said, "colliders: flesh: no soft bone is on 'legL1'\n"));
    assert_non_null(strstr(said, "'head': none of its flesh belongs to a soft bone: 1 skipped\n"));
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Of a VRM's three the second is nobody's, the others are of the springs that name them. */
static void springs_name_theirs(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_model *model = NULL;
    sn_character_collider vrm[3];
    sn_cook_desc desc = quick();
    for (int i = 0; i < 3; ++i) {
        vrm[i] = (sn_character_collider){.shape = SN_COLLIDER_SPHERE};
        sn_affine_identity(vrm[i].at_bind.transform);
        vrm[i].at_bind.radius = 0.01 * (i + 1);
        vrm[i].at_bind.transform[7] = 9;
    }
    assert_int_equal(cook_with(&k, &desc, vrm, 3), SN_OK);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_int_equal(sn_model_bone_collider_count(model), 2);
    assert_true(fabs((double)model->bone_colliders[1].radius - 0.03 * model->scale) < 1e-6);
    const int ones = check_felt(model, 0, "earL"), all = check_felt(model, 1, "ear");
    assert_true(all > ones + 30);
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* ---- in motion ---- */

typedef struct motion {
    double deepest, elsewhere; /* of what feels it, beyond where it may be; |flesh| of the rest, at most */
    double *last;              /* (sample_count x 3) */
} motion;

/* The head nods by .4 and stays. */
static void nod(const sn_model *model, bool is_without, motion *m)
{
    enum { FRAMES = 60 };
    const int bones = model->counts.bone_count, head = find_bone(model, "head");
    const double pivot[3] = {(double)model->bone_pivots[3 * head], (double)model->bone_pivots[3 * head + 1],
                             (double)model->bone_pivots[3 * head + 2]};
    double *pose = sn_alloc((size_t)bones, 12 * sizeof *pose);
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    desc.is_without_bone_colliders = is_without;
    desc.damping = 2;
    sn_model_rest_pose(model, pose);
    assert_int_equal(sn_reduced_solver_create(model, &desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int frame = 1; frame <= FRAMES; ++frame) {
        const double a = 0.5 * sin(fmin(frame / 8.0, 1) * 1.57), c = cos(a), s = sin(a);
        double turn[12] = {1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0}, moved[3];
        sn_affine_apply(turn, pivot, moved);
        for (int d = 0; d < 3; ++d) {
            turn[4 * d + 3] = pivot[d] - moved[d];
        }
        for (int b = 0; b < bones; ++b) {
            int at = b;
            while (at >= 0 && at != head) {
                at = sn_model_bone_parent(model, at);
            }
            if (at == head) {
                memcpy(pose + 12 * b, turn, sizeof turn);
            }
        }
        assert_false(sn_reduced_body_step(body, pose, NULL).is_recovered);
        sn_collider ball;
        sn_bone_collider_pose(&model->bone_colliders[0], turn, turn, &ball);
        for (int i = 0; i < model->counts.sample_count; ++i) {
            double rig[3], flesh[3], place[3];
            sn_sample_rig_position(model, (size_t)model->sample_vertices[i], body->rig, body->weights_before, rig);
            sn_sample_flesh_offset(model, i, body->coordinates, flesh);
            for (int d = 0; d < 3; ++d) {
                place[d] = m->last[3 * i + d] = rig[d] + flesh[d];
            }
            const double clearance = (double)model->sample_clearances[i];
            if (clearance > -1) {
                m->deepest = fmax(m->deepest, clearance - sn_collider_distance(&ball, place, NULL));
            } else if (share_of(model, i, "ear") == 0) {
                m->elsewhere = fmax(m->elsewhere, sn_length3(flesh));
            }
        }
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_free(pose, (size_t)bones, 12 * sizeof *pose);
}

/* A VRM's, behind the left ear, which swings back against it. */
static void ears_are_kept_out(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_model *model = NULL;
    sn_cook_desc desc = quick();
    assert_int_equal(cook(&k, &desc, NULL), SN_OK);
    const int ear = find_bone((assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK), model), "earL2");
    sn_character_collider ball = {.bone = find_bone(model, "head"), .shape = SN_COLLIDER_SPHERE};
    sn_affine_identity(ball.at_bind.transform);
    ball.at_bind.radius = 0.15;
    for (int d = 0; d < 3; ++d) {
        ball.at_bind.transform[4 * d + 3] = k.character.bone_bind[12 * ear + 4 * d + 3] + (d == 2   ? -0.25
                                                                                           : d == 1 ? -0.1
                                                                                                    : 0);
    }
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(cook(&k, &desc, &ball), SN_OK);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_int_equal(sn_model_bone_collider_count(model), 1);
    assert_true(check_felt(model, 0, "earL") > 30);
    const size_t size = 3 * (size_t)model->counts.sample_count;
    motion with = {.last = sn_alloc(size, sizeof(double))}, without = {.last = sn_alloc(size, sizeof(double))};
    assert_true(with.last && without.last);
    nod(model, true, &without);
    nod(model, false, &with);
    double changed = 0, others = 0;
    for (int i = 0; i < model->counts.sample_count; ++i) {
        const double distance = sn_distance3(with.last + 3 * i, without.last + 3 * i);
        changed = share_of(model, i, "earL") >= 0.5F ? fmax(changed, distance) : changed;
        others = share_of(model, i, "ear") == 0 ? fmax(others, distance) : others;
    }
    print_message(
        "deepest %.5f, without %.5f; flesh elsewhere %.5f, without %.5f, in the end %.5f apart, the ear %.5f\n",
        with.deepest, without.deepest, with.elsewhere, without.elsewhere, others, changed);
    assert_true(without.deepest > 5e-3 && with.deepest < 0.1 * without.deepest);
    assert_true(others < 0.05 * changed || others < 1e-4);
    sn_free(with.last, size, sizeof(double));
    sn_free(without.last, size, sizeof(double));
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_cooked_bone_colliders(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_and_placed), cmocka_unit_test(refused_and_absent),
                                       cmocka_unit_test(what_is_left_out_is_told),
                                       cmocka_unit_test(springs_name_theirs), cmocka_unit_test(ears_are_kept_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
