/* SPDX-License-Identifier: MIT */
/* The result table of the benchmarks. */
#ifndef SN_TOOLS_BENCH_TABLE_H
#define SN_TOOLS_BENCH_TABLE_H

#include <stdint.h>

/* One row of the table. A limit of 0 is unknown. */
typedef struct sn_bench_case {
    char name[128];
    double median_ms;
    double throughput;
    const char *throughput_unit;
    double limit_ms;                           /* time at the machine's measured peak */
    double flops_fraction, bandwidth_fraction; /* fractions of the device's measured peaks; 0: unknown */
    double iterations;
    double frame_fraction; /* fraction of a 1/60 s frame; 0: does not apply */
    double peak_memory_mb; /* peak memory of the process so far; 0: not measured */
    double objective;      /* final value of the objective; 0: none */
    uint64_t hash;
    const char *peer; /* published figures of other implementations, with source */
} sn_bench_case;

#define SN_BENCH_CASE_LIMIT 256 /* `bench all` has about 80 rows */

typedef struct sn_bench_table {
    sn_bench_case cases[SN_BENCH_CASE_LIMIT];
    int count;
} sn_bench_table;

/* Appends a row named "WHAT, LABEL". */
sn_bench_case *sn_bench_add(sn_bench_table *table, const char *label, const char *what);

#endif
