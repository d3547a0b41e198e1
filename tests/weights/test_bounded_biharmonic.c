/* SPDX-License-Identifier: MIT */
/* Bounded biharmonic weights on bars, cubes and strips, where symmetry, beams and a slow solver know the answers. */
#include "tests/weights/biharmonic_test.h"

#include "author/weights/harmonic.h"
#include "host/base/random.h"

/* ---- what is given ---- */

static void test_points_have_weight_one(void **state)
{
    (void)state;
    make_bar(8, 4, 4, 0.5);
    const double points[5][3] = {{0, 0, 0}, {4, 2, 2}, {2, 1, 1}, {4, 0, 0}, {0.1, 1.9, 0.1}};
    for (int j = 0; j < 5; ++j) {
        add_handle(SN_WEIGHT_HANDLE_POINT, points[j][0], points[j][1], points[j][2]);
    }
    build_well();
    assert_int_equal(r.report.pinned_count, 5);
    for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 5; ++k) {
            assert_true(weight(nearest(points[j][0], points[j][1], points[j][2]), k) == (j == k ? 1 : 0));
        }
    }
}

static void test_one_handle_takes_all(void **state)
{
    (void)state;
    make_bar(4, 2, 2, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 2, 1, 1);
    build_well();
    for (int v = 0; v < vertex_count(); ++v) {
        assert_true(weight(v, 0) == 1);
    }
}

static void test_bones_share_a_joint(void **state)
{
    (void)state;
    make_bar(12, 2, 2, 1);
    add_bone(0, 6, 1, 1, 0);
    add_bone(6, 12, 1, 1, 0);
    build_well();
    assert_int_equal(r.report.pinned_count, 13);
    for (int x = 0; x <= 12; ++x) {
        assert_near(weight(nearest(x, 1, 1), 0), x < 6 ? 1 : x > 6 ? 0 : 0.5, 1e-15);
    }
}

static void test_bone_with_radius(void **state)
{
    (void)state;
    make_bar(12, 2, 2, 1);
    add_bone(0, 3, 1, 1, 1.1);
    add_bone(9, 15, 1, 1, 0); /* the part that sticks out holds nothing */
    build_well();
    for (int v = 0; v < vertex_count(); ++v) {
        const double *x = position(v), off = hypot(x[1] - 1, x[2] - 1);
        const double distance = hypot(off, fmax(x[0] - 3, 0));
        assert_true(weight(v, 0) == 1 || distance > 1.1);
        assert_true(weight(v, 1) == 1 || off > 0 || x[0] < 9);
    }
}

static void test_mixed_handles(void **state)
{
    (void)state;
    make_bar(12, 2, 2, 1);
    add_bone(0, 6, 1, 1, 0);
    add_handle(SN_WEIGHT_HANDLE_POINT, 6, 1, 1); /* takes the bone's last vertex */
    add_handle(SN_WEIGHT_HANDLE_CAGE, 13, 1, 1); /* takes the nearest vertex */
    build_well();
    assert_true(weight(nearest(5, 1, 1), 0) == 1);
    assert_true(weight(nearest(6, 1, 1), 1) == 1);
    assert_true(weight(nearest(12, 1, 1), 2) == 1);
}

/* ---- cages ---- */

static void test_weights_are_linear_on_a_cage_in_the_plane(void **state)
{
    (void)state;
    static const int32_t edges[8] = {0, 1, 1, 3, 3, 2, 2, 0};
    make_strip(12, 2, 0.25);
    for (int j = 0; j < 4; ++j) {
        add_handle(SN_WEIGHT_HANDLE_CAGE, j % 2 * 3.0, j / 2 - 0.5, 0);
    }
    r.input.handles.cage_edge_count = 4;
    r.input.handles.cage_edges = edges;
    build_well();
    assert_int_equal(r.report.pinned_count, 2 * 13 + 2 * 3);
    for (int v = 0; v < vertex_count(); ++v) {
        const double x = position(v)[0] / 3, y = position(v)[1] + 0.5;
        if (v % 13 == 0 || v % 13 == 12 || v < 13 || v >= vertex_count() - 13) {
            assert_near(weight(v, 0), (1 - x) * (1 - y), 1e-12);
            assert_near(weight(v, 3), x * y, 1e-12);
        }
    }
}

static void test_weights_are_linear_on_a_cage(void **state)
{
    (void)state;
    static const int32_t faces[12] = {0, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6, 7};
    make_bar(12, 2, 2, 0.25);
    for (int j = 0; j < 8; ++j) {
        add_handle(SN_WEIGHT_HANDLE_CAGE, j / 4 * 3, j % 2 * 0.5, j / 2 % 2 * 0.5);
    }
    r.input.handles.cage_triangle_count = 4;
    r.input.handles.cage_triangles = faces;
    build_well();
    assert_int_equal(r.report.pinned_count, 18);
    assert_near(weight(nearest(0, 0.25, 0), 0), 0.5, 1e-12);
    assert_near(weight(nearest(3, 0.25, 0.25), 5), 0.5, 1e-12); /* the face's diagonal */
    assert_near(weight(nearest(3, 0.25, 0.25), 6), 0.5, 1e-12);
    assert_near(weight(nearest(3, 0.5, 0.25), 7), 0.5, 1e-12);
}

/* ---- known answers ---- */

/* Weights of a beam that is held at both ends: the second derivative is linear, and the ends, where (L w)^2 / m counts
 * too, take the first one to zero. */
static double beam_error(void)
{
    double largest = 0;
    build_well();
    for (int v = 0; v < vertex_count(); ++v) {
        const double t = position(v)[0];
        largest = fmax(largest, fabs(weight(v, 1) - t * t * (3 - 2 * t)));
    }
    return largest;
}

static void add_crossbar(double x, double low, double high, double z, double radius)
{
    add_bone(x, x, low, z, radius);
    r.handles[r.input.handles.count - 1].end[1] = high;
}

static double strip_error(int nx)
{
    const double size = 1.0 / nx;
    r.input.handles.count = 0;
    make_strip(nx, 2, size);
    add_crossbar(0, -2 * size, 2 * size, 0, 0);
    add_crossbar(1, -2 * size, 2 * size, 0, 0);
    return beam_error();
}

static double bar_error(int nx)
{
    const double size = 1.0 / nx;
    r.input.handles.count = 0;
    make_bar(nx, 3, 1, size);
    add_crossbar(0, 0, 3 * size, size / 2, 0.6 * size);
    add_crossbar(1, 0, 3 * size, size / 2, 0.6 * size);
    return beam_error();
}

static void test_beams(void **state)
{
    (void)state;
    assert_true(strip_error(20) < 0.003);
    assert_true(strip_error(60) < 0.003);
    r.input.triangles = NULL;
    assert_true(bar_error(20) < 0.003);
    assert_true(bar_error(60) < 0.003);
    assert_true(bar_error(800) < 0.003); /* too slender for float */
}

static void test_symmetric_mesh_gives_symmetric_weights(void **state)
{
    (void)state;
    enum { N = 7 };
    make_bar(N, N, N, 1.0 / N);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 0, 0);
    add_handle(SN_WEIGHT_HANDLE_POINT, 1, 1, 1);
    build_well();
    for (int v = 0; v < vertex_count(); ++v) {
        const int x = v % (N + 1), y = v / (N + 1) % (N + 1), z = v / (N + 1) / (N + 1);
        const int turned = (x * (N + 1) + z) * (N + 1) + y; /* cubes are cut alike along all axes */
        assert_near(weight(v, 0), weight(vertex_count() - 1 - v, 1), 1e-9);
        assert_near(weight(v, 0), weight(turned, 0), 1e-9);
    }
}

static void transform(double *x, double scale)
{
    const double c = cos(0.7), s = sin(0.7), y[3] = {x[0], c * x[1] - s * x[2], s * x[1] + c * x[2]};
    x[0] = scale * (c * y[0] - s * y[1]) + 3 * scale;
    x[1] = scale * (s * y[0] + c * y[1]) - 2 * scale;
    x[2] = scale * y[2];
}

static void test_weights_do_not_depend_on_unit_or_place(void **state)
{
    (void)state;
    make_bar(9, 3, 4, 0.1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 0, 0);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0.9, 0.3, 0.4);
    add_bone(0.3, 0.7, 0.1, 0.2, 0);
    add_bone(0.0, 0.1, 0.3, 0.4, 0.12);
    build_well();
    const double *before = r.weights;
    const sn_bounded_biharmonic_report report = r.report;
    for (int v = 0; v < vertex_count(); ++v) {
        transform(r.tets.positions + 3 * v, 1000);
    }
    for (int j = 0; j < r.input.handles.count; ++j) {
        transform(r.handles[j].start, 1000);
        transform(r.handles[j].end, 1000);
        r.handles[j].radius *= 1000;
    }
    build_well();
    assert_near(r.report.energy * 1000, report.energy, 1e-6 * report.energy); /* length^-1 */
    for (int i = 0; i < vertex_count() * r.input.handles.count; ++i) {
        assert_near(r.weights[i], before[i], 1e-6);
    }
}

/* Large enough for float, in units that leave its range. */
static void test_units_of_large_meshes(void **state)
{
    (void)state;
    const double *before = NULL;
    for (int i = 0; i < 3; ++i) {
        const double unit = i == 0 ? 1 : i == 1 ? 1e-12 : 1e15;
        make_bar(24, 7, 7, unit);
        r.input.handles.count = 0;
        add_handle(SN_WEIGHT_HANDLE_POINT, 3 * unit, 2 * unit, 4 * unit);
        add_handle(SN_WEIGHT_HANDLE_POINT, 14 * unit, 5 * unit, 1 * unit);
        add_bone(18 * unit, 23 * unit, 4 * unit, 4 * unit, 1.5 * unit);
        build_well();
        for (int k = 0; k < 3 * vertex_count() && before; ++k) {
            assert_near(r.weights[k], before[k], 1e-3);
        }
        before = before ? before : r.weights;
    }
}

/* ---- against other solvers ---- */

/* L M^-1 L, dense. */
static double *dense_bilaplacian(double *mass)
{
    const int n = r.tets.vertex_count;
    double *gradients = SN_NEW(&r.arena, double, 12 * r.tets.tet_count);
    double *volumes = SN_NEW(&r.arena, double, r.tets.tet_count);
    double *l = SN_NEW(&r.arena, double, n *n), *k = SN_NEW(&r.arena, double, n *n);
    sn_sparse sparse = {0};
    assert_true(gradients && volumes && l && k);
    sn_tet_gradients(&r.tets, gradients, volumes);
    sn_tet_lumped_mass(&r.tets, volumes, NULL, mass);
    assert_int_equal(sn_laplacian_build(&r.tets, gradients, volumes, NULL, NULL, &r.arena, &sparse), SN_OK);
    for (int c = 0; c < n; ++c) {
        for (int32_t i = sparse.column_starts[c]; i < sparse.column_starts[c + 1]; ++i) {
            l[sparse.rows[i] * n + c] = l[c * n + sparse.rows[i]] = sparse.values[i];
        }
    }
    for (int i = 0; i < n * n; ++i) {
        for (int m = 0; m < n; ++m) {
            k[i] += l[i / n * n + m] * l[m * n + i % n] / mass[m];
        }
    }
    return k;
}

/* K times fields (n x width). */
static void apply(const double *k, int n, int width, const double *fields, double *result)
{
    memset(result, 0, sizeof(double) * (size_t)(n * width));
    for (int i = 0; i < n * n; ++i) {
        for (int j = 0; j < width; ++j) {
            result[i / n * width + j] += k[i] * fields[i % n * width + j];
        }
    }
}

static double energy_of(const double *k, int n, int width, const double *fields, double *work)
{
    double sum = 0;
    apply(k, n, width, fields, work);
    for (int i = 0; i < n * width; ++i) {
        sum += fields[i] * work[i] / 2;
    }
    return sum;
}

/* Takes the row to the simplex by bisection of the shift. */
static void project(double *row, int width)
{
    double low = -10, high = 10;
    for (int step = 0; step < 60; ++step) {
        double sum = 0;
        for (int j = 0; j < width; ++j) {
            sum += fmax(row[j] - (low + high) / 2, 0);
        }
        *(sum > 1 ? &low : &high) = (low + high) / 2;
    }
    for (int j = 0; j < width; ++j) {
        row[j] = fmax(row[j] - high, 0);
    }
}

/* The largest eigenvalue of M^-1 K, from above. */
static double largest_eigenvalue(const double *k, const double *mass, int n, double *x, double *work)
{
    double value = 0;
    uint64_t seed = 1;
    for (int i = 0; i < n; ++i) {
        x[i] = sn_random_unit(&seed) - 0.5;
    }
    for (int step = 0; step < 200; ++step) {
        double square = 0, largest = 0;
        apply(k, n, 1, x, work);
        for (int i = 0; i < n; ++i) {
            work[i] /= mass[i];
            square += mass[i] * x[i] * x[i];
            largest += mass[i] * work[i] * work[i];
        }
        value = sqrt(largest / square);
        for (int i = 0; i < n; ++i) {
            x[i] = work[i] / value;
        }
    }
    return 1.1 * value;
}

/* Accelerated projected gradients (Beck, Teboulle 2009) in the metric M, restarted where they overshoot. */
static double slow_energy(const double *k, const double *mass, int n, int width, double *x)
{
    double *y = SN_NEW(&r.arena, double, n *width), *next = SN_NEW(&r.arena, double, n *width);
    double *slope = SN_NEW(&r.arena, double, n *width);
    assert_true(y && next && slope);
    const double step = 1 / largest_eigenvalue(k, mass, n, y, slope);
    double momentum = 1;
    memcpy(y, x, sizeof(double) * (size_t)(n * width));
    for (int iteration = 0; iteration < 6000; ++iteration) {
        double turn = 0;
        apply(k, n, width, y, slope);
        for (int v = 0; v < n; ++v) {
            const bool is_free = x[v * width] != 1 && x[v * width + 1] != 1 && x[v * width + 2] != 1;
            for (int j = 0; j < width; ++j) {
                next[v * width + j] = y[v * width + j] - (is_free ? step / mass[v] * slope[v * width + j] : 0);
            }
            project(next + v * width, width);
        }
        for (int i = 0; i < n * width; ++i) {
            turn += (y[i] - next[i]) * (next[i] - x[i]);
        }
        const double larger = turn > 0 ? 1 : (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
        for (int i = 0; i < n * width; ++i) {
            y[i] = next[i] + (turn > 0 ? 0 : (momentum - 1) / larger * (next[i] - x[i]));
            x[i] = next[i];
        }
        momentum = larger;
    }
    return energy_of(k, n, width, x, slope);
}

static void test_energy_is_nearly_the_least(void **state)
{
    (void)state;
    make_bar(6, 2, 2, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 1, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 3, 1, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 6, 0, 1);
    build_well();
    const int n = vertex_count(), width = 3;
    double *mass = SN_NEW(&r.arena, double, n), *start = SN_NEW(&r.arena, double, n *width);
    double *work = SN_NEW(&r.arena, double, n *width);
    assert_true(mass && start && work);
    const double *k = dense_bilaplacian(mass);
    assert_near(energy_of(k, n, width, r.weights, work), r.report.energy, 1e-9 * r.report.energy);
    for (int i = 0; i < n * width; ++i) { /* not from our own answer */
        const bool is_pin = weight(i / width, 0) == 1 || weight(i / width, 1) == 1 || weight(i / width, 2) == 1;
        start[i] = is_pin ? r.weights[i] : 1.0 / 3;
    }
    const double least = slow_energy(k, mass, n, width, start);
    assert_true(r.report.energy < 1.01 * least);
    assert_true(r.report.energy > 0.999 * least); /* the slow one came to its end */
}

static void test_smooth_at_points_and_local(void **state)
{
    (void)state;
    make_bar(18, 6, 6, 1);
    const double xs[3] = {3, 9, 15};
    bool *known = SN_NEW(&r.arena, bool, vertex_count());
    double *harmonic = SN_NEW(&r.arena, double, 3 * vertex_count());
    double *gradients = SN_NEW(&r.arena, double, 12 * r.tets.tet_count);
    double *volumes = SN_NEW(&r.arena, double, r.tets.tet_count);
    assert_true(known && harmonic && gradients && volumes);
    for (int j = 0; j < 3; ++j) {
        add_handle(SN_WEIGHT_HANDLE_POINT, xs[j], 3, 3);
        known[nearest(xs[j], 3, 3)] = true;
        harmonic[3 * nearest(xs[j], 3, 3) + j] = 1;
    }
    build_well();
    sn_tet_gradients(&r.tets, gradients, volumes);
    assert_int_equal(sn_harmonic_fill(&r.tets, gradients, volumes, known, 3, harmonic), SN_OK);
    const int beside = nearest(4, 3, 3), end = nearest(18, 3, 3);
    assert_true(harmonic[3 * beside] < 0.65); /* a spike */
    assert_true(weight(beside, 0) > 0.8);     /* a hill */
    assert_true(harmonic[3 * end] > 0.1);     /* leaks past the handle between */
    assert_true(weight(end, 0) < 0.02);       /* local */
    for (int x = 3; x < 9; ++x) {
        assert_true(weight(nearest(x, 3, 3), 0) > weight(nearest(x + 1, 3, 3), 0));
        assert_true(weight(nearest(x, 3, 3), 1) < weight(nearest(x + 1, 3, 3), 1));
    }
}

/* ---- components ---- */

/* The bar twice, the copy moved along x. */
static void double_bar(double distance)
{
    const sn_tet_mesh one = r.tets;
    const int n = one.vertex_count, t = one.tet_count;
    r.tets = (sn_tet_mesh){2 * n, 2 * t, SN_NEW(&r.arena, double, 6 * n), SN_NEW(&r.arena, int32_t, 8 * t), false};
    assert_true(r.tets.positions && r.tets.tets);
    for (int i = 0; i < 6 * n; ++i) {
        r.tets.positions[i] = one.positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 0 ? distance : 0);
    }
    for (int i = 0; i < 8 * t; ++i) {
        r.tets.tets[i] = one.tets[i % (4 * t)] + (i >= 4 * t ? n : 0);
    }
}

static void test_component_without_handle_is_rigid(void **state)
{
    (void)state;
    make_bar(6, 2, 2, 1);
    double_bar(10);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 1, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 6, 1, 1);
    build_well();
    assert_int_equal(r.report.component_count, 1);
    for (int v = vertex_count() / 2; v < vertex_count(); ++v) {
        assert_true(weight(v, 1) == 1);
    }
    assert_true(weight(nearest(3, 1, 1), 0) > 0.4);
}

static void test_components_do_not_mix(void **state)
{
    (void)state;
    make_bar(6, 2, 2, 1);
    double_bar(10);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 1, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 10, 1, 1);
    build_well();
    for (int v = 0; v < vertex_count(); ++v) {
        assert_near(weight(v, 0), v < vertex_count() / 2 ? 1 : 0, 1e-6);
    }
}

int test_bounded_biharmonic(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_points_have_weight_one, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_handle_takes_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bones_share_a_joint, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bone_with_radius, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mixed_handles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights_are_linear_on_a_cage_in_the_plane, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights_are_linear_on_a_cage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_beams, setup, teardown),
        cmocka_unit_test_setup_teardown(test_symmetric_mesh_gives_symmetric_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights_do_not_depend_on_unit_or_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_units_of_large_meshes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_energy_is_nearly_the_least, setup, teardown),
        cmocka_unit_test_setup_teardown(test_smooth_at_points_and_local, setup, teardown),
        cmocka_unit_test_setup_teardown(test_component_without_handle_is_rigid, setup, teardown),
        cmocka_unit_test_setup_teardown(test_components_do_not_mix, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
