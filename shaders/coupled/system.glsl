/* SPDX-License-Identifier: MIT */
/* Sums over vertices and the linear algebra of a substep: the implementation of host/coupled/passes.inc, rig.c and
 * scalars.c. Sums that the CPU computes sequentially belong to one invocation, in the same order; independent ones are
 * distributed over invocations. */

/* Read at each use: a copy would occupy registers. */
#define PART(part) systems[own.system].parts[part]

uint columns_of(uint part)
{
    return dimension * PART(part).solved_count;
}

uint solved_handle(uint part, uint solved)
{
    return tables[PART(part).solved + 3 * solved];
}

/* First scalar and scalar count. */
uvec2 solved_scalars(uint part, uint solved)
{
    return uvec2(tables[PART(part).solved + 3 * solved + 1], tables[PART(part).solved + 3 * solved + 2]);
}

uint column_of(uint part, uint q)
{
    return tables[PART(part).columns + q];
}

/* Size of the matrix: scalars, and border functions of each axis. */
uint unknowns_of(uint part)
{
    return PART(part).scalar_count + PART(part).border_count;
}

uint free_count(uint part, uint d)
{
    return PART(part).axes[d].free_count;
}

uint free_of(uint part, uint d, uint i)
{
    return tables[PART(part).axes[d].free + i];
}

// ---- sums over vertices ----

void store_lane_sum(uint at, vec3 sum)
{
    lane_sums[at] = sum.x;
    lane_sums[at + 1] = sum.y;
    if (dimension == 3) {
        lane_sums[at + 2] = sum.z;
    }
}

/* m w u (1, x) of one lane of the blocks with weights of a handle, in float. */
void sum_lane(uint k, uint block_lane)
{
    precise vec3 position = vec3(0), first = vec3(0), second = vec3(0), third = vec3(0);
    const uint end = tables[rig.handle_starts + k + 1], to = own.lanes + (k * SN_XPBD_BLOCK + block_lane) * stride;
    for (uint at = tables[rig.handle_starts + k]; at < end; ++at) {
        const uint row = SN_XPBD_BLOCK * tables[rig.slot_blocks + at] + block_lane;
        const float weight = weights[rig.weights + SN_XPBD_BLOCK * tables[rig.slots + at] + block_lane];
        const vec4 x = rests[body.rest + row];
        precise const vec3 u = displacement(row).xyz * x.w;
        position += weight * u;
        first += weight * (u * x.x);
        second += weight * (u * x.y);
        third += weight * (u * x.z);
    }
    store_lane_sum(to, position);
    store_lane_sum(to + dimension, first);
    store_lane_sum(to + 2 * dimension, second);
    if (dimension == 3) {
        store_lane_sum(to + 9, third);
    }
}

/* Accumulates sums per handle of component c up the tree to sums per function; one invocation per component. Overwrites
 * `handle_sums`. */
void to_basis(uint c)
{
    for (uint i = rig.handle_count; i-- > 0;) {
        const uint k = order_of(i), handle_sums = at_handle_sums + stride * k + c;
        const int parent = parent_of(k), rotation_column = rotation_column_of(k);
        const real3 pivot = pivot_of(k);
        const uint above = at_handle_sums + stride * uint(max(parent, 0)) + c;
        const real own_sum = work(handle_sums);
        for (uint e = 0; e < dimension; ++e) {
            precise const real transfer = own_sum * pivot[e];
            precise const real child_moment = (work(handle_sums + dimension * (e + 1)) - transfer) / to_real(rig.size);
            if (rotation_column >= 0) {
                set_work(at_moments + basis * c + rotation_column + e, child_moment);
            }
            if (parent >= 0) {
                precise const real accumulated = work(above + dimension * (e + 1)) + transfer;
                set_work(above + dimension * (e + 1), accumulated);
            }
        }
        if (parent >= 0) {
            precise const real accumulated = work(above) + own_sum;
            set_work(above, accumulated);
        } else {
            set_work(at_moments + basis * c + root_of(k), own_sum);
        }
    }
}

void compute_moments()
{
    for (uint i = lane; i < SN_XPBD_BLOCK * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        sum_lane(i / SN_XPBD_BLOCK, i % SN_XPBD_BLOCK);
    }
    synchronise();
    for (uint i = lane; i < stride * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        const uint from = own.lanes + i / stride * SN_XPBD_BLOCK * stride + i % stride;
        precise real sum = 0;
        for (uint block_lane = 0; block_lane < SN_XPBD_BLOCK; ++block_lane) {
            sum += real(lane_sums[from + block_lane * stride]);
        }
        set_work(at_handle_sums + i, sum);
    }
    synchronise();
    if (lane < dimension) {
        to_basis(lane);
    }
    synchronise();
}

// ---- down the tree ----

/* Converts y of an axis to the handles' own motion, in `handle_sums`. */
void spread_axis(uint y, uint d)
{
    for (uint i = 0; i < rig.handle_count; ++i) {
        const uint k = order_of(i), handle_sums = at_handle_sums + stride * k + d, of_axis = y + basis * d;
        const int parent = parent_of(k), rotation_column = rotation_column_of(k);
        const uint above = at_handle_sums + stride * uint(max(parent, 0)) + d;
        precise real position = parent < 0 ? work(of_axis + root_of(k)) : work(above);
        for (uint e = 0; e < dimension; ++e) {
            precise const real column = rotation_column >= 0 ? work(of_axis + rotation_column + e) / to_real(rig.size) :
                0;
            set_work(handle_sums + dimension * (e + 1), column);
            if (parent >= 0) {
                position += work(above + dimension * (e + 1)) * (pivot_of(k)[e] - pivot_of(parent)[e]);
            }
        }
        set_work(handle_sums, position);
    }
}

void spread(uint y)
{
    if (lane < dimension) {
        spread_axis(y, lane);
    }
    synchronise();
}

// ---- products ----

/* result -= S y, axis by axis. */
void subtract_product(uint gram, uint y, uint result)
{
    for (uint i = lane; i < dimension * basis; i += SN_XPBD_GROUP_SIZE) {
        const uint column = i % basis, of_axis = y + i - column;
        precise real sum = work(result + i);
        for (uint row = 0; row < basis; ++row) {
            sum -= number_at(gram + basis * row + column) * work(of_axis + row);
        }
        set_work(result + i, sum);
    }
    synchronise();
}

void copy_work(uint from, uint to, uint count)
{
    for (uint i = lane; i < count; i += SN_XPBD_GROUP_SIZE) {
        set_work(to + i, work(from + i));
    }
    synchronise();
}

void clear_work(uint at, uint count)
{
    for (uint i = lane; i < count; i += SN_XPBD_GROUP_SIZE) {
        set_work(at + i, 0);
    }
    synchronise();
}

// ---- linear unknowns ----

/* On all axes: found = S_FF^-1 residual_F, missing = residual_Q - S_QF found. */
void reduce(uint part)
{
    const uint columns = columns_of(part);
    for (uint d = 0; d < dimension; ++d) {

        const uint residual = at_residual + basis * d, count = free_count(part, d);
        for (uint i = lane; i < count + columns; i += SN_XPBD_GROUP_SIZE) {
            const bool is_free = i < count;
            const uint q = i - count;
            precise real sum = is_free ? 0 : work(residual + column_of(part, q));
            for (uint j = 0; j < count; ++j) {
                const real by = work(residual + free_of(part, d, j));
                if (is_free) {
                    sum += by * number_at(PART(part).axes[d].inverse + count * j + i);
                } else {
                    sum -= number_at(PART(part).axes[d].transfer + count * q + j) * by;
                }
            }
            set_work(is_free ? at_free_solution + basis * d + i : at_reduced_residual + columns * d + q, sum);
        }
    }
    synchronise();
}

/* found -= S_FF^-1 S_FQ changed, (dimension x columns) at `changed`. */
void restore(uint part, uint changed)
{
    const uint columns = columns_of(part);
    for (uint d = 0; d < dimension; ++d) {

        for (uint i = lane; i < free_count(part, d); i += SN_XPBD_GROUP_SIZE) {
            precise real sum = work(at_free_solution + basis * d + i);
            for (uint q = 0; q < columns; ++q) {
                sum -= number_at(PART(part).axes[d].transfer + free_count(part, d) * q + i) *
                       work(changed + columns * d + q);
            }
            set_work(at_free_solution + basis * d + i, sum);
        }
    }
    synchronise();
}

// ---- scalars ----

/* Entry `number` of a symmetric matrix: the diagonal comes first. */
uvec2 entry_of(uint number)
{
    const uint i = number < dimension ? number : number - dimension;
    return uvec2(i, number < dimension ? i : (i + 1) % dimension);
}

/* dy / dscalar, divided by L. */
void generate(uint part)
{
    for (uint s = lane; s < PART(part).scalar_count; s += SN_XPBD_GROUP_SIZE) {
        const uint k = tables[PART(part).scalars + 3 * s], number = tables[PART(part).scalars + 3 * s + 2];
        const uint to = at_generators + dimension * dimension * s;
        const matrix3 linear = linear_of(k), rotation = matrix_of(rotation_of(k));
        const uint a = (number + 1) % 3, b = (number + 2) % 3;
        const uvec2 entry = entry_of(max(number, 3) - 3);
        for (uint d = 0; d < dimension; ++d) {
            for (uint e = 0; e < dimension; ++e) {
                const real rotated = d == a ? -row_of(linear, b)[e] : d == b ? row_of(linear, a)[e] : 0;
                const real3 row = row_of(rotation, d);
                const real stretched = e == entry.y ? row[entry.x] : e == entry.x ? row[entry.y] : 0;
                set_work(to + dimension * d + e, number < 3 ? rotated : stretched);
            }
        }
    }
    synchronise();
}

/* N_s S' N_t^T */
real couple_scalars(uint part, uint s, uint t)
{
    const uint columns = columns_of(part), square = dimension * dimension;
    const uint own_solved = tables[PART(part).scalars + 3 * s + 1], other = tables[PART(part).scalars + 3 * t + 1];
    const uint n = at_generators + square * s, m = at_generators + square * t;
    precise real entry = 0;
    for (uint d = 0; d < dimension; ++d) {
        const uint reduced = PART(part).axes[d].reduced + columns * dimension * own_solved + dimension * other;
        for (uint f = 0; f < dimension; ++f) {
            const uint of_row = n + dimension * d;
            precise real sum = work(of_row) * number_at(reduced + f);
            sum += work(of_row + 1) * number_at(reduced + columns + f);
            if (dimension == 3) {
                sum += work(of_row + 2) * number_at(reduced + 2 * columns + f);
            }
            precise const real term = sum * work(m + dimension * d + f);
            precise const real added = entry + term;
            entry = d + f == 0 ? term : added;
        }
    }
    return entry;
}

/* Axis of a border unknown, and its function on that axis. */
uvec2 border_of(uint part, uint number)
{
    uvec2 border = uvec2(0, number);
    while (border.y >= free_count(part, border.x)) {
        border.y -= free_count(part, border.x);
        ++border.x;
    }
    return border;
}

/* Matrix entry of a border function with a scalar, N S_QF, or with another border function. */
real couple_border(uint part, uint number, uint t)
{
    const uint scalars = PART(part).scalar_count;
    const uvec2 row = border_of(part, number);
    const uint count = free_count(part, row.x), n = at_generators + dimension * (dimension * t + row.x);
    if (t >= scalars) {
        const uvec2 other = border_of(part, t - scalars);
        return row.x == other.x ? number_at(PART(part).axes[row.x].corner + count * row.y + other.y) : 0;
    }
    const uint solved = tables[PART(part).scalars + 3 * t + 1];
    const uint border = PART(part).axes[row.x].border + count * dimension * solved + row.y;
    precise real sum = work(n) * number_at(border);
    for (uint e = 1; e < dimension; ++e) {
        sum += work(n + e) * number_at(border + count * e);
    }
    return sum;
}

/* Assembles the lower half of the matrix and the right-hand side (zero for the border). Row i is paired with row n - 1
 * - i, so that pairs have equal length and no invocation idles on the upper half. */
void assemble(uint part)
{
    const uint count = PART(part).scalar_count, columns = columns_of(part), square = dimension * dimension;
    const uint unknowns = unknowns_of(part);
    for (uint i = lane; i < (unknowns + 1) / 2 * (unknowns + 1); i += SN_XPBD_GROUP_SIZE) {
        const uint row = i / (unknowns + 1), column = i % (unknowns + 1);
        const bool is_upper = column <= row;
        const uint s = is_upper ? row : unknowns - 1 - row, t = is_upper ? column : column - row - 1;
        if (is_upper || s > row) {
            set_work(at_matrix + unknowns * s + t,
                     s < count ? couple_scalars(part, s, t) : couple_border(part, s - count, t));
        }
    }
    for (uint s = count + lane; s < unknowns; s += SN_XPBD_GROUP_SIZE) {
        set_work(at_right + s, 0);
    }
    for (uint s = lane; s < count; s += SN_XPBD_GROUP_SIZE) {
        const uint solved = tables[PART(part).scalars + 3 * s + 1], n = at_generators + square * s;
        precise real right = 0;
        for (uint d = 0; d < dimension; ++d) {
            const uint reduced_residual = at_reduced_residual + columns * d + dimension * solved;
            precise real sum = work(n + dimension * d) * work(reduced_residual);
            for (uint e = 1; e < dimension; ++e) {
                sum += work(n + dimension * d + e) * work(reduced_residual + e);
            }
            right += sum;
        }
        set_work(at_right + s, right);
    }
    synchronise();
}

/* Regularises the scalars' diagonal. */
void regularise(uint count, uint unknowns)
{
    precise real trace = 0;
    for (uint i = 0; i < count; ++i) {
        trace += work(at_matrix + (unknowns + 1) * i);
    }
    synchronise();
    for (uint i = lane; i < count; i += SN_XPBD_GROUP_SIZE) {
        const uint at = at_matrix + (unknowns + 1) * i;
        precise const real entry = work(at) + (OWN_REGULARIZATION * work(at) + TRACE_REGULARIZATION * trace);
        set_work(at, entry);
    }
    synchronise();
}

/* Row i of the factor in column j after elimination of the previous columns; the right-hand side is the last row. Four
 * columns per iteration, since software Vulkan ends loops after 65535 iterations. */
real eliminated(uint count, uint i, uint j)
{
    const bool is_right = i == count;
    const uint row = is_right ? at_right : at_matrix + count * i, other = at_matrix + count * j;
    precise real sum = work(row + j);
    uint k = 0;
    for (; k + 4 <= j; k += 4) {
        sum -= work(row + k) * work(other + k);
        sum -= work(row + k + 1) * work(other + k + 1);
        sum -= work(row + k + 2) * work(other + k + 2);
        sum -= work(row + k + 3) * work(other + k + 3);
    }
    for (; k < j; ++k) {
        sum -= work(row + k) * work(other + k);
    }
    return sum;
}

/* As sn_cholesky_factor and sn_cholesky_solve, one column between two barriers; each invocation computes the pivot
 * itself. Returns false, in all invocations, if a pivot is not positive. */
bool solve_matrix(uint part)
{
    const uint count = unknowns_of(part);
    regularise(PART(part).scalar_count, count);
    for (uint j = 0; j < count; ++j) {
        const real pivot = eliminated(count, j, j);
        if (!(pivot > 0)) {
            synchronise();
            return false;
        }
        precise const real inverse = 1 / sqrt(pivot);
        for (uint i = j + 1 + lane; i <= count; i += SN_XPBD_GROUP_SIZE) {
            precise const real entry = eliminated(count, i, j) * inverse;
            set_work(i == count ? at_right + j : at_matrix + count * i + j, entry);
        }
        synchronise();
        if (lane == 0) {
            set_work(at_matrix + (count + 1) * j, inverse);
        }
    }
    synchronise();
    for (uint i = count; i-- > 0;) {
        precise const real x = work(at_right + i) * work(at_matrix + (count + 1) * i);
        synchronise();
        for (uint k = lane; k <= i; k += SN_XPBD_GROUP_SIZE) {
            precise const real remaining = work(at_right + k) - work(at_matrix + count * i + k) * x;
            set_work(at_right + k, k == i ? x : remaining);
        }
        synchronise();
    }
    return true;
}
