/* SPDX-License-Identifier: MIT */
/* Finds the primitive of minimum volume around a surface. Candidate axes are the principal axes of the surface's second
 * moments, and the coordinate axes, along which shapes without distinct principal axes (a cube) are usually modeled. */
#include <math.h>
#include <string.h>

#include "scenes/rigid/rigid_shape.h"

#define PI 3.14159265358979323846

static void vertex_of(const sn_surface *surface, int vertex, double p[3])
{
    for (int d = 0; d < 3; ++d) {
        p[d] = (double)surface->positions[3 * (size_t)vertex + (size_t)d];
    }
}

/* ---- principal axes ---- */

/* Second moments of the surface's area about its centroid. */
static void compute_area_moments(const sn_surface *surface, double second_moments[3][3])
{
    double all = 0, first[3] = {0};
    memset(second_moments, 0, 9 * sizeof(double));
    for (int t = 0; t < surface->triangle_count; ++t) {
        double p[3][3], u[3], v[3], s[3], square = 0;
        for (int k = 0; k < 3; ++k) {
            vertex_of(surface, surface->triangles[3 * (size_t)t + (size_t)k], p[k]);
        }
        for (int d = 0; d < 3; ++d) {
            u[d] = p[1][d] - p[0][d];
            v[d] = p[2][d] - p[0][d];
            s[d] = p[0][d] + p[1][d] + p[2][d];
        }
        for (int d = 0; d < 3; ++d) {
            square += pow(u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3], 2);
        }
        const double area = sqrt(square) / 2;
        all += area;
        for (int r = 0; r < 3; ++r) {
            first[r] += area / 3 * s[r];
            for (int c = 0; c < 3; ++c) {
                second_moments[r][c] +=
                    area / 12 * (s[r] * s[c] + p[0][r] * p[0][c] + p[1][r] * p[1][c] + p[2][r] * p[2][c]);
            }
        }
    }
    for (int i = 0; i < 9 && all > 0; ++i) {
        second_moments[i / 3][i % 3] -= first[i / 3] * first[i % 3] / all;
    }
}

/* Eigenvectors by Jacobi rotations; the axes are the columns, right-handed. */
static void find_axes(double a[3][3], double axes[3][3])
{
    memcpy(axes, (double[3][3]){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 9 * sizeof(double));
    for (int frame_rotation = 0; frame_rotation < 30; ++frame_rotation) {
        const int p = frame_rotation % 3 == 2, q = frame_rotation % 3 == 0 ? 1 : 2;
        if (fabs(a[p][q]) <= 1e-15 * (fabs(a[p][p]) + fabs(a[q][q]))) {
            continue;
        }
        const double angle = atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2, c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; ++k) {
            const double x = a[k][p], y = a[k][q], u = axes[k][p], v = axes[k][q];
            a[k][p] = c * x - s * y;
            a[k][q] = s * x + c * y;
            axes[k][p] = c * u - s * v;
            axes[k][q] = s * u + c * v;
        }
        for (int k = 0; k < 3; ++k) {
            const double x = a[p][k], y = a[q][k];
            a[p][k] = c * x - s * y;
            a[q][k] = s * x + c * y;
        }
    }
}

/* Entry (a, b) of 4 q q^T of a rotation's quaternion q (w first). */
static double quaternion_square(const double m[3][3], int a, int b)
{
    const double trace = m[0][0] + m[1][1] + m[2][2];
    const double skew[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    if (a == 0 || b == 0) {
        return a + b == 0 ? 1 + trace : skew[a + b - 1];
    }
    return m[a - 1][b - 1] + m[b - 1][a - 1] + (a == b ? 1 - trace : 0);
}

/* Converts a rotation matrix to an axis times an angle. */
static void axis_of(const double m[3][3], double axis[3])
{
    int max_index = 0;
    for (int k = 1; k < 4; ++k) {
        max_index = quaternion_square(m, k, k) > quaternion_square(m, max_index, max_index) ? k : max_index;
    }
    const double w = quaternion_square(m, max_index, 0);
    const double q[3] = {quaternion_square(m, max_index, 1), quaternion_square(m, max_index, 2),
                         quaternion_square(m, max_index, 3)};
    const double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), angle = 2 * atan2(sine, w);
    for (int d = 0; d < 3; ++d) {
        axis[d] = sine > 0 ? angle / sine * q[d] : 0;
    }
}

/* ---- candidates ---- */

typedef struct extents {
    double center[3], half[3]; /* box center and half sizes along the axes */
    double sphere_radius;      /* radius of the bounding sphere */
    double cylinder_radius[3],
        capsule_half_height[3]; /* per axis: radius around it, and half length of a capsule's straight part */
} extents;

static extents measure(const sn_surface *surface, const double axes[3][3])
{
    extents e = {0};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int pass = 0; pass < 3; ++pass) {
        for (int v = 0; v < surface->vertex_count; ++v) {
            double p[3], q[3], square = 0;
            vertex_of(surface, v, p);
            for (int k = 0; k < 3; ++k) {
                q[k] = axes[0][k] * p[0] + axes[1][k] * p[1] + axes[2][k] * p[2];
                low[k] = fmin(low[k], q[k]);
                high[k] = fmax(high[k], q[k]);
                q[k] -= e.center[k];
                square += q[k] * q[k];
            }
            for (int k = 0; k < 3 && pass > 0; ++k) {
                const double radial_square = square - q[k] * q[k];
                if (pass == 1) {
                    e.sphere_radius = fmax(e.sphere_radius, sqrt(square));
                    e.cylinder_radius[k] = fmax(e.cylinder_radius[k], sqrt(radial_square));
                } else {
                    e.capsule_half_height[k] =
                        fmax(e.capsule_half_height[k],
                             fabs(q[k]) - sqrt(fmax(e.cylinder_radius[k] * e.cylinder_radius[k] - radial_square, 0)));
                }
            }
        }
        for (int k = 0; k < 3 && pass == 0; ++k) {
            e.center[k] = (low[k] + high[k]) / 2;
            e.half[k] = (high[k] - low[k]) / 2;
        }
    }
    return e;
}

static void set_solid_frame(const extents *e, const double axes[3][3], int up, sn_scene_solid *solid)
{
    double frame_rotation[3][3];
    for (int r = 0; r < 3; ++r) {
        solid->translation[r] = axes[r][0] * e->center[0] + axes[r][1] * e->center[1] + axes[r][2] * e->center[2];
        for (int c = 0; c < 3; ++c) {
            frame_rotation[r][c] = axes[r][(up + 2 + c) % 3]; /* the solid's y axis is axis `up` */
        }
    }
    axis_of(frame_rotation, solid->rotation);
}

static void test_axes(const sn_surface *surface, const double axes[3][3], double *min_volume, sn_scene_solid *best)
{
    const extents e = measure(surface, axes);
    /* sphere; capsule and cylinder along each axis; box. The first of equal volumes wins. */
    for (int i = 0; i < 8; ++i) {
        const int up = i == 0 || i == 7 ? 1 : (i - 1) % 3;
        const double r = e.cylinder_radius[up];
        sn_scene_solid solid = {.type = i == 0  ? SN_SOLID_SPHERE
                                        : i < 4 ? SN_SOLID_CAPSULE
                                        : i < 7 ? SN_SOLID_CYLINDER
                                                : SN_SOLID_BOX};
        double volume = 8 * e.half[0] * e.half[1] * e.half[2];
        if (i == 0) {
            solid.radius = e.sphere_radius;
            volume = 4 * PI / 3 * pow(e.sphere_radius, 3);
        } else if (i < 4) {
            solid.radius = r;
            solid.half_height = e.capsule_half_height[up];
            volume = PI * r * r * (2 * e.capsule_half_height[up] + 4 * r / 3);
        } else if (i < 7) {
            solid.radius = r;
            solid.half_height = e.half[up];
            volume = 2 * PI * r * r * e.half[up];
        } else {
            memcpy(solid.half_extents, e.half, sizeof e.half);
        }
        if (volume < *min_volume * (1 - 1e-6)) {
            *min_volume = volume;
            set_solid_frame(&e, axes, up, &solid);
            *best = solid;
        }
    }
}

sn_scene_solid sn_rigid_bounding_solid(const sn_surface *surface)
{
    static const double own[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double second_moments[3][3], axes[3][3], min_volume = INFINITY;
    sn_scene_solid best = {.type = SN_SOLID_SPHERE};
    compute_area_moments(surface, second_moments);
    find_axes(second_moments, axes);
    test_axes(surface, own, &min_volume, &best);
    test_axes(surface, axes, &min_volume, &best);
    return best;
}
