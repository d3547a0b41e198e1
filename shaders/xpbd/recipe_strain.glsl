/* SPDX-License-Identifier: MIT */
/* Seven strain-based constraints of a tet, solved one after the other in the space of F R: the implementation of
 * host/xpbd/recipe_strain.inc, which has the formulas. Columns are vectors. Without axes, R is the identity, whose
 * zeros and ones change no bit, so both cases share the code. */

#define MIN_SQUARE 9.99999993922529e-9 /* the float nearest to 1e-8 */
#define STRAIN_COUNT 7

/* Columns of R, G R and F R; rows of W. */
struct strain {
    vec3 r[3], g[3], f[3], w[3];
};

void update_column(inout strain s, uint i)
{
    precise const vec3 column = s.r[i] + s.g[i];
    s.f[i] = column;
}

void strain_masses(rows3 b, vec4 v0, vec4 v1, vec4 v2, vec4 v3, inout strain s)
{
    precise const vec3 last = b.x + b.y + b.z;
    vec3 row[3];
    for (uint i = 0; i < 3; ++i) {
        precise const float c0 = v0.w * b.x[i], c1 = v1.w * b.y[i], c2 = v2.w * b.z[i], c3 = v3.w * last[i];
        precise const vec3 sum = (c0 * b.x + c1 * b.y) + (c2 * b.z + c3 * last);
        row[i] = sum;
    }
    s.w[0] = row[0];
    s.w[1] = vec3(row[0].y, row[1].yz);
    s.w[2] = vec3(row[0].z, row[1].z, row[2].z);
}

strain strain_of(rows3 b, rows3 axes, vec4 v0, vec4 v1, vec4 v2, vec4 v3)
{
    const rows3 g = tet_gradient(b, v0, v1, v2, v3);
    strain s;
    for (uint i = 0; i < 3; ++i) {
        s.r[i] = vec3(axes.x[i], axes.y[i], axes.z[i]);
        s.g[i] = vec3(g.x[i], g.y[i], g.z[i]);
        update_column(s, i);
    }
    strain_masses(b, v0, v1, v2, v3, s);
    return s;
}

/* F R += change x (row i of W). */
void strain_move(inout strain s, uint i, vec3 change)
{
    for (uint j = 0; j < 3; ++j) {
        precise const vec3 column = s.g[j] + change * s.w[i][j];
        s.g[j] = column;
        update_column(s, j);
    }
}

void add_column(inout vec3 sum, vec3 change)
{
    precise const vec3 added = sum + change;
    sum = added;
}

/* sqrt(S_ii) - 1; sum: += dL P, by columns. */
void solve_stretch(uint i, float compliance, inout strain s, inout vec3 sum[3], inout float multiplier)
{
    precise const float e = 2 * dot3(s.r[i], s.g[i]) + dot3(s.g[i], s.g[i]), square = 1 + e;
    const bool is_active = square > MIN_SQUARE;
    precise const float length = sqrt(is_active ? square : MIN_SQUARE), inverse = 1 / length;
    precise const float violation = e / (1 + length), denominator = compliance + s.w[i][i];
    const float size = change_of(is_active ? violation : 0, compliance, denominator, multiplier);
    precise const vec3 direction = s.f[i] * inverse, change = direction * size;
    add_column(sum[i], change);
    strain_move(s, i, change);
}

/* S_ij */
void solve_shear(uint i, uint j, float compliance, inout strain s, inout vec3 sum[3], inout float multiplier)
{
    precise const float c = dot3(s.r[i], s.g[j]) + dot3(s.f[j], s.g[i]);
    const float ii = dot3(s.f[i], s.f[i]), jj = dot3(s.f[j], s.f[j]), ij = dot3(s.f[i], s.f[j]);
    precise const float system = (jj * s.w[i][i] + ii * s.w[j][j]) + 2 * ij * s.w[i][j],
        denominator = compliance + system;
    const float size = change_of(c, compliance, denominator, multiplier);
    precise const vec3 of_i = size * s.f[j], of_j = size * s.f[i];
    add_column(sum[i], of_i);
    add_column(sum[j], of_j);
    strain_move(s, i, of_i);
    strain_move(s, j, of_j);
}

/* det F - 1, of terms that vanish at rest. */
float strain_volume(strain s)
{
    const vec3 k0 = cross3(s.g[1], s.g[2]), k1 = cross3(s.g[2], s.g[0]), k2 = cross3(s.g[0], s.g[1]);
    precise float volume = dot3(s.g[0], k0) + dot3(s.r[0], k0);
    volume += dot3(s.r[1], k1);
    volume += dot3(s.r[2], k2);
    volume += dot3(s.r[0], s.g[0]);
    volume += dot3(s.r[1], s.g[1]);
    volume += dot3(s.r[2], s.g[2]);
    return volume;
}

/* The last constraint, so F R need not be updated. */
void solve_strain_volume(float compliance, strain s, inout vec3 sum[3], inout float multiplier)
{
    vec3 c[3];
    precise float system = 0;
    for (uint i = 0; i < 3; ++i) {
        c[i] = cross3(s.f[(i + 1) % 3], s.f[(i + 2) % 3]);
    }
    for (uint i = 0; i < 3; ++i) {
        precise const float next = 2 * dot3(c[i], c[(i + 1) % 3]) * s.w[i][(i + 1) % 3];
        precise const float added = dot3(c[i], c[i]) * s.w[i][i] + next;
        system += added;
    }
    precise const float denominator = compliance + system;
    const float size = change_of(strain_volume(s), compliance, denominator, multiplier);
    for (uint i = 0; i < 3; ++i) {
        precise const vec3 change = size * c[i];
        add_column(sum[i], change);
    }
}

void move_vertex(inout vec4 v, vec3 push)
{
    precise const vec3 moved = v.xyz + v.w * push;
    v.xyz = moved;
}

void strain_scatter(rows3 b, vec3 sum[3], inout vec4 v0, inout vec4 v1, inout vec4 v2, inout vec4 v3)
{
    precise const vec3 p0 = sum[0] * b.x.x + sum[1] * b.x.y + sum[2] * b.x.z;
    precise const vec3 p1 = sum[0] * b.y.x + sum[1] * b.y.y + sum[2] * b.y.z;
    precise const vec3 p2 = sum[0] * b.z.x + sum[1] * b.z.y + sum[2] * b.z.z;
    precise const vec3 all = p0 + p1 + p2, last = v3.xyz - v3.w * all;
    move_vertex(v0, p0);
    move_vertex(v1, p1);
    move_vertex(v2, p2);
    v3.xyz = last;
}

/* Compliance of constraint `of` of the seven. */
float strain_compliance(uint first, uint count, uint of)
{
    precise const float compliance = body.element_inverse_h2 * values[first + (9 + of) * count];
    return compliance;
}

void solve_strain(uint first, uint count, bool is_framed, inout vec4 v0, inout vec4 v1, inout vec4 v2, inout vec4 v3,
                  inout float multipliers[STRAIN_COUNT])
{
    const rows3 b = value_rows(first, count);
    rows3 axes = rows3(vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1));
    if (is_framed) {
        axes = value_rows(first + 16 * count, count);
    }
    strain s = strain_of(b, axes, v0, v1, v2, v3);
    vec3 sum[3] = {vec3(0), vec3(0), vec3(0)};
    solve_stretch(0, strain_compliance(first, count, 0), s, sum, multipliers[0]);
    solve_stretch(1, strain_compliance(first, count, 1), s, sum, multipliers[1]);
    solve_stretch(2, strain_compliance(first, count, 2), s, sum, multipliers[2]);
    solve_shear(0, 1, strain_compliance(first, count, 3), s, sum, multipliers[3]);
    solve_shear(0, 2, strain_compliance(first, count, 4), s, sum, multipliers[4]);
    solve_shear(1, 2, strain_compliance(first, count, 5), s, sum, multipliers[5]);
    solve_strain_volume(strain_compliance(first, count, 6), s, sum, multipliers[6]);
    strain_scatter(b, sum, v0, v1, v2, v3);
}
