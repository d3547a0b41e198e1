/* SPDX-License-Identifier: MIT */
/* Anderson's acceleration under a guard on the energy: the twin of host/reduced/kernels/iterate_f32.inc, which has the
 * formulas, and acceleration.c. An invocation alone sees its coordinates' history, so that it needs neither shared
 * memory nor barriers. Energies are multiplied by h^2. */

#define LEAST_SHARE 0.01  // of a plain step: less is at a kink of the energy, where a cluster is inside out
#define ENERGY_NOISE 1e-6 // of the sums of its terms: float's rounding
#define LENIENCE 0.1      // with contacts: of what the energy has fallen by in the step
#define STILL_SHARE 0.01  // of what a step moves: see iterate_f32.inc
#define STILLEST 1e-6     // of the diagonal
/* What contacts settle to: of the tolerance, of what the iteration before has changed, of the diagonal. */
#define SETTLED_SHARE 0.2
#define CHANGE_SHARE 0.01
#define LEAST_SETTLED 1e-7
#define RIDGE 1e-6        // of a column's own square: columns of floats become parallel
#define COLUMNS SN_REDUCED_COLUMN_LIMIT

layout(set = 0, binding = SN_REDUCED_HISTORIES, std430) buffer sn_history_buffer { float histories[]; };

bool is_plain;                            // no acceleration in this step
bool is_touching, has_volume, is_guarded; // in steps that are not plain: contacts, a volumetric term, either
float enough, last_change;                // the step's tolerance so far; the change of the iteration before
bool is_guess, has_kept, may_end;         // a point is kept; the step may end with it
uint column_count, next_column;
float share; // of the plain step from the point that is kept: less than 1 where that raises the energy
float energy_kept, residual_square_kept;
float fallen; // with contacts: the energy, in this step
bool is_image_lower_kept;

/* Of a point. */
struct evaluation {
    float change, moved;   // how far any vertex can move by the residual, and by the step
    float energy, noise;   // times h^2; what rounding hides of it, and with contacts what is let pass
    float slope;           // without contacts: of the energy, since the point that is kept
    float residual_square; // with contacts: the residual's, in the system's norm;
    bool is_image_lower;   // whether the image's energy is no higher
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

/* Column j of the changes of images or residuals. */
uint column_of(uint changes, uint j)
{
    return changes + 3 * padded_coordinates * j;
}

void start_guard(bool has_contacts)
{
    is_plain = body.column_limit == 0;
    is_touching = has_contacts && !is_plain;
    has_volume = !is_plain && (body.volume > 0 || is_hookean());
    is_guarded = is_touching || has_volume;
    enough = body.tolerance;
    last_change = 0;
}

void start_history()
{
    is_guess = has_kept = is_image_lower_kept = false;
    may_end = !is_guarded;
    column_count = next_column = 0;
    share = 1;
    energy_kept = residual_square_kept = fallen = 0;
}

/* Of a step that goes on in the next dispatch. */
void store_history()
{
    const uint at = body.history + history_layout().progress;
    histories[body.history + history_layout().gram + lane] = pool_float(place.gram + lane);
    if (lane == 0) {
        histories[at] = is_guess ? 1 : 0;
        histories[at + 1] = has_kept ? 1 : 0;
        histories[at + 2] = float(column_count);
        histories[at + 3] = float(next_column);
        histories[at + 4] = share;
        histories[at + 5] = energy_kept;
        histories[at + 6] = may_end ? 1 : 0;
        histories[at + 7] = residual_square_kept;
        histories[at + 8] = fallen;
        histories[at + 9] = is_image_lower_kept ? 1 : 0;
        histories[at + 10] = enough;
        histories[at + 11] = last_change;
    }
}

void load_history()
{
    const uint at = body.history + history_layout().progress;
    set_pool_float(place.gram + lane, histories[body.history + history_layout().gram + lane]);
    is_guess = histories[at] != 0;
    has_kept = histories[at + 1] != 0;
    column_count = uint(histories[at + 2]);
    next_column = uint(histories[at + 3]);
    share = histories[at + 4];
    energy_kept = histories[at + 5];
    may_end = histories[at + 6] != 0;
    residual_square_kept = histories[at + 7];
    fallen = histories[at + 8];
    is_image_lower_kept = histories[at + 9] != 0;
    enough = histories[at + 10];
    last_change = histories[at + 11];
}

// ---- the guard ----

/* To what the iterations go: where the body all but rests, flesh and rig, farther than the tolerance. */
float tolerance_of(evaluation point)
{
    precise const float share = STILL_SHARE * (point.moved + body.rig_moved);
    return is_plain ? body.tolerance : min(body.tolerance, max(share, STILLEST * body.diagonal));
}

/* How near contacts must be for an iteration that follows a change. */
float settled_of(float change)
{
    precise const float settled = max(max(SETTLED_SHARE * enough, CHANGE_SHARE * change),
                                      LEAST_SETTLED * body.diagonal);
    return settled;
}

/* A coordinate's terms of the energy, their size, and its slope since the point that is kept. */
vec3 energy_of(uint i, system_weights weights, vec3 d, vec3 residual)
{
    precise const vec3 terms = weights.quadratic * d * (0.5 * d - pool_vector(place.inertia, i));
    precise float slope = 0;
    if (has_kept) {
        const vec3 residual_kept = history_vector(history_layout().residual_kept, i);
        precise const vec3 moved = d - (history_vector(history_layout().image_kept, i) - residual_kept);
        slope = weights.system * dot_of(residual + residual_kept, moved);
    }
    precise const float sum = terms.x + terms.y + terms.z, size = abs(terms.x) + abs(terms.y) + abs(terms.z);
    return vec3(sum, size, slope);
}

/* Whether the energy has risen since the point that is kept. Where the sums' rounding hides the difference, the
 * trapezoid rule on the gradient tells it: its error is of third order in the movement. */
bool has_risen(evaluation point)
{
    precise const float difference = point.energy - energy_kept;
    if (is_touching) {
        return !(difference <= point.noise) || (is_guess && !(point.residual_square <= residual_square_kept));
    }
    return !(difference <= point.noise) || (difference >= -point.noise && point.slope < 0);
}

/* To the plain iterate of the point that is kept; where that was it, half as far. */
void fall_back()
{
    share = is_guess ? 1 : 0.5 * share;
    column_count = next_column = 0;
    is_guess = false;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 image = history_vector(history_layout().image_kept, i) -
                                   (1 - share) * history_vector(history_layout().residual_kept, i);
        precise const vec3 z = pool_vector(place.predicted, i) + image;
        set_pool_vector(place.image, i, image);
        set_pool_vector(place.coordinates, i, z);
    }
    barrier();
}

// ---- the next point ----

/* The changes since the point that is kept, in place of the oldest; returns where. */
uint remember_changes()
{
    const uint column = next_column;
    const sn_reduced_history_layout at = history_layout();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 df = residual_of(i) - history_vector(at.residual_kept, i);
        precise const vec3 dg = pool_vector(place.image, i) - history_vector(at.image_kept, i);
        set_history_vector(column_of(at.residual_changes, column), i, df);
        set_history_vector(column_of(at.image_changes, column), i, dg);
    }
    next_column = (column + 1) % body.column_limit;
    column_count = min(column_count + 1, body.column_limit);
    return column;
}

/* Products in the system's norm of all columns with the newest, into the Gram matrix, and with the residual. */
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
            set_pool_float(place.gram + COLUMNS * newest + j, sums.x);
            set_pool_float(place.gram + COLUMNS * j + newest, sums.x);
        }
    }
    barrier();
}

/* gamma: gram gamma = right by L D L^T, columns scaled to length 1, since float is all there is; where it is singular
 * one of the solutions. Every invocation solves it. */
void solve_columns(float right[COLUMNS], out float gamma[COLUMNS])
{
    const uint count = column_count;
    precise float m[COLUMNS][COLUMNS], scale[COLUMNS];
    for (uint j = 0; j < count; ++j) {
        const float square = pool_float(place.gram + (COLUMNS + 1) * j);
        scale[j] = square > 0 ? 1 / sqrt(square) : 0;
        gamma[j] = scale[j] * right[j];
    }
    for (uint i = 0; i < count; ++i) {
        for (uint j = i; j < count; ++j) {
            m[i][j] = scale[i] * pool_float(place.gram + COLUMNS * i + j) * scale[j] + (i == j ? RIDGE : 0);
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

/* From the point just evaluated, which is the best so far, to the next. */
void accelerate(bool is_last)
{
    const sn_reduced_history_layout at = history_layout();
    float right[COLUMNS], gamma[COLUMNS];
    if (has_kept && !is_last) {
        multiply_columns(remember_changes(), right);
        solve_columns(right, gamma);
    }
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const vec3 image = pool_vector(place.image, i);
        precise vec3 next = image;
        for (uint j = 0; j < column_count && !is_last; ++j) {
            next -= gamma[j] * history_vector(column_of(at.image_changes, j), i);
        }
        set_history_vector(at.residual_kept, i, residual_of(i));
        set_history_vector(at.image_kept, i, image);
        precise const vec3 z = pool_vector(place.predicted, i) + next;
        set_pool_vector(place.coordinates, i, z);
    }
    is_guess = column_count > 0;
    barrier();
}

/* The point just evaluated is kept; energy: with friction as it is there. */
void keep(evaluation point, float energy)
{
    precise const float fell = fallen + (energy_kept - point.energy);
    fallen = has_kept ? fell : 0;
    has_kept = true;
    share = 1;
    energy_kept = energy;
    residual_square_kept = point.residual_square;
    is_image_lower_kept = point.is_image_lower;
}

/* What has not converged ends at the point that is kept, unless its image is known to be no higher. */
void finish(float change)
{
    const bool may_take_image = !is_guarded || (is_touching && !has_volume && is_image_lower_kept);
    const float back = may_take_image || change <= body.tolerance ? 0 : 1;
    const sn_reduced_history_layout at = history_layout();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 point = history_vector(at.image_kept, i) - back * history_vector(at.residual_kept, i);
        set_pool_vector(place.image, i, point);
    }
}
