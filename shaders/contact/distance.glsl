/* SPDX-License-Identifier: MIT */
/* Signed distances of shapes in their local frame, shared by the implementations of host/contact/collider.c and grid.c.
 * The including file defines the precision by REAL, REAL3 and REAL4, dot_of for it, and the grid buffer. A REAL4 result
 * is a normal and a distance. */

REAL3 unit(REAL3 v)
{
    precise const REAL length = sqrt(dot_of(v, v));
    precise const REAL3 shortened = v / (length > 0 ? length : 1);
    return length > 0 ? shortened : REAL3(0, 1, 0);
}

/* Distance from a sphere of the radius around the origin. */
REAL4 round_distance(REAL3 offset, REAL radius)
{
    precise const REAL distance = sqrt(dot_of(offset, offset)) - radius;
    return REAL4(unit(offset), distance);
}

/* A box whose edges are rounded by the radius, which is added to its half extents. */
REAL4 box_distance(REAL3 half_extents, REAL radius, REAL3 local)
{
    precise const REAL3 beyond = abs(local) - half_extents;
    const REAL3 side = REAL3(local.x < 0 ? -1 : 1, local.y < 0 ? -1 : 1, local.z < 0 ? -1 : 1);
    const REAL max_component = max(beyond.x, max(beyond.y, beyond.z));
    if (max_component > 0) {
        return round_distance(max(beyond, REAL3(0)) * side, radius);
    }
    const REAL3 axis = beyond.x >= max_component ? REAL3(1, 0, 0) : beyond.y >= max_component ? REAL3(0, 1, 0) :
        REAL3(0, 0, 1);
    precise const REAL distance = max_component - radius;
    return REAL4(axis * side, distance);
}

// ---- grids ----

REAL grid_node(uint grid, uvec3 node)
{
    const uvec3 counts = uvec3(grids[grid].xyz);
    const uint at = (node.z * counts.y + node.y) * counts.x + node.x;
    return REAL(grids[grid + 1 + at / 4][at % 4]);
}

/* Linear interpolation along x from a node. */
REAL grid_edge(uint grid, uvec3 node, REAL fraction)
{
    const REAL low = grid_node(grid, node);
    precise const REAL value = low + fraction * (grid_node(grid, node + uvec3(1, 0, 0)) - low);
    return value;
}

/* First node of the cell at a position in cells. A position that is not a number is in the first cell: its conversion
 * is undefined, and an index beyond the buffer may fault. */
uvec3 grid_cell(REAL3 at, uvec3 counts)
{
    const REAL3 low = REAL3(at.x > 0 ? at.x : 0, at.y > 0 ? at.y : 0, at.z > 0 ? at.z : 0);
    return min(uvec3(min(low, REAL3(counts) - 2)), counts - 2u);
}

/* Trilinear interpolation at a position in cells, from 0 to counts - 1. */
REAL grid_value(uint grid, REAL3 at)
{
    const uvec3 first = grid_cell(at, uvec3(grids[grid].xyz));
    precise const REAL3 fraction = at - REAL3(first);
    const REAL a = grid_edge(grid, first, fraction.x), b = grid_edge(grid, first + uvec3(0, 1, 0), fraction.x);
    const REAL c = grid_edge(grid, first + uvec3(0, 0, 1), fraction.x);
    const REAL d = grid_edge(grid, first + uvec3(0, 1, 1), fraction.x);
    precise const REAL low = a + fraction.y * (b - a), high = c + fraction.y * (d - c);
    precise const REAL value = low + fraction.z * (high - low);
    return value;
}

/* Normalised central difference of the field over one cell. */
REAL3 grid_gradient(uint grid, REAL3 at)
{
    const REAL3 last = REAL3(grids[grid].xyz) - 1;
    REAL3 slope = REAL3(0);
    for (uint d = 0; d < 3; ++d) {
        const REAL3 half_axis = REAL(0.5) * REAL3(d == 0, d == 1, d == 2);
        const REAL3 ahead = clamp(at + half_axis, REAL3(0), last), behind = clamp(at - half_axis, REAL3(0), last);
        precise const REAL along = (grid_value(grid, ahead) - grid_value(grid, behind)) / (ahead[d] - behind[d]);
        slope[d] = along;
    }
    return unit(slope);
}

/* Normal of the nearest side of the box, and the (negative) distance to it, for a point inside. */
REAL4 grid_cut(uint grid, REAL3 at, REAL spacing)
{
    const REAL3 last = REAL3(grids[grid].xyz) - 1;
    precise const REAL3 beyond = -min(at, last - at);
    const REAL nearest = max(beyond.x, max(beyond.y, beyond.z));
    const REAL3 axis = beyond.x >= nearest   ? REAL3(1, 0, 0)
                       : beyond.y >= nearest ? REAL3(0, 1, 0)
                                             : REAL3(0, 0, 1);
    const REAL3 side = REAL3(2 * at.x < last.x ? -1 : 1, 2 * at.y < last.y ? -1 : 1, 2 * at.z < last.z ? -1 : 1);
    precise const REAL distance = nearest * spacing;
    return REAL4(axis * side, distance);
}
