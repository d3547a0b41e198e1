/* SPDX-License-Identifier: MIT */
/* Sequences of segments. A segment of `duration` seconds has its own time from 0 to 1, so density is divided by
 * duration^2, damping by duration, and velocities of the previous segment are multiplied by the ratio of durations. */
#include <math.h>

#include "author/fourier/fourier.h"

#define TWO_PI 6.283185307179586
#define MIN_UNIT 1e-4

sn_fourier_material sn_default_fourier_material(void)
{
    return (sn_fourier_material){
        .density = 1, .damping = 6, .stretch = 12, .bending = 0.002, .time = SN_FOURIER_SEGMENT};
}

/* Returns the coefficients for a duration in the material's unit of time. */
static sn_fourier_mode mode_of(const sn_fourier_material *material, int harmonic, double duration)
{
    const double wave = TWO_PI * harmonic, square = wave * wave;
    const double wave_factor = material->stiffness == SN_FOURIER_PLATE   ? square * square
                               : material->stiffness == SN_FOURIER_PAPER ? -square
                                                                         : square;
    return (sn_fourier_mode){.density = material->density / (duration * duration),
                             .damping = material->damping / duration,
                             .stiffness = material->stretch + wave_factor * material->bending};
}

sn_fourier_mode sn_fourier_mode_of(const sn_fourier_material *material, int harmonic, double duration)
{
    return mode_of(material, harmonic, material->time == SN_FOURIER_SEGMENT ? 1 : duration);
}

static sn_fourier_mode impulse_mode_of(const sn_fourier_material *material, int harmonic, double duration,
                                       double previous)
{
    const double unit = material->time == SN_FOURIER_SEGMENT ? fmin(fmax(previous / duration, MIN_UNIT), 1) : 1;
    return mode_of(material, harmonic, material->time == SN_FOURIER_SEGMENT ? 1 / unit : duration);
}

static sn_result check(const sn_fourier_sequence_desc *desc)
{
    SN_ASSERT(desc->harmonic_count >= 0 && desc->harmonic_count <= SN_FOURIER_HARMONIC_LIMIT);
    SN_ASSERT(desc->segment_count >= 1 && desc->segment_count <= SN_FOURIER_SEGMENT_LIMIT);
    for (int i = 0; i < desc->segment_count; ++i) {
        if (!(desc->durations[i] > 0) || !isfinite(desc->durations[i])) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "segment %d: duration %g s must be more than 0", i,
                                  desc->durations[i]);
        }
    }
    if (!(desc->material.bending >= 0)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "bending %g must not be negative", desc->material.bending);
    }
    return SN_OK;
}

static double *velocity_factors_of(const sn_fourier_sequence *s, int segment, int from)
{
    return s->velocity_factors + ((size_t)segment * (size_t)s->segment_count + (size_t)from) * (size_t)s->mode_count;
}

static size_t index_of(const sn_fourier_sequence *s, int segment, int mode)
{
    return (size_t)segment * (size_t)s->mode_count + (size_t)mode;
}

/* v[i] = (gamma'(1) q[i - 1] + sigma'(1) v[i - 1]) times the ratio of durations. */
static void carry_velocity(const sn_fourier_sequence *s, int segment, const double *durations)
{
    const double ratio = durations[segment] / durations[segment - 1];
    for (int n = 0; n < s->mode_count; ++n) {
        const double gamma_rate = sn_fourier_solution_at(&s->solutions[index_of(s, segment - 1, n)], 1).gamma_rate;
        const double sigma_rate =
            sn_fourier_solution_at(&s->impulse_solutions[index_of(s, segment - 1, n)], 1).sigma_rate;
        const bool has_velocity = s->impulse_solutions[index_of(s, segment, n)].density > 0;
        for (int from = 0; from < segment && has_velocity; ++from) {
            velocity_factors_of(s, segment, from)[n] =
                from == segment - 1 ? ratio * gamma_rate
                                    : ratio * sigma_rate * velocity_factors_of(s, segment - 1, from)[n];
        }
    }
}

/* Solves the modes of one segment. */
static sn_result solve(const sn_fourier_sequence_desc *desc, int segment, const sn_fourier_sequence *s)
{
    const double duration = desc->durations[segment], previous = desc->durations[segment > 0 ? segment - 1 : 0];
    for (int n = 0; n < s->mode_count; ++n) {
        const sn_fourier_mode mode = sn_fourier_mode_of(&desc->material, n, duration);
        const sn_fourier_mode impulse_mode = impulse_mode_of(&desc->material, n, duration, previous);
        SN_TRY(sn_fourier_solution_init(&mode, &s->solutions[index_of(s, segment, n)]));
        SN_TRY(sn_fourier_solution_init(&impulse_mode, &s->impulse_solutions[index_of(s, segment, n)]));
    }
    return SN_OK;
}

sn_result sn_fourier_sequence_build(const sn_fourier_sequence_desc *desc, sn_arena *arena,
                                    sn_fourier_sequence *sequence)
{
    const size_t count = (size_t)desc->segment_count, modes = (size_t)desc->harmonic_count + 1;
    sn_result result = check(desc);
    if (result != SN_OK) {
        return result;
    }
    *sequence = (sn_fourier_sequence){.segment_count = desc->segment_count,
                                      .mode_count = desc->harmonic_count + 1,
                                      .starts = SN_NEW(arena, double, count + 1),
                                      .solutions = SN_NEW(arena, sn_fourier_solution, count * modes),
                                      .impulse_solutions = SN_NEW(arena, sn_fourier_solution, count * modes),
                                      .velocity_factors = SN_NEW(arena, double, count *count *modes)};
    if (!sequence->starts || !sequence->solutions || !sequence->impulse_solutions || !sequence->velocity_factors) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < desc->segment_count && result == SN_OK; ++i) {
        sequence->starts[i + 1] = sequence->starts[i] + desc->durations[i];
        result = solve(desc, i, sequence);
        if (i > 0 && !desc->starts_at_rest && result == SN_OK) {
            carry_velocity(sequence, i, desc->durations);
        }
    }
    return result;
}

static int find_segment(const sn_fourier_sequence *s, double seconds)
{
    int segment = 0;
    while (segment + 1 < s->segment_count && s->starts[segment + 1] <= seconds) {
        ++segment;
    }
    return segment;
}

void sn_fourier_sequence_weights(const sn_fourier_sequence *s, double seconds, double *weights)
{
    const int current = find_segment(s, seconds);
    const double start = s->starts[current], duration = s->starts[current + 1] - start;
    const double t = fmin(fmax((seconds - start) / duration, 0), 1);
    for (int n = 0; n < s->mode_count; ++n) {
        const double gamma = sn_fourier_solution_at(&s->solutions[index_of(s, current, n)], t).gamma;
        const double sigma = sn_fourier_solution_at(&s->impulse_solutions[index_of(s, current, n)], t).sigma;
        for (int j = 0; j < s->segment_count; ++j) {
            const double finished_weight = j < current ? 1 + velocity_factors_of(s, current, j)[n] * sigma : 0;
            weights[j * s->mode_count + n] = j == current ? gamma : finished_weight;
        }
    }
}

double sn_fourier_sequence_gain(const sn_fourier_sequence *s, int segment)
{
    double gain = 0;
    for (int n = 0; n < s->mode_count; ++n) {
        gain = fmax(gain, fabs(sn_fourier_solution_at(&s->impulse_solutions[index_of(s, segment, n)], 1).sigma_rate));
    }
    return gain;
}
