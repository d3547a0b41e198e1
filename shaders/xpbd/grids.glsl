/* SPDX-License-Identifier: MIT */
/* Distances from a grid, in double: the twin of host/contact/grid.c. */

const bool knows_grids = (recipes >> SN_XPBD_KNOWS_GRIDS & 1) != 0;

double grid_node(uint grid, uvec3 node)
{
    const uvec3 counts = uvec3(grids[grid].xyz);
    const uint at = (node.z * counts.y + node.y) * counts.x + node.x;
    return double(grids[grid + 1 + at / 4][at % 4]);
}

/* Along x from a node. */
double grid_edge(uint grid, uvec3 node, double share)
{
    const double low = grid_node(grid, node);
    precise const double value = low + share * (grid_node(grid, node + uvec3(1, 0, 0)) - low);
    return value;
}

/* At a place in cells, from 0 to counts - 1. */
double grid_value(uint grid, dvec3 at)
{
    const uvec3 first = uvec3(min(at, dvec3(grids[grid].xyz) - 2));
    precise const dvec3 share = at - dvec3(first);
    const double a = grid_edge(grid, first, share.x), b = grid_edge(grid, first + uvec3(0, 1, 0), share.x);
    const double c = grid_edge(grid, first + uvec3(0, 0, 1), share.x);
    const double d = grid_edge(grid, first + uvec3(0, 1, 1), share.x);
    precise const double low = a + share.y * (b - a), high = c + share.y * (d - c);
    precise const double value = low + share.z * (high - low);
    return value;
}

/* The field's central difference over one cell. */
dvec3 grid_gradient(uint grid, dvec3 at)
{
    const dvec3 most = dvec3(grids[grid].xyz) - 1;
    dvec3 slope = dvec3(0);
    for (uint d = 0; d < 3; ++d) {
        const dvec3 half_axis = dvec3(d == 0 ? 0.5LF : 0, d == 1 ? 0.5LF : 0, d == 2 ? 0.5LF : 0);
        const dvec3 ahead = clamp(at + half_axis, dvec3(0), most), behind = clamp(at - half_axis, dvec3(0), most);
        precise const double along = (grid_value(grid, ahead) - grid_value(grid, behind)) / (ahead[d] - behind[d]);
        slope[d] = along;
    }
    return unit(slope);
}

/* How far inside of the box, negative, and through which side the way out is shortest. */
dvec4 grid_cut(uint grid, dvec3 at, double spacing)
{
    const dvec3 most = dvec3(grids[grid].xyz) - 1;
    precise const dvec3 beyond = -min(at, most - at);
    const double nearest = max(beyond.x, max(beyond.y, beyond.z));
    const dvec3 axis = beyond.x >= nearest   ? dvec3(1, 0, 0)
                       : beyond.y >= nearest ? dvec3(0, 1, 0)
                                             : dvec3(0, 0, 1);
    const dvec3 side = dvec3(2 * at.x < most.x ? -1 : 1, 2 * at.y < most.y ? -1 : 1, 2 * at.z < most.z ? -1 : 1);
    precise const double distance = nearest * spacing;
    return dvec4(axis * side, distance);
}

/* Normal and distance. */
dvec4 grid_distance(sn_xpbd_collider_record c, dvec3 local)
{
    const double spacing = c.radius;
    precise const dvec3 from = (local - triple(c.half_extents)) / spacing;
    const dvec3 at = clamp(from, dvec3(0), dvec3(grids[c.grid].xyz) - 1);
    precise const dvec3 beyond = (from - at) * spacing;
    const double inside = grid_value(c.grid, at), outside = sqrt(dot_of(beyond, beyond));
    const dvec4 cut = grid_cut(c.grid, at, spacing);
    if (outside == 0 && cut.w > inside) {
        return cut;
    }
    const double kept = outside == 0 ? inside : max(inside, 0);
    precise const double distance = sqrt(outside * outside + kept * kept);
    if (kept == 0 && outside > 0) {
        return dvec4(unit(beyond), distance);
    }
    const dvec3 gradient = grid_gradient(c.grid, at);
    precise const dvec3 along = beyond + kept * gradient;
    /* the CPU makes it a unit twice */
    return dvec4(unit(outside > 0 ? along : gradient), outside == 0 ? inside : distance);
}
