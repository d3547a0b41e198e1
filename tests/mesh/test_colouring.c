/* SPDX-License-Identifier: MIT */
/* Colourings are valid, first fit reaches the largest valence on meshes, more than 64 colours work, and an edit changes
 * what it adds and removes alone. Colour counts of the real meshes are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/io/tets/tet_file.h"
#include "host/base/random.h"
#include "host/mesh/colouring.h"
#include "tests/support/bar.h"

static int largest_valence(const int32_t *vertices, int corner_count, int constraint_count, int vertex_count)
{
    sn_arena arena = {0};
    int *valence = SN_NEW(&arena, int, vertex_count), largest = 0;
    assert_non_null(valence);
    for (int i = 0; i < corner_count * constraint_count; ++i) {
        if (vertices[i] >= 0) {
            largest = ++valence[vertices[i]] > largest ? valence[vertices[i]] : largest;
        }
    }
    sn_arena_finish(&arena);
    return largest;
}

/* No two constraints of a colour share a vertex; sorting keeps all, and the order inside a colour. */
static void check(const int32_t *vertices, int corner_count, int count, const int32_t *colours,
                  const sn_colouring *colouring)
{
    sn_arena arena = {0};
    int32_t *starts = SN_NEW(&arena, int32_t, colouring->colour_count + 2), *order = SN_NEW(&arena, int32_t, count);
    int32_t *seen = SN_NEW(&arena, int32_t, colouring->vertex_count);
    assert_true(starts && order && seen);
    sn_colours_sort(colours, count, colouring->colour_count, starts, order);
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[colouring->colour_count + 1], count);
    assert_int_equal(starts[colouring->colour_count + 1] - starts[colouring->colour_count], colouring->serial_count);
    for (int c = 0; c <= colouring->colour_count; ++c) {
        assert_true(c == colouring->colour_count || colouring->sizes[c] == starts[c + 1] - starts[c]);
        for (int i = starts[c]; i < starts[c + 1]; ++i) {
            assert_int_equal(colours[order[i]], c == colouring->colour_count ? SN_COLOUR_SERIAL : c);
            assert_true(i == starts[c] || order[i] > order[i - 1]);
            for (int k = 0; k < corner_count && c < colouring->colour_count; ++k) {
                const int32_t v = vertices[corner_count * order[i] + k];
                assert_true(v < 0 || seen[v] != c + 1);
                seen[v < 0 ? 0 : v] = v < 0 ? seen[0] : c + 1;
            }
        }
    }
    sn_arena_finish(&arena);
}

static void colour(const char *name, const int32_t *vertices, int corner_count, int count, int vertex_count, int limit)
{
    sn_colouring colouring;
    int32_t *colours = sn_alloc((size_t)count, sizeof *colours);
    assert_int_equal(sn_colouring_init(&colouring, vertex_count, limit), SN_OK);
    assert_int_equal(sn_colouring_add_all(&colouring, vertices, corner_count, count, colours), SN_OK);
    check(vertices, corner_count, count, colours, &colouring);
    const int bound = largest_valence(vertices, corner_count, count, vertex_count);
    if (limit == 0) {
        assert_true(colouring.colour_count >= bound && colouring.serial_count == 0);
        printf("%s: %d constraints, %d colours, largest valence %d\n", name, count, colouring.colour_count, bound);
    } else {
        assert_true(colouring.colour_count <= limit);
    }
    sn_colouring_finish(&colouring);
    sn_free(colours, (size_t)count, sizeof *colours);
}

static void test_bars(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const int sizes[][3] = {{1, 1, 1}, {7, 5, 3}, {20, 9, 8}};
    for (int i = 0; i < 3; ++i) {
        const sn_tet_mesh bar = sn_test_bar(&arena, sizes[i][0], sizes[i][1], sizes[i][2], 1);
        for (int limit = 0; limit < 40; limit += 13) {
            colour("bar", bar.tets, 4, bar.tet_count, bar.vertex_count, limit);
        }
    }
    sn_arena_finish(&arena);
}

/* 300 constraints at one vertex: as many colours; with absent vertices of their own. */
static void test_many_colours(void **state)
{
    (void)state;
    int32_t vertices[3 * 300];
    for (int i = 0; i < 300; ++i) {
        vertices[3 * i] = 7;
        vertices[3 * i + 1] = i % 3 == 0 ? -1 : 10 + i;
        vertices[3 * i + 2] = -2;
    }
    colour("fan", vertices, 3, 300, 400, 0);
    colour("fan", vertices, 3, 300, 400, 64);
    colour("fan", vertices, 3, 300, 400, 130);
    sn_colouring c;
    int32_t colours[300];
    assert_int_equal(sn_colouring_init(&c, 400, 0), SN_OK);
    assert_int_equal(sn_colouring_add_all(&c, vertices, 3, 300, colours), SN_OK);
    assert_int_equal(c.colour_count, 300);
    sn_colouring_finish(&c);
}

/* Random edits: what stays keeps its colour, the colouring stays valid, and removed colours are used again. */
static void test_edits(void **state)
{
    (void)state;
    enum { MOST = 600, VERTICES = 60 };
    static int32_t vertices[4 * MOST], colours[MOST], before[MOST];
    bool is_there[MOST] = {false};
    uint64_t seed = 5;
    sn_colouring c;
    assert_int_equal(sn_colouring_init(&c, VERTICES, 90), SN_OK);
    for (int edit = 0; edit < 6000; ++edit) {
        const int i = (int)(MOST * sn_random_unit(&seed));
        memcpy(before, colours, sizeof before);
        if (is_there[i]) {
            sn_colouring_remove(&c, vertices + 4 * i, 4, colours[i]);
        } else {
            for (int k = 0; k < 4; ++k) {
                vertices[4 * i + k] = 15 * k + (int)(15 * sn_random_unit(&seed));
            }
            assert_int_equal(sn_colouring_add(&c, vertices + 4 * i, 4, &colours[i]), SN_OK);
        }
        is_there[i] = !is_there[i];
        before[i] = colours[i];
        assert_memory_equal(before, colours, sizeof before);
        if (edit % 100 == 0) {
            static int32_t kept[4 * MOST], kept_colours[MOST];
            int count = 0;
            for (int j = 0; j < MOST; ++j) {
                if (is_there[j]) {
                    memcpy(kept + 4 * count, vertices + 4 * j, 4 * sizeof *kept);
                    kept_colours[count++] = colours[j];
                }
            }
            check(kept, 4, count, kept_colours, &c);
        }
    }
    for (int i = 0; i < MOST; ++i) {
        if (is_there[i]) {
            sn_colouring_remove(&c, vertices + 4 * i, 4, colours[i]);
        }
    }
    assert_true(c.colour_count == 0 && c.serial_count == 0);
    for (int i = 0; i < VERTICES * c.word_count; ++i) {
        assert_true(c.used[i] == 0);
    }
    sn_colouring_finish(&c);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_real_meshes(void **state)
{
    (void)state;
    static const char *const names[] = {"cartoon_octopus/cartoon_octopus", "cd_fish/cd_fish", "dolphin/dolphin",
                                        "mantaray/mantaray", "elephant/elephant"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[512];
        sn_arena arena = {0};
        sn_source source;
        sn_tet_mesh mesh;
        snprintf(path, sizeof path, "%s/tet/%s.msh", SN_SHARED_DATA, names[i]);
        if (access(path, R_OK) == 0) {
            assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
            assert_int_equal(sn_msh_read(&source, &arena, &mesh), SN_OK);
            colour(names[i], mesh.tets, 4, mesh.tet_count, mesh.vertex_count, 0);
            ++found;
        }
        sn_arena_finish(&arena);
    }
    if (found == 0) {
        printf("no meshes in %s/tet: skipped\n", SN_SHARED_DATA);
        skip();
    }
}

int test_colouring(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bars), cmocka_unit_test(test_many_colours),
                                       cmocka_unit_test(test_edits), cmocka_unit_test(test_real_meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
