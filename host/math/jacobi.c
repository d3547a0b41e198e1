/* SPDX-License-Identifier: MIT */
#include "host/math/jacobi.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SWEEP_LIMIT 40
#define ORTHOGONAL 1e-14 /* cosine between two columns below which they count as orthogonal */

/* |a|^2, |b|^2 and a . b in one pass with independent accumulators. */
static void multiply_pair(int size, const double *a, const double *b, double products[3])
{
    double aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < size; ++i) {
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        ab += a[i] * b[i];
    }
    products[0] = aa;
    products[1] = bb;
    products[2] = ab;
}

static void rotate_pair(int size, double cosine, double sine, double *a, double *b)
{
    for (int i = 0; i < size; ++i) {
        const double x = a[i], y = b[i];
        a[i] = cosine * x - sine * y;
        b[i] = sine * x + cosine * y;
    }
}

/* Makes columns i and j orthogonal; returns false if they already were. */
static bool orthogonalise_pair(int count, int size, int i, int j, double *columns, double *rotation)
{
    double *a = columns + (size_t)i * (size_t)size, *b = columns + (size_t)j * (size_t)size, products[3];
    multiply_pair(size, a, b, products);
    if (!(fabs(products[2]) > ORTHOGONAL * sqrt(products[0]) * sqrt(products[1]))) {
        return false;
    }
    const double zeta = (products[1] - products[0]) / (2 * products[2]);
    const double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    rotate_pair(size, cosine, sine, a, b);
    if (rotation) {
        rotate_pair(count, cosine, sine, rotation + (size_t)i * (size_t)count, rotation + (size_t)j * (size_t)count);
    }
    return true;
}

static void swap(int size, double *a, double *b)
{
    for (int i = 0; i < size; ++i) {
        const double saved = a[i];
        a[i] = b[i];
        b[i] = saved;
    }
}

static double square_of(int size, const double *column)
{
    double sum = 0;
    for (int i = 0; i < size; ++i) {
        sum += column[i] * column[i];
    }
    return sum;
}

static void sort(int count, int size, double *columns, double *rotation)
{
    for (int i = 0; i < count; ++i) {
        int min_column = i;
        double smallest = square_of(size, columns + (size_t)i * (size_t)size);
        for (int j = i + 1; j < count; ++j) {
            const double square = square_of(size, columns + (size_t)j * (size_t)size);
            min_column = square < smallest ? j : min_column;
            smallest = square < smallest ? square : smallest;
        }
        if (min_column != i) {
            swap(size, columns + (size_t)i * (size_t)size, columns + (size_t)min_column * (size_t)size);
            if (rotation) {
                swap(count, rotation + (size_t)i * (size_t)count, rotation + (size_t)min_column * (size_t)count);
            }
        }
    }
}

void sn_jacobi_orthogonalise(int count, int size, double *columns, double *rotation)
{
    if (rotation) {
        memset(rotation, 0, (size_t)count * (size_t)count * sizeof *rotation);
        for (int i = 0; i < count; ++i) {
            rotation[(size_t)i * (size_t)count + (size_t)i] = 1;
        }
    }
    bool is_turning = true;
    for (int sweep = 0; sweep < SWEEP_LIMIT && is_turning; ++sweep) {
        is_turning = false;
        for (int i = 0; i < count; ++i) {
            for (int j = i + 1; j < count; ++j) {
                is_turning |= orthogonalise_pair(count, size, i, j, columns, rotation);
            }
        }
    }
    sort(count, size, columns, rotation);
}
