/* SPDX-License-Identifier: MIT */
/* Wind on a skin embedded in tets. */

/* Rest normal of a sample, deformed with its tet: n' = cof F n, with F from the corners. */
real3 skin_normal(uint word, uint value)
{
    const real3 n = real3(weights[value + 4], weights[value + 5], weights[value + 6]);
    real3 now[3];
    real along[3];
    if (tables[word + 4] != 4) { /* attached to bones only: wind has no effect */
        return real3(0);
    }
    for (uint k = 0; k < 3; ++k) {
        const uint row = tables[word + k + 1], first = tables[word];
        precise const real3 a = real3(rests[body.rest + row].xyz) + real3(displacement(row).xyz) + origin();
        precise const real3 b = real3(rests[body.rest + first].xyz) + real3(displacement(first).xyz) + origin();
        precise const real3 edge = a - b;
        precise const real3 rest = number_vector(model.rest_positions + 3 * row) -
            number_vector(model.rest_positions + 3 * first);
        now[k] = edge;
        along[k] = dot_of(n, rest);
    }
    precise real3 sum = real3(0);
    for (uint k = 0; k < 3; ++k) {
        const real3 a = now[(k + 1) % 3], b = now[(k + 2) % 3];
        precise const real3 cross = a.yzx * b.zxy - a.zxy * b.yzx;
        sum += along[k] * cross;
    }
    const real size = sqrt(dot_of(sum, sum));
    precise const real3 normal = sum / size;
    return size > 0 ? normal : real3(0);
}

#include "shaders/xpbd/wind.glsl"

void apply_skin_forces()
{
    air = sn_air(triple(own.wind), to_real(own.wind_limit), to_real(own.mass), model.samples, model.sample_values);
    apply_wind(own.has_wind != 0 ? model.level_count : 0, model.levels);
}
