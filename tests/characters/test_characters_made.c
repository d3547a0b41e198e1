/* SPDX-License-Identifier: MIT */
/* The project's own characters: closed bodies that stand on the ground, sound weights, texture charts that do not lie
 * on one another, clips that loop, the same bytes each time, and files that read back as what was written. */
#include "author/characters/characters.h"
#include "author/io/gltf/gltf_write.h"
#include "host/base/hash.h"
#include "host/mesh/tri_mesh.h"
#include "tests/io/io_test.h"

#include <math.h>

typedef sn_result build_function(sn_arena *arena, sn_scene_file *scene);

static const struct {
    const char *name;
    build_function *build;
    int clip_count;
    const char *clips[4];
} characters[] = {{"mascot", sn_mascot_build, 4, {"idle", "walk", "jump", "shake"}},
                  {"octopus", sn_octopus_build, 3, {"idle", "swim", "wave"}}};
enum { MASCOT, OCTOPUS, CHARACTER_COUNT };

/* Built once for all tests. */
static sn_arena arenas[CHARACTER_COUNT];
static sn_scene_file scenes[CHARACTER_COUNT];

static int build_all(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        if (characters[i].build(&arenas[i], &scenes[i]) != SN_OK) {
            return -1;
        }
    }
    return 0;
}

static int finish_all(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        sn_arena_finish(&arenas[i]);
    }
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

typedef struct edge {
    int32_t low, high;
    int32_t turn;
} edge;

static int by_ends(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->high > b->high) - (a->high < b->high);
}

/* Every edge has two triangles, which pass it in opposite directions; pieces without handles have V - E + F = 2. */
static void check_closed(const sn_scene_primitive *p, int piece_count)
{
    sn_arena scratch = {0};
    const size_t n = (size_t)p->vertex_count, count = 3 * (size_t)p->triangle_count;
    double *positions = SN_NEW(&scratch, double, 3 * n);
    int32_t *places = SN_NEW(&scratch, int32_t, n);
    edge *edges = SN_NEW(&scratch, edge, count);
    int place_count = 0;
    assert_true(positions && places && edges);
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (double)p->positions[i];
    }
    const sn_tri_mesh mesh = {p->vertex_count, p->triangle_count, positions, p->triangles};
    assert_int_equal(sn_tri_groups(&mesh, NULL, places, &place_count), SN_OK);
    for (size_t i = 0; i < count; ++i) {
        const int32_t from = places[p->triangles[i]], to = places[p->triangles[i - i % 3 + (i + 1) % 3]];
        assert_int_not_equal(from, to);
        edges[i] = (edge){from < to ? from : to, from < to ? to : from, from < to ? 1 : -1};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    for (size_t i = 0; i < count; i += 2) {
        assert_int_equal(by_ends(&edges[i], &edges[i + 1]), 0);
        assert_int_equal(edges[i].turn + edges[i + 1].turn, 0);
        assert_true(i + 2 >= count || by_ends(&edges[i], &edges[i + 2]) != 0);
    }
    assert_int_equal(place_count - (int)(count / 2) + p->triangle_count, 2 * piece_count);
    sn_arena_finish(&scratch);
}

static double signed_volume(const sn_scene_primitive *p)
{
    double volume = 0;
    for (int t = 0; t < p->triangle_count; ++t) {
        const float *a = p->positions + 3 * (size_t)p->triangles[3 * t];
        const float *b = p->positions + 3 * (size_t)p->triangles[3 * t + 1];
        const float *c = p->positions + 3 * (size_t)p->triangles[3 * t + 2];
        volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    return volume;
}

static void test_bodies_are_closed(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        const sn_scene_file *scene = &scenes[i];
        assert_int_equal(scene->primitive_count, 2);
        for (int k = 0; k < 2; ++k) {
            check_closed(&scene->primitives[k], k + 1);
            assert_true(signed_volume(&scene->primitives[k]) > 0);
        }
        const sn_scene_primitive *body = &scene->primitives[0];
        assert_in_range(body->vertex_count, 4000, 16000);
        float low = 1, high = 0;
        for (int v = 0; v < body->vertex_count; ++v) {
            low = fminf(low, body->positions[3 * v + 1]);
            high = fmaxf(high, body->positions[3 * v + 1]);
        }
        assert_true(fabsf(low) < 0.005F && high > 0.85F && high < 1.15F);
    }
}

static void test_weights(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        for (int k = 0; k < scenes[i].primitive_count; ++k) {
            const sn_scene_primitive *p = &scenes[i].primitives[k];
            assert_int_equal(p->influence_count, 4);
            for (int v = 0; v < p->vertex_count; ++v) {
                double sum = 0, square = 0;
                for (int j = 0; j < 4; ++j) {
                    assert_true(p->weights[4 * v + j] >= 0);
                    assert_in_range(p->joints[4 * v + j], 0, scenes[i].skins[0].joint_count - 1);
                    sum += (double)p->weights[4 * v + j];
                }
                for (int d = 0; d < 3; ++d) {
                    square += (double)p->normals[3 * v + d] * (double)p->normals[3 * v + d];
                }
                assert_true(sum == 1.0);
                assert_true(fabs(square - 1) < 1e-5);
            }
        }
    }
}

/* Of the octopus: what head and mantle alone move is softer than all else, and in between where they share it; they,
 * but the head, and the arms are loose. */
static void test_the_mantle_is_painted_softer(void **state)
{
    (void)state;
    const sn_scene_file *scene = &scenes[OCTOPUS];
    const sn_scene_primitive *body = &scene->primitives[0];
    int soft_count = 0, other_count = 0, soft_bone_count = 0;
    for (size_t v = 0; v < (size_t)body->vertex_count; ++v) {
        double on_mantle = 0;
        for (size_t i = 4 * v; i < 4 * (v + 1); ++i) {
            const sn_scene_node *bone = &scene->nodes[scene->skins[0].joints[body->joints[i]]];
            const bool is_soft = strcmp(bone->name, "head") == 0 || strcmp(bone->name, "mantle") == 0;
            on_mantle += is_soft ? (double)body->weights[i] : 0;
        }
        assert_true(fabs((double)body->paint[SN_PAINTED_STIFFNESS][v] - (1 - 0.89 * on_mantle)) < 1e-6);
        soft_count += on_mantle > 0.999;
        other_count += on_mantle < 0.001;
    }
    assert_true(soft_count > 1000 && other_count > 1000);
    for (int i = 0; i < scene->node_count; ++i) {
        const char *name = scene->nodes[i].name;
        assert_int_equal(scene->nodes[i].is_soft_bone, strncmp(name, "arm", 3) == 0 || strcmp(name, "mantle") == 0);
        soft_bone_count += scene->nodes[i].is_soft_bone;
    }
    assert_int_equal(soft_bone_count, 33);
    assert_null(scenes[MASCOT].primitives[0].paint[SN_PAINTED_STIFFNESS]);
}

static void test_clips_loop(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        const sn_scene_file *scene = &scenes[i];
        assert_int_equal(scene->clip_count, characters[i].clip_count);
        for (int k = 0; k < scene->clip_count; ++k) {
            assert_string_equal(scene->clips[k].name, characters[i].clips[k]);
            assert_true(scene->clips[k].channel_count > 0);
        }
        for (int k = 0; k < scene->channel_count; ++k) {
            const sn_scene_channel *c = &scene->channels[k];
            const size_t width = (size_t)c->width, last = width * (size_t)(c->key_count - 1);
            for (size_t d = 0; d < width; ++d) { /* a turn may come round as its negative */
                const bool is_turn = c->path == SN_PATH_ROTATION;
                const float difference =
                    is_turn ? fabsf(c->values[last + d]) - fabsf(c->values[d]) : c->values[last + d] - c->values[d];
                assert_true(difference == 0);
            }
            for (int key = 0; key < c->key_count && c->path == SN_PATH_ROTATION; ++key) {
                double square = 0;
                for (size_t d = 0; d < 4; ++d) {
                    square += (double)c->values[4 * (size_t)key + d] * (double)c->values[4 * (size_t)key + d];
                }
                assert_true(fabs(square - 1) < 1e-6);
            }
        }
    }
}

static float turn(const float *a, const float *b, const float *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* How many triangles hold the middle of each texel of a coarse picture: one at most. */
static void test_charts_do_not_overlap(void **state)
{
    enum { SIZE = 512 };
    static uint8_t counts[SIZE * SIZE];
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        const sn_scene_primitive *p = &scenes[i].primitives[0];
        memset(counts, 0, sizeof counts);
        int covered = 0, doubled = 0;
        for (int t = 0; t < p->triangle_count; ++t) {
            float at[3][2], low[2] = {1, 1}, high[2] = {0, 0};
            for (int k = 0; k < 3; ++k) {
                for (int d = 0; d < 2; ++d) {
                    at[k][d] = p->uvs[0][2 * p->triangles[3 * t + k] + d];
                    assert_true(at[k][d] > 0 && at[k][d] < 1);
                    low[d] = fminf(low[d], at[k][d]);
                    high[d] = fmaxf(high[d], at[k][d]);
                }
            }
            for (int y = (int)(low[1] * SIZE); y <= (int)(high[1] * SIZE); ++y) {
                for (int x = (int)(low[0] * SIZE); x <= (int)(high[0] * SIZE); ++x) {
                    const float middle[2] = {((float)x + 0.5F) / SIZE, ((float)y + 0.5F) / SIZE};
                    const float a = turn(at[0], at[1], middle), b = turn(at[1], at[2], middle);
                    const float c = turn(at[2], at[0], middle);
                    if ((a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0)) {
                        covered += counts[y * SIZE + x] == 0;
                        doubled += counts[y * SIZE + x]++ == 1;
                    }
                }
            }
        }
        print_message("%s: %.1f%% of its picture used, %d texels twice\n", characters[i].name,
                      100.0 * covered / (SIZE * SIZE), doubled);
        assert_true(covered > SIZE * SIZE / 3);
        assert_true(doubled <= covered / 2000); /* slivers at folds, of a texel */
    }
}

static const char *scratch_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", SN_BINARY_DIR, name);
    return path;
}

static uint64_t file_hash(const char *path)
{
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    const uint64_t hash = sn_hash(SN_HASH_SEED, source.bytes, source.size);
    sn_arena_finish(&arena);
    return hash;
}

/* As `sinew characters` wrote them before, in a process of its own. */
static void test_same_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        char made[1024];
        const char *path = scratch_path("character_bytes.glb");
        snprintf(made, sizeof made, "%s/characters/%s.glb", SN_BINARY_DIR, characters[i].name);
        assert_int_equal(sn_gltf_write(path, &scenes[i]), SN_OK);
        assert_true(file_hash(path) == file_hash(made));
        remove(path);
    }
}

static void check_primitive(const sn_scene_primitive *a, const sn_scene_primitive *b)
{
    const size_t n = (size_t)a->vertex_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->material, b->material);
    assert_memory_equal(a->positions, b->positions, 3 * n * sizeof(float));
    assert_memory_equal(a->normals, b->normals, 3 * n * sizeof(float));
    assert_memory_equal(a->uvs[0], b->uvs[0], 2 * n * sizeof(float));
    assert_memory_equal(a->weights, b->weights, 4 * n * sizeof(float));
    assert_memory_equal(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(int32_t));
    for (size_t k = 0; k < 4 * n; ++k) {
        assert_true(a->joints[k] == b->joints[k] || a->weights[k] == 0);
    }
    for (int k = 0; k < SN_PAINTED_COUNT; ++k) {
        assert_true(!a->paint[k] == !b->paint[k]);
        if (a->paint[k]) {
            assert_memory_equal(a->paint[k], b->paint[k], n * sizeof(float));
        }
    }
}

static void check_scene(const sn_scene_file *a, const sn_scene_file *b)
{
    assert_int_equal(a->node_count, b->node_count);
    for (int i = 0; i < a->node_count; ++i) {
        assert_string_equal(a->nodes[i].name, b->nodes[i].name);
        assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
        assert_memory_equal(a->nodes[i].local, b->nodes[i].local, sizeof a->nodes[i].local);
    }
    const size_t joints = (size_t)a->skins[0].joint_count;
    assert_memory_equal(a->skins[0].inverse_bind, b->skins[0].inverse_bind, 12 * joints * sizeof(double));
    assert_int_equal(a->primitive_count, b->primitive_count);
    for (int i = 0; i < a->primitive_count; ++i) {
        check_primitive(&a->primitives[i], &b->primitives[i]);
    }
    assert_int_equal(a->texture_count, b->texture_count);
    for (int i = 0; i < a->texture_count; ++i) {
        const size_t texels = (size_t)a->textures[i].width * (size_t)a->textures[i].height;
        assert_int_equal(a->textures[i].width, b->textures[i].width);
        assert_memory_equal(a->textures[i].pixels, b->textures[i].pixels, 4 * texels);
    }
    assert_int_equal(a->channel_count, b->channel_count);
    for (int i = 0; i < a->channel_count; ++i) {
        const sn_scene_channel *c = &a->channels[i], *d = &b->channels[i];
        assert_int_equal(c->key_count, d->key_count);
        assert_memory_equal(c->times, d->times, (size_t)c->key_count * sizeof(float));
        for (int k = 0; k < c->key_count * c->width; ++k) { /* the reader makes turns unit once more */
            assert_true(fabsf(c->values[k] - d->values[k]) <= 2e-7F);
        }
    }
}

static void test_files_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < CHARACTER_COUNT; ++i) {
        sn_arena arena = {0};
        sn_scene_file read;
        const char *path = scratch_path("character_read.glb");
        begin_log();
        assert_int_equal(sn_gltf_write(path, &scenes[i]), SN_OK);
        assert_int_equal(sn_scene_file_read(path, &arena, &read), SN_OK);
        assert_int_equal(logged.errors + logged.warnings, 0);
        check_scene(&scenes[i], &read);
        remove(path);
        sn_arena_finish(&arena);
    }
}

int test_characters_made(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_are_closed),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_clips_loop),
        cmocka_unit_test(test_charts_do_not_overlap),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_files_read_back),
        cmocka_unit_test(test_the_mantle_is_painted_softer),
    };
    return cmocka_run_group_tests(tests, build_all, finish_all);
}
