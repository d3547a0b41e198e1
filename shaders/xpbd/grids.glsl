/* SPDX-License-Identifier: MIT */
/* Distances from a grid, in double: the twin of host/contact/grid.c. */

const bool knows_grids = (recipes >> SN_XPBD_KNOWS_GRIDS & 1) != 0;

real grid_node(uint grid, uvec3 node)
{
    const uvec3 counts = uvec3(grids[grid].xyz);
    const uint at = (node.z * counts.y + node.y) * counts.x + node.x;
    return real(grids[grid + 1 + at / 4][at % 4]);
}

/* Along x from a node. */
real grid_edge(uint grid, uvec3 node, real share)
{
    const real low = grid_node(grid, node);
    precise const real value = low + share * (grid_node(grid, node + uvec3(1, 0, 0)) - low);
    return value;
}

/* At a place in cells, from 0 to counts - 1. */
real grid_value(uint grid, real3 at)
{
    const uvec3 first = uvec3(min(at, real3(grids[grid].xyz) - 2));
    precise const real3 share = at - real3(first);
    const real a = grid_edge(grid, first, share.x), b = grid_edge(grid, first + uvec3(0, 1, 0), share.x);
    const real c = grid_edge(grid, first + uvec3(0, 0, 1), share.x);
    const real d = grid_edge(grid, first + uvec3(0, 1, 1), share.x);
    precise const real low = a + share.y * (b - a), high = c + share.y * (d - c);
    precise const real value = low + share.z * (high - low);
    return value;
}

/* The field's central difference over one cell. */
real3 grid_gradient(uint grid, real3 at)
{
    const real3 most = real3(grids[grid].xyz) - 1;
    real3 slope = real3(0);
    for (uint d = 0; d < 3; ++d) {
        const real3 half_axis = real3(d == 0 ? real(0.5) : 0, d == 1 ? real(0.5) : 0, d == 2 ? real(0.5) : 0);
        const real3 ahead = clamp(at + half_axis, real3(0), most), behind = clamp(at - half_axis, real3(0), most);
        precise const real along = (grid_value(grid, ahead) - grid_value(grid, behind)) / (ahead[d] - behind[d]);
        slope[d] = along;
    }
    return unit(slope);
}

/* How far inside of the box, negative, and through which side the way out is shortest. */
real4 grid_cut(uint grid, real3 at, real spacing)
{
    const real3 most = real3(grids[grid].xyz) - 1;
    precise const real3 beyond = -min(at, most - at);
    const real nearest = max(beyond.x, max(beyond.y, beyond.z));
    const real3 axis = beyond.x >= nearest   ? real3(1, 0, 0)
                       : beyond.y >= nearest ? real3(0, 1, 0)
                                             : real3(0, 0, 1);
    const real3 side = real3(2 * at.x < most.x ? -1 : 1, 2 * at.y < most.y ? -1 : 1, 2 * at.z < most.z ? -1 : 1);
    precise const real distance = nearest * spacing;
    return real4(axis * side, distance);
}

/* Normal and distance. */
real4 grid_distance(sn_xpbd_collider_record c, real3 local)
{
    const real spacing = loaded(c.radius);
    precise const real3 from = (local - triple(c.half_extents)) / spacing;
    const real3 at = clamp(from, real3(0), real3(grids[c.grid].xyz) - 1);
    precise const real3 beyond = (from - at) * spacing;
    const real inside = grid_value(c.grid, at), outside = sqrt(dot_of(beyond, beyond));
    const real4 cut = grid_cut(c.grid, at, spacing);
    if (outside == 0 && cut.w > inside) {
        return cut;
    }
    const real kept = outside == 0 ? inside : max(inside, 0);
    precise const real distance = sqrt(outside * outside + kept * kept);
    if (kept == 0 && outside > 0) {
        return real4(unit(beyond), distance);
    }
    const real3 gradient = grid_gradient(c.grid, at);
    precise const real3 along = beyond + kept * gradient;
    /* the CPU makes it a unit twice */
    return real4(unit(outside > 0 ? along : gradient), outside == 0 ? inside : distance);
}
