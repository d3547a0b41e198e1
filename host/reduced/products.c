/* SPDX-License-Identifier: MIT */
/* Products of small matrices with three columns. */
#include "host/reduced/solver.h"

void sn_reduced_add_product(const double *matrix, int rows, int columns, double scale, const double *values,
                            double *result)
{
    for (int i = 0; i < rows; ++i, matrix += columns) {
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

void sn_reduced_transforms(const sn_model *model, const double *coordinates, double amount, double *transforms)
{
    const int count = model->counts.coordinate_count;
    for (int j = 0; j < model->counts.mode_count; ++j) {
        for (int k = 0; k < 4; ++k) {
            const double *row = model->mode_from_coordinate + (size_t)(4 * j + k) * (size_t)count;
            double column[3] = {0, 0, 0};
            sn_reduced_add_product(row, 1, count, amount, coordinates, column);
            for (int d = 0; d < 3; ++d) {
                transforms[12 * j + 4 * d + k] = column[d];
            }
        }
    }
}
