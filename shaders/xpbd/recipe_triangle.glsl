/* SPDX-License-Identifier: MIT */
/* The pair of a triangle in the plane z = 0: the implementation of host/xpbd/recipe_triangle.inc. 2 x 2 matrices are
 * vec4, row by row. */

vec4 triangle_gradient(vec4 b, vec4 v0, vec4 v1, vec4 v2)
{
    precise const vec2 d0 = v0.xy - v2.xy, d1 = v1.xy - v2.xy;
    precise const vec4 g = d0.xxyy * b.xyxy + d1.xxyy * b.zwzw;
    return g;
}

/* C_H and its gradient. */
float triangle_volume(vec4 g, out vec4 p_h)
{
    precise const float volume = (g.x + g.w) + (g.x * g.w - g.y * g.z);
    precise const float first = g.w + 1, last = g.x + 1;
    p_h = vec4(first, -g.z, -g.y, last);
    return volume;
}

pair triangle_pair(vec4 g, out vec4 p_h, out vec4 p_d)
{
    pair p;
    p.h = triangle_volume(g, p_h);
    precise const float stretch = g.x - g.w, shear = g.y + g.z;
    precise const float square = stretch * stretch + shear * shear;
    p.d_f = p.f_f = square;
    p.is_active = square > MIN_SHEAR_SQUARE;
    p_d = vec4(stretch, shear, shear, -stretch);
    return p;
}

pair triangle_pair_legacy(vec4 g, out vec4 p_h, out vec4 p_d)
{
    pair p;
    p.h = triangle_volume(g, p_h);
    precise const float square = (g.x * (g.x + 2) + g.y * g.y) + (g.z * g.z + g.w * (g.w + 2));
    p.d_f = square;
    p.f_f = 1;
    p.is_active = true;
    precise const vec4 doubled = vec4(2 * (g.x + 1), 2 * g.y, 2 * g.z, 2 * (g.w + 1));
    p_d = doubled;
    return p;
}

vec3 triangle_corner(vec4 p, vec2 b)
{
    precise const vec2 gradient = p.xz * b.x + p.yw * b.y;
    return vec3(gradient, 0);
}

vec3 triangle_last_corner(vec3 g0, vec3 g1)
{
    precise const vec2 last = -(g0.xy + g1.xy);
    return vec3(last, 0);
}

void move_along_flat_pair(vec2 changes, vec3 g_h, vec3 g_d, inout vec4 vertex)
{
    precise const vec2 moved = vertex.xy + vertex.w * (g_h.xy * changes.x + g_d.xy * changes.y);
    vertex.xy = moved;
}

void solve_triangle(uint first, uint count, bool is_legacy, inout vec4 v0, inout vec4 v1, inout vec4 v2,
                    inout vec2 multipliers)
{
    const vec4 b = vec4(value_vector(first, count, 0), values[first + 3 * count]);
    const vec4 g = triangle_gradient(b, v0, v1, v2);
    vec4 p_h, p_d;
    pair p;
    if (is_legacy) {
        p = triangle_pair_legacy(g, p_h, p_d);
    } else {
        p = triangle_pair(g, p_h, p_d);
    }
    const vec3 h0 = triangle_corner(p_h, b.xy), h1 = triangle_corner(p_h, b.zw), h2 = triangle_last_corner(h0, h1);
    const vec3 d0 = triangle_corner(p_d, b.xy), d1 = triangle_corner(p_d, b.zw), d2 = triangle_last_corner(d0, d1);
    vec3 products = add_products(vec3(0), v0.w, h0, d0, true);
    products = add_products(products, v1.w, h1, d1, true);
    products = add_products(products, v2.w, h2, d2, true);
    precise const float compliance_h = body.element_inverse_h2 * values[first + 4 * count];
    precise const float compliance_d = body.element_inverse_h2 * values[first + 5 * count];
    const vec2 changes = changes_of(p, products, compliance_h, compliance_d, multipliers);
    move_along_flat_pair(changes, h0, d0, v0);
    move_along_flat_pair(changes, h1, d1, v1);
    move_along_flat_pair(changes, h2, d2, v2);
}
