/* SPDX-License-Identifier: MIT */
/* State of handles, in scratch, and their targets: the implementation of the handle operations of host/coupled/step.c,
 * fit.c and body.c. */

// ---- one handle ----

uint at_handle(uint k)
{
    return SN_COUPLED_HANDLE_NUMBERS * k;
}

real3 work3(uint at)
{
    return real3(work(at), work(at + 1), work(at + 2));
}

void set_work3(uint at, real3 v)
{
    set_work(at, v.x);
    set_work(at + 1, v.y);
    set_work(at + 2, v.z);
}

matrix3 work_matrix(uint at)
{
    return matrix3(work3(at), work3(at + 3), work3(at + 6));
}

void set_work_matrix(uint at, matrix3 m)
{
    set_work3(at, m.x);
    set_work3(at + 3, m.y);
    set_work3(at + 6, m.z);
}

real3 handle_position(uint k)
{
    return work3(at_handle(k));
}

matrix3 linear_of(uint k)
{
    return work_matrix(at_handle(k) + 3);
}

real4 rotation_of(uint k)
{
    return real4(work3(at_handle(k) + 12), work(at_handle(k) + 15));
}

void set_rotation(uint k, real4 q)
{
    set_work3(at_handle(k) + 12, q.xyz);
    set_work(at_handle(k) + 15, q.w);
}

uint at_stretch(uint k)
{
    return at_handle(k) + 16;
}

/* A row of R S: rotation[0] s[e] + rotation[1] s[3 + e] + rotation[2] s[6 + e], for a row of R. */
real3 compose_row(real3 rotation, matrix3 s)
{
    precise const real3 row = rotation.x * s.x + rotation.y * s.y + rotation.z * s.z;
    return row;
}

void compose(uint k)
{
    const matrix3 rotation = matrix_of(rotation_of(k)), s = work_matrix(at_stretch(k));
    set_work_matrix(at_handle(k) + 3,
        matrix3(compose_row(rotation.x, s), compose_row(rotation.y, s), compose_row(rotation.z, s)));
}

// ---- all handles ----

void load_handles()
{
    for (uint i = lane; i < SN_COUPLED_HANDLE_NUMBERS * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        set_work(i, state_at(own.state + i));
    }
    synchronise();
}

void store_handles()
{
    synchronise();
    for (uint i = lane; i < SN_COUPLED_HANDLE_NUMBERS * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        set_state(own.state + i, work(i));
    }
    synchronise();
}

/* Writes the handles' state as y of the basis. */
void read_handles()
{
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        const real3 from = origin(), pivot = pivot_of(k), position = handle_position(k);
        const matrix3 linear = linear_of(k);
        const int rotation_column = rotation_column_of(k);
        for (uint d = 0; d < dimension; ++d) {
            if (parent_of(k) < 0) {
                precise const real offset = position[d] - from[d] - pivot[d];
                set_work(at_y + basis * d + root_of(k), offset);
            }
            for (uint e = 0; e < dimension && rotation_column >= 0; ++e) {
                precise const real column = to_real(rig.size) * (row_of(linear, d)[e] - (d == e ? 1 : 0));
                set_work(at_y + basis * d + rotation_column + e, column);
            }
        }
    }
    synchronise();
}

/* Moves joints with their parents, parents first; one invocation per axis. */
void move_joints()
{
    synchronise();
    for (uint i = 0; i < rig.handle_count && lane < 3; ++i) {
        const uint k = order_of(i);
        const int parent = parent_of(k);
        if (parent >= 0) {
            precise const real3 arm = pivot_of(k) - pivot_of(parent);
            precise const real position =
                work(at_handle(parent) + lane) + dot_of(work3(at_handle(parent) + 3 + 3 * lane), arm);
            set_work(at_handle(k) + lane, position);
        }
    }
    synchronise();
}

// ---- targets ----

real3 target3(uint at)
{
    return real3(target_at(at), target_at(at + 1), target_at(at + 2));
}

real3 state3(uint at)
{
    return real3(state_at(at), state_at(at + 1), state_at(at + 2));
}

bool has_rotation(uint locks, uint axis)
{
    return (locks & (8u << axis)) != 0;
}

void rotate_to(uint k, uint locks, real4 requested)
{
    if ((locks & 56u) == 56u) {
        set_rotation(k, requested);
        return;
    }
    real3 vector = to_vector(multiply_quaternions(requested, conjugate(rotation_of(k))));
    for (uint axis = 0; axis < 3; ++axis) {
        vector[axis] = has_rotation(locks, axis) ? vector[axis] : 0;
    }
    set_rotation(k, multiply_quaternions(from_vector(vector), rotation_of(k)));
}

void write_target(uint k, uint locks, real fraction)
{
    const uint to = own.target + SN_COUPLED_POSE_NUMBERS * k, from = at_previous_pose() + SN_COUPLED_POSE_NUMBERS * k;
    for (uint d = 0; d < 3; ++d) {
        if ((locks >> d & 1) != 0) {
            precise const real position = state_at(from + d) + fraction * (target_at(to + d) - state_at(from + d));
            set_work(at_handle(k) + d, position);
        }
    }
    if ((locks & 56u) != 0) {
        rotate_to(
            k, locks,
            blended(real4(state3(from + 3), state_at(from + 6)), real4(target3(to + 3), target_at(to + 6)), fraction));
    }
    for (uint i = 0; i < 9 && (locks & 64u) != 0; ++i) {
        precise const real stretch =
            state_at(from + 7 + i) + fraction * (target_at(to + 7 + i) - state_at(from + 7 + i));
        set_work(at_stretch(k) + i, stretch);
    }
    if ((locks & 120u) != 0) {
        compose(k);
    }
}

uint joint_lock_handle(uint joint_lock)
{
    return tables[equations.joint_locks + 2 * joint_lock];
}

uint joint_lock_axes(uint joint_lock)
{
    return tables[equations.joint_locks + 2 * joint_lock + 1];
}

void write_targets(real fraction)
{
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        if (locks_of(k) != 0) {
            write_target(k, locks_of(k), fraction);
        }
    }
    synchronise();
    for (uint joint_lock = lane; joint_lock < equations.joint_lock_count; joint_lock += SN_XPBD_GROUP_SIZE) {
        precise const real3 requested = handle_position(joint_lock_handle(joint_lock)) - origin();
        set_work3(at_joint_lock_targets + 3 * joint_lock, requested);
    }
    move_joints();
}
