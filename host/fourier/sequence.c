/* SPDX-License-Identifier: MIT */
/* Segments that follow each other. A segment of `duration` seconds has its own time 0 .. 1, so density / duration^2 and
 * damping / duration, and rates of the one before times the ratio of durations. */
#include <math.h>

#include "host/fourier/fourier.h"

#define TWO_PI 6.283185307179586

sn_fourier_material sn_default_fourier_material(void)
{
    return (sn_fourier_material){.density = 1, .damping = 40, .stretch = 2000, .bending = 2};
}

sn_fourier_mode sn_fourier_mode_of(const sn_fourier_material *material, int harmonic, double duration)
{
    const double wave = TWO_PI * harmonic, square = wave * wave;
    const double bent = material->stiffness == SN_FOURIER_PLATE   ? square * square
                        : material->stiffness == SN_FOURIER_PAPER ? -square
                                                                  : square;
    return (sn_fourier_mode){.density = material->density / (duration * duration),
                             .damping = material->damping / duration,
                             .stiffness = material->stretch + bent * material->bending};
}

static sn_result check(const sn_fourier_sequence_desc *desc)
{
    SN_ASSERT(desc->harmonic_count >= 0 && desc->harmonic_count <= SN_FOURIER_HARMONIC_LIMIT);
    SN_ASSERT(desc->segment_count >= 1 && desc->segment_count <= SN_FOURIER_SEGMENT_LIMIT);
    for (int i = 0; i < desc->segment_count; ++i) {
        if (!(desc->durations[i] > 0) || !isfinite(desc->durations[i])) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "segment %d takes %g seconds: must be more than 0", i,
                                  desc->durations[i]);
        }
    }
    if (!(desc->material.bending >= 0)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "a bending of %g: must not be negative", desc->material.bending);
    }
    return SN_OK;
}

static double *carried_of(const sn_fourier_sequence *s, int segment, int from)
{
    return s->carried + ((size_t)segment * (size_t)s->segment_count + (size_t)from) * (size_t)s->mode_count;
}

static const sn_fourier_solution *solution_of(const sn_fourier_sequence *s, int segment, int mode)
{
    return &s->solutions[(size_t)segment * (size_t)s->mode_count + (size_t)mode];
}

/* v[i] = (gamma'(1) q[i - 1] + sigma'(1) v[i - 1]) over the durations' ratio. */
static void carry(const sn_fourier_sequence *s, int segment, const double *durations)
{
    const double ratio = durations[segment] / durations[segment - 1];
    for (int n = 0; n < s->mode_count; ++n) {
        const sn_fourier_response end = sn_fourier_solution_at(solution_of(s, segment - 1, n), 1);
        const bool takes_rate = solution_of(s, segment, n)->density > 0;
        for (int from = 0; from < segment && takes_rate; ++from) {
            carried_of(s, segment, from)[n] = from == segment - 1
                                                  ? ratio * end.gamma_rate
                                                  : ratio * end.sigma_rate * carried_of(s, segment - 1, from)[n];
        }
    }
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
                                      .carried = SN_NEW(arena, double, count *count *modes)};
    if (!sequence->starts || !sequence->solutions || !sequence->carried) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < desc->segment_count && result == SN_OK; ++i) {
        sequence->starts[i + 1] = sequence->starts[i] + desc->durations[i];
        for (int n = 0; n < sequence->mode_count && result == SN_OK; ++n) {
            const sn_fourier_mode mode = sn_fourier_mode_of(&desc->material, n, desc->durations[i]);
            result = sn_fourier_solution_init(&mode, &sequence->solutions[(size_t)i * modes + (size_t)n]);
        }
        if (i > 0 && !desc->is_held && result == SN_OK) {
            carry(sequence, i, desc->durations);
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
    const int now = find_segment(s, seconds);
    const double start = s->starts[now], duration = s->starts[now + 1] - start;
    const double t = fmin(fmax((seconds - start) / duration, 0), 1);
    for (int n = 0; n < s->mode_count; ++n) {
        const sn_fourier_response r = sn_fourier_solution_at(solution_of(s, now, n), t);
        for (int j = 0; j < s->segment_count; ++j) {
            const double settled = j < now ? 1 + carried_of(s, now, j)[n] * r.sigma : 0;
            weights[j * s->mode_count + n] = j == now ? r.gamma : settled;
        }
    }
}

double sn_fourier_sequence_gain(const sn_fourier_sequence *s, int segment)
{
    double gain = 0;
    for (int n = 0; n < s->mode_count; ++n) {
        gain = fmax(gain, fabs(sn_fourier_solution_at(solution_of(s, segment, n), 1).sigma_rate));
    }
    return gain;
}
