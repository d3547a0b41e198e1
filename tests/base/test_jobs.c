/* SPDX-License-Identifier: MIT */
/* sn_parallel_for: every item once, whatever the number of workers; no allocation; many calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/jobs.h"

#define ITEM_COUNT 1234

static int seen[ITEM_COUNT];
static int most_worker[SN_WORKER_LIMIT];

static void mark(int first, int last, int worker, void *user)
{
    const int *limit = user;
    SN_ASSERT(worker >= 0 && worker < *limit && first < last);
    most_worker[worker] = 1;
    for (int i = first; i < last; ++i) {
        ++seen[i];
    }
}

static void test_every_item_once(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 8; ++workers) {
        sn_jobs *jobs = NULL;
        assert_int_equal(sn_jobs_create(workers, &jobs), SN_OK);
        assert_int_equal(sn_jobs_worker_count(jobs), workers);
        for (int call = 0; call < 200; ++call) {
            const int count = call % 3 == 0 ? ITEM_COUNT : call, grain = 1 + call % 17;
            const size_t before = sn_allocated_bytes();
            memset(seen, 0, sizeof seen);
            sn_parallel_for(jobs, count, grain, mark, (int[]){workers});
            assert_int_equal(sn_allocated_bytes(), before);
            for (int i = 0; i < ITEM_COUNT; ++i) {
                assert_int_equal(seen[i], i < count);
            }
        }
        sn_jobs_destroy(&jobs);
        assert_null(jobs);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_without_threads(void **state)
{
    (void)state;
    memset(seen, 0, sizeof seen);
    sn_parallel_for(NULL, 100, 7, mark, (int[]){1});
    sn_parallel_for(NULL, 0, 7, mark, (int[]){1});
    sn_parallel_for(NULL, -5, 7, mark, (int[]){1});
    for (int i = 0; i < ITEM_COUNT; ++i) {
        assert_int_equal(seen[i], i < 100);
    }
    sn_jobs *jobs = NULL;
    sn_jobs_destroy(&jobs); /* null is allowed */
    assert_int_equal(sn_jobs_worker_count(NULL), 1);
    assert_int_equal(sn_jobs_create(0, &jobs), SN_OK); /* one a processor */
    assert_true(sn_jobs_worker_count(jobs) >= 1);
    sn_jobs_destroy(&jobs);
}

int test_jobs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_item_once), cmocka_unit_test(test_without_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
