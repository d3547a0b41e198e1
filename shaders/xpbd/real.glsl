/* SPDX-License-Identifier: MIT */
/* The type of numbers that the CPU has in double: double, or float with SN_SINGLE, for devices with slow or no doubles.
 * Buffers contain doubles in either case, so that the host code is the same; floats are converted to and from their
 * bits. */

#ifdef SN_SINGLE

#define real float
#define real2 vec2
#define real3 vec3
#define real4 vec4
#define stored uvec2

#define REAL_MAX 3.4028234663852886e38
#define REAL_EXPONENT 0x7f800000u // bits in high_word
#define high_word(x) floatBitsToUint(x)
#define REAL_MIN 1.1754943508222875e-38 // smallest normal number
#define MIN_ROTATION_STEP 1e-13             // squared rotation step below which only rounding error is left
#define OWN_REGULARIZATION 1e-6                // regularisation relative to a diagonal entry
#define TRACE_REGULARIZATION 1e-7               // regularisation relative to the trace

/* Rounds to nearest; underflow gives 0, overflow infinity. */
float to_real(uvec2 halves)
{
    const uint sign = halves.y & 0x80000000u, exponent = halves.y >> 20 & 0x7ffu;
    const uint mantissa = (halves.y & 0xfffffu) << 3 | halves.x >> 29;
    uint bits = (exponent - 896u << 23 | mantissa) + (halves.x >> 28 & 1u);
    bits = exponent <= 896u ? 0u : exponent >= 1151u ? 0x7f800000u : bits;
    bits |= exponent == 0x7ffu && (mantissa | halves.x) != 0u ? 0x400000u : 0u; // NaN
    return uintBitsToFloat(sign | bits);
}

uvec2 to_stored(float x)
{
    const uint bits = floatBitsToUint(x), exponent = bits >> 23 & 0xffu, mantissa = bits & 0x7fffffu;
    const uint double_exponent = exponent == 0u ? 0u : exponent == 0xffu ? 0x7ffu : exponent + 896u;
    const uint rest = exponent == 0u ? 0u : mantissa;
    return uvec2(rest << 29, (bits & 0x80000000u) | double_exponent << 20 | rest >> 3);
}

#else

#define real double
#define real2 dvec2
#define real3 dvec3
#define real4 dvec4
#define stored double
#define to_real(x) (x)
#define to_stored(x) (x)

#define REAL_MAX 1.7976931348623157e308LF
#define REAL_EXPONENT 0x7ff00000u
#define high_word(x) unpackDouble2x32(x).y
#define REAL_MIN 2.2250738585072014e-308LF
#define MIN_ROTATION_STEP 1e-28LF
#define OWN_REGULARIZATION 1e-11LF
#define TRACE_REGULARIZATION 1e-13LF

#endif
