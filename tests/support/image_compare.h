/* SPDX-License-Identifier: MIT */
/* Do two pictures look the same? For golden pictures that software and hardware rasterise slightly differently: pixels
 * along edges, the last bit of a value.
 *
 * Both are converted to linear light, blurred over a few pixels, and compared in CIELAB (CIE 1976): a blurred edge
 * that moves by a part of a pixel changes little, a missing or moved part much. The mean sees what is slightly wrong
 * everywhere, the 99.5th percentile what is plainly wrong in a small part. Alpha is not compared. */
#ifndef SN_TESTS_SUPPORT_IMAGE_COMPARE_H
#define SN_TESTS_SUPPORT_IMAGE_COMPARE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/srgb.h"

/* pixels */
#define IMAGE_BLUR_DEVIATION 2.2
#define IMAGE_BLUR_RADIUS 6

typedef struct image_limits {
    double mean;       /* of the colour differences (delta E) */
    double percentile; /* the 99.5th */
} image_limits;

/* A delta E of 1 is about the least that an eye sees. An edge from black to white that moves by half a pixel changes
 * its pixels by 6 to 8, an edge of a rendered picture by less. */
static const image_limits image_same = {.mean = 0.5, .percentile = 7};

typedef struct image_difference {
    double mean, percentile, worst;
} image_difference;

static inline float image_linear(uint8_t value)
{
    return (float)sn_srgb_to_linear(value / 255.0);
}

/* One direction of a Gaussian; the border repeats. */
static inline void image_blur(const float *in, float *out, int count, int stride)
{
    float weights[2 * IMAGE_BLUR_RADIUS + 1], sum = 0;
    for (int k = -IMAGE_BLUR_RADIUS; k <= IMAGE_BLUR_RADIUS; ++k) {
        sum += weights[k + IMAGE_BLUR_RADIUS] =
            (float)exp(-0.5 * k * k / (IMAGE_BLUR_DEVIATION * IMAGE_BLUR_DEVIATION));
    }
    for (int i = 0; i < count; ++i) {
        float total = 0;
        for (int k = -IMAGE_BLUR_RADIUS; k <= IMAGE_BLUR_RADIUS; ++k) {
            const int at = i + k < 0 ? 0 : i + k >= count ? count - 1 : i + k;
            total += weights[k + IMAGE_BLUR_RADIUS] * in[(ptrdiff_t)at * stride];
        }
        out[(ptrdiff_t)i * stride] = total / sum;
    }
}

static inline double image_lab_curve(double t)
{
    const double delta = 6.0 / 29;
    return t > delta * delta * delta ? cbrt(t) : t / (3 * delta * delta) + 4.0 / 29;
}

/* Linear sRGB to CIELAB under D65. */
static inline void image_lab(const float rgb[3], double lab[3])
{
    static const double to_xyz[3][3] = {
        {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
    double f[3];
    for (int i = 0; i < 3; ++i) {
        const double white = to_xyz[i][0] + to_xyz[i][1] + to_xyz[i][2];
        f[i] = image_lab_curve((to_xyz[i][0] * rgb[0] + to_xyz[i][1] * rgb[1] + to_xyz[i][2] * rgb[2]) / white);
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* (height x width x 3), linear and blurred; free it. */
static inline float *image_prepare(const uint8_t *pixels, int width, int height)
{
    const size_t count = (size_t)width * (size_t)height * 3;
    float *a = malloc(2 * count * sizeof(float)), *b = a + count;
    if (!a) {
        abort();
    }
    for (size_t i = 0; i < count; ++i) {
        a[i] = image_linear(pixels[i / 3 * 4 + i % 3]);
    }
    for (int i = 0; i < 3 * height; ++i) {
        const ptrdiff_t at = (ptrdiff_t)(i / 3) * 3 * width + i % 3;
        image_blur(a + at, b + at, width, 3);
    }
    for (int i = 0; i < 3 * width; ++i) {
        image_blur(b + i, a + i, height, 3 * width);
    }
    return a;
}

static inline int image_by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Two pictures of one size, (height x width x 4), sRGB. */
static inline image_difference image_compare(const uint8_t *left, const uint8_t *right, int width, int height)
{
    const size_t count = (size_t)width * (size_t)height;
    float *a = image_prepare(left, width, height), *b = image_prepare(right, width, height);
    double *differences = malloc(count * sizeof(double));
    if (!differences) {
        abort();
    }
    image_difference result = {0};
    for (size_t i = 0; i < count; ++i) {
        double p[3], q[3];
        image_lab(a + 3 * i, p);
        image_lab(b + 3 * i, q);
        differences[i] = sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
        result.mean += differences[i] / (double)count;
    }
    qsort(differences, count, sizeof(double), image_by_value);
    result.percentile = differences[(size_t)(0.995 * (double)(count - 1))];
    result.worst = differences[count - 1];
    free(differences);
    free(a);
    free(b);
    return result;
}

static inline bool image_is_same(const image_difference *difference, const image_limits *limits)
{
    return difference->mean <= limits->mean && difference->percentile <= limits->percentile;
}

#endif
