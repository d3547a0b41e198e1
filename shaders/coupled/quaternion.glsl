/* SPDX-License-Identifier: MIT */
/* Rotations: the twin of host/math/quaternion.c. Matrices are row-major: three rows. */

struct matrix3 {
    dvec3 x, y, z;
};

#define STILL dvec4(0, 0, 0, 1)
#define QUATERNION_STEPS 60

dvec3 row_of(matrix3 m, uint d)
{
    return d == 0 ? m.x : d == 1 ? m.y : m.z;
}

dvec3 multiply(matrix3 m, dvec3 v)
{
    return dvec3(dot_of(m.x, v), dot_of(m.y, v), dot_of(m.z, v));
}

matrix3 transposed(matrix3 m)
{
    return matrix3(dvec3(m.x.x, m.y.x, m.z.x), dvec3(m.x.y, m.y.y, m.z.y), dvec3(m.x.z, m.y.z, m.z.z));
}

double dot4(dvec4 a, dvec4 b)
{
    precise const double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return dot;
}

dvec4 normalized(dvec4 q)
{
    const double length = sqrt(dot4(q, q));
    precise const dvec4 unit = q / (length > 0 ? length : 1);
    return length > 0 ? unit : STILL;
}

dvec4 turned_by(dvec4 a, dvec4 b)
{
    precise const double x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    precise const double y = a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z;
    precise const double z = a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x;
    precise const double w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    return dvec4(x, y, z, w);
}

dvec4 conjugate(dvec4 q)
{
    return dvec4(-q.xyz, q.w);
}

matrix3 matrix_of(dvec4 q)
{
    precise const dvec3 squares = q.xyz * q.xyz, products = q.xyz * q.yzx, twists = q.xyz * q.w;
    const double xx = squares.x, yy = squares.y, zz = squares.z, xy = products.x, yz = products.y, zx = products.z,
                 xw = twists.x, yw = twists.y, zw = twists.z;
    precise const dvec3 x = dvec3(1 - 2 * (yy + zz), 2 * (xy - zw), 2 * (zx + yw));
    precise const dvec3 y = dvec3(2 * (xy + zw), 1 - 2 * (zz + xx), 2 * (yz - xw));
    precise const dvec3 z = dvec3(2 * (zx - yw), 2 * (yz + xw), 1 - 2 * (xx + yy));
    return matrix3(x, y, z);
}

dvec4 from_vector(dvec3 v)
{
    precise const dvec3 half_of_it = v / 2;
    return normalized(dvec4(half_of_it, 1));
}

dvec3 to_vector(dvec4 q)
{
    precise const double real = max(abs(q.w), 1e-6LF), twice = (q.w < 0 ? -2.0LF : 2.0LF) / real;
    precise const dvec3 v = twice * q.xyz;
    return v;
}

dvec4 blended(dvec4 from, dvec4 to, double fraction)
{
    const double share = dot4(from, to) < 0 ? -fraction : fraction;
    precise const dvec4 mean = (1 - fraction) * from + share * to;
    return normalized(mean);
}

/* The rotation of A = R S, from q on. */
dvec4 polar(matrix3 a, dvec4 q)
{
    const matrix3 columns = transposed(a);
    bool is_turning = true;
    for (uint step = 0; step < QUATERNION_STEPS && is_turning; ++step) {
        const matrix3 r = transposed(matrix_of(q));
        precise dvec3 vector = dvec3(0);
        precise double size = 2.2250738585072014e-308LF;
        for (uint j = 0; j < 3; ++j) {
            const dvec3 b = row_of(r, j), c = row_of(columns, j);
            precise const dvec3 cross = b.yzx * c.zxy - b.zxy * c.yzx, along = b * c;
            vector += cross;
            size += along.x;
            size += along.y;
            size += along.z;
        }
        precise const dvec3 turn = vector / abs(size);
        const double length2 = dot_of(turn, turn);
        is_turning = length2 > 1e-28LF && is_finite(length2);
        q = is_turning ? turned_by(from_vector(turn), q) : q;
    }
    return q;
}
