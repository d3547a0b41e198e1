/* SPDX-License-Identifier: MIT */
/* The complementary projection and the impulses of locks: the implementation of host/coupled/project.c and impulses.c.
 */

/* Converts multipliers of the scalars to y of the columns in Q, in `reduced_residual`. */
void spread_scalars()
{
    const uint part = SN_COUPLED_PROJECTION, columns = columns_of(part), square = dimension * dimension;
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / columns, q = i % columns;
        const uvec2 range = solved_scalars(part, q / dimension);
        precise real sum = 0;
        for (uint s = range.x; s < range.x + range.y; ++s) {
            sum += work(at_right + s) * work(at_generators + square * s + dimension * d + q % dimension);
        }
        set_work(at_reduced_residual + i, sum);
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
            set_work(change + free_of(part, d, i), work(at_free_solution + basis * d + i));
        }
        for (uint q = lane; q < columns; q += SN_XPBD_GROUP_SIZE) {
            set_work(change + column_of(part, q), work(at_reduced_residual + columns * d + q));
        }
    }
    synchronise();
}

/* Negates the changes, and refers them to the flesh's center instead of the handles' pivots. */
void negate_changes()
{
    for (uint i = lane; i < dimension * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        const uint k = i / dimension, at = at_handle_sums + stride * k + i % dimension;
        const real3 pivot = pivot_of(k);
        precise real position = -work(at);
        for (uint e = 0; e < dimension; ++e) {
            const real column = -work(at + dimension * (e + 1));
            set_work(at + dimension * (e + 1), column);
            position -= column * pivot[e];
        }
        set_work(at, position);
    }
    synchronise();
}

/* Adds the skinned changes to a row, in float. */
void add_changes_to(uint row)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    precise vec3 position = vec3(0), first = vec3(0), second = vec3(0), third = vec3(0);
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        const float weight = weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK];
        const uint change = at_handle_sums + stride * tables[rig.slot_handles + slot];
        for (uint d = 0; d < dimension; ++d) {
            position[d] += weight * float(work(change + d));
            first[d] += weight * float(work(change + dimension + d));
            second[d] += weight * float(work(change + 2 * dimension + d));
            if (dimension == 3) {
                third[d] += weight * float(work(change + 9 + d));
            }
        }
    }
    const vec4 u = displacement(row), x = rests[body.rest + row];
    position += x.x * first;
    position += x.y * second;
    if (dimension == 3) {
        position += x.z * third;
    }
    precise const vec3 moved = u.xyz + (u.w > 0 ? position : vec3(0));
    set_displacement(row, vec4(moved.xy, dimension == 2 ? u.z : moved.z, u.w));
}

// ---- impulses of locks ----

real3 function_values(uint of_axes, uint function, real factor)
{
    precise real3 values = real3(0);
    for (uint d = 0; d < dimension; ++d) {
        values[d] = factor * work(of_axes + basis * d + function);
    }
    return values;
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
real3 joint_lock_impulse(uint joint_lock)
{
    const uint k = joint_lock_handle(joint_lock), axes = joint_lock_axes(joint_lock);
    const real inverse_substep = 1 / to_real(body.substep);
    precise const real3 remaining = work3(at_joint_lock_targets + 3 * joint_lock) + origin() - handle_position(k);
    precise const real3 basis_impulse = inverse_substep * to_real(equations.joint_lock_mass) * remaining;
    return real3((axes & 1) != 0 ? basis_impulse.x : 0, (axes & 2) != 0 ? basis_impulse.y : 0,
        (axes & 4) != 0 ? basis_impulse.z : 0);
}

/* Impulses along the basis: -S L, less those of pinned joints; in `free_solution`. */
void find_basis_impulses()
{
    const real inverse_substep = 1 / to_real(body.substep);
    clear_work(at_free_solution, dimension * basis);
    subtract_product(equations.free_gram, at_change, at_free_solution);
    for (uint i = lane; i < dimension * basis; i += SN_XPBD_GROUP_SIZE) {
        precise real basis_impulse = work(at_free_solution + i) * inverse_substep;
        for (uint joint_lock = 0; joint_lock < equations.joint_lock_count; ++joint_lock) {
            basis_impulse -= joint_lock_impulse(joint_lock)[i / basis] *
                number_at(equations.joint_lock_functions + basis * joint_lock + i % basis);
        }
        set_work(at_free_solution + i, basis_impulse);
    }
    synchronise();
}

void add_handle_impulse(uint k, inout impulse6 impulse)
{
    const real negative_rate = -(1 / to_real(body.substep));
    const int rotation_column = rotation_column_of(k);
    if (parent_of(k) < 0) {
        const uint root = root_of(k);
        impulse.angular =
            add_cross(function_values(at_residual, root, negative_rate), function_values(at_change, root, 1),
            impulse.angular);
        precise const real3 linear = impulse.linear + function_values(at_free_solution, root, 1);
        impulse.linear = linear;
    }
    const matrix3 columns = transposed(linear_of(k));
    for (uint e = 0; e < dimension && rotation_column >= 0; ++e) {
        precise const real3 arm = to_real(rig.size) * row_of(columns, e);
        const uint function = rotation_column + e;
        impulse.angular = add_cross(arm, function_values(at_free_solution, function, 1), impulse.angular);
        impulse.angular =
            add_cross(function_values(at_residual, function, negative_rate), function_values(at_change, function, 1),
            impulse.angular);
    }
}

void add_function_impulse(uint k, uint function, inout impulse6 impulse)
{
    const uint moments_of_function = equations.free_moments + (dimension + 1) * function;
    const real3 push = function_values(at_change, function, -1 / to_real(body.substep));
    const real3 from = origin(), position = handle_position(k);
    real3 arm = function_values(at_moments, function, 1);
    for (uint d = 0; d < dimension; ++d) {
        precise const real along = arm[d] +
            (number_at(moments_of_function + d + 1) + number_at(moments_of_function) * (from[d] - position[d]));
        precise const real basis_impulse = impulse.linear[d] + number_at(moments_of_function) * push[d];
        arm[d] = along;
        impulse.linear[d] = basis_impulse;
    }
    impulse.angular = add_cross(arm, push, impulse.angular);
}

void add_impulse(uint k)
{
    const uint at = at_impulse(k);
    const int rotation_column = rotation_column_of(k);
    impulse6 impulse = impulse6(state3(at), state3(at + 3));
    if (equations.is_constraint_locked_only == 0) {
        for (uint joint_lock = 0; joint_lock < equations.joint_lock_count; ++joint_lock) {
            precise const real3 with_joint_lock = impulse.linear + joint_lock_impulse(joint_lock);
            impulse.linear = joint_lock_handle(joint_lock) == k ? with_joint_lock : impulse.linear;
        }
        add_handle_impulse(k, impulse);
    } else {
        if (parent_of(k) < 0) {
            add_function_impulse(k, root_of(k), impulse);
        }
        for (uint e = 0; e < dimension && rotation_column >= 0; ++e) {
            add_function_impulse(k, rotation_column + e, impulse);
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
        precise const real multiplier_sum = state_at(at_multiplier_sum() + i) -
            work(at_change + i) / to_real(body.substep);
        set_state(at_multiplier_sum() + i, multiplier_sum);
    }
    if (equations.is_constraint_locked_only == 0) {
        find_basis_impulses();
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
    limit_projection();
    spread(at_change);
    negate_changes();
    for (uint row = lane; row < body.row_count; row += SN_XPBD_GROUP_SIZE) {
        add_changes_to(row);
    }
    synchronise();
    add_impulses();
}

bool needs_step(bool is_fit, uint step, real angle)
{
    const uint newton_count = equations.newton_count;
    return is_fit ? step < newton_count || (angle > LARGE_ANGLE && step < MAX_STEP_FACTOR * newton_count) : step < 1;
}

/* Newton steps of the fit, or the single solve of the projection. Returns whether the last solve succeeded. */
bool solve_part(uint part)
{
    const bool is_fit = part == SN_COUPLED_FIT;
    const uint count = PART(part).scalar_count;
    real angle = 0;
    bool is_bounded = false, is_solved = true;
    for (uint step = 0; count > 0 && needs_step(is_fit, step, angle);) {
        generate(part);
        assemble(part);
        if (is_fit) {
            add_curvature(is_bounded);
        }
        is_solved = solve_matrix(part);
        is_bounded = is_fit && !is_solved && !is_bounded; // retry with the bound
        if (!is_bounded) {
            angle = is_fit && is_solved ? apply_step() : 0;
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
            add_joint_lock_residual();
        }
        reduce(part);
        if (is_fit) {
            store_columns(false);
        }
        const bool is_solved = solve_part(part);
        if (is_fit) {
            store_columns(true);
        } else {
            spread_scalars();
        }
        restore(part, is_fit ? at_change : at_reduced_residual);
        if (is_fit) {
            end_fit();
        } else {
            end_projection(is_solved);
        }
    }
}
