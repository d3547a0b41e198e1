/* SPDX-License-Identifier: MIT */
#include "runtime/edit/bone_recording.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/io/npy.h"
#include "host/math/affine.h"

#define FIRST_CAPACITY 600 /* rows: 10 s at 60 Hz */
#define NUMBER_LIMIT 10000

static size_t row_width(const sn_bone_recording *recording)
{
    return 12 * (size_t)recording->bone_count;
}

sn_result sn_bone_recording_start(sn_bone_recording *recording, int bone_count, double row_seconds)
{
    sn_bone_recording_finish(recording);
    *recording = (sn_bone_recording){.bone_count = bone_count, .row_seconds = row_seconds, .capacity = FIRST_CAPACITY};
    recording->rows = sn_alloc(recording->capacity, row_width(recording) * sizeof *recording->rows);
    recording->last = recording->rows ? sn_alloc(row_width(recording), sizeof *recording->last) : NULL;
    recording->is_running = recording->last != NULL;
    return recording->is_running ? SN_OK : SN_ERROR_MEMORY;
}

static bool grow(sn_bone_recording *recording)
{
    const size_t size = row_width(recording) * sizeof *recording->rows;
    if (recording->row_count < recording->capacity) {
        return true;
    }
    double *rows = sn_alloc(2 * recording->capacity, size);
    if (rows) {
        memcpy(rows, recording->rows, recording->capacity * size);
        sn_free(recording->rows, recording->capacity, size);
        recording->rows = rows;
        recording->capacity *= 2;
    }
    return rows;
}

/* Adds a row interpolated between the last call's bones and these. */
static sn_result add_row(sn_bone_recording *recording, double fraction, const sn_mat3x4 *bones)
{
    if (!grow(recording)) {
        return SN_ERROR_MEMORY;
    }
    double *row = recording->rows + recording->row_count++ * row_width(recording);
    for (size_t i = 0; i < row_width(recording); ++i) {
        const double now = (double)bones[i / 12].m[i % 12 / 4][i % 4];
        row[i] = recording->last[i] + fraction * (now - recording->last[i]);
    }
    return SN_OK;
}

sn_result sn_bone_recording_add(sn_bone_recording *recording, double seconds, const sn_mat3x4 *bones)
{
    const double previous = recording->seconds;
    sn_result result = SN_OK;
    recording->seconds += recording->row_count > 0 ? seconds : 0;
    while (result == SN_OK &&
           (double)recording->row_count * recording->row_seconds <= recording->seconds * (1 + 1e-12)) {
        const double passed = recording->seconds - previous;
        const double fraction =
            passed > 0 ? ((double)recording->row_count * recording->row_seconds - previous) / passed : 1;
        result = add_row(recording, fraction, bones);
    }
    for (size_t i = 0; i < row_width(recording); ++i) {
        recording->last[i] = (double)bones[i / 12].m[i % 12 / 4][i % 4];
    }
    return result;
}

/* Converts the rows from model units to the file's. */
static sn_result convert(const sn_bone_recording *recording, const sn_model *model, double **rows)
{
    const double origin[3] = {-model->origin_x * model->scale, -model->origin_y * model->scale,
                              -model->origin_z * model->scale};
    *rows = sn_alloc(recording->row_count, row_width(recording) * sizeof **rows);
    for (size_t i = 0; *rows && i < recording->row_count * (size_t)recording->bone_count; ++i) {
        sn_affine_rescale(recording->rows + 12 * i, origin, 1 / model->scale, *rows + 12 * i);
    }
    return *rows ? SN_OK : SN_ERROR_MEMORY;
}

static bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Finds a free name MODEL-take-N, without extension. */
static sn_result find_free_name(const char *model_path, char name[4096])
{
    const char *dot = strrchr(model_path, '.'), *slash = strrchr(model_path, '/');
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - model_path) : strlen(model_path);
    char path[4096 + 16];
    for (int number = 1; number < NUMBER_LIMIT && stem < 4000; ++number) {
        snprintf(name, 4096, "%.*s-take-%d", (int)stem, model_path, number);
        snprintf(path, sizeof path, "%s.npy", name);
        if (!file_exists(path)) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_FILE, "%s: no free file name for a recording beside it", model_path);
}

sn_result sn_bone_recording_write(const sn_bone_recording *recording, const char *model_path, const sn_model *model,
                                  const sn_blob *blob, char written[4096])
{
    char name[4096], path[4096 + 16];
    double *rows = NULL;
    sn_result result = find_free_name(model_path, name);
    if (result == SN_OK) {
        result = convert(recording, model, &rows);
    }
    if (result == SN_OK && blob) {
        snprintf(path, sizeof path, "%s.sinew", name);
        result = sn_file_write(path, blob->bytes, blob->size);
    }
    if (result == SN_OK) {
        snprintf(path, sizeof path, "%s.npy", name);
        snprintf(written, 4096, "%.4090s", path);
        result = sn_npy_write(path, SN_NPY_F64, 4,
                              (const size_t[]){recording->row_count, (size_t)recording->bone_count, 3, 4}, rows);
    }
    sn_free(rows, recording->row_count, row_width(recording) * sizeof *rows);
    return result;
}

void sn_bone_recording_finish(sn_bone_recording *recording)
{
    sn_free(recording->rows, recording->capacity, row_width(recording) * sizeof *recording->rows);
    sn_free(recording->last, row_width(recording), sizeof *recording->last);
    *recording = (sn_bone_recording){0};
}
