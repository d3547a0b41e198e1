/* SPDX-License-Identifier: MIT */
/* Distances from a grid, in double: the twin of host/contact/grid.c. */

const bool knows_grids = (recipes >> SN_XPBD_KNOWS_GRIDS & 1) != 0;

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
