/* SPDX-License-Identifier: MIT */
/* Signed distances of shapes and how their surfaces move: the twin of host/contact/collider.c. Places are relative to
 * the root's translation. */

/* Into the shape's own frame. */
vec3 to_local(uint collider, vec3 at)
{
    const vec4 x = colliders[collider], y = colliders[collider + 1], z = colliders[collider + 2];
    const uint root = first_pose_row(0);
    precise const vec3 from = vec3(poses[root].w, poses[root + 1].w, poses[root + 2].w) - vec3(x.w, y.w, z.w);
    precise const vec3 offset = at + from;
    precise const vec3 local = x.xyz * offset.x + y.xyz * offset.y + z.xyz * offset.z;
    return local;
}

/* Distance of a point from the origin, less a radius; the normal's length is 1. */
vec4 round_distance(vec3 offset, float radius)
{
    const float size = sqrt(squared(offset));
    precise const float distance = size - radius;
    precise const vec3 normal = size > 0 ? offset / size : vec3(0, 1, 0);
    return vec4(normal, distance);
}

/* A box with edges rounded by the radius, which is added to its half extents. */
vec4 box_distance(vec3 half_extents, float radius, vec3 local)
{
    precise const vec3 beyond = abs(local) - half_extents;
    const float deepest = max(beyond.x, max(beyond.y, beyond.z));
    const vec3 side = vec3(local.x < 0 ? -1 : 1, local.y < 0 ? -1 : 1, local.z < 0 ? -1 : 1);
    if (deepest > 0) {
        return round_distance(max(beyond, 0) * side, radius);
    }
    const vec3 axis = beyond.x >= deepest ? vec3(1, 0, 0) : beyond.y >= deepest ? vec3(0, 1, 0) : vec3(0, 0, 1);
    precise const float distance = deepest - radius;
    return vec4(axis * side, distance);
}

// ---- grids: host/contact/grid.c ----

float grid_node(uint grid, uvec3 node)
{
    const uvec3 counts = uvec3(grids[grid].xyz);
    const uint at = (node.z * counts.y + node.y) * counts.x + node.x;
    return grids[grid + 1 + at / 4][at % 4];
}

/* Along x from a node. */
float grid_edge(uint grid, uvec3 node, float share)
{
    const float low = grid_node(grid, node);
    precise const float value = low + share * (grid_node(grid, node + uvec3(1, 0, 0)) - low);
    return value;
}

/* At a place in cells, from 0 to counts - 1. */
float grid_value(uint grid, vec3 at)
{
    const uvec3 first = uvec3(min(at, grids[grid].xyz - 2));
    precise const vec3 share = at - vec3(first);
    const float a = grid_edge(grid, first, share.x), b = grid_edge(grid, first + uvec3(0, 1, 0), share.x);
    const float c = grid_edge(grid, first + uvec3(0, 0, 1), share.x);
    const float d = grid_edge(grid, first + uvec3(0, 1, 1), share.x);
    precise const float low = a + share.y * (b - a), high = c + share.y * (d - c);
    precise const float value = low + share.z * (high - low);
    return value;
}

vec3 normalised(vec3 v)
{
    const float size = sqrt(squared(v));
    precise const vec3 unit = v / size;
    return size > 0 ? unit : vec3(0, 1, 0);
}

float grid_slope(uint grid, vec3 at, vec3 axis)
{
    const vec3 most = grids[grid].xyz - 1;
    const vec3 ahead = clamp(at + 0.5 * axis, vec3(0), most), behind = clamp(at - 0.5 * axis, vec3(0), most);
    precise const float slope = (grid_value(grid, ahead) - grid_value(grid, behind)) / dot_of(ahead - behind, axis);
    return slope;
}

/* The field's central difference over one cell. */
vec3 grid_gradient(uint grid, vec3 at)
{
    return normalised(vec3(grid_slope(grid, at, vec3(1, 0, 0)), grid_slope(grid, at, vec3(0, 1, 0)),
                           grid_slope(grid, at, vec3(0, 0, 1))));
}

/* How far inside of the box, negative, and through which side the way out is shortest. */
vec4 grid_cut(uint grid, vec3 at, float spacing)
{
    const vec3 most = grids[grid].xyz - 1, beyond = -min(at, most - at);
    const float nearest = max(beyond.x, max(beyond.y, beyond.z));
    const vec3 axis = beyond.x >= nearest   ? vec3(1, 0, 0)
                      : beyond.y >= nearest ? vec3(0, 1, 0)
                                            : vec3(0, 0, 1);
    const vec3 side = vec3(2 * at.x < most.x ? -1 : 1, 2 * at.y < most.y ? -1 : 1, 2 * at.z < most.z ? -1 : 1);
    precise const float distance = nearest * spacing;
    return vec4(axis * side, distance);
}

/* Of a point from a grid: where it is, in cells, inside of the box; what it is beyond; the field there. */
struct grid_place {
    uint grid;
    float spacing, inside, outside;
    vec3 at, beyond;
};

grid_place place_in_grid(uint collider, vec3 local)
{
    const vec4 extents = colliders[collider + SN_REDUCED_COLLIDER_EXTENTS];
    const uint grid = uint(colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].w);
    precise const vec3 from = (local - extents.xyz) / extents.w;
    const vec3 at = clamp(from, vec3(0), grids[grid].xyz - 1);
    precise const vec3 beyond = (from - at) * extents.w;
    return grid_place(grid, extents.w, grid_value(grid, at), sqrt(squared(beyond)), at, beyond);
}

float grid_distance(uint collider, vec3 local)
{
    const grid_place p = place_in_grid(collider, local);
    const float kept = max(p.inside, 0);
    precise const float distance = sqrt(p.outside * p.outside + kept * kept);
    return p.outside > 0 ? distance : max(p.inside, grid_cut(p.grid, p.at, p.spacing).w);
}

vec3 grid_normal(uint collider, vec3 local)
{
    const grid_place p = place_in_grid(collider, local);
    const vec4 cut = grid_cut(p.grid, p.at, p.spacing);
    const float kept = max(p.inside, 0);
    if (p.outside == 0) {
        return cut.w > p.inside ? cut.xyz : grid_gradient(p.grid, p.at);
    }
    if (kept == 0) {
        return normalised(p.beyond);
    }
    precise const vec3 along = p.beyond + kept * grid_gradient(p.grid, p.at);
    return normalised(along);
}

bool is_grid(uint collider)
{
    return uint(colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].z) == SN_REDUCED_GRID;
}

/* In the shape's own frame: normal, distance. */
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

/* How far the shape's own point that is at a place now has come during the step. */
vec3 collider_movement(uint collider, vec3 at)
{
    const uint step = collider + SN_REDUCED_COLLIDER_STEP;
    return rows_times(mat3x4(colliders[step], colliders[step + 1], colliders[step + 2]), vec4(to_local(collider, at), 1));
}
