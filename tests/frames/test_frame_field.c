/* SPDX-License-Identifier: MIT */
/* Frames in tets: along what the lines say, whatever the lines' directions, never a reflection, in every piece. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/frames/frame_field.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"

#define PLACES 31
#define RADIUS 2.0

static sn_arena arena;

static void assert_rotations(const double *frames, int count)
{
    for (int t = 0; t < count; ++t) {
        const double *r = frames + 9 * t;
        const double det = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                           r[2] * (r[3] * r[7] - r[4] * r[6]);
        double off = 0;
        for (int i = 0; i < 9; ++i) {
            const int a = i / 3, b = i % 3;
            off = fmax(off, fabs(r[a] * r[b] + r[3 + a] * r[3 + b] + r[6 + a] * r[6 + b] - (a == b)));
        }
        assert_true(off < 1e-12 && fabs(det - 1) < 1e-12);
    }
}

/* Along x at (y, z), one way or the other, turned about itself. */
static sn_frame_line straight_line(double y, double z, bool is_back, double angle)
{
    double *points = SN_NEW(&arena, double, 3 * PLACES), *frames = SN_NEW(&arena, double, 9 * PLACES);
    const double way = is_back ? -1 : 1, c = cos(angle), s = sin(angle);
    const double frame[9] = {way, 0, 0, 0, way * c, -s, 0, way * s, c};
    assert_true(points && frames);
    for (int i = 0; i < PLACES; ++i) {
        points[3 * i] = 3.0 * i / (PLACES - 1);
        points[3 * i + 1] = y;
        points[3 * i + 2] = z;
        memcpy(frames + 9 * i, frame, sizeof frame);
    }
    return (sn_frame_line){PLACES, points, frames, 0.11};
}

static double *build(const sn_tet_mesh *mesh, const sn_frame_line *lines, int count, sn_frame_field_report *report)
{
    double *frames = SN_NEW(&arena, double, 9 * mesh->tet_count);
    assert_int_equal(sn_frame_field_build(mesh, lines, count, frames, report), SN_OK);
    assert_rotations(frames, mesh->tet_count);
    return frames;
}

static void test_one_line_is_everywhere(void **state)
{
    (void)state;
    const sn_tet_mesh mesh = sn_test_bar(&arena, 15, 3, 3, 0.2);
    const sn_frame_line line = straight_line(0.3, 0.3, false, 0.4);
    sn_frame_field_report report;
    const double *frames = build(&mesh, &line, 1, &report);
    assert_int_equal(report.known_count, 1); /* none so near: the nearest */
    for (int i = 0; i < 9 * mesh.tet_count; ++i) {
        assert_true(fabs(frames[i] - line.frames[i % 9]) < 1e-12);
    }
    const sn_frame_line on_vertices = straight_line(0.2, 0.2, false, 0.4);
    build(&mesh, &on_vertices, 1, &report);
    assert_int_equal(report.known_count, 16);
    sn_arena_finish(&arena);
}

/* Lines one against the other are the same fibres: nothing between them is turned. */
static void test_directions_do_not_matter(void **state)
{
    (void)state;
    const sn_tet_mesh mesh = sn_test_bar(&arena, 15, 6, 3, 0.2);
    const sn_frame_line lines[2] = {straight_line(0, 0.2, false, 0), straight_line(1.2, 0.2, true, 0)};
    sn_frame_field_report report;
    const double *frames = build(&mesh, lines, 2, &report);
    assert_int_equal(report.known_count, 2 * 16);
    for (int t = 0; t < mesh.tet_count; ++t) {
        assert_true(fabs(fabs(frames[9 * t]) - 1) < 1e-9);
    }
    /* and lines that are turned against each other by half a radian are so by a half of that half way */
    const sn_frame_line turned[2] = {straight_line(0, 0.2, false, 0), straight_line(1.2, 0.2, true, 0.5)};
    frames = build(&mesh, turned, 2, &report);
    double least = 1, most = -1;
    for (int t = 0; t < mesh.tet_count; ++t) {
        const double angle = atan2(frames[9 * t + 7], frames[9 * t + 4]);
        const double turn = angle - 3.14159265358979323846 * round(angle / 3.14159265358979323846);
        least = fmin(least, turn);
        most = fmax(most, turn);
        assert_true(fabs(fabs(frames[9 * t]) - 1) < 1e-9);
    }
    assert_true(most - least > 0.4 && most - least < 0.51);
    sn_arena_finish(&arena);
}

/* A bar bent to a quarter of a ring, an arc along its inner edge: fibres go around. */
static void test_fibres_follow_a_bend(void **state)
{
    (void)state;
    sn_tet_mesh mesh = sn_test_bar(&arena, 30, 4, 2, 0.1);
    const double turn = 1.5707963267948966 / 3;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        double *x = mesh.positions + 3 * v;
        const double angle = turn * x[0], radius = RADIUS - x[1];
        x[0] = radius * cos(angle);
        x[1] = radius * sin(angle);
    }
    double points[3 * PLACES], arc[9 * PLACES] = {0};
    for (int i = 0; i < PLACES; ++i) {
        const double angle = turn * 3 * i / (PLACES - 1), c = cos(angle), s = sin(angle);
        const double frame[9] = {-s, -c, 0, c, -s, 0, 0, 0, 1},
                     point[3] = {(RADIUS - 0.4) * c, (RADIUS - 0.4) * s, 0.1};
        memcpy(arc + 9 * i, frame, sizeof frame);
        memcpy(points + 3 * i, point, sizeof point);
    }
    const sn_frame_line line = {PLACES, points, arc, 0.02};
    sn_frame_field_report report;
    const double *frames = build(&mesh, &line, 1, &report);
    assert_int_equal(report.known_count, 31);
    for (int t = 0; t < mesh.tet_count; ++t) {
        double middle[3] = {0};
        for (int i = 0; i < 12; ++i) {
            middle[i % 3] += mesh.positions[3 * mesh.tets[4 * t + i / 3] + i % 3] / 4;
        }
        const double radius = hypot(middle[0], middle[1]);
        const double along = (-frames[9 * t] * middle[1] + frames[9 * t + 3] * middle[0]) / radius;
        const double place = atan2(middle[1], middle[0]), error = acos(fmin(fabs(along), 1));
        assert_true(fabs(frames[9 * t + 8]) > 1 - 1e-9);
        /* ends do not know that the ring goes on */
        assert_true(error < (place > 0.6 && place < 0.97 ? 0.02 : 0.2));
    }
    sn_arena_finish(&arena);
}

/* Two bars: what lies beside has the frames of the line's nearest place. */
static void test_every_piece_has_frames(void **state)
{
    (void)state;
    const sn_tet_mesh bar = sn_test_bar(&arena, 4, 1, 1, 0.5);
    const size_t n = (size_t)bar.vertex_count, t = (size_t)bar.tet_count;
    sn_tet_mesh two = {.vertex_count = (int)(2 * n),
                       .tet_count = (int)(2 * t),
                       .positions = SN_NEW(&arena, double, 6 * n),
                       .tets = SN_NEW(&arena, int32_t, 8 * t)};
    for (size_t i = 0; i < 6 * n; ++i) {
        two.positions[i] = bar.positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 0 ? 10 : 0);
    }
    for (size_t i = 0; i < 8 * t; ++i) {
        two.tets[i] = bar.tets[i % (4 * t)] + (i >= 4 * t ? (int32_t)n : 0);
    }
    const double points[6] = {0, 0, 0, 2, 0, 0}, frames[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0};
    const sn_frame_line line = {2, points, frames, 0.1};
    sn_frame_field_report report;
    const double *found = build(&two, &line, 1, &report);
    for (size_t i = 0; i < t; ++i) {
        for (size_t j = 0; j < 9; ++j) {
            assert_true(fabs(found[9 * (t + i) + j] - frames[9 + j]) < 1e-9);
        }
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_signs_change_in_pairs(void **state)
{
    (void)state;
    const double signs[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, size = sqrt(1 + 0.04 + 0.09 + 0.49);
    const double like[4] = {0.2 / size, -0.3 / size, 0.7 / size, 1 / size};
    double axes[9];
    sn_quaternion_to_matrix(like, axes);
    for (int i = 0; i < 8; ++i) {
        double frame[9], q[4], aligned[4];
        for (int j = 0; j < 9; ++j) {
            frame[j] = signs[i / 2][j % 3] * axes[j];
        }
        sn_quaternion_from_matrix(frame, q);
        for (int j = 0; j < 4; ++j) {
            q[j] *= i % 2 ? -1 : 1;
        }
        sn_frame_align(like, q, aligned);
        for (int j = 0; j < 4; ++j) {
            assert_true(fabs(aligned[j] - like[j]) < 1e-14);
        }
    }
}

int test_frame_field(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_change_in_pairs),    cmocka_unit_test(test_one_line_is_everywhere),
        cmocka_unit_test(test_directions_do_not_matter), cmocka_unit_test(test_fibres_follow_a_bend),
        cmocka_unit_test(test_every_piece_has_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
