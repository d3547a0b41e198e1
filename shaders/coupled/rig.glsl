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
layout(set = 1, binding = SN_COUPLED_WEIGHTS, std430) readonly buffer sn_weight_buffer
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
layout(set = 1, binding = SN_COUPLED_LANES, std430) coherent buffer sn_lane_buffer
{
    float lane_sums[];
};

shared real worked[work_count];

real number_at(uint i)
{
    return loaded(numbers[i]);
}
real target_at(uint i)
{
    return loaded(targets[i]);
}
real state_at(uint i)
{
    return loaded(states[i]);
}

void set_state(uint i, real value)
{
    states[i] = kept_as(value);
}

sn_coupled_record own;
sn_coupled_rig_record rig;
sn_coupled_system_record equations;
uint dimension, basis, stride; // stride: numbers per handle in `handle_sums`

// ---- scratch ----

real work(uint i)
{
    return is_work_shared ? worked[i] : spilled[own.work + i];
}

void set_work(uint i, real value)
{
    if (is_work_shared) {
        worked[i] = value;
    } else {
        spilled[own.work + i] = value;
    }
}

/* Offsets in scratch, as in struct sn_coupled_body. */
uint at_raw, at_moments, at_y, at_residual, at_change, at_found, at_missing, at_delta,
    at_generators, at_matrix,
    at_right, at_holds, at_angles;

void lay_out()
{
    const uint axes = dimension * basis, unknowns = rig.unknown_room;
    at_raw = SN_COUPLED_HANDLE_NUMBERS * rig.handle_count;
    at_moments = at_raw + stride * rig.handle_count;
    at_y = at_moments + axes;
    at_residual = at_y + axes;
    at_change = at_residual + axes;
    at_found = at_change + axes;
    at_missing = at_found + axes;
    at_delta = at_missing + axes;
    at_holds = at_delta + axes;
    at_angles = at_holds + 3 * rig.handle_count;
    at_generators = at_angles + rig.handle_count;
    at_right = at_generators + dimension * dimension * unknowns;
    at_matrix = at_right + unknowns;
}

void find_coupling()
{
    own = coupled_records[first_coupled + body.body];
    rig = rigs[own.rig];
    equations = systems[own.system];
    dimension = has_flag(SN_XPBD_FLAT) ? 2 : 3;
    basis = rig.basis_count;
    stride = (dimension + 1) * dimension;
    lay_out();
}

// ---- persistent state ----

uint at_before()
{
    return own.state + SN_COUPLED_HANDLE_NUMBERS * rig.handle_count;
}

uint at_impulse(uint k)
{
    return at_before() + SN_COUPLED_POSE_NUMBERS * rig.handle_count + 6 * k;
}

uint at_pushed()
{
    return at_impulse(rig.handle_count);
}

/* Transforms before and after the last step. */
uint at_shown()
{
    return at_pushed() + dimension * basis;
}

/* Counters of the repair, see below. */
uint at_counts()
{
    return at_shown() + 24 * rig.handle_count;
}

/* Indices of at_counts. */
#define HEALED 0
#define TANGLED_ROUNDS 1
#define TURNED_ROUNDS 2
#define IS_TANGLED 3
#define IS_TURNED 4
#define REACH 5

real count_of(uint which)
{
    return state_at(at_counts() + which);
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
int turning_of(uint k)
{
    return int(tables[rig.turning + k]);
}
uint kind_of(uint k)
{
    return tables[rig.kinds + k];
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
