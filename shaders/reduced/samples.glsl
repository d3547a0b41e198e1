/* SPDX-License-Identifier: MIT */
/* Surface points moved by rig and flesh. Positions are relative to the root's translation, which preserves float
 * precision far from the origin. Samples come first, then the extremes of each. */

#define RIG_NOW 0    // P_(n+1), relative to its root
#define RIG_STEP 1   // P_(n+1) - P_n
#define RIG_BEFORE 2 // P_n, relative to its root
#define RIG_MOTION 3 // P_n - P_(n-1)

uint extreme_of(uint sample_index, uint i)
{
    return body.sample_count + SN_REDUCED_EXTREMES * sample_index + i;
}

mat3x4 bone_rows(uint bone, int quantity)
{
    const uint pose = first_pose_row(bone), root = first_pose_row(0) + SN_REDUCED_POSE_STEP;
    const vec4 centre = poses[pose + SN_REDUCED_POSE_CENTER];
    precise mat3x4 rows;
    for (uint d = 0; d < 3; ++d) {
        const vec4 step = poses[pose + SN_REDUCED_POSE_STEP + d], now = vec4(poses[pose + d].xyz, centre[d]);
        rows[d] = quantity == RIG_STEP     ? step
                  : quantity == RIG_MOTION ? state_four(state.rig_motion + 12 * bone + 4 * d)
                  : quantity == RIG_BEFORE ? now - (step - vec4(0, 0, 0, poses[root + d].w))
                                       : now;
    }
    return rows;
}

/* The rig's transform at a point: three rows. */
mat3x4 rig_rows(uint point, int quantity)
{
    const uint first = body.model + model.point + point, influence = body.model + model.influence;
    precise mat3x4 sum = mat3x4(vec4(0), vec4(0), vec4(0));
    for (uint i = uint(models[first].w); i < uint(models[first + 1].w); ++i) {
        const vec4 pair = models[influence + i];
        const mat3x4 a = bone_rows(uint(pair.x), quantity), b = bone_rows(uint(pair.z), quantity);
        for (uint d = 0; d < 3; ++d) {
            sum[d] += pair.y * a[d] + pair.w * b[d];
        }
    }
    return sum;
}

/* Weight of a bone at a point. */
float bone_weight(uint point, uint bone)
{
    const uint first = body.model + model.point + point, influence = body.model + model.influence;
    precise float sum = 0;
    for (uint i = uint(models[first].w); i < uint(models[first + 1].w); ++i) {
        const vec4 pair = models[influence + i];
        sum += (uint(pair.x) == bone ? pair.y : 0) + (uint(pair.z) == bone ? pair.w : 0);
    }
    return sum;
}

bool has_point(uint point)
{
    const uint first = body.model + model.point + point;
    return models[first].w < models[first + 1].w;
}

vec3 rows_times(mat3x4 rows, vec4 v)
{
    precise const vec4 x = rows[0] * v, y = rows[1] * v, z = rows[2] * v;
    return vec3(sum_of(x), sum_of(y), sum_of(z));
}

/* Offsets of a rest point by morph targets, in this step and in the last one. */
struct morph_offset {
    vec3 now, before;
};

float first_delta(uint point)
{
    return models[body.model + model.delta_start + point / 4][point % 4];
}

morph_offset morph_offset_at(uint point)
{
    const uint weights = first_pose_row(body.bone_count) + SN_REDUCED_PAIR_ROWS * body.pair_count;
    precise vec3 now = vec3(0), before = vec3(0);
    for (uint i = uint(first_delta(point)); i < uint(first_delta(point + 1)); ++i) {
        const vec4 delta = models[body.model + model.delta + i]; // offset, morph target
        const uint morph = uint(delta.w);
        const vec4 two = poses[weights + morph / 2];
        const vec2 weight = morph % 2 == 0 ? two.xy : two.zw;
        now += weight.x * delta.xyz;
        before += weight.y * delta.xyz;
    }
    return morph_offset(now, before);
}

/* RIG_STEP yields the difference of two positions, RIG_MOTION that of the position after the last step. */
vec3 rig_position_morphed(uint point, int quantity, vec3 rest)
{
    const morph_offset offset = morph_offset_at(point);
    const bool is_now = quantity == RIG_NOW || quantity == RIG_STEP;
    precise const vec3 at = rest + (is_now ? offset.now : offset.before), change = offset.now - offset.before;
    const vec3 by_rig = rows_times(rig_rows(point, quantity), vec4(at, 1));
    if (quantity != RIG_STEP) {
        return by_rig;
    }
    precise const vec3 moved = by_rig + rows_times(rig_rows(point, RIG_BEFORE), vec4(change, 0));
    return moved;
}

vec3 rig_position(uint point, int quantity)
{
    const vec3 rest = models[body.model + model.point + point].xyz;
    return has_morphs && body.delta_count > 0 ? rig_position_morphed(point, quantity, rest)
                                              : rows_times(rig_rows(point, quantity), vec4(rest, 1));
}

/* Displacement of a point by coordinates in shared memory. */
vec3 flesh_offset(uint point, uint coordinates)
{
    const uint fours = padded_coordinates / 4, points = sn_reduced_point_count(body.sample_count);
    precise vec4 x = vec4(0), y = vec4(0), z = vec4(0);
    for (uint four = 0; four < fours; ++four) {
        const vec4 row = models[body.model + model.row + points * four + point];
        const uint at = coordinates / 4 + four;
        x += row * pool[at];
        y += row * pool[at + fours];
        z += row * pool[at + 2 * fours];
    }
    return vec3(sum_of(x), sum_of(y), sum_of(z));
}

/* Entry of a point's row of V. */
float row_entry(uint point, uint i)
{
    return models[body.model + model.row + sn_reduced_point_count(body.sample_count) * (i / 4) + point][i % 4];
}
