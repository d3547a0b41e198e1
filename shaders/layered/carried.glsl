/* SPDX-License-Identifier: MIT */
/* Bone-attached vertices, layers, damping: the implementation of host/layered/step.c. Attached vertices move exactly
 * with their bones in each substep, like hard pins (shaders/xpbd/pins.glsl). */

// ---- layers ----

/* In the paper's mode a finished layer is heavier for the remaining sweep: the mass of a row in a layer depends only on
 * the first layer that contains the row. */
bool has_weights = false;

void choose_weights(uint sweep)
{
    has_weights = body.substep_count == 1 && sweep < own.consolidating_count;
}

float weighed(uint group, uint row, float inverse_mass)
{
    if (!has_weights || tables[model.layers + row] >= group || !(inverse_mass > 0)) {
        return inverse_mass;
    }
    precise const real heavier = real(1.0) / (loaded(own.factor) * real(rests[body.rest + row].w));
    return float(heavier);
}

// ---- attached vertices ----

bool is_carried()
{
    return model.carried_count > 0;
}

real3 carried_middle()
{
    return triple(own.middle);
}

void move_bones(uint substep)
{
    for (uint bone = lane; bone < model.bone_count; bone += SN_XPBD_GROUP_SIZE) {
        const affine m = bone_at(bone, fraction_of(substep));
        keep_vector(bone, 0, m.x);
        keep_vector(bone, 3, m.y);
        keep_vector(bone, 6, m.z);
        keep_vector(bone, 9, m.place);
    }
    synchronise();
}

/* Displacement of a row of the flesh by an affine transform. */
real3 displaced(affine m, uint row)
{
    const real3 place = apply(m, number_vector(model.places + 3 * row));
    precise const real3 target = place - real3(rests[body.rest + row].xyz), moved = target - origin();
    return moved;
}

void carry(uint substep)
{
    move_bones(substep);
    for (uint i = lane; i < model.carried_count; i += SN_XPBD_GROUP_SIZE) {
        const uint row = tables[model.carried + 2 * i], bone = tables[model.carried + 2 * i + 1];
        const vec4 u = displacement(row);
        const real3 place = displaced(bone_now(bone), row);
        precise const real3 velocity = (place - real3(u.xyz)) / loaded(body.substep);
        velocities[body.row + row].xyz = vec3(velocity);
        set_displacement(row, vec4(vec3(place), u.w));
    }
    synchronise();
}

void hold_carried()
{
    for (uint i = lane; i < model.carried_count; i += SN_XPBD_GROUP_SIZE) {
        const uint row = tables[model.carried + 2 * i];
        set_displacement(row, vec4(displacement(row).xyz, 0));
        velocities[body.row + row].w = 0;
    }
    synchronise();
}

/* Position of a row in the skinned pose at the end of the step. */
real3 posed(uint row)
{
    precise real3 sum = real3(0);
    precise real whole = 0;
    const real3 rest = number_vector(model.places + 3 * row);
    for (uint i = tables[model.starts + row]; i < tables[model.starts + row + 1]; ++i) {
        const real weight = real(weights[model.weights + i]);
        sum += weight * apply(bone_end(tables[model.posing + i]), rest);
        whole += weight;
    }
    precise const real3 place = sum / whole;
    return place;
}

void pose_flesh()
{
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        precise const real3 moved = posed(row) - origin() - real3(rests[body.rest + row].xyz);
        set_displacement(row, vec4(vec3(moved), displacement(row).w));
    }
    synchronise();
}

// ---- damping ----

/* A row of the product A B of linear parts. */
real3 times(real3 row, affine b)
{
    return combined(row, b.x, b.y, b.z);
}

/* Returns false if the transform is singular. */
bool invert(affine m, out affine inverse)
{
    precise const real3 c0 = m.y.yzx * m.z.zxy - m.y.zxy * m.z.yzx, c1 = m.z.yzx * m.x.zxy - m.z.zxy * m.x.yzx,
                        c2 = m.x.yzx * m.y.zxy - m.x.zxy * m.y.yzx;
    const real det = dot_of(m.x, c0);
    const real3 sizes = max(max(abs(m.x), abs(m.y)), abs(m.z));
    const real size = max(max(sizes.x, sizes.y), sizes.z);
    precise const real least = size * size * size / real(1e12);
    const bool has_one = abs(det) > least;
    const real over = has_one ? det : 1;
    precise const real3 x = real3(c0.x, c1.x, c2.x) / over, y = real3(c0.y, c1.y, c2.y) / over,
                        z = real3(c0.z, c1.z, c2.z) / over;
    precise const real3 shift = real3(dot_of(x, m.place), dot_of(y, m.place), dot_of(z, m.place));
    inverse = affine(x, y, z, -shift);
    return has_one;
}

real3 less_one(real3 row, real3 one)
{
    precise const real3 rate = (row - one) / loaded(body.substep);
    return rate;
}

/* Velocity field of a bone's motion since the last substep, (M M_before^-1 - 1) / h, relative to the body's origin. */
void find_field(uint bone, uint substep)
{
    precise const real fraction = real(substep) / real(body.substep_count);
    const affine now = bone_now(bone);
    affine inverse, field = affine(real3(0), real3(0), real3(0), real3(0));
    if (invert(bone_at(bone, fraction), inverse)) {
        field.x = less_one(times(now.x, inverse), real3(1, 0, 0));
        field.y = less_one(times(now.y, inverse), real3(0, 1, 0));
        field.z = less_one(times(now.z, inverse), real3(0, 0, 1));
        precise const real3 place = apply(affine(now.x, now.y, now.z, now.place), inverse.place) /
            loaded(body.substep);
        field.place = place;
    }
    precise const real3 at_origin = real3(dot_of(field.x, origin()), dot_of(field.y, origin()),
                                          dot_of(field.z, origin())) + field.place;
    keep_vector(bone, 12, field.x);
    keep_vector(bone, 15, field.y);
    keep_vector(bone, 18, field.z);
    keep_vector(bone, 21, at_origin);
}

void find_fields(uint substep)
{
    for (uint bone = lane; bone < model.bone_count; bone += SN_XPBD_GROUP_SIZE) {
        find_field(bone, substep);
    }
    synchronise();
}

/* Damps the velocity of a row relative to that of its bone. */
void damp_along(uint row)
{
    if (row >= body.vertex_count || !(displacement(row).w > 0)) {
        return;
    }
    const uint bone = tables[model.followed + row];
    const vec3 x = vec3(kept_vector(bone, 12)), y = vec3(kept_vector(bone, 15)), z = vec3(kept_vector(bone, 18));
    const vec3 place = vec3(kept_vector(bone, 21)), r = place_of(row), v = velocities[body.row + row].xyz;
    precise const vec3 turned = r.x * vec3(x.x, y.x, z.x) + r.y * vec3(x.y, y.y, z.y);
    precise const vec3 field = turned + (r.z * vec3(x.z, y.z, z.z) + place);
    precise const vec3 changed = v + body.lost * (field - v);
    velocities[body.row + row].xyz = changed;
}
