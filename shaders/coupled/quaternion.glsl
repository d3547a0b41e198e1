/* SPDX-License-Identifier: MIT */
/* Rotations: the implementation of host/math/quaternion.c. Matrices are row-major: three rows. */

struct matrix3 {
    real3 x, y, z;
};

#define IDENTITY_ROTATION real4(0, 0, 0, 1)
#define QUATERNION_STEPS 60

real3 row_of(matrix3 m, uint d)
{
    return d == 0 ? m.x : d == 1 ? m.y : m.z;
}

real3 multiply(matrix3 m, real3 v)
{
    return real3(dot_of(m.x, v), dot_of(m.y, v), dot_of(m.z, v));
}

matrix3 transposed(matrix3 m)
{
    return matrix3(real3(m.x.x, m.y.x, m.z.x), real3(m.x.y, m.y.y, m.z.y), real3(m.x.z, m.y.z, m.z.z));
}

real dot4(real4 a, real4 b)
{
    precise const real dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return dot;
}

real4 normalized(real4 q)
{
    const real length = sqrt(dot4(q, q));
    precise const real4 unit = q / (length > 0 ? length : 1);
    return length > 0 ? unit : IDENTITY_ROTATION;
}

real4 multiply_quaternions(real4 a, real4 b)
{
    precise const real x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    precise const real y = a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z;
    precise const real z = a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x;
    precise const real w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    return real4(x, y, z, w);
}

real4 conjugate(real4 q)
{
    return real4(-q.xyz, q.w);
}

matrix3 matrix_of(real4 q)
{
    precise const real3 squares = q.xyz * q.xyz, products = q.xyz * q.yzx, twists = q.xyz * q.w;
    const real xx = squares.x, yy = squares.y, zz = squares.z, xy = products.x, yz = products.y, zx = products.z,
               xw = twists.x, yw = twists.y, zw = twists.z;
    precise const real3 x = real3(1 - 2 * (yy + zz), 2 * (xy - zw), 2 * (zx + yw));
    precise const real3 y = real3(2 * (xy + zw), 1 - 2 * (zz + xx), 2 * (yz - xw));
    precise const real3 z = real3(2 * (zx - yw), 2 * (yz + xw), 1 - 2 * (xx + yy));
    return matrix3(x, y, z);
}

real4 from_vector(real3 v)
{
    precise const real3 half_of_it = v / 2;
    return normalized(real4(half_of_it, 1));
}

real3 to_vector(real4 q)
{
    precise const real cosine = max(abs(q.w), 1 / real(1e6)), twice = (q.w < 0 ? -real(2.0) : real(2.0)) / cosine;
    precise const real3 v = twice * q.xyz;
    return v;
}

real4 blended(real4 from, real4 to, real fraction)
{
    const real signed_fraction = dot4(from, to) < 0 ? -fraction : fraction;
    precise const real4 mean = (1 - fraction) * from + signed_fraction * to;
    return normalized(mean);
}

/* The nearest rotation around z. */
real4 polar_z(matrix3 a)
{
    precise const real cosine = a.x.x + a.y.y, sine = a.y.x - a.x.y;
    precise const real square = cosine * cosine + sine * sine;
    const real size = sqrt(square);
    precise const real less = size - cosine, more = size + cosine;
    return normalized(cosine < 0 ? real4(0, 0, less, sine) : real4(0, 0, sine, more));
}

/* The rotation of A = R S, iterated from q. */
real4 polar(matrix3 a, real4 q)
{
    const matrix3 columns = transposed(a);
    bool is_rotating = true;
    for (uint step = 0; step < QUATERNION_STEPS && is_rotating; ++step) {
        const matrix3 r = transposed(matrix_of(q));
        precise real3 vector = real3(0);
        precise real size = REAL_MIN;
        for (uint j = 0; j < 3; ++j) {
            const real3 b = row_of(r, j), c = row_of(columns, j);
            precise const real3 cross = b.yzx * c.zxy - b.zxy * c.yzx, along = b * c;
            vector += cross;
            size += along.x;
            size += along.y;
            size += along.z;
        }
        precise const real3 rotation = vector / abs(size);
        const real length2 = dot_of(rotation, rotation);
        is_rotating = length2 > MIN_ROTATION_STEP && is_finite(length2);
        q = is_rotating ? multiply_quaternions(from_vector(rotation), q) : q;
    }
    return q;
}
