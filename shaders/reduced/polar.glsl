/* SPDX-License-Identifier: MIT */
/* The rotation nearest to a matrix: the twin of host/reduced/cluster_pass.inc, operation by operation, which has the
 * formulas. Matrices are float[9], row-major. */

#define SN_LAMBDA_STEPS 8
#define SN_LEAST_SLOPE 1e-5

/* Quaternions are w, x, y, z. */
vec4 sn_normalised(vec4 q)
{
    precise const float norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(norm2 > 0)) {
        return vec4(1, 0, 0, 0);
    }
    precise const float inverse = 1 / sqrt(norm2);
    precise const vec4 unit = q * inverse;
    return unit;
}

void sn_rotation_of(vec4 q, out float result[9])
{
    precise const float xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
    precise const float xy = q[1] * q[2], xz = q[1] * q[3], yz = q[2] * q[3];
    precise const float wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
    precise float r[9];
    r[0] = 1 - 2 * (yy + zz), r[1] = 2 * (xy - wz), r[2] = 2 * (xz + wy);
    r[3] = 2 * (xy + wz), r[4] = 1 - 2 * (xx + zz), r[5] = 2 * (yz - wx);
    r[6] = 2 * (xz - wy), r[7] = 2 * (yz + wx), r[8] = 1 - 2 * (xx + yy);
    result = r;
}

/* The largest root; det and cof2 belong to a matrix of unit norm. */
float sn_largest_root(float det, float cof2)
{
    precise const float constant = 1 - 4 * cof2;
    precise const float det8 = 8 * det;
    precise float l = 1.7320508075688772;
    for (int step = 0; step < SN_LAMBDA_STEPS; ++step) {
        precise const float l2 = l * l;
        precise const float value = (l2 - 2) * l2 - det8 * l + constant;
        precise const float slope = (4 * l2 - 4) * l - det8;
        l = l - value / (slope > SN_LEAST_SLOPE ? slope : SN_LEAST_SLOPE);
    }
    return l;
}

/* Column of the adjugate of the symmetric K - l 1 with the largest diagonal, scaled by its largest entry. */
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
    float least = i00;
    vec4 column = vec4(i00, i01, i02, i03);
    if (i11 < least) {
        least = i11;
        column = vec4(i01, i11, i12, i13);
    }
    if (i22 < least) {
        least = i22;
        column = vec4(i02, i12, i22, i23);
    }
    if (i33 < least) {
        least = i33;
        column = vec4(i03, i13, i23, i33);
    }
    precise const float scale = 1 / (least == 0 ? 1 : least);
    precise const vec4 scaled = column * scale;
    return scaled;
}

/* One Newton step on the rotation. */
vec4 sn_refined(float a[9], vec4 q)
{
    float r[9];
    precise float g[9];
    sn_rotation_of(q, r);
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
    if (!(det > 1e-4)) { // where the rotation is ill-defined, any nearby one serves
        return sn_normalised(q);
    }
    precise const float half_inverse = 0.5 / det;
    precise const float x = half_inverse * (c00 * v0 + c01 * v1 + c02 * v2);
    precise const float y = half_inverse * (c01 * v0 + c11 * v1 + c12 * v2);
    precise const float z = half_inverse * (c02 * v0 + c12 * v1 + c22 * v2);
    precise const vec4 turned = vec4(q[0] - q[1] * x - q[2] * y - q[3] * z, q[1] + q[0] * x + q[2] * z - q[3] * y,
                                     q[2] + q[0] * y + q[3] * x - q[1] * z, q[3] + q[0] * z + q[1] * y - q[2] * x);
    return sn_normalised(turned);
}

void sn_polar(float f[9], out float r[9])
{
    precise float a[9];
    precise float norm2 = f[0] * f[0];
    for (int i = 1; i < 9; ++i) {
        norm2 = norm2 + f[i] * f[i];
    }
    const float norm = sqrt(norm2);
    precise const float inverse = 1 / (norm > 0 ? norm : 1);
    for (int i = 0; i < 9; ++i) {
        a[i] = f[i] * inverse;
    }
    precise const float c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
    precise const float c3 = a[2] * a[7] - a[1] * a[8], c4 = a[0] * a[8] - a[2] * a[6], c5 = a[1] * a[6] - a[0] * a[7];
    precise const float c6 = a[1] * a[5] - a[2] * a[4], c7 = a[2] * a[3] - a[0] * a[5], c8 = a[0] * a[4] - a[1] * a[3];
    precise const float det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    precise const float cof2 =
        c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3 + c4 * c4 + c5 * c5 + c6 * c6 + c7 * c7 + c8 * c8;
    const vec4 q = sn_normalised(sn_adjugate_column(a, sn_largest_root(det, cof2)));
    sn_rotation_of(sn_refined(a, q), r);
}
