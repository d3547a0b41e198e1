/* SPDX-License-Identifier: MIT */
/* Threads that share a range of items. Results must not depend on the distribution: a task writes only data of its own
 * items. */
#ifndef SN_HOST_BASE_JOBS_H
#define SN_HOST_BASE_JOBS_H

#include "host/base/base.h"

#define SN_WORKER_LIMIT 64

typedef void sn_job_function(int first, int last, int worker, void *user);

typedef struct sn_jobs sn_jobs;

/* worker_count threads including the caller's, at most SN_WORKER_LIMIT; 0: one per processor. If the system refuses
 * some, there are fewer. */
sn_result sn_jobs_create(int worker_count, sn_jobs **jobs);
void sn_jobs_destroy(sn_jobs **jobs);
int sn_jobs_worker_count(const sn_jobs *jobs);

/* Runs `job` over [0, count) in ranges of `grain`; returns when all are done. One call at a time. If jobs is null, the
 * caller does all work as worker 0. Allocates nothing. */
void sn_parallel_for(sn_jobs *jobs, int count, int grain, sn_job_function *job, void *user);

#endif
