/* SPDX-License-Identifier: MIT */
/* The complementary projection and the impulses of locks: the implementation of host/coupled/project.c and impulses.c.
 */

/* Converts multipliers of the scalars to y of the columns in Q, in `reduced_residual`. */
void spread_scalars()
{
    const uint part = SN_COUPLED_PROJECTION, columns = columns_of(part), square = dimension * dimension;
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / columns, q = i % columns;
        const uvec2 range = kept_scalars(part, q / dimension);
        precise real sum = 0;
        for (uint s = range.x; s < range.x + range.y; ++s) {
            sum += work(at_right + s) * work(at_generators + square * s + dimension * d + q % dimension);
        }
        set_work(at_missing + i, sum);
    }
    synchronise();
}

/* Writes y of the multipliers to `change`; zero if there is no solution. */
void find_change(bool is_solved)
{
    const uint part = SN_COUPLED_PROJECTION, columns = columns_of(part);
    clear_work(at_change, dimension * basis);
    for (uint d = 0; d < dimension && is_solved; ++d) {
        const uint change = at_change + basis * d;
        for (uint i = lane; i < free_count(part, d); i += SN_XPBD_GROUP_SIZE) {
            set_work(change + free_of(part, d, i), work(at_found + basis * d + i));
        }
        for (uint q = lane; q < columns; q += SN_XPBD_GROUP_SIZE) {
            set_work(change + column_of(part, q), work(at_missing + columns * d + q));
        }
    }
    synchronise();
}

/* Negates the changes, and refers them to the flesh's center instead of the handles' pivots. */
void turn_changes_round()
{
    for (uint i = lane; i < dimension * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        const uint k = i / dimension, at = at_raw + stride * k + i % dimension;
        const real3 pivot = pivot_of(k);
        precise real place = -work(at);
        for (uint e = 0; e < dimension; ++e) {
            const real column = -work(at + dimension * (e + 1));
            set_work(at + dimension * (e + 1), column);
            place -= column * pivot[e];
        }
        set_work(at, place);
    }
    synchronise();
}

/* Adds the skinned changes to a row, in float. */
void add_changes_to(uint row)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    precise vec3 place = vec3(0), first = vec3(0), second = vec3(0), third = vec3(0);
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        const float weight = weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK];
        const uint change = at_raw + stride * tables[rig.slot_handles + slot];
        for (uint d = 0; d < dimension; ++d) {
            place[d] += weight * float(work(change + d));
            first[d] += weight * float(work(change + dimension + d));
            second[d] += weight * float(work(change + 2 * dimension + d));
            if (dimension == 3) {
                third[d] += weight * float(work(change + 9 + d));
            }
        }
    }
    const vec4 u = displacement(row), x = rests[body.rest + row];
    place += x.x * first;
    place += x.y * second;
    if (dimension == 3) {
        place += x.z * third;
    }
    precise const vec3 moved = u.xyz + (u.w > 0 ? place : vec3(0));
    set_displacement(row, vec4(moved.xy, dimension == 2 ? u.z : moved.z, u.w));
}

// ---- impulses of locks ----

real3 pick(uint of_axes, uint function, real factor)
{
    precise real3 picked = real3(0);
    for (uint d = 0; d < dimension; ++d) {
        picked[d] = factor * work(of_axes + basis * d + function);
    }
    return picked;
}

real3 add_cross(real3 a, real3 b, real3 sum)
{
    precise const real3 cross = a.yzx * b.zxy - a.zxy * b.yzx;
    precise const real3 added = sum + cross;
    return added;
}

struct impulse6 {
    real3 linear, angular;
};

/* Impulse of a pinned joint by itself, along its locked axes. */
real3 give_of_hold(uint hold)
{
    const uint k = held_handle(hold), axes = held_axes(hold);
    const real per_second = 1 / loaded(body.substep);
    precise const real3 left = work3(at_holds + 3 * hold) + origin() - place_of_handle(k);
    precise const real3 given = per_second * loaded(equations.hold_mass) * left;
    return real3((axes & 1) != 0 ? given.x : 0, (axes & 2) != 0 ? given.y : 0,
        (axes & 4) != 0 ? given.z : 0);
}

/* Impulses along the basis: -S L, less those of pinned joints; in `free_solution`. */
void find_given()
{
    const real per_second = 1 / loaded(body.substep);
    clear_work(at_found, dimension * basis);
    subtract_product(equations.free_gram, at_change, at_found);
    for (uint i = lane; i < dimension * basis; i += SN_XPBD_GROUP_SIZE) {
        precise real given = work(at_found + i) * per_second;
        for (uint hold = 0; hold < equations.hold_count; ++hold) {
            given -= give_of_hold(hold)[i / basis] *
                number_at(equations.hold_functions + basis * hold + i % basis);
        }
        set_work(at_found + i, given);
    }
    synchronise();
}

void add_work(uint k, inout impulse6 impulse)
{
    const real back = -(1 / loaded(body.substep));
    const int turning = turning_of(k);
    if (parent_of(k) < 0) {
        const uint root = root_of(k);
        impulse.angular =
            add_cross(pick(at_residual, root, back), pick(at_change, root, 1),
            impulse.angular);
        precise const real3 linear = impulse.linear + pick(at_found, root, 1);
        impulse.linear = linear;
    }
    const matrix3 columns = transposed(linear_of(k));
    for (uint e = 0; e < dimension && turning >= 0; ++e) {
        precise const real3 arm = loaded(rig.size) * row_of(columns, e);
        const uint function = turning + e;
        impulse.angular = add_cross(arm, pick(at_found, function, 1), impulse.angular);
        impulse.angular =
            add_cross(pick(at_residual, function, back), pick(at_change, function, 1),
            impulse.angular);
    }
}

void add_push(uint k, uint function, inout impulse6 impulse)
{
    const uint share = equations.shares + (dimension + 1) * function;
    const real3 push = pick(at_change, function, -1 / loaded(body.substep));
    const real3 from = origin(), place = place_of_handle(k);
    real3 arm = pick(at_moments, function, 1);
    for (uint d = 0; d < dimension; ++d) {
        precise const real along = arm[d] +
            (number_at(share + d + 1) + number_at(share) * (from[d] - place[d]));
        precise const real given = impulse.linear[d] + number_at(share) * push[d];
        arm[d] = along;
        impulse.linear[d] = given;
    }
    impulse.angular = add_cross(arm, push, impulse.angular);
}

void add_impulse(uint k)
{
    const uint at = at_impulse(k);
    const int turning = turning_of(k);
    impulse6 impulse = impulse6(state3(at), state3(at + 3));
    if (equations.is_driven_only == 0) {
        for (uint hold = 0; hold < equations.hold_count; ++hold) {
            precise const real3 held = impulse.linear + give_of_hold(hold);
            impulse.linear = held_handle(hold) == k ? held : impulse.linear;
        }
        add_work(k, impulse);
    } else {
        if (parent_of(k) < 0) {
            add_push(k, root_of(k), impulse);
        }
        for (uint e = 0; e < dimension && turning >= 0; ++e) {
            add_push(k, turning + e, impulse);
        }
    }
    for (uint d = 0; d < 3; ++d) {
        set_state(at + d, impulse.linear[d]);
        set_state(at + 3 + d, impulse.angular[d]);
    }
}

void clear_impulses()
{
    for (uint i = lane; i < 6 * rig.handle_count + dimension * basis; i += SN_XPBD_GROUP_SIZE) {
        set_state(at_impulse(0) + i, 0);
    }
    synchronise();
}

void add_impulses()
{
    if (equations.is_locked == 0) {
        return;
    }
    for (uint i = lane; i < dimension * basis; i += SN_XPBD_GROUP_SIZE) {
        precise const real pushed = state_at(at_pushed() + i) -
            work(at_change + i) / loaded(body.substep);
        set_state(at_pushed() + i, pushed);
    }
    if (equations.is_driven_only == 0) {
        find_given();
        copy_work(at_moments, at_residual, dimension * basis);
        subtract_product(rig.gram, at_y, at_residual);
    }
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        add_impulse(k);
    }
    synchronise();
}

// ---- fit and projection ----

void end_projection(bool is_solved)
{
    find_change(is_solved);
    bound_push();
    spread(at_change);
    turn_changes_round();
    for (uint row = lane; row < body.row_count; row += SN_XPBD_GROUP_SIZE) {
        add_changes_to(row);
    }
    synchronise();
    add_impulses();
}

bool goes_on(bool is_fit, uint step, real angle)
{
    const uint newton_count = equations.newton_count;
    return is_fit ? step < newton_count || (angle > LARGE_TURN && step < MORE_STEPS * newton_count) : step < 1;
}

/* Newton steps of the fit, or the single solve of the projection. Returns whether the last solve succeeded. */
bool solve_part(uint part)
{
    const bool is_fit = part == SN_COUPLED_FIT;
    const uint count = PART(part).scalar_count;
    real angle = 0;
    bool is_bounded = false, is_solved = true;
    for (uint step = 0; count > 0 && goes_on(is_fit, step, angle);) {
        generate(part);
        assemble(part);
        if (is_fit) {
            add_curvature(is_bounded);
        }
        is_solved = solve_matrix(part);
        is_bounded = is_fit && !is_solved && !is_bounded; // retry with the bound
        if (!is_bounded) {
            angle = is_fit && is_solved ? take_step() : 0;
            ++step;
        }
    }
    return is_solved;
}

/* The fit, then the projection, in one loop, so that their common code is compiled once. */
void fit_and_project()
{
    for (uint part = SN_COUPLED_FIT; part <= SN_COUPLED_PROJECTION; ++part) {
        const bool is_fit = part == SN_COUPLED_FIT;
        copy_work(at_moments, at_residual, dimension * basis);
        read_handles();
        subtract_product(equations.fit_gram, at_y, at_residual);
        if (is_fit) {
            measure_holds();
        }
        reduce(part);
        if (is_fit) {
            mark_columns(false);
        }
        const bool is_solved = solve_part(part);
        if (is_fit) {
            mark_columns(true);
        } else {
            spread_scalars();
        }
        restore(part, is_fit ? at_change : at_missing);
        if (is_fit) {
            end_fit();
        } else {
            end_projection(is_solved);
        }
    }
}
