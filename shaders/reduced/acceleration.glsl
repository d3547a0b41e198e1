/* SPDX-License-Identifier: MIT */
/* Anderson acceleration with an energy guard: the implementation of host/reduced/kernels/iterate_f32.inc, which has the
 * formulas, and of acceleration.c. Each invocation owns the history of its coordinates, so neither shared memory nor
 * barriers are needed. Energies are multiplied by h^2. */

#define MIN_STEP_FRACTION 0.01  // of a step; a shorter one means a kink of the energy
#define ENERGY_NOISE 1e-6 // relative rounding error of energy sums
#define CONTACT_ENERGY_TOLERANCE 0.1      // allowed increase, relative to the decrease in the step
#define MOVEMENT_FRACTION 0.01  // of the movement in a step: see iterate_f32.inc
#define MIN_TOLERANCE 1e-6     // of the diagonal
/* Contact tolerance: relative to the step's tolerance, to the change of the previous iteration, to the diagonal. */
#define TOLERANCE_FRACTION 0.2
#define CHANGE_FRACTION 0.01
#define MIN_SWEEP_TOLERANCE 1e-7
#define RIDGE 1e-6        // relative to a column's square: columns become parallel in float
#define COLUMNS SN_REDUCED_COLUMN_LIMIT

layout(set = 0, binding = SN_REDUCED_HISTORIES, std430) buffer sn_history_buffer { float histories[]; };

bool is_unaccelerated;                            // no acceleration in this step
bool is_in_contact, has_volume, is_guarded; // in accelerated steps: contacts; a volumetric term; either
float step_tolerance, last_change;                // the step's current tolerance; the change of the previous iteration
bool is_accelerated, has_accepted, can_stop;         // an accelerated point; there is an accepted one; may stop
uint column_count, next_column;
float step_fraction; // of an unaccelerated step; below 1 where the full step raises the energy
float accepted_energy, accepted_residual_square;
float energy_decrease; // with contacts: energy decrease in this step
bool is_accepted_image_lower;

/* Result of the evaluation of a point. */
struct evaluation {
    float change, moved;   // bounds on the movement of any vertex by the residual, and in the step
    float energy, noise;   // times h^2; its rounding error plus, with contacts, the allowed increase
    float slope;           // without contacts: slope of the energy from the accepted point
    float residual_square; // with contacts: squared residual in the norm of the system
    bool is_image_lower;   // whether the image has no higher energy
};

vec3 history_vector(uint first, uint i)
{
    const uint at = body.history + first + i;
    return vec3(histories[at], histories[at + padded_coordinates], histories[at + 2 * padded_coordinates]);
}

void set_history_vector(uint first, uint i, vec3 value)
{
    const uint at = body.history + first + i;
    histories[at] = value.x;
    histories[at + padded_coordinates] = value.y;
    histories[at + 2 * padded_coordinates] = value.z;
}

sn_reduced_history_layout history_layout()
{
    return sn_reduced_history_layout_of(body.coordinate_count, body.column_limit);
}

/* Column j of the image or residual changes. */
uint column_of(uint changes, uint j)
{
    return changes + 3 * padded_coordinates * j;
}

void start_guard(bool has_contacts)
{
    is_unaccelerated = body.column_limit == 0;
    is_in_contact = has_contacts && !is_unaccelerated;
    has_volume = !is_unaccelerated && (body.volume > 0 || is_neo_hookean());
    is_guarded = is_in_contact || has_volume;
    step_tolerance = body.tolerance;
    last_change = 0;
}

void start_history()
{
    is_accelerated = has_accepted = is_accepted_image_lower = false;
    can_stop = !is_guarded;
    column_count = next_column = 0;
    step_fraction = 1;
    accepted_energy = accepted_residual_square = energy_decrease = 0;
}

/* Saves the state of a step that continues in the next dispatch. */
void store_history()
{
    const uint at = body.history + history_layout().progress;
    histories[body.history + history_layout().gram + lane] = pool_float(pool_layout.gram + lane);
    if (lane == 0) {
        histories[at] = is_accelerated ? 1 : 0;
        histories[at + 1] = has_accepted ? 1 : 0;
        histories[at + 2] = float(column_count);
        histories[at + 3] = float(next_column);
        histories[at + 4] = step_fraction;
        histories[at + 5] = accepted_energy;
        histories[at + 6] = can_stop ? 1 : 0;
        histories[at + 7] = accepted_residual_square;
        histories[at + 8] = energy_decrease;
        histories[at + 9] = is_accepted_image_lower ? 1 : 0;
        histories[at + 10] = step_tolerance;
        histories[at + 11] = last_change;
    }
}

void load_history()
{
    const uint at = body.history + history_layout().progress;
    set_pool_float(pool_layout.gram + lane, histories[body.history + history_layout().gram + lane]);
    is_accelerated = histories[at] != 0;
    has_accepted = histories[at + 1] != 0;
    column_count = uint(histories[at + 2]);
    next_column = uint(histories[at + 3]);
    step_fraction = histories[at + 4];
    accepted_energy = histories[at + 5];
    can_stop = histories[at + 6] != 0;
    accepted_residual_square = histories[at + 7];
    energy_decrease = histories[at + 8];
    is_accepted_image_lower = histories[at + 9] != 0;
    step_tolerance = histories[at + 10];
    last_change = histories[at + 11];
}

// ---- the energy guard ----

/* Tolerance of the iteration: smaller than the body's where flesh and rig hardly move. */
float tolerance_of(evaluation point)
{
    precise const float step_fraction = MOVEMENT_FRACTION * (point.moved + body.rig_displacement);
    return is_unaccelerated ? body.tolerance : min(body.tolerance, max(step_fraction, MIN_TOLERANCE * body.diagonal));
}

/* Contact tolerance of an iteration, given the change of the previous one. */
float sweep_tolerance_of(float change)
{
    precise const float sweep_tolerance = max(max(TOLERANCE_FRACTION * step_tolerance, CHANGE_FRACTION * change),
                                      MIN_SWEEP_TOLERANCE * body.diagonal);
    return sweep_tolerance;
}

/* A coordinate's energy terms, their magnitude, and the slope from the accepted point. */
vec3 energy_of(uint i, system_weights weights, vec3 d, vec3 residual)
{
    precise const vec3 terms = weights.quadratic * d * (0.5 * d - pool_vector(pool_layout.inertia, i));
    precise float slope = 0;
    if (has_accepted) {
        const vec3 accepted_residual = history_vector(history_layout().accepted_residual, i);
        precise const vec3 moved = d - (history_vector(history_layout().accepted_image, i) - accepted_residual);
        slope = weights.system * dot_of(residual + accepted_residual, moved);
    }
    precise const float sum = terms.x + terms.y + terms.z, size = abs(terms.x) + abs(terms.y) + abs(terms.z);
    return vec3(sum, size, slope);
}

/* Whether the energy exceeds that of the accepted point. If rounding hides the difference, the trapezoid rule on the
 * gradient decides; its error is of third order in the movement. */
bool has_risen(evaluation point)
{
    precise const float difference = point.energy - accepted_energy;
    if (is_in_contact) {
        return !(difference <= point.noise) || (is_accelerated && !(point.residual_square <= accepted_residual_square));
    }
    return !(difference <= point.noise) || (difference >= -point.noise && point.slope < 0);
}

/* Returns to the unaccelerated iterate of the accepted point; if that was it, halves the step. */
void step_back()
{
    step_fraction = is_accelerated ? 1 : 0.5 * step_fraction;
    column_count = next_column = 0;
    is_accelerated = false;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 image = history_vector(history_layout().accepted_image, i) -
                                   (1 - step_fraction) * history_vector(history_layout().accepted_residual, i);
        precise const vec3 z = pool_vector(pool_layout.predicted, i) + image;
        set_pool_vector(pool_layout.image, i, image);
        set_pool_vector(pool_layout.coordinates, i, z);
    }
    barrier();
}

// ---- the next point ----

/* Stores the changes since the accepted point in place of the oldest column; returns its index. */
uint store_changes()
{
    const uint column = next_column;
    const sn_reduced_history_layout at = history_layout();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 df = residual_of(i) - history_vector(at.accepted_residual, i);
        precise const vec3 dg = pool_vector(pool_layout.image, i) - history_vector(at.accepted_image, i);
        set_history_vector(column_of(at.residual_changes, column), i, df);
        set_history_vector(column_of(at.image_changes, column), i, dg);
    }
    next_column = (column + 1) % body.column_limit;
    column_count = min(column_count + 1, body.column_limit);
    return column;
}

/* Products, in the norm of the system, of all columns with the newest one (for the Gram matrix) and with the residual.
 */
void multiply_columns(uint newest, out float right[COLUMNS])
{
    const sn_reduced_history_layout at = history_layout();
    for (uint j = 0; j < column_count; ++j) {
        precise float with_last = 0, with_residual = 0;
        for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
            const float system = system_of(models[body.model + model.coordinate + i].x).system;
            precise const vec3 weighted = system * history_vector(column_of(at.residual_changes, j), i);
            with_last += dot_of(weighted, history_vector(column_of(at.residual_changes, newest), i));
            with_residual += dot_of(weighted, residual_of(i));
        }
        const vec4 sums = sums_over_group(vec4(with_last, with_residual, 0, 0));
        right[j] = sums.y;
        if (lane == 0) {
            set_pool_float(pool_layout.gram + COLUMNS * newest + j, sums.x);
            set_pool_float(pool_layout.gram + COLUMNS * j + newest, sums.x);
        }
    }
    barrier();
}

/* Solves gram gamma = right by L D L^T. Columns are scaled to length 1, as all arithmetic is in float; a singular
 * system yields one of its solutions. Every invocation solves it. */
void solve_columns(float right[COLUMNS], out float gamma[COLUMNS])
{
    const uint count = column_count;
    precise float m[COLUMNS][COLUMNS], scale[COLUMNS];
    for (uint j = 0; j < count; ++j) {
        const float square = pool_float(pool_layout.gram + (COLUMNS + 1) * j);
        scale[j] = square > 0 ? 1 / sqrt(square) : 0;
        gamma[j] = scale[j] * right[j];
    }
    for (uint i = 0; i < count; ++i) {
        for (uint j = i; j < count; ++j) {
            m[i][j] = scale[i] * pool_float(pool_layout.gram + COLUMNS * i + j) * scale[j] + (i == j ? RIDGE : 0);
        }
    }
    for (uint j = 0; j < count; ++j) {
        for (uint i = j + 1; i < count; ++i) {
            precise const float l = m[j][i] / m[j][j];
            for (uint k = i; k < count; ++k) {
                m[i][k] -= l * m[j][k];
            }
            m[i][j] = l;
            precise const float reduced = gamma[i] - l * gamma[j];
            gamma[i] = reduced;
        }
    }
    for (uint i = count; i-- > 0;) {
        precise float value = gamma[i] / m[i][i];
        for (uint k = i + 1; k < count; ++k) {
            value -= m[k][i] * gamma[k];
        }
        gamma[i] = value;
    }
    for (uint j = 0; j < count; ++j) {
        precise const float scaled = scale[j] * gamma[j];
        gamma[j] = scaled;
    }
}

/* Moves from the point just evaluated, the best so far, to the next one. */
void accelerate(bool is_last)
{
    const sn_reduced_history_layout at = history_layout();
    float right[COLUMNS], gamma[COLUMNS];
    if (has_accepted && !is_last) {
        multiply_columns(store_changes(), right);
        solve_columns(right, gamma);
    }
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const vec3 image = pool_vector(pool_layout.image, i);
        precise vec3 next = image;
        for (uint j = 0; j < column_count && !is_last; ++j) {
            next -= gamma[j] * history_vector(column_of(at.image_changes, j), i);
        }
        set_history_vector(at.accepted_residual, i, residual_of(i));
        set_history_vector(at.accepted_image, i, image);
        precise const vec3 z = pool_vector(pool_layout.predicted, i) + next;
        set_pool_vector(pool_layout.coordinates, i, z);
    }
    is_accelerated = column_count > 0;
    barrier();
}

/* Makes the point just evaluated the best; energy: with the friction bounds at this point. */
void accept(evaluation point, float energy)
{
    precise const float decrease = energy_decrease + (accepted_energy - point.energy);
    energy_decrease = has_accepted ? decrease : 0;
    has_accepted = true;
    step_fraction = 1;
    accepted_energy = energy;
    accepted_residual_square = point.residual_square;
    is_accepted_image_lower = point.is_image_lower;
}

/* Ends the step. Without convergence it ends at the accepted point, unless the energy of its image is known not to be
 * higher. */
void finish(float change)
{
    const bool can_use_image = !is_guarded || (is_in_contact && !has_volume && is_accepted_image_lower);
    const float residual_fraction = can_use_image || change <= body.tolerance ? 0 : 1;
    const sn_reduced_history_layout at = history_layout();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 point = history_vector(at.accepted_image, i) -
            residual_fraction * history_vector(at.accepted_residual, i);
        set_pool_vector(pool_layout.image, i, point);
    }
}
