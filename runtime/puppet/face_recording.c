/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/face_recording.h"

#include <math.h>
#include <string.h>

#include "author/retarget/twist.h"
#include "host/base/arena.h"
#include "host/math/quaternion.h"

typedef struct recording {
    sn_tracking_source face;
    sn_arena arena;
    sn_arkit_csv csv;
    double seconds;
    bool is_new;
    int64_t byte_count, tracking_frame_count;
} recording;

/* The last row at or before a time. */
static int find_row(const sn_arkit_csv *c, double seconds)
{
    int low = 0, high = c->row_count - 1;
    while (low < high) {
        const int mid = (low + high + 1) / 2;
        low = c->seconds[mid] <= seconds ? mid : low;
        high = c->seconds[mid] <= seconds ? high : mid - 1;
    }
    return low;
}

/* Rotation from Euler angles: yaw about y, then pitch about the rotated x, then roll about the rotated z. */
static void set_euler_rotation(const sn_arkit_csv *c, const double *values, int first, int bone,
                               sn_tracking *tracking_frame)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double q[4], next[4];
    if (!c->has[first] && !c->has[first + 1] && !c->has[first + 2]) {
        return;
    }
    sn_rig_axis_rotation(y, -values[first], q);
    sn_rig_axis_rotation(x, values[first + 1], next);
    sn_quaternion_multiply(q, next, q);
    sn_rig_axis_rotation(z, -values[first + 2], next);
    sn_quaternion_multiply(q, next, q);
    sn_tracking_set_rotation(tracking_frame, bone, q, 1);
}

void sn_face_recording_sample(const sn_arkit_csv *c, double seconds, sn_tracking *tracking_frame)
{
    const int row = find_row(c, seconds), next = row + 1 < c->row_count ? row + 1 : row;
    const double length = c->seconds[next] - c->seconds[row];
    const double fraction = length > 0 ? fmin((seconds - c->seconds[row]) / length, 1) : 0;
    double values[SN_ARKIT_COLUMNS];
    for (int i = 0; i < SN_ARKIT_COLUMNS; ++i) {
        const float *at = c->values + (size_t)i;
        const double a = (double)at[(size_t)row * SN_ARKIT_COLUMNS], b = (double)at[(size_t)next * SN_ARKIT_COLUMNS];
        values[i] = a + fraction * (b - a);
    }
    tracking_frame->tracked = 0;
    tracking_frame->is_face_lost = !c->is_tracked[row] || !c->is_tracked[next];
    if (tracking_frame->is_face_lost) {
        return;
    }
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        if (c->has[i]) {
            const char *name = sn_arkit_name(i);
            sn_tracking_set_weight(tracking_frame, sn_tracking_expression(tracking_frame, name, strlen(name)),
                                   values[i]);
        }
    }
    set_euler_rotation(c, values, SN_ARKIT_HEAD_YAW, SN_HUMANOID_HEAD, tracking_frame);
    set_euler_rotation(c, values, SN_ARKIT_LEFT_EYE_YAW, SN_HUMANOID_LEFT_EYE, tracking_frame);
    set_euler_rotation(c, values, SN_ARKIT_RIGHT_EYE_YAW, SN_HUMANOID_RIGHT_EYE, tracking_frame);
}

static bool poll_recording(sn_tracking_source *source, sn_tracking *tracking_frame)
{
    recording *r = (recording *)source;
    if (!r->is_new) {
        return false;
    }
    const double end = r->csv.seconds[r->csv.row_count - 1];
    sn_face_recording_sample(&r->csv, end > 0 ? fmod(r->seconds, end) : 0, tracking_frame);
    tracking_frame->seconds = r->seconds;
    r->is_new = false;
    ++r->tracking_frame_count;
    return true;
}

static void advance(sn_tracking_source *source, double seconds)
{
    recording *r = (recording *)source;
    r->seconds += seconds;
    r->is_new = true;
}

static void report(const sn_tracking_source *source, sn_tracking_report *out)
{
    const recording *r = (const recording *)source;
    *out = (sn_tracking_report){.packet_count = r->csv.row_count,
                                .byte_count = r->byte_count,
                                .message_count = r->csv.row_count,
                                .tracking_frame_count = r->tracking_frame_count};
}

static void destroy(sn_tracking_source *source)
{
    recording *r = (recording *)source;
    sn_arena_finish(&r->arena);
    sn_free(r, 1, sizeof *r);
}

sn_result sn_face_recording_create(const char *path, sn_tracking_source **source)
{
    recording *r = sn_alloc(1, sizeof *r);
    sn_source file;
    *source = NULL;
    if (!r) {
        return SN_ERROR_MEMORY;
    }
    r->face = (sn_tracking_source){
        .name = "face", .poll = poll_recording, .report = report, .destroy = destroy, .advance = advance};
    r->is_new = true;
    sn_result result = sn_source_read(path, &r->arena, &file);
    result = result ? result : sn_arkit_csv_read(&file, &r->arena, &r->csv);
    if (result != SN_OK) {
        destroy(&r->face);
        return result;
    }
    r->byte_count = (int64_t)file.size;
    *source = &r->face;
    return SN_OK;
}
