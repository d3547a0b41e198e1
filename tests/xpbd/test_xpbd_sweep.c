/* SPDX-License-Identifier: MIT */
/* Bits: one lane, baseline, AVX2 and AVX-512 alike, 1 to 8 threads alike, one golden hash for all compilers. And
 * batches: what they hold, through random edits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/xpbd/solver.h"
#include "tests/xpbd/xpbd_test.h"

#define GOLDEN_HASH UINT64_C(0x2c16e7df61817ab6)

#define LIMIT 4096
static double slots[3 * LIMIT];

typedef struct scene {
    sn_xpbd_shape shape;
    sn_xpbd_model *model;
} scene;

enum { SCENES = 5 };

/* Of a negative Poisson's ratio: tets have another pair. */
static void make_polar_scene(scene *s)
{
    s->shape = sn_xpbd_bar(5, 3, 2, 0.1);
    sn_xpbd_shape_material(&s->shape, 1e4, -0.4, 1000);
    s->model = sn_xpbd_shape_model(&s->shape);
}

/* Ragged counts; tets with volumes, legacy tets, triangles, legacy triangles, springs and bends. */
static void make_scenes(scene *scenes)
{
    static sn_xpbd_constraint volumes[37];
    scenes[0].shape = sn_xpbd_bar(7, 4, 3, 0.1);
    scenes[1].shape = sn_xpbd_bar(4, 3, 3, 0.1);
    scenes[2].shape = sn_xpbd_sheet(13, 7, 0.1);
    scenes[3].shape = sn_xpbd_sheet(5, 9, 0.1);
    scenes[4].shape = sn_xpbd_cloth(9, 7, 0.1);
    for (int k = 0; k < 37; ++k) {
        volumes[k] = (sn_xpbd_constraint){.type = SN_XPBD_VOLUME, .stiffness = 1e5};
        memcpy(volumes[k].vertices, scenes[0].shape.elements + 12 * k, sizeof volumes[k].vertices);
    }
    scenes[0].shape.desc.constraints = volumes;
    scenes[0].shape.desc.constraint_count = 37;
    scenes[1].shape.desc.is_legacy = scenes[3].shape.desc.is_legacy = true;
    for (int i = 0; i < SCENES; ++i) {
        scenes[i].model = sn_xpbd_shape_model(&scenes[i].shape);
    }
}

static void finish_scenes(scene *scenes)
{
    for (int i = 0; i < SCENES; ++i) {
        sn_xpbd_model_destroy(&scenes[i].model);
        sn_arena_finish(&scenes[i].shape.arena);
    }
}

static sn_xpbd_settings lively_settings(int sweeps)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    settings.damping = 1.5;
    settings.sweep_count = sweeps;
    settings.substep_count = 7;
    return settings;
}

static sn_xpbd_body *lively_body(const scene *s, const sn_xpbd_settings *settings)
{
    sn_xpbd_body *body = sn_xpbd_test_body(s->model, settings);
    const double impulse[3] = {0.5, -0.3, s->shape.desc.element_corners == 4 ? 0.7 : 0};
    assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
    assert_int_equal(sn_xpbd_body_pin(body, 3, 500), SN_OK);
    sn_xpbd_body_apply_impulse(body, 17, impulse);
    return body;
}

static sn_surroundings floor_and_ball(sn_collider *colliders)
{
    sn_collider_desc plane = sn_default_collider_desc(), ball = sn_default_collider_desc();
    plane.transform.m[1][3] = -0.3F;
    ball.shape = SN_COLLIDER_SPHERE;
    ball.radius = 0.2;
    ball.transform.m[0][3] = 0.5F;
    ball.transform.m[1][3] = -0.35F;
    assert_int_equal(sn_collider_init(&plane, &colliders[0]), SN_OK);
    assert_int_equal(sn_collider_init(&ball, &colliders[1]), SN_OK);
    return (sn_surroundings){.collider_count = 2, .colliders = colliders};
}

static uint64_t hash_places(uint64_t hash, const sn_xpbd_body *body, int vertex_count)
{
    sn_xpbd_body_positions(body, slots);
    return sn_hash(hash, slots, 3 * sizeof(double) * (size_t)vertex_count);
}

static uint64_t hash_run(scene *scenes, int count, sn_xpbd_instructions instructions, int sweeps)
{
    sn_collider colliders[2];
    const sn_surroundings surroundings = floor_and_ball(colliders);
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < count; ++i) {
        sn_xpbd_settings settings = lively_settings(sweeps);
        settings.instructions = instructions;
        sn_xpbd_body *body = lively_body(&scenes[i], &settings);
        for (int step = 0; step < 20; ++step) {
            sn_xpbd_run(body, &surroundings, 1);
            hash = hash_places(hash, body, scenes[i].shape.desc.vertex_count);
        }
        sn_xpbd_body_destroy(&body);
    }
    return hash;
}

static void test_instruction_sets_agree(void **state)
{
    (void)state;
    scene scenes[SCENES], polar;
    make_scenes(scenes);
    make_polar_scene(&polar);
    for (int sweeps = 1; sweeps < 4; sweeps += 2) {
        const uint64_t expected = hash_run(scenes, SCENES, SN_XPBD_SCALAR, sweeps);
        const uint64_t of_polar = hash_run(&polar, 1, SN_XPBD_SCALAR, sweeps);
        for (sn_xpbd_instructions i = SN_XPBD_BASELINE; i <= SN_XPBD_AVX512; ++i) {
            assert_true(hash_run(scenes, SCENES, i, sweeps) == expected);
            assert_true(hash_run(&polar, 1, i, sweeps) == of_polar);
        }
        if (sweeps == 1) {
            print_message("hash 0x%016llx\n", (unsigned long long)expected);
            assert_true(expected == GOLDEN_HASH);
        }
    }
    sn_xpbd_model_destroy(&polar.model);
    sn_arena_finish(&polar.shape.arena);
    finish_scenes(scenes);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Bodies of all scenes, three each, among workers: the bits of one worker; steps allocate nothing. */
static void test_threads_agree(void **state)
{
    (void)state;
    enum { BODIES = 3 * SCENES };
    scene scenes[SCENES];
    sn_collider colliders[2];
    const sn_surroundings surroundings = floor_and_ball(colliders);
    make_scenes(scenes);
    uint64_t expected = 0;
    for (int workers = 0; workers <= 8; workers = workers < 2 ? workers + 1 : 2 * workers) {
        sn_jobs *jobs = NULL;
        sn_xpbd_body *bodies[BODIES];
        sn_xpbd_report reports[BODIES];
        uint64_t hash = SN_HASH_SEED;
        int contacts = 0;
        if (workers > 0) {
            assert_int_equal(sn_jobs_create(workers, &jobs), SN_OK);
        }
        for (int i = 0; i < BODIES; ++i) {
            sn_xpbd_settings settings = lively_settings(1 + i / SCENES);
            bodies[i] = lively_body(&scenes[i % SCENES], &settings);
        }
        sn_xpbd_bodies_step(jobs, bodies, BODIES, &surroundings, reports);
        const size_t before = sn_allocated_bytes();
        for (int step = 0; step < 20; ++step) {
            sn_xpbd_bodies_step(jobs, bodies, BODIES, &surroundings, reports);
            for (int i = 0; i < BODIES; ++i) {
                contacts += reports[i].contact_count;
            }
        }
        assert_int_equal(sn_allocated_bytes(), before);
        assert_true(contacts > 100);
        for (int i = 0; i < BODIES; ++i) {
            hash = hash_places(hash, bodies[i], scenes[i % SCENES].shape.desc.vertex_count);
            sn_xpbd_body_destroy(&bodies[i]);
        }
        expected = workers == 0 ? hash : expected;
        assert_true(hash == expected);
        sn_jobs_destroy(&jobs);
    }
    finish_scenes(scenes);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* ---- batches ---- */

/* Lanes of a batch share no vertex, hold what was added, and the others are spare. */
static void check_batches(const sn_xpbd_batches *b, int count, const int32_t *vertices, const float *values,
                          const bool *is_there)
{
    int taken = 0;
    for (int batch = 0; batch < b->batch_count; ++batch) {
        const int32_t *corners = b->corners + (size_t)(batch * b->corner_count * SN_BATCH);
        for (int i = 0; i < b->corner_count * SN_BATCH; ++i) {
            const bool is_spare = i % SN_BATCH >= b->fill[batch];
            assert_true((corners[i] == 4 * b->spare) == is_spare);
            for (int j = 0; j < i && !is_spare; ++j) {
                assert_true(corners[i] != corners[j]);
            }
        }
        for (int i = 0; i < b->value_count * SN_BATCH; ++i) {
            assert_true(i % SN_BATCH < b->fill[batch] || b->values[batch * b->value_count * SN_BATCH + i] == 0);
        }
        taken += b->fill[batch];
    }
    for (int i = 0; i < count; ++i) {
        int32_t own[4];
        assert_true(sn_batches_vertices(b, i, own) == is_there[i]);
        taken -= is_there[i];
        if (is_there[i]) {
            const int place = b->slots[i];
            assert_memory_equal(own, vertices + b->corner_count * i, (size_t)b->corner_count * sizeof *own);
            for (int k = 0; k < b->value_count; ++k) {
                const int at = (place / SN_BATCH * b->value_count + k) * SN_BATCH + place % SN_BATCH;
                assert_true(b->values[at] == values[b->value_count * i + k]);
            }
        }
    }
    assert_int_equal(taken, 0);
}

static void test_batches(void **state)
{
    (void)state;
    enum { MOST = 3000, CORNERS = 3, VALUES = 2 };
    static int32_t vertices[CORNERS * MOST];
    static float values[VALUES * MOST];
    static bool is_there[MOST];
    uint64_t seed = 8;
    for (int spread = 6; spread < 4000; spread *= 5) { /* few vertices: more conflicts than open batches */
        sn_xpbd_batches b;
        const int built = 1234;
        int count = built;
        for (int i = 0; i < MOST; ++i) {
            for (int k = 0; k < CORNERS; ++k) {
                vertices[CORNERS * i + k] = spread * k + (int)(spread * sn_random_unit(&seed));
            }
            values[2 * i] = (float)i + 1;
            values[2 * i + 1] = (float)sn_random_unit(&seed) + 1;
            is_there[i] = i < built;
        }
        sn_batches_init(&b, CORNERS, VALUES, CORNERS * spread);
        assert_int_equal(sn_batches_build(&b, built, vertices, values, NULL, NULL), SN_OK);
        check_batches(&b, count, vertices, values, is_there);
        if (spread > 1000) {
            assert_true(b.batch_count <= built / SN_BATCH + 2);
        }
        for (int edit = 0; edit < 2500; ++edit) {
            const int i = (int)(count * sn_random_unit(&seed));
            if (edit % 3 == 0 && count < MOST) {
                int32_t number = -1;
                assert_int_equal(sn_batches_add(&b, vertices + CORNERS * count, values + VALUES * count, &number),
                                 SN_OK);
                assert_int_equal(number, count);
                is_there[count++] = true;
            } else if (is_there[i]) {
                sn_batches_remove(&b, i);
                is_there[i] = false;
            }
        }
        check_batches(&b, count, vertices, values, is_there);
        sn_batches_finish(&b);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Elements lie in strips, a batch after the other; who forgets that, and loads all corners, comes to the same. */
static void test_strips(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        sn_xpbd_shape shape = dimension == 2 ? sn_xpbd_sheet(31, 17, 0.05) : sn_xpbd_bar(12, 6, 5, 0.1);
        sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
        sn_xpbd_batches *b = &model->elements;
        int joined_count = 0;
        for (int batch = 1; batch < b->batch_count; ++batch) {
            const int32_t *own = b->corners + batch * b->corner_count * SN_BATCH,
                          *last = own - b->corner_count * SN_BATCH;
            joined_count += b->changed_corners[batch] >= 0;
            for (int i = 0; i < b->corner_count * SN_BATCH && b->changed_corners[batch] >= 0; ++i) {
                const bool is_new = i / SN_BATCH == b->changed_corners[batch] && i % SN_BATCH < b->fill[batch];
                assert_true((own[i] == last[i]) == !is_new);
            }
        }
        print_message("%d of %d batches are joined\n", joined_count, b->batch_count);
        assert_true(5 * joined_count > 2 * b->batch_count);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[1] = -9.8;
        uint64_t hashes[2][SN_XPBD_AVX512 + 1];
        for (int i = 0; i < 2; ++i) {
            for (int set = SN_XPBD_SCALAR; set <= SN_XPBD_AVX512; ++set) {
                settings.instructions = (sn_xpbd_instructions)set;
                settings.sweep_count = 1 + set % 2;
                sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
                assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
                sn_xpbd_run(body, NULL, 9);
                hashes[i][set] = hash_places(SN_HASH_SEED, body, shape.desc.vertex_count);
                sn_xpbd_body_destroy(&body);
            }
            memset(b->changed_corners, -1, (size_t)b->batch_count * sizeof *b->changed_corners);
        }
        assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

/* How many elements wait for one another, at most, in the order of the sweep. */
static int longest_chain(const sn_xpbd_model *model)
{
    const sn_xpbd_batches *b = &model->elements;
    static int lengths[4096];
    int longest = 0;
    memset(lengths, 0, sizeof lengths);
    assert_true(model->row_count <= 4096);
    for (int batch = 0; batch < b->batch_count; ++batch) {
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            const int32_t *corners = b->corners + (batch * b->corner_count) * SN_BATCH + lane;
            int length = 0;
            for (int k = 0; k < b->corner_count; ++k) {
                length = max_of(length, lengths[corners[SN_BATCH * k] / 4] + 1);
            }
            for (int k = 0; k < b->corner_count; ++k) {
                lengths[corners[SN_BATCH * k] / 4] = length;
            }
            longest = max_of(longest, length);
        }
    }
    return longest;
}

/* By colours chains are about as long as the most elements of a vertex; along the curve they are longer. Numbers of
 * constraints stay, and a body moves alike: a sweep in another order is off by what a sweep leaves undone. */
static void test_colours(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(12, 6, 5, 0.1), coloured = bar;
    coloured.desc.is_coloured = true;
    sn_xpbd_model *models[2] = {sn_xpbd_shape_model(&bar), sn_xpbd_shape_model(&coloured)};
    const int chains[2] = {longest_chain(models[0]), longest_chain(models[1])};
    print_message("%d tets, chains: %d along the curve, %d by colours\n", bar.desc.element_count, chains[0], chains[1]);
    assert_true(chains[1] <= 36 && 2 * chains[1] < chains[0]);
    sn_xpbd_energy energies[2];
    for (int i = 0; i < 2; ++i) {
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[1] = -9.8;
        settings.damping = 2;
        sn_xpbd_body *body = sn_xpbd_test_body(models[i], &settings);
        for (int v = 0; v < bar.desc.vertex_count; ++v) {
            if (bar.positions[3 * v] == 0) {
                assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
            }
        }
        sn_xpbd_model_remove_element(models[i], 17);
        assert_int_equal(sn_xpbd_model_counts(models[i]).element_count, bar.desc.element_count - 1);
        sn_xpbd_run(body, NULL, 120);
        energies[i] = sn_xpbd_body_energy(body);
        sn_xpbd_body_destroy(&body);
    }
    print_message("elastic %g %g\n", energies[0].elastic, energies[1].elastic);
    assert_true(fabs(energies[1].elastic / energies[0].elastic - 1) < 0.02);
    sn_xpbd_model_destroy(&models[0]);
    sn_xpbd_model_destroy(&models[1]);
    sn_arena_finish(&bar.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_xpbd_sweep(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instruction_sets_agree),
                                       cmocka_unit_test(test_threads_agree), cmocka_unit_test(test_batches),
                                       cmocka_unit_test(test_strips), cmocka_unit_test(test_colours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
