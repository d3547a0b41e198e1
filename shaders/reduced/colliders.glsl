/* SPDX-License-Identifier: MIT */
/* Signed distances of shapes and the motion of their surfaces: the implementation of host/contact/collider.c. Positions
 * are relative to the root's translation. */

/* Transforms to the shape's local frame. */
vec3 to_local(uint collider, vec3 at)
{
    const vec4 x = colliders[collider], y = colliders[collider + 1], z = colliders[collider + 2];
    const uint row = first_pose_row(0);
    const vec3 origin = vec3(x.w, y.w, z.w), root = vec3(poses[row].w, poses[row + 1].w, poses[row + 2].w);
    precise const vec3 from = is_on_own_bone(collider) ? -origin : root - origin;
    precise const vec3 offset = at + from;
    precise const vec3 local = x.xyz * offset.x + y.xyz * offset.y + z.xyz * offset.z;
    return local;
}

#define REAL float
#define REAL3 vec3
#define REAL4 vec4
#include "shaders/contact/distance.glsl"

// ---- grids: host/contact/grid.c ----

/* A point relative to a grid: the nearest position in its box, in cells; the offset from there; the interpolated field
 * there. */
struct grid_point {
    uint grid;
    float spacing, inside, outside;
    vec3 at, beyond;
};

grid_point locate_in_grid(uint collider, vec3 local)
{
    const vec4 extents = colliders[collider + SN_REDUCED_COLLIDER_EXTENTS];
    const uint grid = uint(colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].w);
    precise const vec3 from = (local - extents.xyz) / extents.w;
    const vec3 at = clamp(from, vec3(0), grids[grid].xyz - 1);
    precise const vec3 beyond = (from - at) * extents.w;
    return grid_point(grid, extents.w, grid_value(grid, at), sqrt(squared(beyond)), at, beyond);
}

float grid_distance(uint collider, vec3 local)
{
    const grid_point p = locate_in_grid(collider, local);
    const float clamped = max(p.inside, 0);
    precise const float distance = sqrt(p.outside * p.outside + clamped * clamped);
    return p.outside > 0 ? distance : max(p.inside, grid_cut(p.grid, p.at, p.spacing).w);
}

vec3 grid_normal(uint collider, vec3 local)
{
    const grid_point p = locate_in_grid(collider, local);
    const vec4 cut = grid_cut(p.grid, p.at, p.spacing);
    const float clamped = max(p.inside, 0);
    if (p.outside == 0) {
        return cut.w > p.inside ? cut.xyz : grid_gradient(p.grid, p.at);
    }
    if (clamped == 0) {
        return unit(p.beyond);
    }
    precise const vec3 along = p.beyond + clamped * grid_gradient(p.grid, p.at);
    return unit(along);
}

bool is_grid(uint collider)
{
    return uint(colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].z) == SN_REDUCED_GRID;
}

/* Normal and distance in the local frame. */
vec4 local_distance(uint collider, vec3 local)
{
    const vec4 extents = colliders[collider + SN_REDUCED_COLLIDER_EXTENTS];
    const vec4 rest = colliders[collider + SN_REDUCED_COLLIDER_HEIGHT];
    switch (uint(rest.z)) {
    case SN_REDUCED_SPHERE:
        return round_distance(local, extents.w);
    case SN_REDUCED_CAPSULE:
        precise const float y = local.y - clamp(local.y, -rest.x, rest.x);
        return round_distance(vec3(local.x, y, local.z), extents.w);
    case SN_REDUCED_BOX:
        return box_distance(extents.xyz, extents.w, local);
    default:
        return vec4(0, 1, 0, local.y);
    }
}

float collider_distance(uint collider, vec3 at)
{
    const vec3 local = to_local(collider, at);
    return is_grid(collider) ? grid_distance(collider, local) : local_distance(collider, local).w;
}

vec3 collider_normal(uint collider, vec3 at)
{
    const vec3 local = to_local(collider, at);
    const vec3 normal = is_grid(collider) ? grid_normal(collider, local) : local_distance(collider, local).xyz;
    const mat3x4 rows = mat3x4(colliders[collider], colliders[collider + 1], colliders[collider + 2]);
    return rows_times(rows, vec4(normal, 0));
}

float collider_friction(uint collider)
{
    return colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].y;
}

/* Displacement, in the step, of the material point of the shape that is now at `at`. */
vec3 collider_movement(uint collider, vec3 at)
{
    const uint step = collider + SN_REDUCED_COLLIDER_STEP;
    return rows_times(mat3x4(colliders[step], colliders[step + 1], colliders[step + 2]),
        vec4(to_local(collider, at), 1));
}
