/* SPDX-License-Identifier: MIT */
#include "host/math/half.h"

#include <math.h>
#include <string.h>

#define MAX_HALF 65504.0f
#define MIN_NORMAL 6.103515625e-05f /* 2^-14 */

uint16_t sn_half_from_float(float value)
{
    if (value != value) {
        return 0;
    }
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fminf(fabsf(value), MAX_HALF);
    if (size < MIN_NORMAL) {
        return (uint16_t)(sign | (uint16_t)rintf(size * 16777216.0f)); /* 2^24: subnormals become integers */
    }
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits += 0xfff + ((bits >> 13) & 1); /* round the 13 dropped bits to nearest, ties to even */
    return (uint16_t)(sign | (uint16_t)((bits >> 13) - ((127 - 15) << 10)));
}

float sn_float_from_half(uint16_t half)
{
    const uint32_t exponent = (half >> 10) & 31, fraction = half & 1023u;
    float size;
    if (exponent == 0) {
        size = (float)fraction / 16777216.0f;
    } else {
        const uint32_t bits = (exponent == 31 ? 255u << 23 : (exponent + 112) << 23) | fraction << 13;
        memcpy(&size, &bits, sizeof size);
    }
    return half & 0x8000 ? -size : size;
}
