/* SPDX-License-Identifier: MIT */
/* Mass, center and inertia from moments: integrated over the tets between a point and a surface's triangles, or in
 * closed form for primitives. */
#include <math.h>
#include <string.h>

#include "scenes/rigid/rigid_shape.h"

#define PI 3.14159265358979323846

typedef struct moments {
    double volume, first[3], second[3][3]; /* integrals of 1, x, x x' */
} moments;

static void finish(const moments *sum, const double origin[3], sn_rigid_mass *mass)
{
    double central_moments[3][3], trace = 0;
    mass->mass = sum->volume;
    for (int r = 0; r < 3; ++r) {
        mass->center[r] = sum->first[r] / sum->volume;
        for (int c = 0; c < 3; ++c) {
            central_moments[r][c] = sum->second[r][c] - sum->first[r] * sum->first[c] / sum->volume;
        }
        trace += central_moments[r][r];
    }
    for (int r = 0; r < 3; ++r) {
        mass->center[r] += origin[r];
        for (int c = 0; c < 3; ++c) {
            mass->inertia[r][c] = (r == c ? trace : 0) - central_moments[r][c];
        }
    }
}

void sn_rigid_scale_mass(sn_rigid_mass *mass, double factor)
{
    mass->mass *= factor;
    for (int i = 0; i < 9; ++i) {
        mass->inertia[i / 3][i % 3] *= factor;
    }
}

/* ---- surface ---- */

/* Adds the tet between the origin and a triangle. */
static void add_triangle(const double p[3][3], moments *sum)
{
    double s[3], u[3], v[3], area[3]; /* area: twice the area vector */
    for (int d = 0; d < 3; ++d) {
        s[d] = p[0][d] + p[1][d] + p[2][d];
        u[d] = p[1][d] - p[0][d];
        v[d] = p[2][d] - p[0][d];
    }
    for (int d = 0; d < 3; ++d) {
        area[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
    }
    const double six_volumes = area[0] * p[0][0] + area[1] * p[0][1] + area[2] * p[0][2];
    sum->volume += six_volumes / 6;
    for (int r = 0; r < 3; ++r) {
        sum->first[r] += six_volumes / 24 * s[r];
        for (int c = 0; c < 3; ++c) {
            sum->second[r][c] +=
                six_volumes / 120 * (s[r] * s[c] + p[0][r] * p[0][c] + p[1][r] * p[1][c] + p[2][r] * p[2][c]);
        }
    }
}

/* True for a valid inertia tensor: positive definite, and each moment is less than the sum of the other two. */
static bool is_solid(const double i[3][3])
{
    double determinant = 0;
    bool is_valid = true;
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        determinant += i[0][d] * (i[1][e] * i[2][f] - i[1][f] * i[2][e]);
        is_valid = is_valid && i[d][d] > 0 && i[d][d] < i[e][e] + i[f][f] && i[d][d] * i[e][e] > i[d][e] * i[d][e];
    }
    return is_valid && determinant > 0;
}

bool sn_rigid_surface_mass(const sn_surface *surface, sn_rigid_mass *mass)
{
    moments sum = {0};
    float low[3], high[3];
    double origin[3];
    sn_surface_bounds(surface, low, high);
    for (int d = 0; d < 3; ++d) {
        origin[d] = ((double)low[d] + (double)high[d]) / 2;
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        double p[3][3];
        for (int i = 0; i < 9; ++i) {
            const size_t vertex = (size_t)surface->triangles[3 * (size_t)t + (size_t)(i / 3)];
            p[i / 3][i % 3] = (double)surface->positions[3 * vertex + (size_t)(i % 3)] - origin[i % 3];
        }
        add_triangle(p, &sum);
    }
    if (!(sum.volume > 0)) {
        return false;
    }
    finish(&sum, origin, mass);
    return is_solid(mass->inertia);
}

/* ---- primitives ---- */

/* Volume, and the means of x^2, y^2, z^2 about the center. */
static double solid_moments(const sn_scene_solid *solid, double square[3])
{
    const double r = solid->radius, h = solid->half_height, cylinder_volume = 2 * PI * r * r * h,
                 sphere_volume = 4 * PI / 3 * r * r * r;
    double sides[3], volume = sphere_volume;
    for (int d = 0; d < 3; ++d) {
        sides[d] = solid->half_extents[d] + r;
        square[d] = r * r / 5;
    }
    switch (solid->type) {
    case SN_SOLID_CAPSULE:
        volume = cylinder_volume + sphere_volume;
        square[0] = square[2] = (cylinder_volume * r * r / 4 + sphere_volume * r * r / 5) / volume;
        square[1] = (cylinder_volume * h * h / 3 + sphere_volume * (h * h + 0.75 * h * r + r * r / 5)) / volume;
        break;
    case SN_SOLID_CYLINDER:
        volume = cylinder_volume;
        square[0] = square[2] = r * r / 4;
        square[1] = h * h / 3;
        break;
    case SN_SOLID_BOX:
        volume = 8 * sides[0] * sides[1] * sides[2];
        for (int d = 0; d < 3; ++d) {
            square[d] = sides[d] * sides[d] / 3;
        }
        break;
    default:
        break;
    }
    return volume;
}

void sn_rigid_solids_mass(const sn_scene_solid *solids, int count, sn_rigid_mass *mass)
{
    static const double zero[3] = {0};
    moments sum = {0};
    for (int i = 0; i < count; ++i) {
        const sn_frame solid_frame = sn_frame_rigid(solids[i].rotation, solids[i].translation);
        double square[3];
        const double volume = solid_moments(&solids[i], square);
        sum.volume += volume;
        for (int r = 0; r < 3; ++r) {
            sum.first[r] += volume * solid_frame.m[r][3];
            for (int c = 0; c < 3; ++c) {
                double own = solid_frame.m[r][3] * solid_frame.m[c][3];
                for (int k = 0; k < 3; ++k) {
                    own += solid_frame.m[r][k] * square[k] * solid_frame.m[c][k];
                }
                sum.second[r][c] += volume * own;
            }
        }
    }
    finish(&sum, zero, mass);
}
