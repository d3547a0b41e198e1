/* SPDX-License-Identifier: MIT */
/* Whether the flesh of characters moves believably with the defaults: figures of their clips and of test motions, and
 * the goals that they meet. */
#ifndef SN_TOOLS_BENCH_BELIEVABLE_H
#define SN_TOOLS_BENCH_BELIEVABLE_H

#include "sinew/types.h"
#include "tools/command/args.h"

typedef struct sn_believable_desc {
    const sn_string_list
        *paths;     /* models, or files that are cooked with the defaults; none: the project's characters */
    int first_path; /* earlier entries of the list are not paths */
    int clip_count; /* clips besides the walk, the idle and the run */
    bool compares_full_space, lists_bones, is_json;
} sn_believable_desc;

/* Prints a table, or JSON. Characters that fail are listed as failed; fails if all of them do. */
sn_result sn_bench_believable(const sn_believable_desc *desc);

#endif
