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

#define LARGEST 3.4028234663852886e38
#define INFINITE uintBitsToFloat(0x7f800000u)
#define SMALLEST 1.1754943508222875e-38 // smallest normal number
#define STILL_TURNING 1e-13             // squared rotation step below which only rounding error is left
#define LEAST_SHARE 1e-6                // regularisation relative to a diagonal entry
#define LEAST_OF_ALL 1e-7               // regularisation relative to the trace

/* Rounds to nearest; underflow gives 0, overflow infinity. */
float loaded(uvec2 halves)
{
    const uint sign = halves.y & 0x80000000u, exponent = halves.y >> 20 & 0x7ffu;
    const uint mantissa = (halves.y & 0xfffffu) << 3 | halves.x >> 29;
    uint bits = (exponent - 896u << 23 | mantissa) + (halves.x >> 28 & 1u);
    bits = exponent <= 896u ? 0u : exponent >= 1151u ? 0x7f800000u : bits;
    bits |= exponent == 0x7ffu && (mantissa | halves.x) != 0u ? 0x400000u : 0u; // NaN
    return uintBitsToFloat(sign | bits);
}

uvec2 kept_as(float x)
{
    const uint bits = floatBitsToUint(x), exponent = bits >> 23 & 0xffu, mantissa = bits & 0x7fffffu;
    const uint wide = exponent == 0u ? 0u : exponent == 0xffu ? 0x7ffu : exponent + 896u;
    const uint rest = exponent == 0u ? 0u : mantissa;
    return uvec2(rest << 29, (bits & 0x80000000u) | wide << 20 | rest >> 3);
}

#else

#define real double
#define real2 dvec2
#define real3 dvec3
#define real4 dvec4
#define stored double
#define loaded(x) (x)
#define kept_as(x) (x)

#define LARGEST 1.7976931348623157e308LF
#define INFINITE (1.0LF / 0.0LF)
#define SMALLEST 2.2250738585072014e-308LF
#define STILL_TURNING 1e-28LF
#define LEAST_SHARE 1e-11LF
#define LEAST_OF_ALL 1e-13LF

#endif
