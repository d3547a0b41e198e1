/* SPDX-License-Identifier: MIT */
/* Products of small matrices with three columns. */
#include <string.h>

#include "host/reduced/solver.h"

typedef double pair __attribute__((vector_size(16)));

/* Two rows per vector, four rows at a time, each summed in its own order. This hides the latency of the additions. */
static void add_four_rows(const double *matrix, int columns, double scale, const double *values, double *result)
{
    const double *a = matrix, *b = a + columns, *c = b + columns, *d = c + columns;
    pair x0 = {0}, y0 = {0}, z0 = {0}, x1 = {0}, y1 = {0}, z1 = {0};
    for (int k = 0; k < columns; ++k, values += 3) {
        const pair low = {a[k], b[k]}, high = {c[k], d[k]};
        x0 += low * values[0], x1 += high * values[0];
        y0 += low * values[1], y1 += high * values[1];
        z0 += low * values[2], z1 += high * values[2];
    }
    const pair sums[6] = {x0, y0, z0, x1, y1, z1};
    for (int i = 0; i < 12; ++i) {
        result[i] += scale * sums[i / 6 * 3 + i % 3][i / 3 % 2];
    }
}

void sn_reduced_add_product(const double *matrix, int rows, int columns, double scale, const double *values,
                            double *result)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4, matrix += (size_t)4 * (size_t)columns) {
        add_four_rows(matrix, columns, scale, values, result + 3 * i);
    }
    for (; i < rows; ++i, matrix += columns) {
        double x = 0, y = 0, z = 0;
        for (int k = 0; k < columns; ++k) {
            x += matrix[k] * values[3 * k];
            y += matrix[k] * values[3 * k + 1];
            z += matrix[k] * values[3 * k + 2];
        }
        result[3 * i] += scale * x;
        result[3 * i + 1] += scale * y;
        result[3 * i + 2] += scale * z;
    }
}

void sn_reduced_transforms(const sn_reduced_view *view, const double *coordinates, double amount, double *transforms)
{
    const int count = view->model.counts.coordinate_count;
    for (int j = 0; j < view->mode_count; ++j) {
        double columns[4][3] = {{0}};
        sn_reduced_add_product(view->model.mode_from_coordinate + (size_t)4 * (size_t)j * (size_t)count, 4, count,
                               amount, coordinates, columns[0]);
        for (int i = 0; i < 12; ++i) {
            transforms[12 * j + i] = columns[i % 4][i / 4];
        }
    }
    const int unused = view->model.counts.mode_count - view->mode_count;
    memset(transforms + 12 * (size_t)view->mode_count, 0, 12 * (size_t)unused * sizeof *transforms);
}
