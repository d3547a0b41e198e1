/* SPDX-License-Identifier: MIT */
/* The rows that benches fill. */
#ifndef SN_TOOLS_BENCH_TABLE_H
#define SN_TOOLS_BENCH_TABLE_H

#include <stdint.h>

/* One line of the table. A limit of 0: none is known. */
typedef struct sn_bench_case {
    char name[128];
    double median_ms;
    double throughput;
    const char *throughput_unit;
    double limit_ms;                           /* the time at the machine's measured peak */
    double flops_fraction, bandwidth_fraction; /* of a device's measured peaks; 0: not known */
    double iterations;
    double frame_fraction; /* of a sixtieth of a second; 0: does not apply */
    double peak_memory_mb; /* of the process until then; 0: not measured */
    double objective;      /* that is reached; 0: there is none */
    uint64_t hash;
    const char *peer; /* what others take, with its source */
} sn_bench_case;

#define SN_BENCH_CASE_LIMIT 256 /* `bench all` has some eighty */

typedef struct sn_bench_table {
    sn_bench_case cases[SN_BENCH_CASE_LIMIT];
    int count;
} sn_bench_table;

/* A new row called "WHAT, LABEL". */
sn_bench_case *sn_bench_add(sn_bench_table *table, const char *label, const char *what);

#endif
