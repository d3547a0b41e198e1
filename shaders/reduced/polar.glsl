/* SPDX-License-Identifier: MIT */
/* The nearest rotation to a matrix, less 1: the implementation of host/reduced/kernels/polar.inc, operation by
 * operation, which has the formulas. Matrices are float[9], row-major; quaternions are w, x, y, z, of any length. */

#define NEWTON_STEPS 3
#define EXTRA_NEWTON_STEPS 6
#define LAMBDA_TOLERANCE 2e-4
#define SHORT_COLUMN 1
#define MIN_SLOPE 1e-5
#define MIN_COLUMN 1e-30

float sn_sum_of_squares(float x[9])
{
    precise const float a = x[0] * x[0] + x[1] * x[1], b = x[2] * x[2] + x[3] * x[3];
    precise const float c = x[4] * x[4] + x[5] * x[5], d = x[6] * x[6] + x[7] * x[7];
    precise const float sum = ((a + b) + (c + d)) + x[8] * x[8];
    return sum;
}

/* R - 1, computed without the 1, which would cancel the digits of small rotations. */
void sn_rotation_delta_of(vec4 q, out float rotation_delta[9])
{
    precise const float s = 2 / ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    precise const float xs = q[1] * s, ys = q[2] * s, zs = q[3] * s;
    precise const float xx = q[1] * xs, yy = q[2] * ys, zz = q[3] * zs;
    precise const float xy = q[1] * ys, xz = q[1] * zs, yz = q[2] * zs;
    precise const float wx = q[0] * xs, wy = q[0] * ys, wz = q[0] * zs;
    precise float t[9];
    t[0] = -(yy + zz), t[1] = xy - wz, t[2] = xz + wy;
    t[3] = xy + wz, t[4] = -(xx + zz), t[5] = yz - wx;
    t[6] = xz - wy, t[7] = yz + wx, t[8] = -(xx + yy);
    rotation_delta = t;
}

/* The largest root, for a matrix of unit norm. */
float sn_largest_root(float det8, float constant)
{
    precise float l = 1.7320508075688772, before = l;
    for (int step = 0; step < NEWTON_STEPS + EXTRA_NEWTON_STEPS; ++step) {
        if (step >= NEWTON_STEPS && !(before - l > LAMBDA_TOLERANCE)) {
            break;
        }
        precise const float l2 = l * l;
        precise const float value = (l2 - 2) * l2 + (constant - det8 * l);
        precise const float slope = (4 * l2 - 4) * l - det8;
        before = l;
        l = l - value / (slope > MIN_SLOPE ? slope : MIN_SLOPE);
    }
    return l;
}

/* Column of the adjugate of the symmetric K - l 1 with the largest diagonal. */
vec4 sn_adjugate_column(float a[9], float lambda)
{
    precise const float b00 = a[0] + a[4] + a[8] - lambda, b11 = a[0] - a[4] - a[8] - lambda;
    precise const float b22 = a[4] - a[0] - a[8] - lambda, b33 = a[8] - a[0] - a[4] - lambda;
    precise const float b01 = a[7] - a[5], b02 = a[2] - a[6], b03 = a[3] - a[1];
    precise const float b12 = a[1] + a[3], b13 = a[2] + a[6], b23 = a[5] + a[7];
    precise const float s0 = b00 * b11 - b01 * b01, s1 = b00 * b12 - b01 * b02, s2 = b00 * b13 - b01 * b03;
    precise const float s3 = b01 * b12 - b11 * b02, s4 = b01 * b13 - b11 * b03, s5 = b02 * b13 - b12 * b03;
    precise const float c5 = b22 * b33 - b23 * b23, c4 = b12 * b33 - b13 * b23, c3 = b12 * b23 - b13 * b22;
    precise const float c2 = b02 * b33 - b03 * b23, c1 = b02 * b23 - b03 * b22;
    precise const float i00 = b11 * c5 - b12 * c4 + b13 * c3, i01 = b02 * c4 - b01 * c5 - b03 * c3;
    precise const float i02 = b13 * s5 - b23 * s4 + b33 * s3, i03 = b22 * s4 - b12 * s5 - b23 * s3;
    precise const float i11 = b00 * c5 - b02 * c2 + b03 * c1, i12 = b23 * s2 - b03 * s5 - b33 * s1;
    precise const float i13 = b02 * s5 - b22 * s2 + b23 * s1, i22 = b03 * s4 - b13 * s2 + b33 * s0;
    precise const float i23 = b12 * s2 - b02 * s4 - b23 * s0, i33 = b02 * s3 - b12 * s1 + b22 * s0;
    float min_diagonal = i00;
    vec4 column = vec4(i00, i01, i02, i03);
    if (i11 < min_diagonal) {
        min_diagonal = i11;
        column = vec4(i01, i11, i12, i13);
    }
    if (i22 < min_diagonal) {
        min_diagonal = i22;
        column = vec4(i02, i12, i22, i23);
    }
    if (i33 < min_diagonal) {
        min_diagonal = i33;
        column = vec4(i03, i13, i23, i33);
    }
    return column;
}

/* One Newton step on the rotation. */
vec4 sn_refined(float a[9], vec4 q)
{
    precise float r[9], g[9];
    sn_rotation_delta_of(q, r);
    r[0] += 1, r[4] += 1, r[8] += 1;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            g[3 * i + j] = r[i] * a[j] + r[3 + i] * a[3 + j] + r[6 + i] * a[6 + j];
        }
    }
    precise const float v0 = g[7] - g[5], v1 = g[2] - g[6], v2 = g[3] - g[1];
    precise const float h00 = g[4] + g[8], h11 = g[0] + g[8], h22 = g[0] + g[4];
    precise const float h01 = -0.5 * (g[1] + g[3]), h02 = -0.5 * (g[2] + g[6]), h12 = -0.5 * (g[5] + g[7]);
    precise const float c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    precise const float c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    precise const float det = h00 * c00 + h01 * c01 + h02 * c02;
    if (!(det > 1e-4)) { // where the rotation is ill-defined, any nearby one will do
        return q;
    }
    precise const float half_inverse = 0.5 / det;
    precise const float x = half_inverse * (c00 * v0 + c01 * v1 + c02 * v2);
    precise const float y = half_inverse * (c01 * v0 + c11 * v1 + c12 * v2);
    precise const float z = half_inverse * (c02 * v0 + c12 * v1 + c22 * v2);
    precise const vec4 rotated = vec4(q[0] - q[1] * x - q[2] * y - q[3] * z, q[1] + q[0] * x + q[2] * z - q[3] * y,
                                     q[2] + q[0] * y + q[3] * x - q[1] * z, q[3] + q[0] * z + q[1] * y - q[2] * x);
    return rotated;
}

/* Computes R - 1. */
void sn_polar(float f[9], out float rotation_delta[9])
{
    precise float a[9];
    const float norm = sqrt(sn_sum_of_squares(f));
    precise const float inverse = 1 / (norm > 0 ? norm : 1);
    for (int i = 0; i < 9; ++i) {
        precise const float entry = f[i] * inverse;
        a[i] = norm > 0 ? entry : i % 4 == 0 ? 0.57735026918962576 : 0;
    }
    precise const float cof[9] =
        float[9](a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6],
                 a[2] * a[7] - a[1] * a[8], a[0] * a[8] - a[2] * a[6], a[1] * a[6] - a[0] * a[7],
                 a[1] * a[5] - a[2] * a[4], a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]);
    precise const float det8 = 8 * (a[0] * cof[0] + a[1] * cof[1] + a[2] * cof[2]);
    precise const float constant = 1 - 4 * sn_sum_of_squares(cof);
    vec4 q = sn_adjugate_column(a, sn_largest_root(det8, constant));
    precise const float norm2 = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    /* for a double eigenvalue the column may vanish; then any rotation about one axis is equally good */
    q = norm2 > MIN_COLUMN ? q : vec4(1, 0, 0, 0);
    if (norm2 < SHORT_COLUMN) {
        q = sn_refined(a, q);
    }
    sn_rotation_delta_of(q, rotation_delta);
}
