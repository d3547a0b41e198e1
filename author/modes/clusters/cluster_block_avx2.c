/* SPDX-License-Identifier: MIT */
/* The AVX2 version, if the processor family has it (the build sets the flag); see cluster_block.inc. */
#include "author/modes/clusters/cluster_block.h"

#include <float.h>

#define LANES 8
#define NAME(base) base##_avx2
#include "author/modes/clusters/cluster_block.inc"
