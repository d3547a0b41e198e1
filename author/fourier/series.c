/* SPDX-License-Identifier: MIT */
/* Fits series to curves. Closed curves use cosines and sines of harmonics, by least squares. Open curves use a line
 * from end to end plus sines that vanish at the ends, so that the ends are exact. */
#include <math.h>
#include <string.h>

#include "author/fourier/fourier_fit.h"
#include "host/math/cholesky.h"

#define PI 3.14159265358979323846
#define RIDGE 1e-10 /* regularization, per point */

static int count_terms(const sn_fourier_curve *curve)
{
    return curve->is_closed ? 2 * curve->harmonic_count + 1 : curve->harmonic_count;
}

/* Evaluates the terms fitted by least squares: all terms of a closed curve, the sines of an open one. */
static void find_basis(const sn_fourier_curve *curve, double v, double *basis)
{
    int at = 0;
    if (curve->is_closed) {
        basis[at++] = 1;
    }
    for (int n = 1; n <= curve->harmonic_count; ++n) {
        const double angle = (curve->is_closed ? 2 : 1) * PI * n * v;
        if (curve->is_closed) {
            basis[at++] = cos(angle);
        }
        basis[at++] = sin(angle);
    }
}

static void sample_field(const sn_fourier_point *point, const double *field, double *value)
{
    const double *a = field + 3 * (size_t)point->vertices[0], *b = field + 3 * (size_t)point->vertices[1];
    for (int d = 0; d < 3; ++d) {
        value[d] = (1 - point->ratio) * a[d] + point->ratio * b[d];
    }
}

/* Subtracts the line between an open curve's ends (2 x 3). */
static void subtract_line(const double *ends, double v, double *value)
{
    for (int d = 0; d < 3; ++d) {
        value[d] -= (1 - v) * ends[d] + v * ends[3 + d];
    }
}

/* series: SN_FOURIER_TERMS x 3, initially zero. matrix: terms squared; sides: (3 x terms); basis: (terms). */
static bool fit_curve(const sn_fourier_curve *curve, const sn_fourier_point *points, const double *field,
                      double *matrix, double *sides, double *basis, double *series)
{
    const int terms = count_terms(curve), ends = curve->is_closed ? 0 : 2;
    memset(matrix, 0, (size_t)terms * (size_t)terms * sizeof *matrix);
    memset(sides, 0, 3 * (size_t)terms * sizeof *sides);
    if (!curve->is_closed) {
        sample_field(&points[0], field, series);
        sample_field(&points[curve->point_count - 1], field, series + 3);
    }
    for (int i = 0; i < curve->point_count; ++i) {
        double value[3];
        sample_field(&points[i], field, value);
        find_basis(curve, points[i].parameter, basis);
        if (!curve->is_closed) {
            subtract_line(series, points[i].parameter, value);
        }
        for (int r = 0; r < terms; ++r) {
            for (int k = 0; k <= r; ++k) {
                matrix[r * terms + k] += basis[r] * basis[k];
            }
            for (int d = 0; d < 3; ++d) {
                sides[d * terms + r] += basis[r] * value[d];
            }
        }
    }
    for (int r = 0; r < terms; ++r) {
        matrix[r * terms + r] += RIDGE * curve->point_count;
    }
    if (!sn_cholesky_factor(terms, matrix)) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        sn_cholesky_solve(terms, matrix, sides + d * terms);
        for (int r = 0; r < terms; ++r) {
            series[3 * (ends + r) + d] = sides[d * terms + r];
        }
    }
    return true;
}

void sn_fourier_curve_modes(const sn_fourier_curves *curves, int curve, const double *series, double parameter,
                            double *modes)
{
    const sn_fourier_curve *c = &curves->curves[curve];
    memset(modes, 0, 3 * (size_t)(curves->harmonic_count + 1) * sizeof *modes);
    for (int d = 0; d < 3; ++d) {
        modes[d] = c->is_closed ? series[d] : (1 - parameter) * series[d] + parameter * series[3 + d];
    }
    for (int n = 1; n <= c->harmonic_count; ++n) {
        const double angle = (c->is_closed ? 2 : 1) * PI * n * parameter;
        for (int d = 0; d < 3; ++d) {
            modes[3 * n + d] = c->is_closed ? series[3 * (2 * n - 1) + d] * cos(angle) + series[6 * n + d] * sin(angle)
                                            : series[3 * (n + 1) + d] * sin(angle);
        }
    }
}

/* Returns the largest error at a curve's points. */
static double find_error(const sn_fourier_curves *curves, int curve, const double *field, const double *series,
                         double *modes)
{
    const sn_fourier_curve *c = &curves->curves[curve];
    double max_error = 0;
    for (int i = 0; i < c->point_count; ++i) {
        const sn_fourier_point *point = &curves->points[c->first_point + i];
        double value[3], square = 0;
        sample_field(point, field, value);
        sn_fourier_curve_modes(curves, curve, series, point->parameter, modes);
        for (int d = 0; d < 3; ++d) {
            for (int n = 0; n <= curves->harmonic_count; ++n) {
                value[d] -= modes[3 * n + d];
            }
            square += value[d] * value[d];
        }
        max_error = fmax(max_error, sqrt(square));
    }
    return max_error;
}

sn_result sn_fourier_curves_fit(const sn_fourier_curves *curves, const double *field, double *series, double *error)
{
    const size_t terms = SN_FOURIER_TERMS((size_t)curves->harmonic_count);
    sn_arena scratch = {0};
    double *matrix = SN_NEW(&scratch, double, terms *terms), *sides = SN_NEW(&scratch, double, 3 * terms);
    double *basis = SN_NEW(&scratch, double, terms), *modes = SN_NEW(&scratch, double, 3 * terms);
    sn_result result = matrix && sides && basis && modes ? SN_OK : SN_ERROR_MEMORY;
    *error = 0;
    for (int i = 0; i < curves->curve_count && result == SN_OK; ++i) {
        double *own = series + 3 * terms * (size_t)i;
        const sn_fourier_point *points = curves->points + curves->curves[i].first_point;
        memset(own, 0, 3 * terms * sizeof *own);
        if (!fit_curve(&curves->curves[i], points, field, matrix, sides, basis, own)) {
            result = sn_fail_within(SN_ERROR_NUMERIC, "curve %d of part %d: no series fits its displacements", i,
                                    curves->curves[i].part);
        } else {
            *error = fmax(*error, find_error(curves, i, field, own, modes));
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
