/* SPDX-License-Identifier: MIT */
/* The rig's fit: the implementation of host/coupled/fit.c. */

#define LARGEST_TURN real(1.0)
#define LARGE_TURN (1 / real(10))
#define MORE_STEPS 4

/* Adds the residual of pinned joints. */
void measure_holds()
{
    for (uint i = lane; i < dimension * basis && equations.hold_count > 0; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / basis, b = i % basis;
        precise real sum = work(at_residual + i);
        for (uint hold = 0; hold < equations.hold_count; ++hold) {
            const uint functions = equations.hold_functions + basis * hold;
            precise real left = work(at_holds + 3 * hold + d) -
                pivot_of(held_handle(hold))[d];
            for (uint f = 0; f < basis; ++f) {
                left -= number_at(functions + f) * work(at_y + basis * d + f);
            }
            if ((held_axes(hold) >> d & 1) != 0) {
                sum += loaded(equations.hold_mass) * left * number_at(functions + b);
            }
        }
        set_work(at_residual + i, sum);
    }
    synchronise();
}

/* -C . d2y / L of a handle's rotations, or an upper bound. */
matrix3 curvature_of(uint kept, bool is_bounded)
{
    const uint columns = columns_of(SN_COUPLED_FIT);
    const matrix3 linear = linear_of(kept_handle(SN_COUPLED_FIT, kept));
    precise real b[9] = real[9](0, 0, 0, 0, 0, 0, 0, 0, 0), size = 0;
    for (uint d = 0; d < dimension; ++d) {
        for (uint f = 0; f < dimension; ++f) {
            const real3 row = row_of(linear, f);
            for (uint e = 0; e < dimension; ++e) {
                b[3 * d + f] += work(at_missing + columns * d + dimension * kept + e) * row[e];
            }
            b[3 * d + f] /= loaded(rig.size);
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
    for (uint kept = lane; kept < PART(SN_COUPLED_FIT).kept_count; kept += SN_XPBD_GROUP_SIZE) {
        const uvec2 range = kept_scalars(SN_COUPLED_FIT, kept);
        if (tables[PART(SN_COUPLED_FIT).scalars + 3 * (range.x + range.y - 1) + 2] >= 3) {
            continue;
        }
        const matrix3 curvature = curvature_of(kept, is_bounded);
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
void move_handle(uint kept)
{
    const uint k = kept_handle(SN_COUPLED_FIT, kept);
    const uvec2 range = kept_scalars(SN_COUPLED_FIT, kept);
    real3 vector = real3(0);
    precise real length2 = 0;
    for (uint s = range.x; s < range.x + range.y; ++s) {
        precise const real change = work(at_right + s) / loaded(rig.size);
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
    precise const real angle = sqrt(length2), share = LARGEST_TURN / angle;
    precise const real3 shortened = vector * share;
    set_turn(k,
        normalized(turned_by(from_vector(angle > LARGEST_TURN ? shortened : vector), turn_of(k))));
    compose(k);
    set_work(at_angles + kept, angle);
}

/* The border of S_FQ delta, to `right`. */
void sum_border(uint part)
{
    const uint columns = columns_of(part);
    for (uint i = lane; i < PART(part).border_count; i += SN_XPBD_GROUP_SIZE) {
        const uvec2 place = border_of(part, i);
        precise real sum = 0;
        for (uint q = 0; q < columns; ++q) {
            sum += number_at(PART(part).axes[place.x].border + free_count(part, place.x) * q + place.y) *
                   work(at_delta + columns * place.x + q);
        }
        set_work(at_right + i, sum);
    }
    synchronise();
}

/* Applies the solution of a Newton step and updates the residual. Returns the maximum angle. */
real take_step()
{
    const uint part = SN_COUPLED_FIT, columns = columns_of(part);
    real largest = 0;
    for (uint kept = lane; kept < PART(part).kept_count; kept += SN_XPBD_GROUP_SIZE) {
        move_handle(kept);
    }
    synchronise();
    for (uint kept = 0; kept < PART(part).kept_count; ++kept) {
        largest = max(largest, work(at_angles + kept));
    }
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / columns, q = i % columns, e = q % dimension, y = at_y + basis * d + column_of(part, q);
        const real3 row = row_of(linear_of(kept_handle(part, q / dimension)), d);
        precise const real now = loaded(rig.size) * (row[e] - (d == e ? 1 : 0)), change = now - work(y);
        set_work(at_delta + i, change);
        set_work(y, now);
    }
    synchronise();
    sum_border(part);
    for (uint i = lane; i < dimension * columns; i += SN_XPBD_GROUP_SIZE) {
        const uint d = i / columns, column = i % columns, reduced = PART(part).axes[d].reduced;
        precise real missing = work(at_missing + i);
        for (uint q = 0; q < columns; ++q) {
            missing -= work(at_delta + columns * d + q) * number_at(reduced + columns * q + column);
        }
        for (uint border = 0; border < PART(part).border_count; ++border) {
            const uvec2 place = border_of(part, border);
            precise const real term =
                number_at(PART(part).axes[d].carried + free_count(part, d) * column + place.y) *
                                      work(at_right + border);
            precise const real more = missing + term;
            missing = place.x == d ? more : missing;
        }
        set_work(at_missing + i, missing);
    }
    synchronise();
    return largest;
}

void take_linear()
{
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        const uint locks = locks_of(k);
        const real3 from = origin(), pivot = pivot_of(k);
        for (uint d = 0; d < dimension; ++d) {
            const uint y = at_y + basis * d;
            if (parent_of(k) < 0 && (locks >> d & 1) == 0) {
                precise const real place = from[d] + pivot[d] + work(y + root_of(k));
                set_work(at_handle(k) + d, place);
            }
            for (uint e = 0; e < dimension && kind_of(k) == SN_COUPLED_AFFINE && (locks & 120u) == 0; ++e) {
                precise const real linear = (d == e ? 1 : 0) + work(y + turning_of(k) + e) / loaded(rig.size);
                set_work(at_handle(k) + 3 + 3 * d + e, linear);
            }
        }
    }
    place_joints();
}

/* Copies the fit's columns of y to `change`, or (is_after) computes their change since. */
void mark_columns(bool is_after)
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
            precise const real moved = work(y) + work(at_found + basis * d + i);
            set_work(y, moved);
        }
    }
    synchronise();
    take_linear();
}
