/* SPDX-License-Identifier: MIT */
/* Converts the axes and unit of the file's global settings to those of glTF. */
#include "tools/read_fbx/read_fbx.h"

#include <assimp/metadata.h>
#include <math.h>
#include <string.h>

#include "host/math/affine.h"

#define CENTIMETRE 0.01
/* Range of plausible scale factors; others are replaced by 1 (cm). */
#define MIN_UNIT 1e-6
#define MAX_UNIT 1e6

static const struct aiMetadataEntry *find(const fbx_reader *r, const char *key)
{
    const struct aiMetadata *data = r->from->mMetaData;
    for (unsigned i = 0; data && i < data->mNumProperties; ++i) {
        if (strcmp(data->mKeys[i].data, key) == 0) {
            return &data->mValues[i];
        }
    }
    return NULL;
}

static int integer(const fbx_reader *r, const char *key, int fallback)
{
    const struct aiMetadataEntry *entry = find(r, key);
    int32_t value = fallback;
    if (entry && entry->mType == AI_INT32) {
        memcpy(&value, entry->mData, sizeof value);
    }
    return value;
}

static double real(const fbx_reader *r, const char *key, double fallback)
{
    const struct aiMetadataEntry *entry = find(r, key);
    float single = (float)fallback;
    double value = fallback;
    if (entry && entry->mType == AI_FLOAT) {
        memcpy(&single, entry->mData, sizeof single);
        value = (double)single;
    } else if (entry && entry->mType == AI_DOUBLE) {
        memcpy(&value, entry->mData, sizeof value);
    }
    return value;
}

static bool is_permutation(const int axes[3])
{
    int axis_bits = 0;
    for (int i = 0; i < 3; ++i) {
        axis_bits |= axes[i] >= 0 && axes[i] < 3 ? 1 << axes[i] : 0;
    }
    return axis_bits == 7;
}

void fbx_axes_read(fbx_reader *r)
{
    static const char *const axes[3] = {"CoordAxis", "UpAxis", "FrontAxis"};
    static const char *const signs[3] = {"CoordAxisSign", "UpAxisSign", "FrontAxisSign"};
    const double unit = real(r, "UnitScaleFactor", 1);
    r->unit = CENTIMETRE;
    if (unit >= MIN_UNIT && unit <= MAX_UNIT) {
        r->unit *= unit;
    } else {
        sn_log(SN_LOG_WARNING, "the unit of %g cm is implausible; 1 cm is used", unit);
    }
    for (int i = 0; i < 3; ++i) {
        r->axes[i] = integer(r, axes[i], i);
        r->signs[i] = integer(r, signs[i], 1) < 0 ? -1 : 1;
    }
    if (!is_permutation(r->axes)) {
        sn_log(SN_LOG_WARNING, "the axes %d %d %d are invalid; X right and Y up are used", r->axes[0], r->axes[1],
               r->axes[2]);
        for (int i = 0; i < 3; ++i) {
            r->axes[i] = i;
            r->signs[i] = 1;
        }
    }
    const bool is_odd = (r->axes[1] - r->axes[0] + 3) % 3 != 1;
    r->is_mirrored = (r->signs[0] * r->signs[1] * r->signs[2] < 0) != is_odd;
}

void fbx_convert_direction(const fbx_reader *r, const double *from, float *to)
{
    for (int i = 0; i < 3; ++i) {
        to[i] = (float)(r->signs[i] * from[r->axes[i]]);
    }
}

void fbx_convert_point(const fbx_reader *r, const double *from, float *to)
{
    for (int i = 0; i < 3; ++i) {
        to[i] = (float)(r->unit * r->signs[i] * from[r->axes[i]]);
    }
}

void fbx_convert_affine(const fbx_reader *r, const double *from, double *to)
{
    for (int row = 0; row < 3; ++row) {
        const double *old = from + 4 * r->axes[row];
        for (int column = 0; column < 3; ++column) {
            to[4 * row + column] = r->signs[row] * r->signs[column] * old[r->axes[column]];
        }
        to[4 * row + 3] = r->unit * r->signs[row] * old[3];
    }
}

void fbx_load_affine(const struct aiMatrix4x4 *from, double *to)
{
    const float rows[12] = {from->a1, from->a2, from->a3, from->a4, from->b1, from->b2,
                            from->b3, from->b4, from->c1, from->c2, from->c3, from->c4};
    for (int k = 0; k < 12; ++k) {
        to[k] = (double)rows[k];
    }
}

bool fbx_is_finite(const double *values, int count)
{
    for (int k = 0; k < count; ++k) {
        if (!isfinite(values[k])) {
            return false;
        }
    }
    return true;
}
