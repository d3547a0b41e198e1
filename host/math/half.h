/* SPDX-License-Identifier: MIT */
/* IEEE 754 half floats as bits. */
#ifndef SN_HOST_MATH_HALF_H
#define SN_HOST_MATH_HALF_H

#include <stdint.h>

/* Rounds to nearest, ties to even; beyond 65504 to the max finite half of that sign, NaN to 0. */
uint16_t sn_half_from_float(float value);
float sn_float_from_half(uint16_t half);

#endif
