/* SPDX-License-Identifier: MIT */
#include "tools/read_fbx/tracks.h"

#include <math.h>
#include <stdlib.h>

#include "host/math/quaternion.h"

#define SMALL_SINE 1e-6
#define LARGE_ROTATION_COSINE 0.9959 /* cosine of half of about 10 degrees */

/* An array of keys whose first member is the time. */
typedef struct key_row {
    const char *keys;
    unsigned count;
    size_t stride;
} key_row;

static double time_of(const key_row *row, unsigned i)
{
    return *(const double *)(const void *)(row->keys + i * row->stride);
}

/* Finds the last key at or before `ticks` (or the first key) and its successor; returns the weight of the successor. */
static double find_keys(const key_row *row, double ticks, unsigned *a, unsigned *b)
{
    unsigned low = 0, high = row->count;
    while (high - low > 1) {
        const unsigned center = low + (high - low) / 2;
        if (time_of(row, center) <= ticks) {
            low = center;
        } else {
            high = center;
        }
    }
    *a = low;
    *b = low + 1 < row->count ? low + 1 : low;
    const double from = time_of(row, *a), length = time_of(row, *b) - from;
    return length > 0 ? fmin(fmax((ticks - from) / length, 0), 1) : 0;
}

static key_row vector_row(const struct aiVectorKey *keys, unsigned count)
{
    return (key_row){(const char *)keys, count, sizeof *keys};
}

static key_row quaternion_row(const struct aiQuatKey *keys, unsigned count)
{
    return (key_row){(const char *)keys, count, sizeof *keys};
}

static void sample_vector(const struct aiVectorKey *keys, unsigned count, double ticks, double fallback, double *out)
{
    unsigned a = 0, b = 0;
    const key_row row = vector_row(keys, count);
    const double fraction = count > 0 ? find_keys(&row, ticks, &a, &b) : 0;
    for (int k = 0; k < 3; ++k) {
        out[k] = count > 0 ? (1 - fraction) * (double)(&keys[a].mValue.x)[k] + fraction * (double)(&keys[b].mValue.x)[k]
                           : fallback;
    }
}

/* Spherical linear interpolation (Shoemake 1985) along the shorter arc; overwrites `to`. */
static void slerp(const double *from, double *to, double fraction)
{
    double dot = 0;
    for (int k = 0; k < 4; ++k) {
        dot += from[k] * to[k];
    }
    const double sign = dot < 0 ? -1 : 1, angle = acos(fmin(fabs(dot), 1)), sine = sin(angle);
    const double a = sine > SMALL_SINE ? sin((1 - fraction) * angle) / sine : 1 - fraction;
    const double b = sine > SMALL_SINE ? sin(fraction * angle) / sine : fraction;
    for (int k = 0; k < 4; ++k) {
        to[k] = a * from[k] + b * sign * to[k];
    }
    sn_quaternion_normalize(to);
}

static void load_rotation(const struct aiQuatKey *key, double *q)
{
    q[0] = (double)key->mValue.x;
    q[1] = (double)key->mValue.y;
    q[2] = (double)key->mValue.z;
    q[3] = (double)key->mValue.w;
    sn_quaternion_normalize(q);
}

bool fbx_track_has_large_rotation(const struct aiNodeAnim *channel)
{
    double from[4], to[4];
    for (unsigned i = 1; i < channel->mNumRotationKeys; ++i) {
        load_rotation(&channel->mRotationKeys[i - 1], from);
        load_rotation(&channel->mRotationKeys[i], to);
        if (fabs(from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3]) < LARGE_ROTATION_COSINE) {
            return true;
        }
    }
    return false;
}

static void sample_rotation(const struct aiNodeAnim *channel, double ticks, double *out)
{
    unsigned a = 0, b = 0;
    const struct aiQuatKey *keys = channel->mRotationKeys;
    const key_row row = quaternion_row(keys, channel->mNumRotationKeys);
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    if (row.count > 0) {
        const double fraction = find_keys(&row, ticks, &a, &b);
        double from[4];
        load_rotation(&keys[a], from);
        load_rotation(&keys[b], out);
        slerp(from, out, fraction);
    }
}

void fbx_track_sample(const struct aiNodeAnim *channel, double ticks, sn_trs *trs)
{
    sample_vector(channel->mPositionKeys, channel->mNumPositionKeys, ticks, 0, trs->translation);
    sample_rotation(channel, ticks, trs->rotation);
    sample_vector(channel->mScalingKeys, channel->mNumScalingKeys, ticks, 1, trs->scale);
}

static sn_result list_row(const key_row *row, const fbx_span *span, sn_list *times)
{
    for (unsigned i = 0; i < row->count; ++i) {
        const double seconds = (time_of(row, i) - span->start) / span->ticks_per_second;
        double *time = SN_LIST_ADD(times, double, 1);
        if (!time) {
            return SN_ERROR_MEMORY;
        }
        *time = seconds > 0 ? fmin(seconds, span->seconds) : 0;
    }
    return SN_OK;
}

sn_result fbx_track_list_times(const struct aiNodeAnim *channel, const fbx_span *span, sn_list *times)
{
    const key_row rows[3] = {vector_row(channel->mPositionKeys, channel->mNumPositionKeys),
                             quaternion_row(channel->mRotationKeys, channel->mNumRotationKeys),
                             vector_row(channel->mScalingKeys, channel->mNumScalingKeys)};
    for (int i = 0; i < 3; ++i) {
        SN_TRY(list_row(&rows[i], span, times));
    }
    return SN_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void fbx_times_sort(sn_list *times)
{
    double *items = times->items;
    size_t count = 0;
    if (times->count == 0) {
        return;
    }
    qsort(items, times->count, sizeof *items, compare);
    for (size_t i = 0; i < times->count; ++i) {
        if (count == 0 || (float)items[i] > (float)items[count - 1]) {
            items[count++] = items[i];
        }
    }
    times->count = count;
}

/* The shape's weight in a key; false if the key does not contain the shape. */
static bool find_weight(const struct aiMeshMorphKey *key, int shape, double *weight)
{
    for (unsigned i = 0; i < key->mNumValuesAndWeights; ++i) {
        if (key->mValues[i] == (unsigned)shape && isfinite(key->mWeights[i])) {
            *weight = key->mWeights[i];
            return true;
        }
    }
    return false;
}

/* Samples one shape at ascending times; keys without it are skipped. */
static void sample_shape(const struct aiMeshMorphAnim *from, const fbx_span *span, int shape, const float *times,
                         int count, float *values, int width)
{
    double before = 0, before_time = -INFINITY, after = 0, after_time = -INFINITY;
    unsigned key = 0;
    for (int i = 0; i < count; ++i) {
        const double ticks = span->start + (double)times[i] * span->ticks_per_second;
        while (after_time < ticks && key < from->mNumKeys) {
            double weight;
            if (find_weight(&from->mKeys[key], shape, &weight)) {
                before = isfinite(after_time) ? after : weight;
                before_time = after_time;
                after = weight;
                after_time = from->mKeys[key].mTime;
            }
            ++key;
        }
        const double length = after_time - before_time;
        const double fraction = isfinite(length) && length > 0 ? fmin(fmax((ticks - before_time) / length, 0), 1) : 1;
        values[(size_t)i * (size_t)width + (size_t)shape] = (float)((1 - fraction) * before + fraction * after);
    }
}

sn_result fbx_shapes_sample(const struct aiMeshMorphAnim *from, const fbx_span *span, int width, sn_arena *arena,
                            float **times, float **values, int *count)
{
    sn_list list = {0};
    const key_row row = {(const char *)from->mKeys, from->mNumKeys, sizeof *from->mKeys};
    sn_result result = list_row(&row, span, &list);
    if (result == SN_OK) {
        fbx_times_sort(&list);
        *count = (int)list.count;
        *times = SN_NEW(arena, float, list.count);
        *values = SN_NEW(arena, float, list.count *(size_t)width);
        result = *times && *values ? SN_OK : SN_ERROR_MEMORY;
    }
    for (size_t i = 0; result == SN_OK && i < list.count; ++i) {
        (*times)[i] = (float)((double *)list.items)[i];
    }
    for (int shape = 0; result == SN_OK && shape < width; ++shape) {
        sample_shape(from, span, shape, *times, *count, *values, width);
    }
    sn_list_finish(&list);
    return result;
}
