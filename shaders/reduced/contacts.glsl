/* SPDX-License-Identifier: MIT */
/* Projects the image of an iterate onto the contact constraints: the implementation of
 * host/reduced/kernels/contacts_f32.inc. As there, contacts are solved sequentially, but in blocks between two
 * barriers: each invocation owns two contacts, shares those in the block, and every invocation solves the whole block.
 * In contrast to the CPU, the sweeps of an iteration are limited by the loop limit of software Vulkan. */

#define RIGID_COMPLIANCE 0.02
#define SWEEP_LIMIT 100
#define FIRST_SWEEP_FRACTION 0.01 // of the largest movement in a step's first sweep: a minimum tolerance

/* Loops over these are unrolled: sn_reduced_sweep_loops does not count them. */
#define OWN (SN_REDUCED_CONTACT_LIMIT / SN_REDUCED_GROUP_SIZE)
#define BLOCK SN_REDUCED_CONTACT_BLOCK
struct contact_state {
    vec3 normal, slip, force, moved; // moved: from the prediction to the current state of the sweep
    float gap, soft_gap, compliance, friction, response, max_force;
};

uint contact_count; // of this body in this step
uint block_index;          // index of the block; even and odd blocks use different shared memory, which saves a barrier
uint loops_left;    // loop iterations left for the sweeps of this iteration
float sweep_tolerance;      // sweeps end when no contact moves by more
bool is_first_sweep;      // no sweep was made in this step
/* Contacts of this invocation; zero where it has none. */
vec3 own_force[OWN], own_applied[OWN];  // applied: force that the image includes
vec3 own_moved[OWN], own_point[OWN];    // displacement in the sweep; of the iterate
vec3 force_before[OWN], force_direction[OWN]; // before the last sweep; search direction
vec3 displacement_before[OWN], displacement_direction[OWN]; // the same for displacements
vec3 own_accepted_force[OWN];               // at the accepted point
float own_accepted_friction[OWN];           // friction bound at the accepted point

float contact_number(uint field, uint i)
{
    return contacts[body.contacts + field + i];
}

uint contact_point(uint i)
{
    return uint(contact_number(sn_reduced_contacts_layout_of().point, i));
}

uint own_contact(uint k)
{
    return lane + SN_REDUCED_GROUP_SIZE * k;
}

/* Loads the forces before the iterations of a dispatch; store_forces saves them for the next dispatch. */
void load_forces(bool is_resumed)
{
    const sn_reduced_contacts_layout from = sn_reduced_contacts_layout_of();
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const bool is_owned = own_contact(k) < contact_count;
        own_force[k] = own_moved[k] = own_point[k] = own_accepted_force[k] = vec3(0);
        own_accepted_friction[k] = 0;
        if (is_owned) {
            own_force[k] = read_vector(from.force, own_contact(k));
        }
        if (is_owned && is_resumed) {
            own_accepted_friction[k] = contact_number(from.accepted_friction, own_contact(k));
            own_accepted_force[k] = read_vector(from.accepted_force, own_contact(k));
        }
    }
}

void store_forces()
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            write_vector(to.force, own_contact(k), own_force[k]);
            write_vector(to.accepted_force, own_contact(k), own_accepted_force[k]);
            contacts[body.contacts + to.accepted_friction + own_contact(k)] = own_accepted_friction[k];
        }
    }
}

/* Stores the forces for the warm start of the next step. */
void store_previous_forces()
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            store_force(own_contact(k), own_force[k]);
        }
    }
    if (lane == 0) {
        states[state.previous_contact_count] = float(contact_count);
    }
}

contact_state load_contact(uint i, vec3 force, vec3 moved)
{
    const sn_reduced_contacts_layout from = sn_reduced_contacts_layout_of();
    return contact_state(read_vector(from.normal, i), read_vector(from.slip, i), force, moved,
        contact_number(from.gap, i),
                    contact_number(from.soft_gap, i), contact_number(from.compliance, i),
                        contact_number(from.friction, i),
                    contact_number(from.response, i), contact_number(from.max_force, i));
}

/* Displacement of contact j per unit force of contact i. */
float coupling(uint i, uint j)
{
    return contact_number(sn_reduced_contacts_layout_of().coupling, SN_REDUCED_CONTACT_LIMIT * i + j);
}

void add_own_displacement(uint i, vec3 change)
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        precise const vec3 moved = own_moved[k] + coupling(i, own_contact(k)) * change;
        own_moved[k] = moved;
    }
}

/* Normal force: rigid where the rig's own pose puts the sample, compliant outside of that. */
float solve_normal_force(contact_state c, float previous_normal_force)
{
    precise const float along = dot_of(c.normal, c.moved);
    precise const float gap = c.gap + along + RIGID_COMPLIANCE * c.response * previous_normal_force;
    precise const float soft_gap = c.soft_gap + along + c.compliance * previous_normal_force;
    precise const float rigid = previous_normal_force - gap / ((1 + RIGID_COMPLIANCE) * c.response);
    precise const float soft = previous_normal_force - soft_gap / (c.response + c.compliance);
    return max(max(rigid, soft), 0);
}

/* Force of a contact with the other forces fixed: non-penetration, and friction in Coulomb's cone. */
vec3 solve_contact(contact_state c)
{
    if (!(c.response > 0)) {
        return vec3(0);
    }
    const float previous_normal_force = dot_of(c.normal, c.force),
        normal_force = min(solve_normal_force(c, previous_normal_force), c.max_force);
    precise const vec3 slip = c.slip + c.moved;
    precise const float along = dot_of(c.normal, slip);
    precise const vec3 tangent = c.force - previous_normal_force * c.normal - (slip - along * c.normal) / c.response;
    precise const float size = sqrt(dot_of(tangent, tangent)), max_friction = c.friction * normal_force;
    precise const float scale = size > max_friction ? max_friction / size : 1;
    precise const vec3 force = normal_force * c.normal + scale * tangent;
    return force;
}

/* Force of a grab with the other forces fixed: its spring, up to its strength. */
vec3 solve_grab(contact_state c)
{
    precise const vec3 force = c.force - (c.slip + c.moved + c.compliance * c.force) / (c.response + c.compliance);
    const float size = sqrt(dot_of(force, force));
    precise const vec3 bounded = force * (c.max_force / size);
    return size > c.max_force ? bounded : force;
}

/* Shares forces and displacements of a block's contacts with all invocations. */
void exchange(uint first, out vec3 forces[BLOCK], out vec3 moved[BLOCK])
{
    const uint slot = pool_layout.forces / 4 + SN_REDUCED_CONTACT_LIMIT + block_index % 2 * 2 * BLOCK;
    ++block_index;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const uint j = own_contact(k) - first;
        if (j < BLOCK) {
            pool[slot + 2 * j] = vec4(own_force[k], 0);
            pool[slot + 2 * j + 1] = vec4(own_moved[k], 0);
        }
    }
    barrier();
    [[unroll]] for (uint j = 0; j < BLOCK; ++j) {
        forces[j] = pool[slot + 2 * j].xyz;
        moved[j] = pool[slot + 2 * j + 1].xyz;
    }
}

void set_own_force(uint i, vec3 force)
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        own_force[k] = i == lane + SN_REDUCED_GROUP_SIZE * k ? force : own_force[k];
    }
}

/* Returns the maximum squared movement of the block's contacts by their own force changes. Most nearby contacts have no
 * force and are skipped. */
float solve_block(uint first)
{
    vec3 forces[BLOCK], moved[BLOCK];
    float max_square = 0;
    exchange(first, forces, moved);
    const uint count = min(BLOCK, contact_count - first); // a bound that compilers do not unroll
    for (uint j = 0; j < count; ++j) {
        const contact_state c = load_contact(first + j, forces[j], moved[j]);
        const vec3 force = first + j < body.grab_count ? solve_grab(c) : solve_contact(c);
        precise const vec3 change = force - c.force;
        if (change == vec3(0)) {
            continue;
        }
        precise const float square = c.response * c.response * dot_of(change, change);
        [[unroll]] for (uint l = 1; l < BLOCK; ++l) {
            if (l > j && l < count) {
                precise const vec3 next = moved[l] + coupling(first + j, first + l) * change;
                moved[l] = next;
            }
        }
        set_own_force(first + j, force);
        add_own_displacement(first + j, change);
        max_square = max(max_square, square);
    }
    return max_square;
}

/* Returns the maximum movement of a contact by its own force change. */
float sweep()
{
    float max_square = 0;
    for (uint first = 0; first < contact_count; first += BLOCK) {
        max_square = max(max_square, solve_block(first));
    }
    return sqrt(max_square);
}

/* Applies the force changes to the image. Shared memory is synchronised afterwards. */
void apply_forces()
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            pool[pool_layout.forces / 4 + own_contact(k)] = vec4(own_force[k] - own_applied[k], 0);
            own_applied[k] = own_force[k];
        }
    }
    barrier();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const system_weights weights = system_of(models[body.model + model.coordinate + i].x);
        precise vec3 sum = vec3(0);
        for (uint c = 0; c < contact_count; ++c) {
            sum += row_entry(contact_point(c), i) * pool[pool_layout.forces / 4 + c].xyz;
        }
        precise const vec3 image = pool_vector(pool_layout.image, i) + body.step2 / weights.system * sum;
        set_pool_vector(pool_layout.image, i, image);
    }
    barrier();
}

// ---- sweeps as steps of a conjugate gradient method ----

/* Squared force change of the last sweep, weighted by the contacts' responses. */
float measure_sweep()
{
    precise float sum = 0;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            const float response = contact_number(sn_reduced_contacts_layout_of().response, own_contact(k));
            precise const vec3 change = own_force[k] - force_before[k];
            sum += response * dot_of(change, change);
        }
    }
    return sums_over_group(vec4(sum, 0, 0, 0)).x;
}

/* Extrapolates along the search direction of the last sweeps; if changes grow, the direction is reset. */
void extrapolate_sweep(bool is_first, float square, float square_before)
{
    const bool is_growing = !is_first && !(square <= square_before && square_before > 0);
    precise const float ratio = square / square_before;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        precise const vec3 force_extension = ratio * force_direction[k],
            displacement_extension = ratio * displacement_direction[k];
        precise const vec3 swept = own_force[k] - force_before[k], swept_moved = own_moved[k] - displacement_before[k];
        precise const vec3 force = own_force[k] + force_extension, moved = own_moved[k] + displacement_extension;
        precise const vec3 force_step = force_extension + swept,
            displacement_step = displacement_extension + swept_moved;
        if (is_first) {
            force_direction[k] = swept;
            displacement_direction[k] = swept_moved;
        } else if (is_growing) {
            force_direction[k] = displacement_direction[k] = vec3(0);
        } else {
            own_force[k] = force;
            own_moved[k] = moved;
            force_direction[k] = force_step;
            displacement_direction[k] = displacement_step;
        }
    }
}

uint loops_of_sweep()
{
    return sn_reduced_sweep_loops(contact_count);
}

/* Sweeps from the current state until convergence. */
void continue_sweeps()
{
    float sweep_limit = sweep_tolerance, square = 0;
    bool is_done = false;
    for (uint k = 0; !is_done; ++k) {
        force_before = own_force;
        displacement_before = own_moved;
        const float moved = sweep();
        sweep_limit = is_first_sweep ? max(sweep_limit, FIRST_SWEEP_FRACTION * moved) : sweep_limit;
        is_first_sweep = false;
        loops_left -= loops_of_sweep();
        is_done = moved <= sweep_limit || k + 1 >= SWEEP_LIMIT || loops_left < loops_of_sweep();
        if (!is_done) {
            const float square_before = square;
            square = measure_sweep();
            extrapolate_sweep(k == 0, square, square_before);
        }
    }
    apply_forces();
}

/* Displacements of an own contact at the iterate, and at the image without contact forces. */
void locate_own_contact(uint k)
{
    const uint point = contact_point(own_contact(k)), points = sn_reduced_point_count(body.sample_count);
    const uint fours = padded_coordinates / 4;
    precise mat3x4 at = mat3x4(vec4(0), vec4(0), vec4(0)), image = at;
    for (uint four = 0; four < fours; ++four) {
        const vec4 row = models[body.model + model.row + points * four + point];
        for (uint d = 0; d < 3; ++d) {
            const uint from = fours * d + four;
            precise const vec4 difference = pool[pool_layout.coordinates / 4 + from] -
                pool[pool_layout.predicted / 4 + from];
            at[d] += row * difference;
            image[d] += row * pool[pool_layout.image / 4 + from];
        }
    }
    own_point[k] = vec3(sum_of(at[0]), sum_of(at[1]), sum_of(at[2]));
    own_moved[k] = vec3(sum_of(image[0]), sum_of(image[1]), sum_of(image[2]));
}

/* Initialises the contacts from the images in shared memory and the forces of the previous iteration. */
void start_contacts()
{
    barrier(); // images are written, and the forces of the global pass are read
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        own_applied[k] = vec3(0);
        if (own_contact(k) < contact_count) {
            locate_own_contact(k);
            pool[pool_layout.forces / 4 + own_contact(k)] = vec4(own_force[k], 0);
        }
    }
    barrier();
    block_index = 0;
    loops_left = SN_REDUCED_SWEEP_LOOPS;
    for (uint i = 0; i < contact_count; ++i) {
        const vec3 force = pool[pool_layout.forces / 4 + i].xyz;
        if (force != vec3(0)) {
            add_own_displacement(i, force);
        }
    }
}
