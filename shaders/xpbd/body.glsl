/* SPDX-License-Identifier: MIT */
/* Common to all parts of a step: buffers, the body of this workgroup, and its rows, in shared or device memory. The
 * layouts are in shaders/shared/xpbd.h. */
#include "shaders/lane.glsl"
#include "shaders/xpbd/real.glsl"

#include "shaders/shared/xpbd.h"

layout(local_size_x = SN_XPBD_GROUP_SIZE) in;
layout(constant_id = 0) const uint phase = SN_XPBD_ALL;
layout(constant_id = 1) const bool is_shared = true; // displacements are in shared memory
layout(constant_id = 2) const uint pool_rows = 1;
/* Bit mask of the constraint types in use. Without it, software Vulkan would execute all branches, and GPUs would
 * reserve registers for them. */
layout(constant_id = 3) const uint recipes = ~0u;

layout(set = 0, binding = SN_XPBD_RUNS, std430) readonly buffer sn_run_buffer
{
    sn_xpbd_run runs[];
};
layout(set = 0, binding = SN_XPBD_CORNERS, std430) readonly buffer sn_corner_buffer
{
    uint corners[];
};
layout(set = 0, binding = SN_XPBD_VALUES, std430) readonly buffer sn_value_buffer
{
    float values[];
};
layout(set = 0, binding = SN_XPBD_RESTS, std430) readonly buffer sn_rest_buffer
{
    vec4 rests[];
}; // position, mass
layout(set = 0, binding = SN_XPBD_RECORDS, std430) readonly buffer sn_record_buffer
{
    sn_xpbd_record records[];
};
layout(set = 0, binding = SN_XPBD_PINS, std430) readonly buffer sn_pin_buffer
{
    sn_xpbd_pin_record pins[];
};
layout(set = 0, binding = SN_XPBD_IMPULSES, std430) readonly buffer sn_impulse_buffer
{
    sn_xpbd_impulse_record impulses[];
};
layout(set = 0, binding = SN_XPBD_COLLIDERS, std430) readonly buffer sn_collider_buffer
{
    sn_xpbd_collider_record colliders[];
};
layout(set = 0, binding = SN_XPBD_HEADS, std430) readonly buffer sn_head_buffer
{
    sn_xpbd_collider_head heads[];
};
layout(set = 0, binding = SN_XPBD_GRIDS, std430) readonly buffer sn_grid_buffer
{
    vec4 grids[];
};
/* Displacement u, 1 / mass; u predicted by inertia; velocity, mass. 1 / mass and mass are 0 for hard pins. Buffers that
 * are written by one invocation and read by others of the workgroup after synchronise() must be coherent in GLSL's
 * memory model. Rows of `predicted` are accessed by one invocation only within a dispatch. */
layout(set = 0, binding = SN_XPBD_DISPLACEMENTS, std430) coherent buffer sn_displacement_buffer
{
    vec4 displacements[];
};
layout(set = 0, binding = SN_XPBD_PREDICTED, std430) buffer sn_predicted_buffer
{
    vec4 predicted[];
};
layout(set = 0, binding = SN_XPBD_VELOCITIES, std430) coherent buffer sn_velocity_buffer
{
    vec4 velocities[];
};
layout(set = 0, binding = SN_XPBD_SCRATCH, std430) coherent buffer sn_scratch_buffer
{
    uint scratch[];
};
layout(set = 0, binding = SN_XPBD_STATUSES, std430) coherent buffer sn_status_buffer
{
    sn_xpbd_status statuses[];
};

layout(push_constant) uniform sn_xpbd_constants
{
    uint first_record, first_pin, first_impulse, first_head, first_collider;
    uint record;                // of the first workgroup's body, in this recording
    uint first_unit, last_unit; // sweeps, counted from the begin of the step
    uint first_run, last_run;   // of the body
    uint first_coupled;         // first record of the coupling
    float fraction;             // output time between the last two steps
};

shared vec4 pool[pool_rows];
shared real2 sums[SN_XPBD_GROUP_SIZE];

/* True if one workgroup processes the body; else the rows or constraints of a body are distributed over workgroups
 * without synchronisation. */
const bool is_single_group = phase != SN_XPBD_PREDICT && phase != SN_XPBD_COLOUR && phase != SN_XPBD_VELOCITY &&
                      phase != SN_XPBD_MEASURE && phase != SN_XPBD_DAMP;

/* True if each workgroup processes its own body. */
const bool is_group_per_body = phase == SN_XPBD_ALL || phase == SN_XPBD_FINISH;

sn_xpbd_record body;
real3 own_origin; // origin of its status
uint lane;
/* Rows, blocks, pins and constraints are distributed over all invocations that process the body. */
uint first_item, item_stride;

real3 triple(stored values[3])
{
    return real3(to_real(values[0]), to_real(values[1]), to_real(values[2]));
}

void find_body()
{
    lane = lane_of(SN_XPBD_GROUP_SIZE);
    first_item = is_single_group ? lane : SN_XPBD_GROUP_SIZE * gl_WorkGroupID.x + lane;
    item_stride = is_single_group ? SN_XPBD_GROUP_SIZE : SN_XPBD_GROUP_SIZE * gl_NumWorkGroups.x;
    body = records[first_record + record + (is_group_per_body ? gl_WorkGroupID.x : 0)];
    own_origin = triple(statuses[body.body].origin);
}

/* Makes writes visible to the workgroup. */
void synchronise()
{
    if (is_single_group) {
        memoryBarrierBuffer();
        memoryBarrierShared();
        barrier();
    }
}

vec4 displacement(uint row)
{
    return is_shared ? pool[row] : displacements[body.row + row];
}

void set_displacement(uint row, vec4 value)
{
    if (is_shared) {
        pool[row] = value;
    } else {
        displacements[body.row + row] = value;
    }
}

bool has_flag(uint flag)
{
    return (body.flags & flag) != 0;
}

bool is_hard_pin(uint pin)
{
    return pins[first_pin + body.pin + pin].is_hard != 0;
}

real3 origin()
{
    return own_origin;
}

/* Called by all invocations. */
void set_origin(real3 position)
{
    own_origin = position;
    for (uint d = 0; d < 3 && lane == 0; ++d) {
        statuses[body.body].origin[d] = to_stored(position[d]);
    }
}

/* By its exponent: without float controls a compiler may assume that comparisons have no infinite or undefined operand.
 */
bool is_finite(real x)
{
    return (high_word(x) & REAL_EXPONENT) != REAL_EXPONENT;
}

real dot_of(real3 a, real3 b)
{
    precise const real dot = a.x * b.x + a.y * b.y + a.z * b.z;
    return dot;
}

// ---- scratch between dispatches ----

uint block_count()
{
    return body.row_count / SN_XPBD_BLOCK;
}

uint first_rigid_word()
{
    return body.scratch + block_count() * SN_XPBD_MOMENTS;
}

uint first_pin_word(uint pin)
{
    return first_rigid_word() + SN_XPBD_RIGID_WORDS + SN_XPBD_PIN_WORDS * pin;
}

#ifdef SN_SINGLE

real load_real(uint word)
{
    return uintBitsToFloat(scratch[word]);
}

void store_real(uint word, real value)
{
    scratch[word] = floatBitsToUint(value);
}

#else

real load_real(uint word)
{
    return packDouble2x32(uvec2(scratch[word], scratch[word + 1]));
}

void store_real(uint word, real value)
{
    const uvec2 halves = unpackDouble2x32(value);
    scratch[word] = halves.x;
    scratch[word + 1] = halves.y;
}

#endif
