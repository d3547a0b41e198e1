/* SPDX-License-Identifier: MIT */
/* Seeded random numbers, identical on all machines: splitmix64 (Steele et al. 2014). */
#ifndef SN_HOST_BASE_RANDOM_H
#define SN_HOST_BASE_RANDOM_H

#include <stdint.h>

/* Uniform in [0, 1); any state is a good seed. */
double sn_random_unit(uint64_t *state);

#endif
