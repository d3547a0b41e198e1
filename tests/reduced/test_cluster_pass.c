/* SPDX-License-Identifier: MIT */
/* The polar decomposition against its definition, and the cluster pass: every instruction set against baseline to the
 * bit, float against double, and one golden hash for all compilers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/arena.h"
#include "host/base/hash.h"
#include "host/reduced/kernels/cluster_pass.h"

#define HOOKEAN_HASH UINT64_C(0xe8b790ec7675b177)
#define POSED_HASH UINT64_C(0xa1953e5fc31fdcfd)
#define VOLUME_HASH UINT64_C(0x5fcb8ed62266e465)
#define LIMIT_HASH UINT64_C(0x4fbc2534b7e612c1)
#define HOOKEAN_LIMIT_HASH UINT64_C(0x712f64431e23f760)
#define POSED_LIMIT_HASH UINT64_C(0xf75eadd5ef3bdbef)
#define PASS_HASH UINT64_C(0x7c6c55fb91f61d58)

static uint64_t random_state = 12345;

static double random_signed(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) * 0x1p-52 - 1;
}

static double det3(const double *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* R is a rotation, and S = R^T F is symmetric with at most one negative eigenvalue, smallest in magnitude: then R is
 * the proper rotation nearest to F (tr S 1 - S has no negative eigenvalue). */
static void check_polar(const double *f, const double *r, double tolerance)
{
    double norm = 0, s[9];
    for (int i = 0; i < 9; ++i) {
        norm = fmax(norm, fabs(f[i]));
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double rr = 0;
            s[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) {
                rr += r[3 * k + i] * r[3 * k + j];
                s[3 * i + j] += r[3 * k + i] * f[3 * k + j];
            }
            assert_true(fabs(rr - (i == j)) < tolerance);
        }
    }
    assert_true(fabs(det3(r) - 1) < tolerance);
    assert_true(fabs(s[1] - s[3]) <= tolerance * norm && fabs(s[2] - s[6]) <= tolerance * norm &&
                fabs(s[5] - s[7]) <= tolerance * norm);
    const double trace = s[0] + s[4] + s[8];
    const double h[9] = {trace - s[0], -s[1], -s[2], -s[3], trace - s[4], -s[5], -s[6], -s[7], trace - s[8]};
    const double slack = -10 * tolerance * norm;
    assert_true(h[0] >= slack && h[4] >= slack && h[8] >= slack && det3(h) >= slack * norm * norm);
    assert_true(h[0] * h[4] - h[1] * h[3] >= slack * norm);
}

/* Kinds of matrices that clusters meet: near the identity, any, inverted, flattened, rank one, scaled. */
static void make_matrix(int kind, double *f)
{
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = random_signed();
        b[i] = random_signed();
    }
    for (int i = 0; i < 9; ++i) {
        f[i] = random_signed();
        if (kind == 0) {
            f[i] = (i % 4 == 0) + 0.1 * f[i];
        } else if (kind == 2) {
            f[i] = i < 3 ? f[i] : -(i % 4 == 0) + 0.1 * f[i];
        } else if (kind == 3) {
            f[i] = i < 6 ? f[i] : 0;
        } else if (kind == 4) {
            f[i] = a[i / 3] * b[i % 3];
        } else if (kind == 5) {
            f[i] *= 1e-6;
        } else if (kind == 6) {
            f[i] *= 1e8;
        }
    }
}

static void test_polar_is_nearest_rotation(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; ++round) {
        double f[SN_LANES][9];
        sn_f64x8 wide[9], wide_rotation[9];
        sn_f32x8 narrow[9], narrow_rotation[9];
        for (int lane = 0; lane < SN_LANES; ++lane) {
            make_matrix(lane % 7, f[lane]);
            for (int i = 0; i < 9; ++i) {
                wide[i][lane] = f[lane][i];
                narrow[i][lane] = (float)f[lane][i];
            }
        }
        sn_polar_f64(wide, wide_rotation);
        sn_polar_f32(narrow, narrow_rotation);
        for (int lane = 0; lane < SN_LANES; ++lane) {
            double r[9], r32[9];
            for (int i = 0; i < 9; ++i) {
                r[i] = wide_rotation[i][lane];
                r32[i] = (double)narrow_rotation[i][lane];
            }
            /* of rank one, the rotation about the one direction is free, and the eigenvalue double */
            const bool is_rank_one = lane % 7 == 4;
            check_polar(f[lane], r, is_rank_one ? 1e-6 : 1e-13);
            check_polar(f[lane], r32, is_rank_one ? 1e-2 : 3e-4);
        }
    }
}

static void test_polar_of_rotation_and_zero(void **state)
{
    (void)state;
    sn_f64x8 f[9] = {{0}}, r[9];
    const double half = sqrt(0.5);
    const double rotations[SN_LANES][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},   {0, -1, 0, 1, 0, 0, 0, 0, 1},
                                           {-1, 0, 0, 0, -1, 0, 0, 0, 1}, {1, 0, 0, 0, -1, 0, 0, 0, -1},
                                           {-1, 0, 0, 0, 1, 0, 0, 0, -1}, {half, -half, 0, half, half, 0, 0, 0, 1},
                                           {0, 0, 1, 1, 0, 0, 0, 1, 0},   {0}};
    for (int lane = 0; lane < SN_LANES; ++lane) {
        for (int i = 0; i < 9; ++i) {
            f[i][lane] = 3 * rotations[lane][i];
        }
    }
    sn_polar_f64(f, r);
    for (int lane = 0; lane < SN_LANES; ++lane) {
        for (int i = 0; i < 9; ++i) {
            const double expected = lane == 7 ? i % 4 == 0 : rotations[lane][i];
            assert_true(fabs(r[i][lane] - expected) < 1e-12);
        }
    }
}

/* One matrix of another kind makes its neighbours neither take more steps nor refinements: their bits stay. */
static void test_lanes_do_not_see_each_other(void **state)
{
    (void)state;
    for (int lane = 0; lane < SN_LANES; ++lane) {
        sn_f32x8 f[9], expected[9], r[9];
        double matrix[9];
        for (int i = 0; i < 9 * SN_LANES; ++i) {
            f[i / SN_LANES][i % SN_LANES] = (float)(0.05 * random_signed()) + (i / SN_LANES % 4 == 0 ? 1 : 0);
        }
        sn_polar_f32(f, expected);
        make_matrix(1 + lane % 4, matrix);
        for (int i = 0; i < 9; ++i) {
            f[i][lane] = (float)matrix[i];
        }
        sn_polar_f32(f, r);
        for (int i = 0; i < 9; ++i) {
            r[i][lane] = expected[i][lane];
        }
        assert_memory_equal(r, expected, sizeof r);
    }
}

/* Ragged on purpose: 101 clusters in 7 groups, 61 coordinates, of 5 bones a few in each group. */
enum { CLUSTERS = 101, GROUPS = 7, COORDINATES = 61, PADDED = 64, BONES = 5, BONE_PAIRS = 14 };
static const int32_t bone_starts[GROUPS + 1] = {0, 3, 3, 4, 9, 10, 12, 14};
static const int32_t bones[BONE_PAIRS] = {0, 2, 4, 1, 0, 1, 2, 3, 4, 4, 1, 3, 0, 4};

typedef struct pass_data {
    sn_arena arena;
    sn_cluster_data_f32 f32;
    sn_cluster_data_f64 f64;
    float *gradient32, *lanes32, *z32, *rig32, *result32, *other_gradient32, *other32;
    double *gradient64, *lanes64, *z64, *rig64, *result64;
} pass_data;

/* A group's rows (SN_GROUP / width x row_count x width), zero where there is no cluster. */
static void fill_lanes(int row_count, int width, int group, double *wide, float *narrow)
{
    for (int i = 0; i < row_count * SN_GROUP; ++i) {
        const int row = i / SN_GROUP, lane = i % SN_GROUP, at = (lane / width * row_count + row) * width + lane % width;
        narrow[at] = SN_GROUP * group + lane < CLUSTERS ? (float)random_signed() : 0;
        wide[at] = (double)narrow[at];
    }
}

static void fill(int count, double size, double *wide, float *narrow)
{
    for (int i = 0; i < count; ++i) {
        narrow[i] = (float)(size * random_signed());
        wide[i] = (double)narrow[i];
    }
}

static void make_data(pass_data *d)
{
    const int s_size = GROUPS * COORDINATES * 3 * SN_GROUP, b_size = BONE_PAIRS * 12 * SN_GROUP;
    const int gradient_size = 11 * SN_GROUP * GROUPS, lane_size = 3 * PADDED * SN_LANES;
    sn_arena *a = &d->arena;
    float *s32 = SN_NEW(a, float, s_size), *b32 = SN_NEW(a, float, b_size);
    double *s64 = SN_NEW(a, double, s_size), *b64 = SN_NEW(a, double, b_size);
    for (int group = 0; group < GROUPS; ++group) {
        const int s = group * COORDINATES * 3 * SN_GROUP;
        fill_lanes(3 * COORDINATES, SN_LANES, group, s64 + s, s32 + s);
        for (int b = bone_starts[group]; b < bone_starts[group + 1]; ++b) {
            fill_lanes(12, SN_LANES, group, b64 + b * 12 * SN_GROUP, b32 + b * 12 * SN_GROUP);
        }
    }
    d->f32 = (sn_cluster_data_f32){.cluster_count = CLUSTERS,
                                   .group_count = GROUPS,
                                   .coordinate_count = COORDINATES,
                                   .padded_count = PADDED,
                                   .cluster_coordinate = s32,
                                   .bone_starts = bone_starts,
                                   .bones = bones,
                                   .cluster_bone = b32};
    d->f64 = (sn_cluster_data_f64){.cluster_count = CLUSTERS,
                                   .group_count = GROUPS,
                                   .coordinate_count = COORDINATES,
                                   .padded_count = PADDED,
                                   .cluster_coordinate = s64,
                                   .bone_starts = bone_starts,
                                   .bones = bones,
                                   .cluster_bone = b64};
    d->gradient32 = SN_NEW(a, float, gradient_size), d->other_gradient32 = SN_NEW(a, float, gradient_size);
    d->gradient64 = SN_NEW(a, double, gradient_size);
    d->lanes32 = SN_NEW(a, float, lane_size), d->lanes64 = SN_NEW(a, double, lane_size);
    d->result32 = SN_NEW(a, float, 3 * PADDED), d->other32 = SN_NEW(a, float, 3 * PADDED);
    d->result64 = SN_NEW(a, double, 3 * PADDED);
    d->z32 = SN_NEW(a, float, 3 * PADDED), d->z64 = SN_NEW(a, double, 3 * PADDED);
    d->rig32 = SN_NEW(a, float, 12 * BONES), d->rig64 = SN_NEW(a, double, 12 * BONES);
    fill(3 * COORDINATES, 0.1, d->z64, d->z32);
    fill(12 * BONES, 1, d->rig64, d->rig32);
}

#if defined(__x86_64__)
static void check_same_bits(pass_data *d, sn_cluster_rig_function_f32 *rig, sn_cluster_pass_function_f32 *pass,
                            float trace)
{
    rig(&d->f32, d->rig32, d->other_gradient32);
    const float same = pass(&d->f32, d->other_gradient32, d->z32, d->lanes32, d->other32);
    assert_true(same == trace);
    assert_memory_equal(d->gradient32, d->other_gradient32, 11 * SN_GROUP * GROUPS * sizeof(float));
    assert_memory_equal(d->result32, d->other32, 3 * PADDED * sizeof(float));
}
#endif

static void check_pass(pass_data *d, double tolerance, uint64_t expected_hash)
{
    sn_cluster_rig_f32(&d->f32, d->rig32, d->gradient32);
    const float trace = sn_cluster_pass_f32(&d->f32, d->gradient32, d->z32, d->lanes32, d->result32);
    sn_cluster_rig_f64(&d->f64, d->rig64, d->gradient64);
    const double trace64 = sn_cluster_pass_f64(&d->f64, d->gradient64, d->z64, d->lanes64, d->result64);
    assert_true(fabs((double)trace - trace64) < 1e-5 * fabs(trace64));
    for (int i = 0; i < 3 * PADDED; ++i) {
        assert_true(fabs((double)d->result32[i] - d->result64[i]) < tolerance);
    }
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        check_same_bits(d, sn_cluster_rig_f32_avx2, sn_cluster_pass_f32_avx2, trace);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        check_same_bits(d, sn_cluster_rig_f32_avx512, sn_cluster_pass_f32_avx512, trace);
    }
#endif
    /* one value for every compiler, optimisation level and instruction set */
    const uint64_t hash = sn_hash(SN_HASH_SEED, d->result32, 3 * PADDED * sizeof(float));
    if (hash != expected_hash) {
        print_error("golden hash is now 0x%016llx\n", (unsigned long long)hash);
    }
    assert_true(hash == expected_hash);
}

static void test_pass_instruction_sets_and_double_agree(void **state)
{
    (void)state;
    random_state = 777;
    pass_data d = {.arena = {0}};
    make_data(&d);
    check_pass(&d, 2e-4, PASS_HASH);
    enum { SIZE = GROUPS * 2 * SN_GROUP };
    float *volume32 = SN_NEW(&d.arena, float, SIZE);
    double *volume64 = SN_NEW(&d.arena, double, SIZE);
    for (int group = 0; group < GROUPS; ++group) {
        fill_lanes(2, SN_GROUP, group, volume64 + 2 * SN_GROUP * group, volume32 + 2 * SN_GROUP * group);
    }
    d.f32.volume = volume32;
    d.f64.volume = volume64;
    check_pass(&d, 2e-4, VOLUME_HASH);
    float *hookean32 = SN_NEW(&d.arena, float, GROUPS * 3 * SN_GROUP);
    double *hookean64 = SN_NEW(&d.arena, double, GROUPS * 3 * SN_GROUP);
    for (int group = 0; group < GROUPS; ++group) {
        fill_lanes(3, SN_GROUP, group, hookean64 + 3 * SN_GROUP * group, hookean32 + 3 * SN_GROUP * group);
    }
    d.f32.volume = NULL;
    d.f64.volume = NULL;
    d.f32.hookean = hookean32;
    d.f64.hookean = hookean64;
    check_pass(&d, 2e-4, HOOKEAN_HASH);
    d.f32.hookean = NULL;
    d.f64.hookean = NULL;
    d.f32.posed = hookean32;
    d.f64.posed = hookean64;
    check_pass(&d, 2e-4, POSED_HASH);
    sn_arena_finish(&d.arena);
}

/* m, 1 / m, e of every cluster, and rounding of the rig's gradient at rest. */
static void add_limits(pass_data *d)
{
    float *limit32 = SN_NEW(&d->arena, float, GROUPS * 3 * SN_GROUP);
    double *limit64 = SN_NEW(&d->arena, double, GROUPS * 3 * SN_GROUP);
    float *error32 = SN_NEW(&d->arena, float, GROUPS * 9 * SN_GROUP);
    double *error64 = SN_NEW(&d->arena, double, GROUPS * 9 * SN_GROUP);
    for (int c = 0; c < CLUSTERS; ++c) {
        const int at = c / SN_GROUP * 3 * SN_GROUP + c % SN_GROUP;
        const double values[3] = {2 + random_signed(), 0, 0.2 + 0.1 * random_signed()};
        for (int row = 0; row < 3; ++row) {
            limit32[at + row * SN_GROUP] = (float)(row == 1 ? 1 / values[0] : values[row]);
            limit64[at + row * SN_GROUP] = row == 1 ? 1 / values[0] : (double)(float)values[row];
        }
    }
    fill(GROUPS * 9 * SN_GROUP, 1e-6, error64, error32);
    d->f32.limit = limit32, d->f32.rest_error = error32, d->f32.limit_stiffness = 3;
    d->f64.limit = limit64, d->f64.rest_error = error64, d->f64.limit_stiffness = 3;
}

static void test_strain_limits_agree(void **state)
{
    (void)state;
    random_state = 778;
    pass_data d = {.arena = {0}};
    make_data(&d);
    add_limits(&d);
    check_pass(&d, 2e-3, LIMIT_HASH);
    float *hookean32 = SN_NEW(&d.arena, float, GROUPS * 3 * SN_GROUP);
    double *hookean64 = SN_NEW(&d.arena, double, GROUPS * 3 * SN_GROUP);
    for (int group = 0; group < GROUPS; ++group) {
        fill_lanes(3, SN_GROUP, group, hookean64 + 3 * SN_GROUP * group, hookean32 + 3 * SN_GROUP * group);
    }
    d.f32.hookean = hookean32, d.f64.hookean = hookean64;
    check_pass(&d, 2e-3, HOOKEAN_LIMIT_HASH);
    d.f32.hookean = NULL, d.f64.hookean = NULL;
    d.f32.posed = hookean32, d.f64.posed = hookean64;
    check_pass(&d, 2e-3, POSED_LIMIT_HASH);
    sn_arena_finish(&d.arena);
}

/* One cluster whose coordinates are the rows of its gradient, so that the result is the target. */
typedef struct single_cluster {
    sn_cluster_data_f64 data;
    _Alignas(64) double s[2 * 3 * 3 * SN_LANES];
    _Alignas(64) double limit[3 * SN_GROUP], error[9 * SN_GROUP], gradient[11 * SN_GROUP];
    _Alignas(64) double coordinates[3 * SN_GROUP], lanes[3 * SN_GROUP * SN_LANES], result[3 * SN_GROUP];
} single_cluster;

#define OWN_STIFFNESS 2.5
#define LIMIT 0.15
#define LIMIT_STIFFNESS 4

/* target (9): T of the mean gradient a, with ranges as in the bind pose. */
static void limited(const double *a, double *target)
{
    static const int32_t no_bones[2] = {0};
    static single_cluster c;
    double rotations[9] = {0};
    c = (single_cluster){.data = {.cluster_count = 1,
                                  .group_count = 1,
                                  .coordinate_count = 3,
                                  .padded_count = SN_GROUP,
                                  .cluster_coordinate = c.s,
                                  .bone_starts = no_bones}};
    for (int k = 0; k < 3; ++k) {
        c.s[(3 * k + k) * SN_LANES] = OWN_STIFFNESS;
    }
    memcpy(c.coordinates, a, 9 * sizeof *a);
    c.gradient[9 * SN_GROUP] = -LIMIT, c.gradient[10 * SN_GROUP] = LIMIT;
    sn_cluster_pass_f64(&c.data, c.gradient, c.coordinates, c.lanes, c.result);
    memcpy(rotations, c.result, sizeof rotations);
    c.limit[0] = OWN_STIFFNESS, c.limit[SN_GROUP] = 1 / OWN_STIFFNESS, c.limit[2 * SN_GROUP] = LIMIT;
    c.data.limit = c.limit, c.data.rest_error = c.error, c.data.limit_stiffness = LIMIT_STIFFNESS;
    sn_cluster_pass_f64(&c.data, c.gradient, c.coordinates, c.lanes, c.result);
    for (int i = 0; i < 9; ++i) {
        target[i] = (c.result[i] - rotations[i]) / (OWN_STIFFNESS * LIMIT_STIFFNESS) + (i % 4 == 0 ? 1 : 0);
    }
}

static double squared_distance(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

static void random_rotation(double *r)
{
    sn_f64x8 wide[9], rotations[9];
    for (int i = 0; i < 9; ++i) {
        wide[i] = (sn_f64x8){random_signed()};
    }
    sn_polar_f64(wide, rotations);
    for (int i = 0; i < 9; ++i) {
        r[i] = rotations[i][0];
    }
}

/* u diag(stretches) v^T, with stretches within the limit, at its ends more often than not. */
static void random_admissible(double *m)
{
    double u[9], v[9], stretches[3];
    random_rotation(u);
    random_rotation(v);
    for (int k = 0; k < 3; ++k) {
        stretches[k] = 1 + LIMIT * fmax(-1, fmin(1, 2 * random_signed()));
    }
    for (int i = 0; i < 9; ++i) {
        m[i] = 0;
        for (int k = 0; k < 3; ++k) {
            m[i] += u[i / 3 * 3 + k] * stretches[k] * v[i % 3 * 3 + k];
        }
    }
}

/* T is the nearest admissible gradient: it is a fixed point, and no other admissible one is nearer.
 * Near T, admissible matrices are sampled by projecting disturbed ones. */
static void test_limited_gradients_are_nearest(void **state)
{
    (void)state;
    random_state = 5;
    for (int round = 0; round < 400; ++round) {
        double a[9], target[9], again[9], other[9];
        make_matrix(round % 5, a);
        limited(a, target);
        limited(target, again);
        assert_true(squared_distance(target, again) < 1e-20 && det3(target) > 0);
        const double nearest = squared_distance(a, target);
        for (int i = 0; i < 40; ++i) {
            if (i % 2 == 0) {
                random_admissible(other);
            } else {
                for (int k = 0; k < 9; ++k) {
                    other[k] = target[k] + 0.1 * random_signed();
                }
                limited(other, other);
            }
            assert_true(squared_distance(a, other) > nearest - 1e-9);
        }
        random_admissible(a);
        limited(a, target);
        assert_true(squared_distance(a, target) < 1e-20);
    }
}

int test_cluster_pass(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polar_is_nearest_rotation),
        cmocka_unit_test(test_polar_of_rotation_and_zero),
        cmocka_unit_test(test_lanes_do_not_see_each_other),
        cmocka_unit_test(test_pass_instruction_sets_and_double_agree),
        cmocka_unit_test(test_strain_limits_agree),
        cmocka_unit_test(test_limited_gradients_are_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
