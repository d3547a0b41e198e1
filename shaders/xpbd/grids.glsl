/* SPDX-License-Identifier: MIT */
/* Distances from a grid, in double: the implementation of host/contact/grid.c. */

const bool has_grids = (recipes >> SN_XPBD_HAS_GRIDS & 1) != 0;

/* Normal and distance. */
real4 grid_distance(sn_xpbd_collider_record c, real3 local)
{
    const real spacing = to_real(c.radius);
    precise const real3 from = (local - triple(c.half_extents)) / spacing;
    const real3 at = clamp(from, real3(0), real3(grids[c.grid].xyz) - 1);
    precise const real3 beyond = (from - at) * spacing;
    const real inside = grid_value(c.grid, at), outside = sqrt(dot_of(beyond, beyond));
    const real4 cut = grid_cut(c.grid, at, spacing);
    if (outside == 0 && cut.w > inside) {
        return cut;
    }
    const real clamped = outside == 0 ? inside : max(inside, 0);
    precise const real distance = sqrt(outside * outside + clamped * clamped);
    if (clamped == 0 && outside > 0) {
        return real4(unit(beyond), distance);
    }
    const real3 gradient = grid_gradient(c.grid, at);
    precise const real3 along = beyond + clamped * gradient;
    /* The CPU also normalises it twice. */
    return real4(unit(outside > 0 ? along : gradient), outside == 0 ? inside : distance);
}
