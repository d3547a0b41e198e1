/* SPDX-License-Identifier: MIT */
/* From a triangle mesh to Fourier series (Bian et al. 2019, section 4): faces are segmented into parts, parts are cut
 * into closed and open curves, and displacements of the curves' points become series, of which every vertex gets its
 * modes: D(vertex, t) = sum_n gamma_n(t) modes[n](vertex). Meshes may have several components, borders, edges of more
 * than two faces and faces without area: what no curve reaches has its whole displacement in mode 0. */
#ifndef SN_AUTHOR_FOURIER_FOURIER_FIT_H
#define SN_AUTHOR_FOURIER_FOURIER_FIT_H

#include "author/sparse/sparse.h"
#include "host/mesh/tri_mesh.h"

typedef struct sn_fourier_fit_desc {
    int harmonic_count;   /* N, >= 0 */
    int part_count;       /* parts that are merged down to, but a component is one at least; 0: as creases have it */
    double curve_spacing; /* in mean edges */
    double snap;          /* a point nearer to its edge's end than this fraction of the edge becomes the vertex; < .5 */
} sn_fourier_fit_desc;

sn_fourier_fit_desc sn_default_fourier_fit_desc(void);

/* A point of a curve: (1 - ratio) of the first vertex, ratio of the second; in every pose. */
typedef struct sn_fourier_point {
    int32_t vertices[2]; /* the same twice: a vertex */
    double ratio;
    double parameter; /* chord length from the first point on, of the whole curve, where the curves were made */
} sn_fourier_point;

typedef struct sn_fourier_curve {
    int part, first_point, point_count;
    int harmonic_count; /* that its points can tell, at most N */
    bool is_closed;
    bool is_seam; /* along a part's boundary, where no plane cuts */
} sn_fourier_curve;

typedef struct sn_fourier_curves {
    sn_tri_mesh mesh; /* its arrays are borrowed */
    int harmonic_count, part_count, curve_count, point_count;
    int32_t *parts; /* (triangle_count) */
    sn_fourier_curve *curves;
    sn_fourier_point *points;
} sn_fourier_curves;

/* Lives in the arena. The same mesh, the same curves. */
sn_result sn_fourier_curves_build(const sn_tri_mesh *mesh, const sn_fourier_fit_desc *desc, sn_arena *arena,
                                  sn_fourier_curves *curves);

/* Numbers of a curve's series: 3 each. Closed: the mean, then cosine and sine of each harmonic, over the whole curve.
 * Open: both ends, between which it is linear, then sine of each harmonic, over the curve and back. */
#define SN_FOURIER_TERMS(harmonic_count) (2 * (harmonic_count) + 2)

/* Least squares at the curves' points: series (curve_count x SN_FOURIER_TERMS x 3) of a field (vertex_count x 3).
 * *error: the largest distance at a point. SN_ERROR_MEMORY, SN_ERROR_NUMERIC. */
sn_result sn_fourier_curves_fit(const sn_fourier_curves *curves, const double *field, double *series, double *error);
/* What each mode has at a parameter (harmonic_count + 1) x 3; their sum is the series' value. */
void sn_fourier_curve_modes(const sn_fourier_curves *curves, int curve, const double *series, double parameter,
                            double *modes);

/* From curves to vertices: harmonic between them, so that a vertex' modes are a fixed sparse average of curves'. */
typedef struct sn_fourier_spread sn_fourier_spread;
sn_result sn_fourier_spread_create(const sn_fourier_curves *curves, sn_fourier_spread **spread);
void sn_fourier_spread_destroy(sn_fourier_spread **spread);
/* modes (harmonic_count + 1) x (vertex_count x 3) of series that were fitted to `field`; what curves leave of it is in
 * mode 0, so that their sum is the field. */
sn_result sn_fourier_spread_modes(sn_fourier_spread *spread, const double *series, const double *field, double *modes);

#endif
