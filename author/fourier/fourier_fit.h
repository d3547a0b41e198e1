/* SPDX-License-Identifier: MIT */
/* Fits Fourier series to a triangle mesh (Bian et al. 2019, section 4). Faces are segmented into parts, parts are cut
 * into closed and open curves, and displacements of curve points are fitted by series. From these, each vertex gets its
 * modes: D(vertex, t) = sum_n gamma_n(t) modes[n](vertex). Meshes may have several components, borders, non-manifold
 * edges and degenerate faces. Vertices that no curve affects have their whole displacement in mode 0. */
#ifndef SN_AUTHOR_FOURIER_FOURIER_FIT_H
#define SN_AUTHOR_FOURIER_FOURIER_FIT_H

#include "author/sparse/sparse.h"
#include "host/mesh/tri_mesh.h"

typedef struct sn_fourier_fit_desc {
    int harmonic_count;   /* N, >= 0 */
    int part_count;       /* parts after merging, at least one per component; 0: chosen by creases */
    double curve_spacing; /* in mean edge lengths */
    double snap; /* a point nearer to its edge's end than this fraction of the edge is moved to the vertex; < 0.5 */
} sn_fourier_fit_desc;

sn_fourier_fit_desc sn_default_fourier_fit_desc(void);

/* A curve point: (1 - ratio) of the first vertex plus ratio of the second, in every pose. */
typedef struct sn_fourier_point {
    int32_t vertices[2]; /* equal if the point is a vertex */
    double ratio;
    double parameter; /* chord length from the first point on the input mesh, as a fraction of the curve */
} sn_fourier_point;

typedef struct sn_fourier_curve {
    int part, first_point, point_count;
    int harmonic_count; /* limited by the number of points, at most N */
    bool is_closed;
    bool is_seam; /* runs along a part's boundary instead of a plane */
} sn_fourier_curve;

typedef struct sn_fourier_curves {
    sn_tri_mesh mesh; /* its arrays are not owned */
    int harmonic_count, part_count, curve_count, point_count;
    int32_t *parts; /* (triangle_count) */
    sn_fourier_curve *curves;
    sn_fourier_point *points;
} sn_fourier_curves;

/* Builds the curves in the arena. Deterministic. */
sn_result sn_fourier_curves_build(const sn_tri_mesh *mesh, const sn_fourier_fit_desc *desc, sn_arena *arena,
                                  sn_fourier_curves *curves);

/* Number of terms of a curve's series, with 3 values each. Closed: the mean, then cosine and sine of each harmonic,
 * periodic over the curve. Open: both ends, which define a linear part, then the sine of each harmonic with half its
 * period on the curve. */
#define SN_FOURIER_TERMS(harmonic_count) (2 * (harmonic_count) + 2)

/* Fits series (curve_count x SN_FOURIER_TERMS x 3) to a field (vertex_count x 3) by least squares at the curves'
 * points. *error: the largest distance at a point. SN_ERROR_MEMORY, SN_ERROR_NUMERIC. */
sn_result sn_fourier_curves_fit(const sn_fourier_curves *curves, const double *field, double *series, double *error);
/* Evaluates each mode at a parameter, (harmonic_count + 1) x 3; their sum is the series' value. */
void sn_fourier_curve_modes(const sn_fourier_curves *curves, int curve, const double *series, double parameter,
                            double *modes);

/* Interpolates modes from curves to vertices by harmonic functions. A vertex's modes are a fixed weighted average of
 * curve modes. */
typedef struct sn_fourier_spread sn_fourier_spread;
sn_result sn_fourier_spread_create(const sn_fourier_curves *curves, sn_fourier_spread **spread);
void sn_fourier_spread_destroy(sn_fourier_spread **spread);
/* Computes modes (harmonic_count + 1) x (vertex_count x 3) of series that were fitted to `field`. The residual is added
 * to mode 0, so that the modes sum to the field. */
sn_result sn_fourier_spread_modes(sn_fourier_spread *spread, const double *series, const double *field, double *modes);

#endif
