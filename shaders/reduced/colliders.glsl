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
    return local_distance(collider, to_local(collider, at)).w;
}

vec3 collider_normal(uint collider, vec3 at)
{
    const vec3 normal = local_distance(collider, to_local(collider, at)).xyz;
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
