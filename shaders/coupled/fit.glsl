/* SPDX-License-Identifier: MIT */
/* The rig's fit: the implementation of host/coupled/fit.c. */

#define MAX_ANGLE real(1.0)
#define LARGE_ANGLE (1 / real(10))
#define MAX_STEP_FACTOR 4

/* Adds the residual of pinned joints. */
void add_joint_lock_residual()
{
    for (uint i = lane; i < dimension * basis && equations.joint_lock_count > 0; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / basis, b = i % basis;
        precise real sum = work(at_residual + i);
        for (uint joint_lock = 0; joint_lock < equations.joint_lock_count; ++joint_lock) {
            const uint functions = equations.joint_lock_functions + basis * joint_lock;
            precise real remaining = work(at_joint_lock_targets + 3 * joint_lock + d) -
                pivot_of(joint_lock_handle(joint_lock))[d];
            for (uint f = 0; f < basis; ++f) {
                remaining -= number_at(functions + f) * work(at_y + basis * d + f);
            }
            if ((joint_lock_axes(joint_lock) >> d & 1) != 0) {
                sum += to_real(equations.joint_lock_mass) * remaining * number_at(functions + b);
            }
        }
        set_work(at_residual + i, sum);
    }
    synchronise();
}

/* -C . d2y / L of a handle's rotations, or an upper bound. */
matrix3 curvature_of(uint solved, bool is_bounded)
{
    const uint columns = columns_of(SN_COUPLED_FIT);
    const matrix3 linear = linear_of(solved_handle(SN_COUPLED_FIT, solved));
    precise real b[9] = real[9](0, 0, 0, 0, 0, 0, 0, 0, 0), size = 0;
    for (uint d = 0; d < dimension; ++d) {
        for (uint f = 0; f < dimension; ++f) {
            const real3 row = row_of(linear, f);
            for (uint e = 0; e < dimension; ++e) {
                b[3 * d + f] += work(at_reduced_residual + columns * d + dimension * solved + e) * row[e];
            }
            b[3 * d + f] /= to_real(rig.size);
            size += abs(b[3 * d + f]);
        }
    }
    precise const real trace = b[0] + b[4] + b[8];
    real3 rows[3];
    for (uint d = 0; d < 3; ++d) {
        for (uint f = 0; f < 3; ++f) {
            precise const real curve = (d == f ? trace : 0) - (b[3 * d + f] + b[3 * f + d]) / 2;
            rows[d][f] = is_bounded ? (d == f ? size : 0) : curve;
        }
    }
    return matrix3(rows[0], rows[1], rows[2]);
}

/* Skips handles that also stretch. */
void add_curvature(bool is_bounded)
{
    const uint count = unknowns_of(SN_COUPLED_FIT);
    for (uint solved = lane; solved < PART(SN_COUPLED_FIT).solved_count; solved += SN_XPBD_GROUP_SIZE) {
        const uvec2 range = solved_scalars(SN_COUPLED_FIT, solved);
        if (tables[PART(SN_COUPLED_FIT).scalars + 3 * (range.x + range.y - 1) + 2] >= 3) {
            continue;
        }
        const matrix3 curvature = curvature_of(solved, is_bounded);
        for (uint i = range.x; i < range.x + range.y; ++i) {
            for (uint j = range.x; j <= i; ++j) {
                const uint at = at_matrix + count * i + j, row = tables[PART(SN_COUPLED_FIT).scalars + 3 * i + 2];
                precise const real entry =
                    work(at) + row_of(curvature, row)[tables[PART(SN_COUPLED_FIT).scalars + 3 * j + 2]];
                set_work(at, entry);
            }
        }
    }
    synchronise();
}

/* Writes the angle to at_angles. */
void apply_handle_step(uint solved)
{
    const uint k = solved_handle(SN_COUPLED_FIT, solved);
    const uvec2 range = solved_scalars(SN_COUPLED_FIT, solved);
    real3 vector = real3(0);
    precise real length2 = 0;
    for (uint s = range.x; s < range.x + range.y; ++s) {
        precise const real change = work(at_right + s) / to_real(rig.size);
        const uint number = tables[PART(SN_COUPLED_FIT).scalars + 3 * s + 2];
        if (number < 3) {
            vector[number] = change;
            length2 += change * change;
        } else {
            const uvec2 entry = entry_of(number - 3);
            precise const real stretch = work(at_stretch(k) + 3 * entry.x + entry.y) + change;
            set_work(at_stretch(k) + 3 * entry.x + entry.y, stretch);
            set_work(at_stretch(k) + 3 * entry.y + entry.x, stretch);
        }
    }
    precise const real angle = sqrt(length2), scale = MAX_ANGLE / angle;
    precise const real3 shortened = vector * scale;
    set_rotation(k,
        normalized(multiply_quaternions(from_vector(angle > MAX_ANGLE ? shortened : vector), rotation_of(k))));
    compose(k);
    set_work(at_angles + solved, angle);
}

/* The border of S_FQ delta, to `right`. */
void sum_border(uint part)
{
    const uint columns = columns_of(part);
    for (uint i = lane; i < PART(part).border_count; i += SN_XPBD_GROUP_SIZE) {
        const uvec2 position = border_of(part, i);
        precise real sum = 0;
        for (uint q = 0; q < columns; ++q) {
            sum += number_at(PART(part).axes[position.x].border + free_count(part, position.x) * q + position.y) *
                   work(at_delta + columns * position.x + q);
        }
        set_work(at_right + i, sum);
    }
    synchronise();
}

/* Applies the solution of a Newton step and updates the residual. Returns the maximum angle. */
real apply_step()
{
    const uint part = SN_COUPLED_FIT, columns = columns_of(part);
    real max_angle = 0;
    for (uint solved = lane; solved < PART(part).solved_count; solved += SN_XPBD_GROUP_SIZE) {
        apply_handle_step(solved);
    }
    synchronise();
    for (uint solved = 0; solved < PART(part).solved_count; ++solved) {
        max_angle = max(max_angle, work(at_angles + solved));
    }
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / columns, q = i % columns, e = q % dimension, y = at_y + basis * d + column_of(part, q);
        const real3 row = row_of(linear_of(solved_handle(part, q / dimension)), d);
        precise const real now = to_real(rig.size) * (row[e] - (d == e ? 1 : 0)), change = now - work(y);
        set_work(at_delta + i, change);
        set_work(y, now);
    }
    synchronise();
    sum_border(part);
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / columns, column = i % columns, reduced = PART(part).axes[d].reduced;
        precise real reduced_residual = work(at_reduced_residual + i);
        for (uint q = 0; q < columns; ++q) {
            reduced_residual -= work(at_delta + columns * d + q) * number_at(reduced + columns * q + column);
        }
        for (uint border = 0; border < PART(part).border_count; ++border) {
            const uvec2 position = border_of(part, border);
            precise const real term =
                number_at(PART(part).axes[d].transfer + free_count(part, d) * column + position.y) *
                                      work(at_right + border);
            precise const real more = reduced_residual + term;
            reduced_residual = position.x == d ? more : reduced_residual;
        }
        set_work(at_reduced_residual + i, reduced_residual);
    }
    synchronise();
    return max_angle;
}

void apply_linear_unknowns()
{
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        const uint locks = locks_of(k);
        const real3 from = origin(), pivot = pivot_of(k);
        for (uint d = 0; d < dimension; ++d) {
            const uint y = at_y + basis * d;
            if (parent_of(k) < 0 && (locks >> d & 1) == 0) {
                precise const real position = from[d] + pivot[d] + work(y + root_of(k));
                set_work(at_handle(k) + d, position);
            }
            for (uint e = 0; e < dimension && handle_type_of(k) == SN_COUPLED_AFFINE && (locks & 120u) == 0; ++e) {
                precise const real linear = (d == e ? 1 : 0) + work(y + rotation_column_of(k) + e) / to_real(rig.size);
                set_work(at_handle(k) + 3 + 3 * d + e, linear);
            }
        }
    }
    move_joints();
}

/* Copies the fit's columns of y to `change`, or (is_after) computes their change since. */
void store_columns(bool is_after)
{
    const uint columns = columns_of(SN_COUPLED_FIT);
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const real y = work(at_y + basis * (i / columns) + column_of(SN_COUPLED_FIT, i % columns));
        precise const real moved = y - work(at_change + i);
        set_work(at_change + i, is_after ? moved : y);
    }
    synchronise();
}

/* Called after all steps. */
void end_fit()
{
    for (uint d = 0; d < dimension; ++d) {
        for (uint i = lane; i < free_count(SN_COUPLED_FIT, d); i += SN_XPBD_GROUP_SIZE) {
            const uint y = at_y + basis * d + free_of(SN_COUPLED_FIT, d, i);
            precise const real moved = work(y) + work(at_free_solution + basis * d + i);
            set_work(y, moved);
        }
    }
    synchronise();
    apply_linear_unknowns();
}
