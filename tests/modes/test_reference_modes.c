/* SPDX-License-Identifier: MIT */
/* Leak, constraint and modes against whole reference runs of the method's authors, where the data is there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/platform/platform.h"
#include "tests/modes/modes_test.h"

static void *read_array(sn_arena *arena, const char *tag, const char *file, size_t element_size, size_t count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/reference/%s/%s", SN_SHARED_DATA, tag, file);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return NULL;
    }
    void *data = sn_arena_alloc(arena, count, element_size);
    const size_t read = data ? fread(data, element_size, count, stream) : 0;
    fclose(stream);
    assert_int_equal(read, count);
    return data;
}

static double *read_rows(sn_arena *arena, const char *tag, const char *file, size_t rows, size_t columns)
{
    const double *by_column = read_array(arena, tag, file, sizeof(double), rows * columns);
    double *by_row = SN_NEW(arena, double, rows *columns);
    assert_non_null(by_column);
    assert_non_null(by_row);
    for (size_t i = 0; i < rows * columns; i++) {
        by_row[i] = by_column[i % columns * rows + i / columns];
    }
    return by_row;
}

/* The largest distance in the mass norm of a reference mode from the span of the first `count` of ours: the sine of the
 * largest principal angle, or a little more. */
static double span_distance(const model *m, const double *reference, size_t count)
{
    const size_t n = (size_t)m->mesh.vertex_count, r = (size_t)m->modes.mode_count;
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        double along[64] = {0}, square = 0;
        for (size_t v = 0; v < n; v++) {
            for (size_t j = 0; j < count; j++) {
                along[j] += m->mass[v] * m->modes.weights[v * r + j] * reference[v * 16 + i];
            }
        }
        for (size_t v = 0; v < n; v++) {
            double rest = reference[v * 16 + i];
            for (size_t j = 0; j < count; j++) {
                rest -= m->modes.weights[v * r + j] * along[j];
            }
            square += m->mass[v] * rest * rest;
        }
        total += square;
    }
    return sqrt(total);
}

static double largest_difference(size_t count, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

static void compare_modes(model *m, const char *tag)
{
    const double *eigenvalues = read_array(&m->arena, tag, "E.f64", sizeof(double), 16);
    const double *weights = read_rows(&m->arena, tag, "W.f64", (size_t)m->mesh.vertex_count, 16);
    double worst = 0;
    for (int i = 0; i < 16; i++) {
        worst = fmax(worst, fabs(m->modes.eigenvalues[i] / eigenvalues[i] - 1));
        assert_near(m->modes.eigenvalues[i] / eigenvalues[i], 1, 1e-8);
    }
    for (size_t count = 1; count <= 16; count++) {
        const double gap = m->modes.eigenvalues[count] / m->modes.eigenvalues[count - 1] - 1;
        if (gap > .01) {
            assert_true(span_distance(m, weights, count) < 1e-6);
        }
    }
    print_message("%s: eigenvalues to %.1e, span of 16 to %.1e (gap %.1e)\n", tag, worst, span_distance(m, weights, 16),
                  m->modes.eigenvalues[16] / m->modes.eigenvalues[15] - 1);
}

static void compare_reference(const char *tag, int vertex_count, int tet_count, int bone_count, int rank)
{
    model m = {.mesh = {.vertex_count = vertex_count, .tet_count = tet_count}};
    const size_t n = (size_t)vertex_count;
    m.mesh.tets = read_array(&m.arena, tag, "T_rowmajor.i32", sizeof(int32_t), 4 * (size_t)tet_count);
    if (!m.mesh.tets) {
        print_message("%s: the reference data is not there\n", tag);
        skip();
    }
    m.mesh.positions = read_rows(&m.arena, tag, "V.f64", n, 3);
    assert_int_equal(sn_tet_mesh_validate(&m.mesh, tag, &m.arena, NULL), SN_OK);
    prepare(&m);
    const double *mass = read_array(&m.arena, tag, "mass.f64", sizeof(double), n);
    const double *leak = read_array(&m.arena, tag, "D.f64", sizeof(double), n);
    const double *weights = read_rows(&m.arena, tag, "Wrig.f64", n, (size_t)bone_count);
    for (size_t v = 0; v < n; v++) {
        assert_near(m.mass[v] / mass[v], 1, 1e-12);
    }
    const double start = sn_now();
    assert_int_equal(build_leak(&m), SN_OK);
    const double leaked = sn_now();
    assert_true(largest_difference(n, m.leak, leak) < 1e-8);
    const double constrain = sn_now();
    assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak, &(sn_constraint_rig){bone_count, weights, NULL},
                                         &m.arena, &m.constraint),
                     SN_OK);
    const double constrained = sn_now();
    assert_int_equal(m.constraint.row_count, rank);
    assert_int_equal(build_modes(&m, 16), SN_OK);
    print_message("%s: leak %.0f ms, constraint %.0f ms, modes %.0f ms\n", tag, 1e3 * (leaked - start),
                  1e3 * (constrained - constrain), 1e3 * (sn_now() - constrained));
    check_modes(&m);
    check_constraint(&m);
    assert_int_equal(build_modes(&m, 17), SN_OK); /* the last one for the gap */
    compare_modes(&m, tag);
    sn_arena_finish(&m.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void reference_elephant(void **state)
{
    (void)state;
    compare_reference("elephant_affine", 7842, 29011, 1, 10);
}

static void reference_dolphin(void **state)
{
    (void)state;
    compare_reference("dolphin_skel3", 7380, 27576, 3, 30);
}

int test_reference_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_elephant),
        cmocka_unit_test(reference_dolphin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
