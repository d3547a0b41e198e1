/* SPDX-License-Identifier: MIT */
/* Common to all parts of the coupling: buffers, the body's rig and system, and its scratch, in shared or device memory.
 * The layouts are in shaders/shared/coupled.h. */
#include "shaders/shared/coupled.h"

layout(constant_id = 4) const uint work_count = 1; // numbers of scratch in shared memory
layout(constant_id = 5) const bool is_work_shared = true;

layout(set = 1, binding = SN_COUPLED_NUMBERS, std430) readonly buffer sn_number_buffer
{
    stored numbers[];
};
layout(set = 1, binding = SN_COUPLED_TABLES, std430) readonly buffer sn_table_buffer
{
    uint tables[];
};
layout(set = 1, binding = SN_COUPLED_TABLES, std430) readonly buffer sn_weight_buffer
{
    float weights[];
};
layout(set = 1, binding = SN_COUPLED_RIGS, std430) readonly buffer sn_rig_buffer
{
    sn_coupled_rig_record rigs[];
};
layout(set = 1, binding = SN_COUPLED_SYSTEMS, std430) readonly buffer sn_system_buffer
{
    sn_coupled_system_record systems[];
};
layout(set = 1, binding = SN_COUPLED_RECORDS, std430) readonly buffer sn_coupled_buffer
{
    sn_coupled_record coupled_records[];
};
layout(set = 1, binding = SN_COUPLED_TARGETS, std430) readonly buffer sn_target_buffer
{
    stored targets[];
};
layout(set = 1, binding = SN_COUPLED_STATES, std430) coherent buffer sn_state_buffer
{
    stored states[];
};
layout(set = 1, binding = SN_COUPLED_WORK, std430) coherent buffer sn_work_buffer
{
    real spilled[];
};
layout(set = 1, binding = SN_COUPLED_MATRICES, std430) coherent buffer sn_lane_buffer
{
    float lane_sums[];
};

shared real shared_work[work_count];

real number_at(uint i)
{
    return to_real(numbers[i]);
}
real target_at(uint i)
{
    return to_real(targets[i]);
}
real state_at(uint i)
{
    return to_real(states[i]);
}

void set_state(uint i, real value)
{
    states[i] = to_stored(value);
}

sn_coupled_record own;
sn_coupled_rig_record rig;
sn_coupled_system_record equations;
uint dimension, basis, stride; // stride: numbers per handle in `handle_sums`

// ---- scratch ----

real work(uint i)
{
    return is_work_shared ? shared_work[i] : spilled[own.work + i];
}

void set_work(uint i, real value)
{
    if (is_work_shared) {
        shared_work[i] = value;
    } else {
        spilled[own.work + i] = value;
    }
}

/* Offsets in scratch, as in struct sn_coupled_body. */
uint at_handle_sums, at_moments, at_y, at_residual, at_change, at_free_solution, at_reduced_residual, at_delta,
    at_generators, at_matrix,
    at_right, at_joint_lock_targets, at_angles;

void compute_offsets()
{
    const uint axes = dimension * basis, unknowns = rig.unknown_capacity;
    at_handle_sums = SN_COUPLED_HANDLE_NUMBERS * rig.handle_count;
    at_moments = at_handle_sums + stride * rig.handle_count;
    at_y = at_moments + axes;
    at_residual = at_y + axes;
    at_change = at_residual + axes;
    at_free_solution = at_change + axes;
    at_reduced_residual = at_free_solution + axes;
    at_delta = at_reduced_residual + axes;
    at_joint_lock_targets = at_delta + axes;
    at_angles = at_joint_lock_targets + 3 * rig.handle_count;
    at_generators = at_angles + rig.handle_count;
    at_right = at_generators + dimension * dimension * unknowns;
    at_matrix = at_right + unknowns;
}

void load_coupling()
{
    own = coupled_records[first_coupled + body.body];
    rig = rigs[own.rig];
    equations = systems[own.system];
    dimension = has_flag(SN_XPBD_FLAT) ? 2 : 3;
    basis = rig.basis_count;
    stride = (dimension + 1) * dimension;
    compute_offsets();
}

// ---- persistent state ----

uint at_previous_pose()
{
    return own.state + SN_COUPLED_HANDLE_NUMBERS * rig.handle_count;
}

uint at_impulse(uint k)
{
    return at_previous_pose() + SN_COUPLED_POSE_NUMBERS * rig.handle_count + 6 * k;
}

uint at_multiplier_sum()
{
    return at_impulse(rig.handle_count);
}

/* Transforms before and after the last step. */
uint at_output()
{
    return at_multiplier_sum() + dimension * basis;
}

/* Counters of the repair, see below. */
uint at_counters()
{
    return at_output() + 24 * rig.handle_count;
}

/* Indices of at_counters. */
#define CHECKED_PART 0
#define TANGLED_ROUNDS 1
#define FLIPPED_ROUNDS 2
#define IS_TANGLED 3
#define IS_FLIPPED 4
#define TARGET_MOVEMENT 5

real counter(uint which)
{
    return state_at(at_counters() + which);
}

// ---- the rig ----

uint order_of(uint i)
{
    return tables[rig.order + i];
}
int parent_of(uint k)
{
    return int(tables[rig.parents + k]);
}
uint root_of(uint k)
{
    return tables[rig.roots + k];
}
int rotation_column_of(uint k)
{
    return int(tables[rig.rotation_column + k]);
}
uint handle_type_of(uint k)
{
    return tables[rig.handle_types + k];
}
uint locks_of(uint k)
{
    return tables[equations.locks + k];
}

real3 pivot_of(uint k)
{
    const uint at = rig.pivots + 3 * k;
    return real3(number_at(at), number_at(at + 1), number_at(at + 2));
}
