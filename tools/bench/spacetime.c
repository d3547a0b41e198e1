/* SPDX-License-Identifier: MIT */
/* Spacetime optimisation: the setup before the first iteration, and one iteration. The limit of an iteration is the
 * arithmetic of its local step, the projections of all elements of all samples, at the measured peak of the cores. */
#include "tools/bench/spacetime.h"

#include <stdio.h>

#include "author/spacetime/prism.h"
#include "host/base/hash.h"
#include "tools/bench/peak.h"
#include "tools/command/median.h"

#define REPEAT_COUNT 5
#define ITERATIONS 6
/* Flops of a projection: five sweeps of three rotations of 75 operations, eight volume steps of 35, and 200 others;
 * roots and divisions count as one. The peak in double precision is half of that in single precision. */
#define PROJECTION_FLOPS (5 * 3 * 75 + 8 * 35 + 200)

typedef struct spacetime_case {
    const char *name;
    sn_spacetime_prism prism;
    double fineness;
    const char *precompute_peer, *iteration_peer;
} spacetime_case;

static const spacetime_case cases[] = {
    {"STRETCH", SN_SPACETIME_STRETCH, 1, "paper: 180 ms (i7-14700KF, all cores)",
     "paper: 9 ms (i7-14700KF, all cores)"},
    {"TWIST", SN_SPACETIME_TWIST, 1, "paper: 699 ms (i7-14700KF, all cores)", "paper: 35 ms (i7-14700KF, all cores)"},
    {"TWIST", SN_SPACETIME_TWIST, 1.4, NULL, NULL},
    {"TWIST", SN_SPACETIME_TWIST, 1.8, "paper: 3073 ms (ARMADILLO, 2598 vertices, 10024 tets)",
     "paper: 100 ms (ARMADILLO)"},
};

typedef struct timed_run {
    double precompute_ms[REPEAT_COUNT], iteration_ms[REPEAT_COUNT];
    sn_spacetime_report report;
    uint64_t hash;
} timed_run;

static sn_result time_run(const sn_spacetime_input *input, sn_spacetime_method method, sn_jobs *jobs, timed_run *run)
{
    sn_result result = SN_OK;
    for (int repeat = 0; repeat < REPEAT_COUNT && result == SN_OK; ++repeat) {
        sn_arena arena = {0};
        sn_spacetime_motion motion;
        sn_spacetime_desc desc = sn_default_spacetime_desc();
        desc.method = method;
        desc.jobs = jobs;
        desc.iteration_limit = ITERATIONS;
        desc.tolerance = 0;
        result = sn_spacetime_optimise(input, &desc, &arena, &motion, &run->report);
        run->precompute_ms[repeat] = 1e3 * run->report.precompute_seconds;
        run->iteration_ms[repeat] = 1e3 * run->report.iteration_seconds;
        if (result == SN_OK) {
            run->hash = sn_hash(SN_HASH_SEED, motion.positions,
                                3 * (size_t)motion.key_count * (size_t)motion.vertex_count * sizeof(double));
        }
        sn_arena_finish(&arena);
    }
    return result;
}

static void add_rows(const spacetime_case *c, const sn_spacetime_input *input, sn_spacetime_method method, int workers,
                     timed_run *run, sn_bench_table *table)
{
    char label[64];
    snprintf(label, sizeof label, "%s, %d vertices, %d tets, %s", c->name, input->mesh->vertex_count,
             input->mesh->tet_count, sn_spacetime_method_name(method));
    sn_bench_case *precompute = sn_bench_add(table, label, "spacetime precompute");
    precompute->median_ms = sn_median(run->precompute_ms, REPEAT_COUNT);
    precompute->throughput = input->mesh->vertex_count / (1e-3 * precompute->median_ms);
    precompute->throughput_unit = "vertices/s";
    precompute->peer = c->precompute_peer;
    const double projections = (double)input->mesh->tet_count * run->report.sample_count;
    sn_bench_case *iteration = sn_bench_add(table, label, "spacetime iteration");
    iteration->median_ms = sn_median(run->iteration_ms, REPEAT_COUNT);
    iteration->throughput = projections / (1e-3 * iteration->median_ms);
    iteration->throughput_unit = "projections/s";
    iteration->limit_ms = 1e3 * projections * PROJECTION_FLOPS / (workers * sn_bench_peak_flops() / 2);
    iteration->iterations = run->report.iteration_count;
    iteration->objective = run->report.objective_last;
    iteration->hash = run->hash;
    iteration->peer = c->iteration_peer;
}

sn_result sn_bench_spacetime(int threads, sn_bench_table *table)
{
    sn_jobs *jobs = NULL;
    sn_result result = sn_jobs_create(threads, &jobs);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && result == SN_OK; ++i) {
        for (sn_spacetime_method method = SN_SPACETIME_MODAL; method <= SN_SPACETIME_SPARSE && result == SN_OK;
             ++method) {
            sn_arena arena = {0};
            sn_spacetime_input input;
            timed_run run = {0};
            result = sn_spacetime_prism_build(cases[i].prism, cases[i].fineness, &arena, &input);
            if (result == SN_OK) {
                result = time_run(&input, method, jobs, &run);
            }
            if (result == SN_OK) {
                add_rows(&cases[i], &input, method, sn_jobs_worker_count(jobs), &run, table);
            }
            sn_arena_finish(&arena);
        }
    }
    sn_jobs_destroy(&jobs);
    return result;
}
