/* SPDX-License-Identifier: MIT */
/* The common end of all constraint types: the implementation of host/xpbd/constraint.inc, operation by operation. dot()
 * and similar functions have no defined order of operations, so they are written out. */

#define PARALLEL 1e-6

/* False with a single sweep, where multipliers start at zero and need not be stored. */
bool stores_multipliers;

float dot3(vec3 a, vec3 b)
{
    precise const float dot = a.x * b.x + a.y * b.y + a.z * b.z;
    return dot;
}

vec3 cross3(vec3 a, vec3 b)
{
    precise const vec3 cross = a.yzx * b.zxy - a.zxy * b.yzx;
    return cross;
}

/* Adds a vertex's term to the system. */
float add_weighted(float sum, vec4 vertex, vec3 gradient)
{
    precise const float added = sum + vertex.w * dot3(gradient, gradient);
    return added;
}

/* dL of a constraint C of compliance a~ = alpha / h^2, whose system is a~ + sum w |grad C|^2. */
float change_of(float c, float compliance, float system, inout float multiplier)
{
    precise const float residual = stores_multipliers ? c + compliance * multiplier : c;
    precise const float change = -residual / (system > 0 ? system : 1);
    precise const float total = multiplier + change;
    multiplier = total;
    return change;
}

void move_along(float change, vec3 gradient, inout vec4 vertex)
{
    precise const float step = vertex.w * change;
    precise const vec3 moved = vertex.xyz + step * gradient;
    vertex.xyz = moved;
}

/* C_H and C_D, the latter times f, and f^2. */
struct pair {
    float h, d_f, f_f;
    bool is_active;
};

/* S_HH, S_HD, S_DD. */
vec3 add_products(vec3 partial_sums, float w, vec3 g_h, vec3 g_d, bool is_flat)
{
    precise float hh = g_h.x * g_h.x, hd = g_h.x * g_d.x, dd = g_d.x * g_d.x;
    hh += g_h.y * g_h.y, hd += g_h.y * g_d.y, dd += g_d.y * g_d.y;
    if (!is_flat) {
        hh += g_h.z * g_h.z, hd += g_h.z * g_d.z, dd += g_d.z * g_d.z;
    }
    precise const vec3 added = partial_sums + w * vec3(hh, hd, dd);
    return added;
}

/* Solves for both multipliers of a pair by elimination: the changes d_h and d = d_D / f. */
vec2 changes_of(pair p, vec3 products, float compliance_h, float compliance_d, inout vec2 multipliers)
{
    precise float r_h = p.h, r_d = p.d_f, f = 0;
    if (stores_multipliers) {
        f = sqrt(p.is_active ? p.f_f : 0);
        r_h += compliance_h * multipliers.x;
        r_d += compliance_d * f * multipliers.y;
    }
    precise float a = compliance_h + products.x, b = compliance_d * p.f_f + products.z;
    a = a > 0 ? a : 1;
    b = b > 0 && p.is_active ? b : 1;
    precise const float inverse = 1 / b, ratio = products.y * inverse, residual = a - products.y * ratio;
    const bool is_valid = residual > PARALLEL * a && p.is_active;
    const float hd = is_valid ? products.y : 0;
    r_d = is_valid ? r_d : 0;
    precise const float d_h = (is_valid ? ratio * r_d - r_h : -r_h) / (is_valid ? residual : a);
    precise const float d_d = -(r_d + hd * d_h) * inverse;
    precise const vec2 total = multipliers + vec2(d_h, f * d_d);
    multipliers = total;
    return vec2(d_h, d_d);
}

void move_along_pair(vec2 changes, vec3 g_h, vec3 g_d, inout vec4 vertex)
{
    precise const vec3 moved = vertex.xyz + vertex.w * (g_h * changes.x + g_d * changes.y);
    vertex.xyz = moved;
}
