/* SPDX-License-Identifier: MIT */
/* Wind on a skin that bones move. */

/* Rest normal of a sample, transformed by the bones after the last step. */
real3 skin_normal(uint word, uint value)
{
    const real3 rest = real3(weights[value + 4], weights[value + 5], weights[value + 6]);
    precise real3 sum = real3(0);
    for (uint i = tables[word + 5]; i < tables[word + 6]; ++i) {
        const uint now = at_output() + 24 * tables[rig.sample_bones + i] + 12;
        const real weight = real(weights[rig.sample_weights + i]);
        for (uint d = 0; d < 3; ++d) {
            precise const real rotated = state_at(now + 4 * d) * rest.x + state_at(now + 4 * d + 1) * rest.y +
                                        state_at(now + 4 * d + 2) * rest.z;
            sum[d] += weight * rotated;
        }
    }
    const real size = sqrt(dot_of(sum, sum));
    precise const real3 normal = sum / size;
    return size > 0 ? normal : real3(0);
}

#include "shaders/xpbd/wind.glsl"

void apply_skin_forces()
{
    air = sn_air(triple(own.wind), to_real(own.wind_limit), to_real(own.mass), rig.samples, rig.sample_values);
    apply_wind((own.flags & SN_COUPLED_HAS_WIND) != 0 ? rig.level_count : 0, rig.levels);
}
