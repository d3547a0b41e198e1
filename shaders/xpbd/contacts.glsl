/* SPDX-License-Identifier: MIT */
/* Contacts of vertices with colliders: the implementation of host/xpbd/contacts.c. Distances are computed in float
 * first, and in double only where float is inconclusive. */

#define PUSH_SPEED real(0.5)
#define LEAST_BOUNDED 4 /* collider count from which rows are bounded */
#define DOUBT 1e-5      /* relative error of a distance in float */

// ---- distances ----

#define REAL real
#define REAL3 real3
#define REAL4 real4
#include "shaders/contact/distance.glsl"

/* A row of the linear part of a transform, and its translation. */
real3 turn_row(stored m[12], uint row)
{
    return real3(loaded(m[4 * row]), loaded(m[4 * row + 1]), loaded(m[4 * row + 2]));
}

real3 place_in(stored m[12])
{
    return real3(loaded(m[3]), loaded(m[7]), loaded(m[11]));
}

/* Transforms to the local frame. */
real3 to_local(stored m[12], real3 place)
{
    precise const real3 offset = place - place_in(m);
    precise const real3 local = turn_row(m, 0) * offset.x + turn_row(m, 1) * offset.y +
        turn_row(m, 2) * offset.z;
    return local;
}

real3 turn(stored m[12], real3 v)
{
    return real3(dot_of(turn_row(m, 0), v), dot_of(turn_row(m, 1), v), dot_of(turn_row(m, 2), v));
}

#include "shaders/xpbd/grids.glsl"

/* Normal and distance of a position from the shape under a transform. */
real4 distance_of(sn_xpbd_collider_record c, stored m[12], real3 place)
{
    const real3 local = to_local(m, place);
    real4 found = real4(0, 1, 0, local.y);
    if (c.shape == SN_XPBD_SPHERE) {
        found = round_distance(local, loaded(c.radius));
    } else if (c.shape == SN_XPBD_CAPSULE) {
        precise const real y = local.y - min(max(local.y, -loaded(c.half_height)), loaded(c.half_height));
        found = round_distance(real3(local.x, y, local.z), loaded(c.radius));
    } else if (c.shape == SN_XPBD_BOX) {
        found = box_distance(triple(c.half_extents), loaded(c.radius), local);
    } else if (knows_grids && c.shape == SN_XPBD_GRID) {
        found = grid_distance(c, local);
    }
    return real4(turn(m, found.xyz), found.w);
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

float_collider narrow(sn_xpbd_collider_record c)
{
    const real3 from = origin() - place_in(c.transform);
    const bool is_grid = knows_grids && c.shape == SN_XPBD_GRID;
    const real3 beyond =
        is_grid ? triple(c.half_extents) + loaded(c.radius) * (real3(grids[c.grid].xyz) - 1) : real3(0);
    return float_collider(vec3(turn_row(c.transform, 0)), vec3(turn_row(c.transform, 1)),
                          vec3(turn_row(c.transform, 2)), vec3(from), vec3(triple(c.half_extents)),
                          float(loaded(c.radius)), float(loaded(c.half_height)), vec3(beyond), c.shape);
}

/* Whether a row may touch; its position is relative to the body's origin. */
bool is_near(float_collider c, vec3 place)
{
    const vec3 offset = place + c.from, local = c.x * offset.x + c.y * offset.y + c.z * offset.z;
    float distance = local.y;
    if (c.shape == SN_XPBD_SPHERE) {
        distance = length(local) - c.radius;
    } else if (c.shape == SN_XPBD_CAPSULE) {
        distance = length(vec3(local.x, local.y - clamp(local.y, -c.height, c.height), local.z)) - c.radius;
    } else if (c.shape == SN_XPBD_BOX) {
        distance = length(max(abs(local) - c.extents, 0)) - c.radius;
    } else if (knows_grids && c.shape == SN_XPBD_GRID) { // distance from the box that contains the solid
        distance = length(max(max(c.extents - local, local - c.beyond), 0));
    }
    const vec3 lengths = abs(local) + abs(place) + abs(c.from) + abs(c.extents) + abs(c.beyond);
    return !(distance > DOUBT * (lengths.x + lengths.y + lengths.z + c.radius + c.height));
}

// ---- contacts ----

/* position: current; before: at the start of the substep. Returns the new position, and the part of the push that
 * recovers an earlier penetration. */
real4 push_out(sn_xpbd_collider_record c, real4 normal_distance, real3 before, real3 place)
{
    const real3 normal = normal_distance.xyz;
    const real depth_before = max(-distance_of(c, c.transform_before, before).w, 0);
    precise const real bearable = PUSH_SPEED * loaded(body.diagonal) * loaded(body.substep);
    precise const real left = loaded(body.diagonal) > 0 ? max(depth_before - bearable, 0) : 0;
    precise const real pushed = max(-normal_distance.w - left, 0);
    precise const real3 out_of_it = place + pushed * normal;
    const real3 local = to_local(c.transform, out_of_it), turned = turn(c.transform_before, local);
    precise const real3 moved = out_of_it - (turned + place_in(c.transform_before));
    precise const real3 way = out_of_it - before - moved;
    const real along = dot_of(way, normal);
    precise const real3 slide = way - along * normal;
    precise const real size = sqrt(dot_of(slide, slide)), held = loaded(c.friction) * pushed;
    precise const real share = size > held ? held / size : 1;
    precise const real3 result = out_of_it - share * slide;
    precise const real recovered = min(pushed, depth_before - left);
    return real4(result, recovered);
}

/* Returns whether the row touched. */
bool touch(sn_xpbd_collider_record c, float_collider narrowed, uint row)
{
    const vec4 u = displacement(row);
    const vec3 rest = rests[body.rest + row].xyz;
    if (!(u.w > 0) || !is_near(narrowed, u.xyz + rest)) {
        return false;
    }
    precise const real3 place = real3(rest) + real3(u.xyz) + origin();
    const real4 normal_distance = distance_of(c, c.transform, place);
    if (!(normal_distance.w < 0)) {
        return false;
    }
    precise const real3 inertial =
        real3(predicted[body.row + row].xyz) - loaded(body.substep) * real3(velocities[body.row + row].xyz);
    precise const real3 before = place + (inertial - real3(u.xyz));
    real4 pushed = push_out(c, normal_distance, before, place);
    precise real3 shifted = real3(predicted[body.row + row].xyz) + pushed.w * normal_distance.xyz;
    shifted.z = has_flag(SN_XPBD_FLAT) ? real(predicted[body.row + row].z) : shifted.z;
    predicted[body.row + row].xyz = vec3(shifted);
    pushed.z = has_flag(SN_XPBD_FLAT) ? place.z : pushed.z;
    precise const real3 moved = pushed.xyz - origin() - real3(rest);
    set_displacement(row, vec4(vec3(moved), u.w));
    return true;
}

/* Bounding sphere of the invocation's rows, relative to the body's origin. */
struct row_ball {
    vec3 centre;
    float radius;
};

row_ball bound_rows()
{
    vec3 low = vec3(1e30), high = vec3(-1e30);
    for (uint row = first_item; row < body.vertex_count; row += item_stride) {
        const vec3 place = displacement(row).xyz + rests[body.rest + row].xyz;
        low = min(low, place);
        high = max(high, place);
    }
    return row_ball(0.5 * (low + high), 0.5 * length(high - low));
}

/* Whether a collider may touch a row in the sphere at any time of the step. */
bool may_touch(sn_xpbd_collider_head head, row_ball rows, vec3 from)
{
    const vec3 centre = vec3(head.centre[0], head.centre[1], head.centre[2]);
    const vec3 lengths = abs(centre) + abs(from) + abs(rows.centre);
    const float slack = DOUBT * (lengths.x + lengths.y + lengths.z + rows.radius + head.reach);
    return !(length(rows.centre + from - centre) > rows.radius + head.reach + slack);
}

/* Projects the invocation's rows out of all colliders, one after the other. With several colliders, distant ones are
 * culled. Returns the number of contacts. */
uint project_contacts(uint substep)
{
    uint count = 0;
    const bool is_bounded = body.collider_count >= LEAST_BOUNDED;
    const vec3 from = vec3(origin());
    row_ball rows = row_ball(vec3(0), 0);
    if (is_bounded) {
        rows = bound_rows();
    }
    for (uint i = 0; i < body.collider_count && first_item < body.vertex_count; ++i) {
        const sn_xpbd_collider_head head = heads[first_head + body.collider + i];
        if (is_bounded && !may_touch(head, rows, from)) {
            continue;
        }
        const uint at = first_collider + head.first + substep * head.stride, before = count;
        const float_collider narrowed = narrow(colliders[at]);
        for (uint row = first_item; row < body.vertex_count; row += item_stride) {
            count += touch(colliders[at], narrowed, row) ? 1 : 0;
        }
        if (is_bounded && count > before) {
            rows = bound_rows();
        }
    }
    return count;
}
