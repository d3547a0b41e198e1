/* SPDX-License-Identifier: MIT */
#include "runtime/edit/take.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/io/npy.h"
#include "host/math/affine.h"

#define FIRST_CAPACITY 600 /* rows: 10 s at 60 Hz */
#define NUMBER_LIMIT 10000

static size_t row_width(const sn_take *take)
{
    return 12 * (size_t)take->bone_count;
}

sn_result sn_take_start(sn_take *take, int bone_count, double row_seconds)
{
    sn_take_finish(take);
    *take = (sn_take){.bone_count = bone_count, .row_seconds = row_seconds, .capacity = FIRST_CAPACITY};
    take->rows = sn_alloc(take->capacity, row_width(take) * sizeof *take->rows);
    take->last = take->rows ? sn_alloc(row_width(take), sizeof *take->last) : NULL;
    take->is_running = take->last != NULL;
    return take->is_running ? SN_OK : SN_ERROR_MEMORY;
}

static bool grow(sn_take *take)
{
    const size_t size = row_width(take) * sizeof *take->rows;
    if (take->row_count < take->capacity) {
        return true;
    }
    double *rows = sn_alloc(2 * take->capacity, size);
    if (rows) {
        memcpy(rows, take->rows, take->capacity * size);
        sn_free(take->rows, take->capacity, size);
        take->rows = rows;
        take->capacity *= 2;
    }
    return rows;
}

/* Adds a row interpolated between the last call's bones and these. */
static sn_result add_row(sn_take *take, double share, const sn_mat3x4 *bones)
{
    if (!grow(take)) {
        return SN_ERROR_MEMORY;
    }
    double *row = take->rows + take->row_count++ * row_width(take);
    for (size_t i = 0; i < row_width(take); ++i) {
        const double now = (double)bones[i / 12].m[i % 12 / 4][i % 4];
        row[i] = take->last[i] + share * (now - take->last[i]);
    }
    return SN_OK;
}

sn_result sn_take_add(sn_take *take, double seconds, const sn_mat3x4 *bones)
{
    const double before = take->seconds;
    sn_result result = SN_OK;
    take->seconds += take->row_count > 0 ? seconds : 0;
    while (result == SN_OK && (double)take->row_count * take->row_seconds <= take->seconds * (1 + 1e-12)) {
        const double passed = take->seconds - before;
        const double share = passed > 0 ? ((double)take->row_count * take->row_seconds - before) / passed : 1;
        result = add_row(take, share, bones);
    }
    for (size_t i = 0; i < row_width(take); ++i) {
        take->last[i] = (double)bones[i / 12].m[i % 12 / 4][i % 4];
    }
    return result;
}

/* Converts the rows from model units to the file's. */
static sn_result convert(const sn_take *take, const sn_model *model, double **rows)
{
    const double origin[3] = {-model->origin_x * model->scale, -model->origin_y * model->scale,
                              -model->origin_z * model->scale};
    *rows = sn_alloc(take->row_count, row_width(take) * sizeof **rows);
    for (size_t i = 0; *rows && i < take->row_count * (size_t)take->bone_count; ++i) {
        sn_affine_rescale(take->rows + 12 * i, origin, 1 / model->scale, *rows + 12 * i);
    }
    return *rows ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Finds a free name MODEL-take-N, without extension. */
static sn_result find_name(const char *model_path, char name[4096])
{
    const char *dot = strrchr(model_path, '.'), *slash = strrchr(model_path, '/');
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - model_path) : strlen(model_path);
    char path[4096 + 16];
    for (int number = 1; number < NUMBER_LIMIT && stem < 4000; ++number) {
        snprintf(name, 4096, "%.*s-take-%d", (int)stem, model_path, number);
        snprintf(path, sizeof path, "%s.npy", name);
        if (!is_there(path)) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_FILE, "%s: no free file name for a recording beside it", model_path);
}

sn_result sn_take_write(const sn_take *take, const char *model_path, const sn_model *model, const sn_blob *blob,
                        char written[4096])
{
    char name[4096], path[4096 + 16];
    double *rows = NULL;
    sn_result result = find_name(model_path, name);
    if (result == SN_OK) {
        result = convert(take, model, &rows);
    }
    if (result == SN_OK && blob) {
        snprintf(path, sizeof path, "%s.sinew", name);
        result = sn_file_write(path, blob->bytes, blob->size);
    }
    if (result == SN_OK) {
        snprintf(path, sizeof path, "%s.npy", name);
        snprintf(written, 4096, "%.4090s", path);
        result =
            sn_npy_write(path, SN_NPY_F64, 4, (const size_t[]){take->row_count, (size_t)take->bone_count, 3, 4}, rows);
    }
    sn_free(rows, take->row_count, row_width(take) * sizeof *rows);
    return result;
}

void sn_take_finish(sn_take *take)
{
    sn_free(take->rows, take->capacity, row_width(take) * sizeof *take->rows);
    sn_free(take->last, row_width(take), sizeof *take->last);
    *take = (sn_take){0};
}
