/* SPDX-License-Identifier: MIT */
/* Handles that are flipped relative to their flesh: the implementation of
 * host/coupled/flipped_handles.c, and of the row operations of heal.c. */

#define MIN_DETERMINANT (1 / real(10))
#define MIN_CORRELATION real(0.5)
#define MIN_DIFFERENCE (1 / real(50))

real3 cross_of(real3 a, real3 b)
{
    precise const real3 cross = a.yzx * b.zxy - a.zxy * b.yzx;
    return cross;
}

// ---- rows ----

real3 row_position(uint row)
{
    precise const real3 position = real3(rests[body.rest + row].xyz) + real3(displacement(row).xyz) + origin();
    return position;
}

void set_row_position(uint row, real3 position)
{
    precise const real3 moved = position - origin() - real3(rests[body.rest + row].xyz);
    set_displacement(row, vec4(vec3(moved), displacement(row).w));
}

/* Linear part of a handle; an inverted affine handle is replaced by its rotation. */
matrix3 valid_linear(uint k)
{
    const matrix3 linear = linear_of(k);
    if (dot_of(linear.x, cross_of(linear.y, linear.z)) < MIN_DETERMINANT) {
        return matrix_of(polar(linear, rotation_of(k)));
    }
    return linear;
}

real3 skinned_row_position(uint row)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    precise real3 position = real3(0);
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        const real weight = real(weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK]);
        const uint k = tables[rig.slot_handles + slot];
        precise const real3 arm = real3(rests[body.rest + row].xyz) - pivot_of(k);
        position += weight * (handle_position(k) + multiply(valid_linear(k), arm));
    }
    return position;
}

void move_to_skinned(uint row, real fraction)
{
    if (displacement(row).w > 0) {
        const real3 from = row_position(row), to = skinned_row_position(row);
        precise const real3 between = from + fraction * (to - from);
        set_row_position(row, between);
    }
}

// ---- handles ----

/* A weighted sum over the rows of a handle, or (-1) over all rows. Components: mass; position; rest position; their
 * product (9); their squares. */
real sum_rows(int k, uint component)
{
    const uint begin = k < 0 ? 0 : tables[rig.handle_starts + k];
    const uint end = k < 0 ? block_count() : tables[rig.handle_starts + k + 1];
    precise real sum = 0;
    for (uint at = begin; at < end; ++at) {
        const uint block = k < 0 ? at : tables[rig.slot_blocks + at];
        for (uint i = 0; i < SN_XPBD_BLOCK; ++i) {
            const uint row = SN_XPBD_BLOCK * block + i;
            const uint slot = k < 0 ? 0 : tables[rig.slots + at];
            const real weight = k < 0 ? 1 : real(weights[rig.weights + SN_XPBD_BLOCK * slot + i]);
            if (row >= body.vertex_count || !(weight > 0)) {
                continue;
            }
            const real3 now = row_position(row);
            precise const real3 rest = real3(rests[body.rest + row].xyz) + triple(rig.centre);
            precise const real m = weight * real(rests[body.rest + row].w);
            const uint c = component - 7;
            precise real term = m;
            if (component >= 16) {
                term *= component == 16 ? dot_of(now, now) : dot_of(rest, rest);
            } else if (component >= 7) {
                term *= now[c / 3];
                term *= rest[c % 3];
            } else if (component > 0) {
                term *= component < 4 ? now[component - 1] : rest[component - 4];
            }
            sum += term;
        }
    }
    return sum;
}

real4 nearest_rotation(matrix3 moment)
{
    return dimension == 2 ? polar_z(moment) : polar(moment, IDENTITY_ROTATION);
}

real correlation(matrix3 moment, real4 rotation)
{
    const matrix3 r = matrix_of(rotation);
    precise real sum = 0;
    for (uint d = 0; d < 3; ++d) {
        precise const real3 along = row_of(r, d) * row_of(moment, d);
        sum += along.x;
        sum += along.y;
        sum += along.z;
    }
    return sum;
}

/* Whether a handle is flipped relative to its flesh; rotation: that of the flesh. Called by all invocations. */
bool is_flipped(uint k, out real4 rotation)
{
    rotation = IDENTITY_ROTATION;
    if (lane < 18) {
        sums[lane].x = sum_rows(int(k), lane);
    }
    synchronise();
    const real mass = sums[0].x;
    const real3 position = real3(sums[1].x, sums[2].x, sums[3].x), rest = real3(sums[4].x, sums[5].x, sums[6].x);
    precise const real position_square = sums[16].x - dot_of(position, position) / mass;
    precise const real rest_square = sums[17].x - dot_of(rest, rest) / mass;
    precise const real3 x = real3(sums[7].x, sums[8].x, sums[9].x) - position.x * rest / mass;
    precise const real3 y = real3(sums[10].x, sums[11].x, sums[12].x) - position.y * rest / mass;
    precise const real3 z = real3(sums[13].x, sums[14].x, sums[15].x) - position.z * rest / mass;
    precise const real max_trace = sqrt(max(position_square, 0) * max(rest_square, 0));
    synchronise();
    if (!(mass > 0)) {
        return false;
    }
    const matrix3 cross = matrix3(x, y, z);
    rotation = nearest_rotation(cross);
    const real4 now = rotation_of(k);
    const real found = correlation(cross, rotation), cosine = dot4(rotation, now);
    precise const real difference = found - correlation(cross, now), full = 2 * cosine * cosine;
    return full < 1 && found > MIN_CORRELATION * max_trace && difference > MIN_DIFFERENCE * max_trace;
}

/* Weight of a handle at a row. */
real weight_of(uint k, uint row)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        if (tables[rig.slot_handles + slot] == k) {
            return real(weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK]);
        }
    }
    return 0;
}

/* Moves the flesh to a locked handle: the whole flesh if no other handle determines its rotation, else in proportion to
 * the handle's weights. */
void move_flesh_to_handle(uint k, real4 rotation)
{
    uint locked_count = 0;
    for (uint i = 0; i < rig.handle_count; ++i) {
        locked_count += (locks_of(i) & 56u) != 0 ? 1 : 0;
    }
    const bool moves_all_flesh = locked_count == 1 && body.pin_count == 0;
    const matrix3 r = matrix_of(multiply_quaternions(rotation_of(k), conjugate(rotation)));
    const real3 pivot = handle_position(k);
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        if (!moves_all_flesh) {
            move_to_skinned(row, weight_of(k, row));
        } else if (displacement(row).w > 0) {
            precise const real3 arm = row_position(row) - pivot;
            precise const real3 position = pivot + multiply(r, arm);
            set_row_position(row, position);
        }
    }
    synchronise();
}

/* Processes one batch of the handles. Returns whether a locked handle is flipped. */
bool correct_flipped_handles(uint part, bool is_persistent)
{
    bool is_any = false;
    for (uint k = part; k < rig.handle_count; k += SN_COUPLED_CHECK_BATCHES) {
        const bool is_locked = (locks_of(k) & 56u) != 0;
        real4 rotation;
        if (rotation_column_of(k) < 0 || (!is_locked && handle_type_of(k) == SN_COUPLED_AFFINE) || !is_flipped(k,
            rotation)) {
            continue;
        }
        is_any = is_any || is_locked;
        synchronise();
        if (!is_locked) {
            if (lane == 0) {
                set_rotation(k, rotation);
                compose(k);
            }
            move_joints();
        } else if (is_persistent) {
            move_flesh_to_handle(k, rotation);
        }
    }
    return is_any;
}
