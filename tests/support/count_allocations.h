/* SPDX-License-Identifier: MIT */
/* For tests that something allocates nothing: sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL). */
#ifndef SN_TESTS_SUPPORT_COUNT_ALLOCATIONS_H
#define SN_TESTS_SUPPORT_COUNT_ALLOCATIONS_H

#include <stdlib.h>

static int allocation_count;

static inline void *sn_test_count_alloc(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    ++allocation_count;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void sn_test_count_free(void *memory, size_t bytes, void *user)
{
    (void)user;
    (void)bytes;
    free(memory);
}

#endif
