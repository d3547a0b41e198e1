/* SPDX-License-Identifier: MIT */
/* The test body of the analytic skin, for the benchmark and for tables 1 and 3 of the paper: a bent tube of any number
 * of vertices, fitted to a displacement. */
#ifndef SN_TOOLS_BENCH_FOURIER_SKIN_H
#define SN_TOOLS_BENCH_FOURIER_SKIN_H

#include "author/fourier/fourier.h"
#include "host/mesh/tri_mesh.h"

#define SN_BENCH_SKIN_HARMONICS 9
#define SN_BENCH_SKIN_MODES (SN_BENCH_SKIN_HARMONICS + 1)
#define SN_BENCH_SKIN_FIT_COUNT 3

typedef struct sn_bench_skin {
    sn_arena arena;
    sn_tri_mesh mesh;
    sn_fourier_targets targets;
    sn_fourier_sequence sequence;
    float *displacements; /* of the last frame */
} sn_bench_skin;

/* Seconds: parts and curves, series of a displacement, and the complete fitting from mesh to targets. */
typedef struct sn_bench_skin_times {
    double curves, series, whole;
} sn_bench_skin_times;

/* Builds a zeroed skin; the caller finishes its arena. times: (SN_BENCH_SKIN_FIT_COUNT), wall clock. */
sn_result sn_bench_skin_build(int vertex_count, double (*clock)(void), sn_bench_skin *skin, sn_bench_skin_times *times);
void sn_bench_skin_frame(const sn_bench_skin *skin, int frame, sn_fourier_instructions instructions);

#endif
