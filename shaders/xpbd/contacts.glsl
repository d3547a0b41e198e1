/* SPDX-License-Identifier: MIT */
/* Contacts of vertices with colliders: the implementation of host/xpbd/contacts.c. Distances are computed in float
 * first, and in double only where float is inconclusive. */

#define RECOVERY_SPEED real(0.5)
#define MIN_BOUNDED_COLLIDERS 4 /* collider count from which rows are bounded */
#define DISTANCE_ERROR 1e-5      /* relative error of a distance in float */

// ---- distances ----

#define REAL real
#define REAL3 real3
#define REAL4 real4
#include "shaders/contact/distance.glsl"

/* A row of the linear part of a transform, and its translation. */
real3 rotation_row(stored m[12], uint row)
{
    return real3(to_real(m[4 * row]), to_real(m[4 * row + 1]), to_real(m[4 * row + 2]));
}

real3 translation_of(stored m[12])
{
    return real3(to_real(m[3]), to_real(m[7]), to_real(m[11]));
}

/* Transforms to the local frame. */
real3 to_local(stored m[12], real3 position)
{
    precise const real3 offset = position - translation_of(m);
    precise const real3 local = rotation_row(m, 0) * offset.x + rotation_row(m, 1) * offset.y +
        rotation_row(m, 2) * offset.z;
    return local;
}

real3 rotate(stored m[12], real3 v)
{
    return real3(dot_of(rotation_row(m, 0), v), dot_of(rotation_row(m, 1), v), dot_of(rotation_row(m, 2), v));
}

#include "shaders/xpbd/grids.glsl"

/* Normal and distance of a position from the shape under a transform. */
real4 distance_of(sn_xpbd_collider_record c, stored m[12], real3 position)
{
    const real3 local = to_local(m, position);
    real4 local_result = real4(0, 1, 0, local.y);
    if (c.shape == SN_XPBD_SPHERE) {
        local_result = round_distance(local, to_real(c.radius));
    } else if (c.shape == SN_XPBD_CAPSULE) {
        precise const real y = local.y - min(max(local.y, -to_real(c.half_height)), to_real(c.half_height));
        local_result = round_distance(real3(local.x, y, local.z), to_real(c.radius));
    } else if (c.shape == SN_XPBD_BOX) {
        local_result = box_distance(triple(c.half_extents), to_real(c.radius), local);
    } else if (has_grids && c.shape == SN_XPBD_GRID) {
        local_result = grid_distance(c, local);
    }
    return real4(rotate(m, local_result.xyz), local_result.w);
}

/* A collider in float, for culling. */
struct float_collider {
    vec3 x, y, z; // rows of its rotation
    vec3 from;    // the body's origin relative to the shape's
    vec3 extents;
    float radius, height;
    vec3 beyond; // upper corner of a grid's box; extents is the lower one
    uint shape;
};

float_collider to_float_collider(sn_xpbd_collider_record c)
{
    const real3 from = origin() - translation_of(c.transform);
    const bool is_grid = has_grids && c.shape == SN_XPBD_GRID;
    const real3 beyond =
        is_grid ? triple(c.half_extents) + to_real(c.radius) * (real3(grids[c.grid].xyz) - 1) : real3(0);
    return float_collider(vec3(rotation_row(c.transform, 0)), vec3(rotation_row(c.transform, 1)),
                          vec3(rotation_row(c.transform, 2)), vec3(from), vec3(triple(c.half_extents)),
                          float(to_real(c.radius)), float(to_real(c.half_height)), vec3(beyond), c.shape);
}

/* Whether a row may touch; its position is relative to the body's origin. */
bool is_near(float_collider c, vec3 position)
{
    const vec3 offset = position + c.from, local = c.x * offset.x + c.y * offset.y + c.z * offset.z;
    float distance = local.y;
    if (c.shape == SN_XPBD_SPHERE) {
        distance = length(local) - c.radius;
    } else if (c.shape == SN_XPBD_CAPSULE) {
        distance = length(vec3(local.x, local.y - clamp(local.y, -c.height, c.height), local.z)) - c.radius;
    } else if (c.shape == SN_XPBD_BOX) {
        distance = length(max(abs(local) - c.extents, 0)) - c.radius;
    } else if (has_grids && c.shape == SN_XPBD_GRID) { // distance from the box that contains the solid
        distance = length(max(max(c.extents - local, local - c.beyond), 0));
    }
    const vec3 lengths = abs(local) + abs(position) + abs(c.from) + abs(c.extents) + abs(c.beyond);
    return !(distance > DISTANCE_ERROR * (lengths.x + lengths.y + lengths.z + c.radius + c.height));
}

// ---- contacts ----

/* position: current; before: at the start of the substep. Returns the new position, and the part of the push that
 * recovers an earlier penetration. */
real4 push_out(sn_xpbd_collider_record c, real4 normal_distance, real3 before, real3 position)
{
    const real3 normal = normal_distance.xyz;
    const real depth_before = max(-distance_of(c, c.transform_before, before).w, 0);
    precise const real max_recovery = RECOVERY_SPEED * to_real(body.diagonal) * to_real(body.substep);
    precise const real remaining_depth = to_real(body.diagonal) > 0 ? max(depth_before - max_recovery, 0) : 0;
    precise const real push_distance = max(-normal_distance.w - remaining_depth, 0);
    precise const real3 corrected = position + push_distance * normal;
    const real3 local = to_local(c.transform, corrected), rotated = rotate(c.transform_before, local);
    precise const real3 moved = corrected - (rotated + translation_of(c.transform_before));
    precise const real3 path = corrected - before - moved;
    const real along = dot_of(path, normal);
    precise const real3 slip = path - along * normal;
    precise const real size = sqrt(dot_of(slip, slip)), friction_limit = to_real(c.friction) * push_distance;
    precise const real friction_scale = size > friction_limit ? friction_limit / size : 1;
    precise const real3 result = corrected - friction_scale * slip;
    precise const real recovered = min(push_distance, depth_before - remaining_depth);
    return real4(result, recovered);
}

/* Returns whether the row touched. */
bool project_vertex(sn_xpbd_collider_record c, float_collider float_shape, uint row)
{
    const vec4 u = displacement(row);
    const vec3 rest = rests[body.rest + row].xyz;
    if (!(u.w > 0) || !is_near(float_shape, u.xyz + rest)) {
        return false;
    }
    precise const real3 position = real3(rest) + real3(u.xyz) + origin();
    const real4 normal_distance = distance_of(c, c.transform, position);
    if (!(normal_distance.w < 0)) {
        return false;
    }
    precise const real3 inertial =
        real3(predicted[body.row + row].xyz) - to_real(body.substep) * real3(velocities[body.row + row].xyz);
    precise const real3 before = position + (inertial - real3(u.xyz));
    real4 push_distance = push_out(c, normal_distance, before, position);
    precise real3 shifted = real3(predicted[body.row + row].xyz) + push_distance.w * normal_distance.xyz;
    shifted.z = has_flag(SN_XPBD_FLAT) ? real(predicted[body.row + row].z) : shifted.z;
    predicted[body.row + row].xyz = vec3(shifted);
    push_distance.z = has_flag(SN_XPBD_FLAT) ? position.z : push_distance.z;
    precise const real3 moved = push_distance.xyz - origin() - real3(rest);
    set_displacement(row, vec4(vec3(moved), u.w));
    return true;
}

/* Bounding sphere of the invocation's rows, relative to the body's origin. */
struct row_bounds {
    vec3 centre;
    float radius;
};

row_bounds bound_rows()
{
    vec3 low = vec3(1e30), high = vec3(-1e30);
    for (uint row = first_item; row < body.vertex_count; row += item_stride) {
        const vec3 position = displacement(row).xyz + rests[body.rest + row].xyz;
        low = min(low, position);
        high = max(high, position);
    }
    return row_bounds(0.5 * (low + high), 0.5 * length(high - low));
}

/* Whether a collider may touch a row in the sphere at any time of the step. */
bool can_touch(sn_xpbd_collider_head head, row_bounds rows, vec3 from)
{
    const vec3 centre = vec3(head.centre[0], head.centre[1], head.centre[2]);
    const vec3 lengths = abs(centre) + abs(from) + abs(rows.centre);
    const float slack = DISTANCE_ERROR * (lengths.x + lengths.y + lengths.z + rows.radius + head.bounding_radius);
    return !(length(rows.centre + from - centre) > rows.radius + head.bounding_radius + slack);
}

/* Projects the invocation's rows out of all colliders, one after the other. With several colliders, distant ones are
 * culled. Returns the number of contacts. */
uint project_contacts(uint substep)
{
    uint count = 0;
    const bool is_bounded = body.collider_count >= MIN_BOUNDED_COLLIDERS;
    const vec3 from = vec3(origin());
    row_bounds rows = row_bounds(vec3(0), 0);
    if (is_bounded) {
        rows = bound_rows();
    }
    for (uint i = 0; i < body.collider_count && first_item < body.vertex_count; ++i) {
        const sn_xpbd_collider_head head = heads[first_head + body.collider + i];
        if (is_bounded && !can_touch(head, rows, from)) {
            continue;
        }
        const uint at = first_collider + head.first + substep * head.stride, before = count;
        const float_collider float_shape = to_float_collider(colliders[at]);
        for (uint row = first_item; row < body.vertex_count; row += item_stride) {
            count += project_vertex(colliders[at], float_shape, row) ? 1 : 0;
        }
        if (is_bounded && count > before) {
            rows = bound_rows();
        }
    }
    return count;
}
