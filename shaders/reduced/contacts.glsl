/* SPDX-License-Identifier: MIT */
/* Projects the image of an iterate onto the contact constraints: the implementation of
 * host/reduced/kernels/contacts_f32.inc. As there, contacts are solved sequentially, but in blocks between two
 * barriers: each invocation owns two contacts, shares those in the block, and every invocation solves the whole block.
 * In contrast to the CPU, the sweeps of an iteration are limited by the loop limit of software Vulkan. */

#define COMPLIANCE 0.02
#define SWEEP_LIMIT 100
#define FIRST_SHARE 0.01 // of the largest movement in a step's first sweep: a minimum tolerance

/* Loops over these are unrolled: sn_reduced_sweep_loops does not count them. */
#define OWN (SN_REDUCED_CONTACT_LIMIT / SN_REDUCED_GROUP_SIZE)
#define BLOCK SN_REDUCED_CONTACT_BLOCK
struct touching {
    vec3 normal, slide, force, moved; // moved: from the prediction to the current state of the sweep
    float gap, outer_gap, give, friction, response, strongest;
};

uint contact_count; // of this body in this step
uint turn;          // index of the block; even and odd blocks use different shared memory, which saves a barrier
uint turns_left;    // loop iterations left for the sweeps of this iteration
float settled;      // sweeps end when no contact moves by more
bool is_fresh;      // no sweep was made in this step
/* Contacts of this invocation; zero where it has none. */
vec3 own_force[OWN], own_applied[OWN];  // applied: force that the image includes
vec3 own_moved[OWN], own_point[OWN];    // displacement in the sweep; of the iterate
vec3 force_before[OWN], force_way[OWN]; // before the last sweep; search direction
vec3 moved_before[OWN], moved_way[OWN]; // the same for displacements
vec3 own_force_kept[OWN];               // at the accepted point
float own_friction_kept[OWN];           // friction bound at the accepted point

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
void load_forces(bool is_going_on)
{
    const sn_reduced_contacts_layout from = sn_reduced_contacts_layout_of();
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const bool is_own = own_contact(k) < contact_count;
        own_force[k] = own_moved[k] = own_point[k] = own_force_kept[k] = vec3(0);
        own_friction_kept[k] = 0;
        if (is_own) {
            own_force[k] = read_vector(from.force, own_contact(k));
        }
        if (is_own && is_going_on) {
            own_friction_kept[k] = contact_number(from.friction_kept, own_contact(k));
            own_force_kept[k] = read_vector(from.force_kept, own_contact(k));
        }
    }
}

void store_forces()
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            write_vector(to.force, own_contact(k), own_force[k]);
            write_vector(to.force_kept, own_contact(k), own_force_kept[k]);
            contacts[body.contacts + to.friction_kept + own_contact(k)] = own_friction_kept[k];
        }
    }
}

/* Stores the forces for the warm start of the next step. */
void hold_forces()
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            hold_force(own_contact(k), own_force[k]);
        }
    }
    if (lane == 0) {
        states[state.held] = float(contact_count);
    }
}

touching load_contact(uint i, vec3 force, vec3 moved)
{
    const sn_reduced_contacts_layout from = sn_reduced_contacts_layout_of();
    return touching(read_vector(from.normal, i), read_vector(from.slide, i), force, moved,
        contact_number(from.gap, i),
                    contact_number(from.outer_gap, i), contact_number(from.give, i),
                        contact_number(from.friction, i),
                    contact_number(from.response, i), contact_number(from.strongest, i));
}

/* Displacement of contact j per unit force of contact i. */
float coupling(uint i, uint j)
{
    return contact_number(sn_reduced_contacts_layout_of().coupling, SN_REDUCED_CONTACT_LIMIT * i + j);
}

void push_own(uint i, vec3 change)
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        precise const vec3 moved = own_moved[k] + coupling(i, own_contact(k)) * change;
        own_moved[k] = moved;
    }
}

/* Normal force: rigid where the rig's own pose puts the sample, compliant outside of that. */
float solve_press(touching c, float pressed)
{
    precise const float along = dot_of(c.normal, c.moved);
    precise const float gap = c.gap + along + COMPLIANCE * c.response * pressed;
    precise const float outer_gap = c.outer_gap + along + c.give * pressed;
    precise const float rigid = pressed - gap / ((1 + COMPLIANCE) * c.response);
    precise const float soft = pressed - outer_gap / (c.response + c.give);
    return max(max(rigid, soft), 0);
}

/* Force of a contact with the other forces fixed: non-penetration, and friction in Coulomb's cone. */
vec3 solve_contact(touching c)
{
    if (!(c.response > 0)) {
        return vec3(0);
    }
    const float pressed = dot_of(c.normal, c.force),
        press = min(solve_press(c, pressed), c.strongest);
    precise const vec3 slide = c.slide + c.moved;
    precise const float along = dot_of(c.normal, slide);
    precise const vec3 tangent = c.force - pressed * c.normal - (slide - along * c.normal) / c.response;
    precise const float size = sqrt(dot_of(tangent, tangent)), most = c.friction * press;
    precise const float scale = size > most ? most / size : 1;
    precise const vec3 force = press * c.normal + scale * tangent;
    return force;
}

/* Force of a grab with the other forces fixed: its spring, up to its strength. */
vec3 solve_grab(touching c)
{
    precise const vec3 force = c.force - (c.slide + c.moved + c.give * c.force) / (c.response + c.give);
    const float size = sqrt(dot_of(force, force));
    precise const vec3 bounded = force * (c.strongest / size);
    return size > c.strongest ? bounded : force;
}

/* Shares forces and displacements of a block's contacts with all invocations. */
void exchange(uint first, out vec3 forces[BLOCK], out vec3 moved[BLOCK])
{
    const uint told = place.forces / 4 + SN_REDUCED_CONTACT_LIMIT + turn % 2 * 2 * BLOCK;
    ++turn;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const uint j = own_contact(k) - first;
        if (j < BLOCK) {
            pool[told + 2 * j] = vec4(own_force[k], 0);
            pool[told + 2 * j + 1] = vec4(own_moved[k], 0);
        }
    }
    barrier();
    [[unroll]] for (uint j = 0; j < BLOCK; ++j) {
        forces[j] = pool[told + 2 * j].xyz;
        moved[j] = pool[told + 2 * j + 1].xyz;
    }
}

void take_force(uint i, vec3 force)
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
    float largest = 0;
    exchange(first, forces, moved);
    const uint count = min(BLOCK, contact_count - first); // a bound that compilers do not unroll
    for (uint j = 0; j < count; ++j) {
        const touching c = load_contact(first + j, forces[j], moved[j]);
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
        take_force(first + j, force);
        push_own(first + j, change);
        largest = max(largest, square);
    }
    return largest;
}

/* Returns the maximum movement of a contact by its own force change. */
float sweep()
{
    float largest = 0;
    for (uint first = 0; first < contact_count; first += BLOCK) {
        largest = max(largest, solve_block(first));
    }
    return sqrt(largest);
}

/* Applies the force changes to the image. Shared memory is synchronised afterwards. */
void apply_forces()
{
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        if (own_contact(k) < contact_count) {
            pool[place.forces / 4 + own_contact(k)] = vec4(own_force[k] - own_applied[k], 0);
            own_applied[k] = own_force[k];
        }
    }
    barrier();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const system_weights weights = system_of(models[body.model + model.coordinate + i].x);
        precise vec3 sum = vec3(0);
        for (uint c = 0; c < contact_count; ++c) {
            sum += row_entry(contact_point(c), i) * pool[place.forces / 4 + c].xyz;
        }
        precise const vec3 image = pool_vector(place.image, i) + body.step2 / weights.system * sum;
        set_pool_vector(place.image, i, image);
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
void go_on(bool is_first, float square, float square_before)
{
    const bool is_growing = !is_first && !(square <= square_before && square_before > 0);
    precise const float ratio = square / square_before;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        precise const vec3 further = ratio * force_way[k],
            further_moved = ratio * moved_way[k];
        precise const vec3 swept = own_force[k] - force_before[k], swept_moved = own_moved[k] - moved_before[k];
        precise const vec3 force = own_force[k] + further, moved = own_moved[k] + further_moved;
        precise const vec3 way = further + swept,
            way_moved = further_moved + swept_moved;
        if (is_first) {
            force_way[k] = swept;
            moved_way[k] = swept_moved;
        } else if (is_growing) {
            force_way[k] = moved_way[k] = vec3(0);
        } else {
            own_force[k] = force;
            own_moved[k] = moved;
            force_way[k] = way;
            moved_way[k] = way_moved;
        }
    }
}

uint turns_of_sweep()
{
    return sn_reduced_sweep_turns(contact_count);
}

/* Sweeps from the current state until convergence. */
void sweep_on()
{
    float enough_moved = settled, square = 0;
    bool is_over = false;
    for (uint k = 0; !is_over; ++k) {
        force_before = own_force;
        moved_before = own_moved;
        const float moved = sweep();
        enough_moved = is_fresh ? max(enough_moved, FIRST_SHARE * moved) : enough_moved;
        is_fresh = false;
        turns_left -= turns_of_sweep();
        is_over = moved <= enough_moved || k + 1 >= SWEEP_LIMIT || turns_left < turns_of_sweep();
        if (!is_over) {
            const float square_before = square;
            square = measure_sweep();
            go_on(k == 0, square, square_before);
        }
    }
    apply_forces();
}

/* Displacements of an own contact at the iterate, and at the image without contact forces. */
void place_own(uint k)
{
    const uint point = contact_point(own_contact(k)), points = sn_reduced_points(body.sample_count);
    const uint fours = padded_coordinates / 4;
    precise mat3x4 at = mat3x4(vec4(0), vec4(0), vec4(0)), image = at;
    for (uint four = 0; four < fours; ++four) {
        const vec4 row = models[body.model + model.row + points * four + point];
        for (uint d = 0; d < 3; ++d) {
            const uint from = fours * d + four;
            precise const vec4 difference = pool[place.coordinates / 4 + from] -
                pool[place.predicted / 4 + from];
            at[d] += row * difference;
            image[d] += row * pool[place.image / 4 + from];
        }
    }
    own_point[k] = vec3(sum_of(at[0]), sum_of(at[1]), sum_of(at[2]));
    own_moved[k] = vec3(sum_of(image[0]), sum_of(image[1]), sum_of(image[2]));
}

/* Initialises the contacts from the images in shared memory and the forces of the previous iteration. */
void place_contacts()
{
    barrier(); // images are written, and the forces of the global pass are read
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        own_applied[k] = vec3(0);
        if (own_contact(k) < contact_count) {
            place_own(k);
            pool[place.forces / 4 + own_contact(k)] = vec4(own_force[k], 0);
        }
    }
    barrier();
    turn = 0;
    turns_left = SN_REDUCED_SWEEP_TURNS;
    for (uint i = 0; i < contact_count; ++i) {
        const vec3 force = pool[place.forces / 4 + i].xyz;
        if (force != vec3(0)) {
            push_own(i, force);
        }
    }
}
