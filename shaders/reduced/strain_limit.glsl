/* SPDX-License-Identifier: MIT */
/* Strain limits of clusters: the implementation of host/reduced/kernels/strain_limit.inc, operation by operation, which
 * has the formulas. Matrices are float[9], row-major. */

#define LIMIT_SWEEPS 4
#define LIMIT_TOLERANCE 1e-14
#define INSIDE_FRACTION 0.99
#define MIN_DENOMINATOR 1e-18

struct principal_axes {
    float values[3], vectors[9];
};

bool has_strain_limits()
{
    return body.limit_stiffness > 0;
}

/* One Jacobi rotation in the plane of axes i and j; k is the third axis. */
void rotate_axes(int i, int j, int k, inout float diagonal[3], inout float off[3], inout float q[9])
{
    precise const float difference = diagonal[j] - diagonal[i], twice = off[k] + off[k];
    precise const float denominator = abs(difference) + sqrt(difference * difference + twice * twice);
    if (!(denominator > MIN_DENOMINATOR)) {
        return;
    }
    precise const float ratio = twice / denominator, t = difference < 0 ? -ratio : ratio;
    precise const float c = 1 / sqrt(1 + t * t), s = t * c;
    precise const float shift = t * off[k], first = diagonal[i] - shift, second = diagonal[j] + shift;
    precise const float ik = c * off[j] - s * off[i], jk = s * off[j] + c * off[i];
    diagonal[i] = first;
    diagonal[j] = second;
    off[k] = 0;
    off[j] = ik;
    off[i] = jk;
    for (int row = 0; row < 9; row += 3) {
        precise const float x = c * q[row + i] - s * q[row + j], y = s * q[row + i] + c * q[row + j];
        q[row + i] = x;
        q[row + j] = y;
    }
}

/* Strains of the gradient 1 + b relative to its rotation 1 + rotation_delta. */
principal_axes find_principal_axes(float b[9], float rotation_delta[9])
{
    precise float e[9];
    principal_axes axes;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            precise const float d0 = b[j] - rotation_delta[j], d1 = b[3 + j] - rotation_delta[3 + j],
                                d2 = b[6 + j] - rotation_delta[6 + j];
            e[3 * i + j] = ((rotation_delta[i] * d0 + rotation_delta[3 + i] * d1) + rotation_delta[6 + i] * d2) +
                           (b[3 * i + j] - rotation_delta[3 * i + j]);
            axes.vectors[3 * i + j] = i == j ? 1 : 0;
        }
    }
    precise float off[3] = float[3](0.5 * (e[5] + e[7]), 0.5 * (e[2] + e[6]), 0.5 * (e[1] + e[3]));
    axes.values = float[3](e[0], e[4], e[8]);
    for (int sweep = 0; sweep < LIMIT_SWEEPS; ++sweep) {
        const float values[3] = axes.values;
        precise const float rest = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
        precise const float square = values[0] * values[0] + values[1] * values[1] + values[2] * values[2];
        if (!(rest > LIMIT_TOLERANCE * square)) {
            break;
        }
        rotate_axes(0, 1, 2, axes.values, off, axes.vectors);
        rotate_axes(0, 2, 1, axes.values, off, axes.vectors);
        rotate_axes(1, 2, 0, axes.values, off, axes.vectors);
    }
    return axes;
}

/* The mean gradient of a cluster, less 1. */
void mean_strain(uint c, float f[9], out float b[9])
{
    const vec4 volume = models[body.model + model.volume + c];
    for (int i = 0; i < 9; ++i) {
        precise const float strain = i % 4 == 0 ? (f[i] - volume.w) * volume.z : f[i] * volume.z;
        b[i] = strain;
    }
    b[8] = (body.flags & SN_REDUCED_FLAT) != 0 ? 0 : b[8];
}

/* Least and largest strain of a cluster: stored by the invocation that reads them. */
void set_range(uint c, vec2 range)
{
    states[state.ranges + 2 * c] = range.x;
    states[state.ranges + 2 * c + 1] = range.y;
}

/* f: the rig's part of the gradient, if the flesh rests in the bind pose. */
void prepare_range(uint c, float f[9])
{
    const float max_strain = models[body.model + model.limit + 3 * c].w;
    vec2 range = vec2(0);
    if (!is_posed()) {
        float b[9], rotation_delta[9];
        mean_strain(c, f, b);
        sn_polar(f, rotation_delta);
        const principal_axes axes = find_principal_axes(b, rotation_delta);
        for (int i = 0; i < 3; ++i) {
            range = vec2(min(range.x, axes.values[i]), max(range.y, axes.values[i]));
        }
    }
    set_range(c, range + vec2(-max_strain, max_strain));
}

void clamp_strain(vec2 range, float b[9], float rotation_delta[9], inout float target[9])
{
    const principal_axes axes = find_principal_axes(b, rotation_delta);
    precise float scaled[9], symmetric[9];
    for (int k = 0; k < 3; ++k) {
        precise const float excess = axes.values[k] - clamp(axes.values[k], range.x, range.y);
        for (int i = 0; i < 3; ++i) {
            scaled[3 * i + k] = axes.vectors[3 * i + k] * excess;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            symmetric[3 * i + j] = (scaled[3 * i] * axes.vectors[3 * j] + scaled[3 * i + 1] * axes.vectors[3 * j + 1]) +
                                   scaled[3 * i + 2] * axes.vectors[3 * j + 2];
        }
    }
    for (int i = 0; i < 9; ++i) {
        const int row = i / 3 * 3, j = i % 3;
        precise const float excess = ((rotation_delta[row] * symmetric[j] + rotation_delta[row + 1] * symmetric[3 + j]) +
                                      rotation_delta[row + 2] * symmetric[6 + j]) + symmetric[i];
        precise const float limited = b[i] - excess;
        target[i] = limited;
    }
}

/* Computes kappa (T - 1); returns the term's energy, as the global step counts it. */
float limit_strain(uint c, float f[9], float rotation_delta[9], out float target[9])
{
    const vec2 range = vec2(states[state.ranges + 2 * c], states[state.ranges + 2 * c + 1]);
    precise const float centre = 0.5 * (range.x + range.y), radius = 0.5 * (range.y - range.x), scale = 1 + centre;
    precise float distance = 0, product = 0;
    float b[9];
    mean_strain(c, f, b);
    for (int i = 0; i < 9; ++i) {
        precise const float d = b[i] - scale * rotation_delta[i], own = i % 4 == 0 ? d - centre : d;
        distance += own * own;
    }
    target = b;
    if (!(distance <= INSIDE_FRACTION * (radius * radius))) {
        clamp_strain(range, b, rotation_delta, target);
    }
    for (int i = 0; i < 9; ++i) {
        product += target[i] * (b[i] - 0.5 * target[i]);
        precise const float scaled = target[i] * body.limit_stiffness;
        target[i] = scaled;
    }
    precise const float energy = body.limit_stiffness * (models[body.model + model.volume + c].w * product);
    return energy;
}
