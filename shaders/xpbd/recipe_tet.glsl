/* SPDX-License-Identifier: MIT */
/* The stable Neo-Hookean pair of a tet without prestress, its legacy form, and the volume constraint: the
 * implementation of host/xpbd/recipe_tet.inc, which has the formulas. Matrices are three rows. */

#define MIN_SHEAR_SQUARE 9.999999960041972e-13 /* square of the float nearest to 1e-6 */

struct rows3 {
    vec3 x, y, z;
};

rows3 value_rows(uint first, uint count)
{
    return rows3(value_vector(first, count, 0), value_vector(first, count, 3), value_vector(first, count, 6));
}

/* a[0] b.x + a[1] b.y + a[2] b.z */
vec3 combine(vec3 a, rows3 b)
{
    precise const vec3 sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

/* G = F - 1 */
rows3 tet_gradient(rows3 b, vec4 v0, vec4 v1, vec4 v2, vec4 v3)
{
    precise const vec3 d0 = v0.xyz - v3.xyz, d1 = v1.xyz - v3.xyz, d2 = v2.xyz - v3.xyz;
    return rows3(combine(vec3(d0.x, d1.x, d2.x), b), combine(vec3(d0.y, d1.y, d2.y), b),
                 combine(vec3(d0.z, d1.z, d2.z), b));
}

/* J - 1 and cof F - 1. */
float tet_volume(rows3 g, out rows3 cof_less_one)
{
    const rows3 c = rows3(cross3(g.y, g.z), cross3(g.z, g.x), cross3(g.x, g.y));
    precise const float trace = g.x.x + g.y.y + g.z.z;
    precise const float volume = trace + ((c.x.x + c.y.y + c.z.z) + (g.x.x * c.x.x + g.x.y * c.x.y + g.x.z * c.x.z));
    precise vec3 x = c.x - vec3(g.x.x, g.y.x, g.z.x), y = c.y - vec3(g.x.y, g.y.y, g.z.y),
                 z = c.z - vec3(g.x.z, g.y.z, g.z.z);
    x.x += trace, y.y += trace, z.z += trace;
    cof_less_one = rows3(x, y, z);
    return volume;
}

/* m2(e) + det e of e = G + G^T + G^T G. */
float tet_strain(rows3 g)
{
    precise const float e00 = 2 * g.x.x + (g.x.x * g.x.x + g.y.x * g.y.x + g.z.x * g.z.x);
    precise const float e11 = 2 * g.y.y + (g.x.y * g.x.y + g.y.y * g.y.y + g.z.y * g.z.y);
    precise const float e22 = 2 * g.z.z + (g.x.z * g.x.z + g.y.z * g.y.z + g.z.z * g.z.z);
    precise const float e01 = (g.x.y + g.y.x) + (g.x.x * g.x.y + g.y.x * g.y.y + g.z.x * g.z.y);
    precise const float e02 = (g.x.z + g.z.x) + (g.x.x * g.x.z + g.y.x * g.y.z + g.z.x * g.z.z);
    precise const float e12 = (g.y.z + g.z.y) + (g.x.y * g.x.z + g.y.y * g.y.z + g.z.y * g.z.z);
    precise const float m0 = e11 * e22 - e12 * e12, m1 = e00 * e22 - e02 * e02, m2 = e00 * e11 - e01 * e01;
    precise const float determinant = e00 * m0 - e01 * (e01 * e22 - e12 * e02) + e02 * (e01 * e12 - e11 * e02);
    precise const float strain = (m0 + m1 + m2) + determinant;
    return strain;
}

rows3 add_one(rows3 m)
{
    precise const vec3 x = m.x + vec3(1, 0, 0), y = m.y + vec3(0, 1, 0), z = m.z + vec3(0, 0, 1);
    return rows3(x, y, z);
}

pair tet_pair(rows3 g, out rows3 p_h, out rows3 p_d)
{
    rows3 cof_less_one;
    pair p;
    p.h = tet_volume(g, cof_less_one);
    precise const float square = 2 * p.h * p.h - tet_strain(g);
    p.d_f = p.f_f = square;
    p.is_active = square > MIN_SHEAR_SQUARE;
    p_h = add_one(cof_less_one);
    precise const vec3 x = (g.x - cof_less_one.x) + p.h * p_h.x, y = (g.y - cof_less_one.y) + p.h * p_h.y,
                       z = (g.z - cof_less_one.z) + p.h * p_h.z;
    p_d = rows3(x, y, z);
    return p;
}

pair tet_pair_legacy(rows3 g, out rows3 p_h, out rows3 p_d)
{
    rows3 cof_less_one;
    pair p;
    p.h = tet_volume(g, cof_less_one);
    p_h = add_one(cof_less_one);
    const rows3 two = rows3(vec3(2, 0, 0), vec3(0, 2, 0), vec3(0, 0, 2)), f = add_one(g);
    precise const vec3 x = g.x * (g.x + two.x), y = g.y * (g.y + two.y), z = g.z * (g.z + two.z);
    precise const float square = x.x + x.y + x.z + y.x + y.y + y.z + z.x + z.y + z.z;
    precise const vec3 d_x = 2 * f.x, d_y = 2 * f.y, d_z = 2 * f.z;
    p_d = rows3(d_x, d_y, d_z);
    p.d_f = square;
    p.f_f = 1;
    p.is_active = true;
    return p;
}

/* ---- negative Poisson's ratios: host/xpbd/recipe_polar.inc ---- */

#define POLAR_STEPS 12
#define MIN_CONDITIONING 1e-2
#define MIN_SLOPE 1e-6

rows3 cofactors(rows3 m)
{
    return rows3(cross3(m.y, m.z), cross3(m.z, m.x), cross3(m.x, m.y));
}

float strain_of(rows3 g, uint i, uint j)
{
    const float across[3][3] = {{g.x.x, g.x.y, g.x.z}, {g.y.x, g.y.y, g.y.z}, {g.z.x, g.z.y, g.z.z}};
    precise const float strain =
        (across[i][j] + across[j][i]) +
        (across[0][i] * across[0][j] + across[1][i] * across[1][j] + across[2][i] * across[2][j]);
    return strain;
}

/* s - 3 - h; spread: the slope there, 1 at rest. numbers: tr e, m2(e), det e. */
float polar_stretch(vec3 numbers, float h, out float conditioning)
{
    const float third = 1.0 / 3;
    precise const float lift = 1 + third * numbers.x, above = numbers.x / (1 + sqrt(lift > 0 ? lift : 0));
    precise const float constant = (16 * numbers.y + 20 * numbers.z) - 20 * h * h;
    precise const float of_q = (4 * h - h * h) + (numbers.y + numbers.z);
    precise float d = above - h;
    conditioning = 0;
    for (int i = 0; i <= POLAR_STEPS; ++i) {
        precise const float t = h + d, q = (of_q + 6 * d) + t * t;
        precise const float slope = (64 + 24 * t) + (q * (12 + 4 * t) - 8 * h);
        precise const float value = (64 * d + constant) + ((12 * t - 8 * h) * t + q * q);
        precise const float scaled = (1.0 / 64) * slope;
        conditioning = scaled;
        if (i < POLAR_STEPS && scaled > MIN_SLOPE) {
            d -= value / slope;
        }
    }
    return d;
}

pair tet_pair_polar(rows3 g, out rows3 p_h, out rows3 p_d)
{
    const float third = 1.0 / 3;
    rows3 cof, e;
    pair p;
    p.h = tet_volume(g, cof);
    e.x = vec3(strain_of(g, 0, 0), strain_of(g, 0, 1), strain_of(g, 0, 2));
    e.y = vec3(strain_of(g, 1, 0), strain_of(g, 1, 1), strain_of(g, 1, 2));
    e.z = vec3(strain_of(g, 2, 0), strain_of(g, 2, 1), strain_of(g, 2, 2));
    const rows3 c = cofactors(e);
    precise const float trace = e.x.x + e.y.y + e.z.z, minors = c.x.x + c.y.y + c.z.z, determinant = dot3(e.x, c.x);
    float conditioning;
    const float d = polar_stretch(vec3(trace, minors, determinant), p.h, conditioning);
    precise const float t = p.h + d, s = 3 + t;
    precise const float square = (p.h * p.h - (minors + determinant)) - (2 * d + third * t * t);
    const bool is_clear = conditioning > MIN_CONDITIONING;
    p.d_f = p.f_f = square;
    p.is_active = square > MIN_SHEAR_SQUARE && is_clear;
    precise const float inverse = 1 / (16 * (is_clear ? conditioning : 1));
    precise const float of_g = 10 + ((6 + t) * t + trace), of_cof = 2 * s;
    precise const float of_one = (4 + t) * trace + (2 * p.h - ((8 + t) * t + 16) * t);
    const rows3 ge = rows3(combine(g.x, e), combine(g.y, e), combine(g.z, e));
    precise vec3 x = of_g * g.x + (of_cof * cof.x - 2 * (e.x + ge.x)),
                 y = of_g * g.y + (of_cof * cof.y - 2 * (e.y + ge.y)),
                 z = of_g * g.z + (of_cof * cof.z - 2 * (e.z + ge.z));
    x.x += of_one, y.y += of_one, z.z += of_one;
    precise const rows3 rotation_delta = rows3(inverse * x, inverse * y, inverse * z),
        rotated = add_one(rotation_delta);
    precise const vec3 d_x = (g.x - rotation_delta.x) - third * t * rotated.x,
        d_y = (g.y - rotation_delta.y) - third * t * rotated.y,
                       d_z = (g.z - rotation_delta.z) - third * t * rotated.z;
    p_d = rows3(d_x, d_y, d_z);
    p_h = add_one(cof);
    return p;
}

/* Gradient of vertex k < 3: P b_k. */
vec3 tet_corner(rows3 p, vec3 b)
{
    return vec3(dot3(p.x, b), dot3(p.y, b), dot3(p.z, b));
}

vec3 tet_last_corner(vec3 g0, vec3 g1, vec3 g2)
{
    precise const vec3 last = -(g0 + g1 + g2);
    return last;
}

void solve_tet(uint first, uint count, uint recipe, inout vec4 v0, inout vec4 v1, inout vec4 v2, inout vec4 v3,
               inout vec2 multipliers)
{
    const rows3 b = value_rows(first, count), g = tet_gradient(b, v0, v1, v2, v3);
    rows3 p_h, p_d;
    pair p;
    if (recipe == SN_XPBD_RUN_TET_LEGACY) {
        p = tet_pair_legacy(g, p_h, p_d);
    } else if (recipe == SN_XPBD_RUN_TET_POLAR) {
        p = tet_pair_polar(g, p_h, p_d);
    } else {
        p = tet_pair(g, p_h, p_d);
    }
    const vec3 h0 = tet_corner(p_h, b.x), h1 = tet_corner(p_h, b.y), h2 = tet_corner(p_h, b.z);
    const vec3 d0 = tet_corner(p_d, b.x), d1 = tet_corner(p_d, b.y), d2 = tet_corner(p_d, b.z);
    const vec3 h3 = tet_last_corner(h0, h1, h2), d3 = tet_last_corner(d0, d1, d2);
    vec3 products = add_products(vec3(0), v0.w, h0, d0, false);
    products = add_products(products, v1.w, h1, d1, false);
    products = add_products(products, v2.w, h2, d2, false);
    products = add_products(products, v3.w, h3, d3, false);
    precise const float compliance_h = body.element_inverse_h2 * values[first + 9 * count];
    precise const float compliance_d = body.element_inverse_h2 * values[first + 10 * count];
    const vec2 changes = changes_of(p, products, compliance_h, compliance_d, multipliers);
    move_along_pair(changes, h0, d0, v0);
    move_along_pair(changes, h1, d1, v1);
    move_along_pair(changes, h2, d2, v2);
    move_along_pair(changes, h3, d3, v3);
}

void solve_volume(uint first, uint count, inout vec4 v0, inout vec4 v1, inout vec4 v2, inout vec4 v3,
                  inout float multiplier)
{
    const rows3 b = value_rows(first, count);
    rows3 cof_less_one;
    const float volume = tet_volume(tet_gradient(b, v0, v1, v2, v3), cof_less_one);
    precise const vec3 x = vec3(cof_less_one.x.x + 1, cof_less_one.x.yz),
                       y = vec3(cof_less_one.y.x, cof_less_one.y.y + 1, cof_less_one.y.z),
                       z = vec3(cof_less_one.z.xy, cof_less_one.z.z + 1);
    const rows3 cof = rows3(x, y, z);
    const vec3 g0 = tet_corner(cof, b.x), g1 = tet_corner(cof, b.y), g2 = tet_corner(cof, b.z);
    const vec3 g3 = tet_last_corner(g0, g1, g2);
    precise const float compliance = body.inverse_h2 * values[first + 9 * count];
    float system = add_weighted(add_weighted(compliance, v0, g0), v1, g1);
    system = add_weighted(add_weighted(system, v2, g2), v3, g3);
    const float change = change_of(volume, compliance, system, multiplier);
    move_along(change, g0, v0);
    move_along(change, g1, v1);
    move_along(change, g2, v2);
    move_along(change, g3, v3);
}
