/* SPDX-License-Identifier: MIT */
/* Pictures to lattices: what is opaque is covered, what a gap parts stays apart, what touches is joined, and odd
 * pictures work or say why they do not. */
#include <math.h>

#include "author/mesher/picture.h"
#include "author/mesher/sets.h"
#include "host/base/hash.h"
#include "tests/io/io_test.h"

#define MOST 1200

static uint8_t pixels[4 * MOST * MOST];

/* A clear picture. */
static sn_picture_input clear(int width, int height, int target)
{
    assert_true(width <= MOST && height <= MOST);
    memset(pixels, 0, sizeof pixels);
    return (sn_picture_input){"picture", width, height, pixels, target};
}

static void fill(const sn_picture_input *p, int x0, int y0, int x1, int y1, uint8_t alpha)
{
    for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
            pixels[4 * (y * p->width + x) + 3] = alpha;
        }
    }
}

static void fill_disc(const sn_picture_input *p, double cx, double cy, double radius, uint8_t alpha)
{
    for (int y = 0; y < p->height; ++y) {
        for (int x = 0; x < p->width; ++x) {
            if (hypot(x + 0.5 - cx, y + 0.5 - cy) < radius) {
                pixels[4 * (y * p->width + x) + 3] = alpha;
            }
        }
    }
}

static const double *corner(const sn_picture_mesh *m, int t, int k)
{
    return m->positions + 2 * (size_t)m->triangles[3 * t + k];
}

/* Twice the area, as seen with y up. */
static double turn(const double *a, const double *b, const double *c)
{
    return -((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

static bool is_inside(const sn_picture_mesh *m, int t, double x, double y)
{
    const double at[2] = {x, y};
    bool is_in = true;
    for (int k = 0; k < 3; ++k) {
        is_in = is_in && turn(corner(m, t, k), corner(m, t, (k + 1) % 3), at) >= -1e-9;
    }
    return is_in;
}

/* Sixty degrees everywhere, every opaque pixel in a triangle that has it as its own, and no vertex of none. */
static void check_mesh(const sn_picture_input *p, const sn_picture_mesh *m)
{
    uint8_t *owned = calloc((size_t)p->width * (size_t)p->height, 1), *used = calloc((size_t)m->vertex_count, 1);
    assert_true(owned && used && m->triangle_count > 0);
    for (int t = 0; t < m->triangle_count; ++t) {
        const double *a = corner(m, t, 0), *b = corner(m, t, 1), *c = corner(m, t, 2);
        const double area = turn(a, b, c), side = m->cell_size;
        assert_true(fabs(hypot(a[0] - b[0], a[1] - b[1]) - side) < 1e-9 * side + 1e-9);
        assert_true(fabs(hypot(a[0] - c[0], a[1] - c[1]) - side) < 1e-9 * side + 1e-9);
        assert_true(fabs(area - side * side * sqrt(0.75)) < 1e-6 * side * side);
        assert_true(m->fill[t] >= 0 && m->fill[t] <= 1);
        assert_true(m->segment_starts[t + 1] > m->segment_starts[t]);
        for (int i = m->segment_starts[t]; i < m->segment_starts[t + 1]; ++i) {
            const sn_picture_segment *s = &m->segments[i];
            assert_true(s->row >= 0 && s->row < p->height && s->first >= 0 && s->last < p->width &&
                        s->first <= s->last);
            for (int x = s->first; x <= s->last; ++x) {
                owned[s->row * p->width + x] |= is_inside(m, t, x + 0.5, s->row + 0.5);
            }
        }
        for (int k = 0; k < 3; ++k) {
            used[m->triangles[3 * t + k]] = 1;
        }
    }
    for (int i = 0; i < p->width * p->height; ++i) {
        assert_true(owned[i] || p->pixels[4 * i + 3] < 64);
    }
    for (int v = 0; v < m->vertex_count; ++v) {
        assert_true(used[v]);
    }
    free(owned);
    free(used);
}

/* How many pieces triangles make that share vertices. */
static int count_pieces(const sn_picture_mesh *m)
{
    int32_t *parents = malloc((size_t)m->vertex_count * sizeof *parents);
    int count = 0;
    assert_non_null(parents);
    sn_sets_start(parents, m->vertex_count);
    for (int t = 0; t < m->triangle_count; ++t) {
        sn_sets_union(parents, m->triangles[3 * t], m->triangles[3 * t + 1]);
        sn_sets_union(parents, m->triangles[3 * t], m->triangles[3 * t + 2]);
    }
    for (int v = 0; v < m->vertex_count; ++v) {
        count += parents[v] == v;
    }
    free(parents);
    return count;
}

static void build(const sn_picture_input *p, sn_arena *arena, sn_picture_mesh *m)
{
    begin_log();
    assert_int_equal(sn_picture_mesh_build(p, arena, m), SN_OK);
    assert_int_equal(logged.errors, 0);
    check_mesh(p, m);
}

static void the_count_is_met(void **state)
{
    (void)state;
    static const int targets[] = {200, 1500, 2500, 20000};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; ++i) {
        sn_arena arena = {0};
        sn_picture_mesh m;
        const sn_picture_input p = clear(800, 600, targets[i]);
        fill_disc(&p, 400, 300, 280, 255);
        build(&p, &arena, &m);
        assert_true(abs(m.vertex_count - targets[i]) <= targets[i] / 20);
        assert_int_equal(count_pieces(&m), 1);
        assert_int_equal(m.island_count, 1);
        double area = 0;
        int shared = 0;
        for (int t = 0; t < m.triangle_count; ++t) {
            area += m.fill[t] * m.cell_size * m.cell_size * sqrt(0.75) / 2;
            shared += t > 0 && m.cells[t] == m.cells[t - 1];
        }
        assert_int_equal(shared, 0); /* nothing is there twice */
        const double disc = 3.14159265358979 * 280 * 280;
        assert_true(fabs(area - disc) < 0.01 * disc);
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Steps over edges from the lower end of one leg to that of the other: over the crotch, not across the gap. */
static void legs_do_not_glue(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_picture_mesh m;
    const sn_picture_input p = clear(400, 900, 700);
    fill(&p, 50, 20, 350, 300, 255);
    fill(&p, 50, 300, 199, 880, 255); /* a gap of two pixels */
    fill(&p, 201, 300, 350, 880, 255);
    build(&p, &arena, &m);
    assert_int_equal(count_pieces(&m), 1);
    assert_true(m.cell_size > 10);
    int shared = 0;
    for (int t = 1; t < m.triangle_count; ++t) {
        shared += m.cells[t] == m.cells[t - 1];
    }
    assert_true(shared > 20);
    /* of vertices below the crotch's cells, none belongs to triangles of both legs' pixels */
    uint8_t *legs = calloc((size_t)m.vertex_count, 1);
    assert_non_null(legs);
    for (int t = 0; t < m.triangle_count; ++t) {
        for (int i = m.segment_starts[t]; i < m.segment_starts[t + 1]; ++i) {
            for (int k = 0; k < 3; ++k) {
                if (m.segments[i].row > 300 + 2 * m.cell_size) {
                    legs[m.triangles[3 * t + k]] |= m.segments[i].last < 200 ? 1 : 2;
                }
            }
        }
    }
    for (int v = 0; v < m.vertex_count; ++v) {
        assert_int_not_equal(legs[v], 3);
    }
    free(legs);
    sn_arena_finish(&arena);
}

/* A gap that is closed at both ends is a hole: larger than a cell it parts, smaller it does not matter. */
static void holes_are_kept(void **state)
{
    (void)state;
    for (int width = 1; width <= 101; width += 50) {
        sn_arena arena = {0};
        sn_picture_mesh m;
        const sn_picture_input p = clear(600, 600, 900);
        fill(&p, 50, 50, 550, 550, 255);
        fill(&p, 300 - width / 2, 150, 301 + width / 2, 450, 0);
        build(&p, &arena, &m);
        assert_int_equal(count_pieces(&m), 1);
        for (int t = 0; t < m.triangle_count; ++t) {
            assert_false(width > 1 && is_inside(&m, t, 300, 300));
        }
        sn_arena_finish(&arena);
    }
}

static void islands_are_joined_when_near(void **state)
{
    (void)state;
    static const struct {
        int gap, pieces;
    } cases[] = {{1, 1}, {60, 1}, {600, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_picture_mesh m;
        const sn_picture_input p = clear(1100, 200, 600);
        fill(&p, 10, 50, 200, 150, 255);
        fill(&p, 200 + cases[i].gap, 50, 390 + cases[i].gap, 150, 255);
        build(&p, &arena, &m);
        assert_int_equal(m.island_count, 2);
        assert_int_equal(m.piece_count, cases[i].pieces);
        assert_int_equal(count_pieces(&m), cases[i].pieces);
        sn_arena_finish(&arena);
    }
}

static void a_thousand_islands_hold_together(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_picture_mesh m;
    const sn_picture_input p = clear(1000, 800, 1500);
    for (int i = 0; i < 1000; ++i) {
        const int x = 25 * (i % 40), y = 32 * (i / 40);
        fill(&p, x + 3, y + 3, x + 10 + i % 7, y + 12 + i % 11, 255);
    }
    build(&p, &arena, &m);
    assert_int_equal(m.island_count, 1000);
    assert_int_equal(m.piece_count, 1);
    assert_int_equal(count_pieces(&m), 1);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void the_whole_rectangle_and_one_pixel_work(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_picture_mesh m;
    sn_picture_input p = clear(300, 200, 500);
    fill(&p, 0, 0, 300, 200, 255);
    build(&p, &arena, &m);
    assert_true(m.is_full);
    p = clear(64, 64, 0);
    fill(&p, 63, 0, 64, 1, 255);
    build(&p, &arena, &m);
    assert_false(m.is_full);
    assert_true(m.vertex_count >= 3 && m.vertex_count < 100);
    sn_arena_finish(&arena);
}

/* Half-covered pixels are the body's, halos are not. */
static void faint_pixels_are_nothing(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_picture_mesh m;
    const sn_picture_input p = clear(100, 100, 100);
    fill(&p, 0, 0, 100, 100, 63);
    begin_log();
    assert_int_equal(sn_picture_mesh_build(&p, &arena, &m), SN_ERROR_FORMAT);
    assert_one_error("picture: pixels: none is opaque");
    fill(&p, 20, 20, 80, 80, 64);
    build(&p, &arena, &m);
    sn_arena_finish(&arena);
}

/* Random dust, dense and thin: nothing is lost, and the same input gives the same bytes. */
static void noise_is_meshed_alike(void **state)
{
    (void)state;
    for (uint32_t density = 2; density < 60; density += 19) {
        uint64_t seed = 7, hashes[2];
        const sn_picture_input p = clear(301, 257, 900);
        for (int i = 0; i < p.width * p.height; ++i) {
            pixels[4 * i + 3] = next_random(&seed) % 100 < density ? 255 : 0;
        }
        for (int i = 0; i < 2; ++i) {
            sn_arena arena = {0};
            sn_picture_mesh m;
            build(&p, &arena, &m);
            assert_int_equal(count_pieces(&m), m.piece_count);
            hashes[i] = sn_hash(0, m.positions, 2 * (size_t)m.vertex_count * sizeof(double));
            hashes[i] = sn_hash(hashes[i], m.triangles, 3 * (size_t)m.triangle_count * sizeof(int32_t));
            sn_arena_finish(&arena);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static void limits_are_said(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_picture_mesh m;
    sn_picture_input p = clear(100, 100, SN_PICTURE_VERTEX_LIMIT + 1);
    begin_log();
    assert_int_equal(sn_picture_mesh_build(&p, &arena, &m), SN_ERROR_UNSUPPORTED);
    assert_one_error("picture: 200001 vertices");
    p.target_vertex_count = 100;
    p.width = SN_PICTURE_SIDE_LIMIT + 1;
    begin_log();
    assert_int_equal(sn_picture_mesh_build(&p, &arena, &m), SN_ERROR_UNSUPPORTED);
    assert_one_error("picture: 16385 x 100");
    sn_arena_finish(&arena);
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    const sn_picture_input p = clear(60, 40, 50);
    fill(&p, 5, 5, 25, 35, 255);
    fill(&p, 30, 5, 55, 35, 255);
    sn_result result = SN_ERROR_MEMORY;
    for (int count = 0; result != SN_OK && count < 1000; ++count) {
        int left = count;
        sn_arena arena = {0};
        sn_picture_mesh m;
        begin_log();
        sn_set_allocator(failing_alloc, failing_free, &left);
        result = sn_picture_mesh_build(&p, &arena, &m);
        sn_arena_finish(&arena);
        sn_set_allocator(NULL, NULL, NULL);
        assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
        assert_true((logged.errors > 0) == (result != SN_OK));
        assert_int_equal(sn_allocated_bytes(), 0);
    }
    assert_int_equal(result, SN_OK);
}

int test_picture(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_is_met),
        cmocka_unit_test(legs_do_not_glue),
        cmocka_unit_test(holes_are_kept),
        cmocka_unit_test(islands_are_joined_when_near),
        cmocka_unit_test(a_thousand_islands_hold_together),
        cmocka_unit_test(the_whole_rectangle_and_one_pixel_work),
        cmocka_unit_test(faint_pixels_are_nothing),
        cmocka_unit_test(noise_is_meshed_alike),
        cmocka_unit_test(limits_are_said),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
