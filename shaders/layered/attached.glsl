/* SPDX-License-Identifier: MIT */
/* Bone-attached vertices, layers, damping: the implementation of host/layered/step.c. Attached vertices move exactly
 * with their bones in each substep, like hard pins (shaders/xpbd/pins.glsl). */

// ---- layers ----

/* In the paper's mode a finished layer is heavier for the remaining sweep: the mass of a row in a layer depends only on
 * the first layer that contains the row. */
bool has_scaled_masses = false;

void choose_weights(uint sweep)
{
    has_scaled_masses = body.substep_count == 1 && sweep < own.consolidation_sweep_count;
}

float scaled_inverse_mass(uint group, uint row, float inverse_mass)
{
    if (!has_scaled_masses || tables[model.layers + row] >= group || !(inverse_mass > 0)) {
        return inverse_mass;
    }
    precise const real scaled = real(1.0) / (to_real(own.factor) * real(rests[body.rest + row].w));
    return float(scaled);
}

// ---- attached vertices ----

bool has_attached()
{
    return model.attached_vertex_count > 0;
}

real3 mean_attached()
{
    return triple(own.attached_mean);
}

void move_bones(uint substep)
{
    for (uint bone = lane; bone < model.bone_count; bone += SN_XPBD_GROUP_SIZE) {
        const affine m = bone_at(bone, fraction_of(substep));
        store_vector(bone, 0, m.x);
        store_vector(bone, 3, m.y);
        store_vector(bone, 6, m.z);
        store_vector(bone, 9, m.position);
    }
    synchronise();
}

/* Displacement of a row of the flesh by an affine transform. */
real3 displacement_by(affine m, uint row)
{
    const real3 position = apply(m, number_vector(model.rest_positions + 3 * row));
    precise const real3 target = position - real3(rests[body.rest + row].xyz), moved = target - origin();
    return moved;
}

void move_attached(uint substep)
{
    move_bones(substep);
    for (uint i = lane; i < model.attached_vertex_count; i += SN_XPBD_GROUP_SIZE) {
        const uint row = tables[model.attached + 2 * i], bone = tables[model.attached + 2 * i + 1];
        const vec4 u = displacement(row);
        const real3 position = displacement_by(bone_now(bone), row);
        precise const real3 velocity = (position - real3(u.xyz)) / to_real(body.substep);
        velocities[body.row + row].xyz = vec3(velocity);
        set_displacement(row, vec4(vec3(position), u.w));
    }
    synchronise();
}

void fix_attached()
{
    for (uint i = lane; i < model.attached_vertex_count; i += SN_XPBD_GROUP_SIZE) {
        const uint row = tables[model.attached + 2 * i];
        set_displacement(row, vec4(displacement(row).xyz, 0));
        velocities[body.row + row].w = 0;
    }
    synchronise();
}

/* Position of a row in the skinned pose at the end of the step. */
real3 posed_position(uint row)
{
    precise real3 sum = real3(0);
    precise real weight_sum = 0;
    const real3 rest = number_vector(model.rest_positions + 3 * row);
    for (uint i = tables[model.starts + row]; i < tables[model.starts + row + 1]; ++i) {
        const real weight = real(weights[model.weights + i]);
        sum += weight * apply(bone_end(tables[model.posing + i]), rest);
        weight_sum += weight;
    }
    precise const real3 position = sum / weight_sum;
    return position;
}

void pose_flesh()
{
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        precise const real3 moved = posed_position(row) - origin() - real3(rests[body.rest + row].xyz);
        set_displacement(row, vec4(vec3(moved), displacement(row).w));
    }
    synchronise();
}

// ---- damping ----

/* A row of the product A B of linear parts. */
real3 product_row(real3 row, affine b)
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
    precise const real min_determinant = size * size * size / real(1e12);
    const bool has_one = abs(det) > min_determinant;
    const real over = has_one ? det : 1;
    precise const real3 x = real3(c0.x, c1.x, c2.x) / over, y = real3(c0.y, c1.y, c2.y) / over,
                        z = real3(c0.z, c1.z, c2.z) / over;
    precise const real3 shift = real3(dot_of(x, m.position), dot_of(y, m.position), dot_of(z, m.position));
    inverse = affine(x, y, z, -shift);
    return has_one;
}

real3 rate_of(real3 row, real3 one)
{
    precise const real3 rate = (row - one) / to_real(body.substep);
    return rate;
}

/* Velocity field of a bone's motion since the last substep, (M M_before^-1 - 1) / h, relative to the body's origin. */
void compute_velocity_field(uint bone, uint substep)
{
    precise const real fraction = real(substep) / real(body.substep_count);
    const affine now = bone_now(bone);
    affine inverse, field = affine(real3(0), real3(0), real3(0), real3(0));
    if (invert(bone_at(bone, fraction), inverse)) {
        field.x = rate_of(product_row(now.x, inverse), real3(1, 0, 0));
        field.y = rate_of(product_row(now.y, inverse), real3(0, 1, 0));
        field.z = rate_of(product_row(now.z, inverse), real3(0, 0, 1));
        precise const real3 position = apply(affine(now.x, now.y, now.z, now.position), inverse.position) /
            to_real(body.substep);
        field.position = position;
    }
    precise const real3 field_at_origin = real3(dot_of(field.x, origin()), dot_of(field.y, origin()),
                                          dot_of(field.z, origin())) + field.position;
    store_vector(bone, 12, field.x);
    store_vector(bone, 15, field.y);
    store_vector(bone, 18, field.z);
    store_vector(bone, 21, field_at_origin);
}

void compute_velocity_fields(uint substep)
{
    for (uint bone = lane; bone < model.bone_count; bone += SN_XPBD_GROUP_SIZE) {
        compute_velocity_field(bone, substep);
    }
    synchronise();
}

/* Damps the velocity of a row relative to that of its bone. */
void damp_to_bones(uint row)
{
    if (row >= body.vertex_count || !(displacement(row).w > 0)) {
        return;
    }
    const uint bone = tables[model.parent_bones + row];
    const vec3 x = vec3(load_vector(bone, 12)), y = vec3(load_vector(bone, 15)), z = vec3(load_vector(bone, 18));
    const vec3 position = vec3(load_vector(bone, 21)), r = position_of(row), v = velocities[body.row + row].xyz;
    precise const vec3 rotated = r.x * vec3(x.x, y.x, z.x) + r.y * vec3(x.y, y.y, z.y);
    precise const vec3 field = rotated + (r.z * vec3(x.z, y.z, z.z) + position);
    precise const vec3 changed = v + body.damping_factor * (field - v);
    velocities[body.row + row].xyz = changed;
}
