/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/vmc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define QUIET_SECONDS 0.004 /* silence after which a complete frame is assumed to have ended */
#define LATE_SECONDS 0.1    /* silence after which the missing part of a frame is assumed lost */
#define GAP_WEIGHT 0.2      /* weight of a new gap in the running mean */
#define GAP_FACTOR 4.0      /* ratio of the longest gap to all others, for a sender that sends frames in bursts */
#define BURST_FRACTION 0.7  /* fraction of the period; a burst is shorter */
#define LOST_SECONDS 1.0
#define MAX_STEP 1.0   /* of the sender's clock; a larger step means that the clock was set */
#define MIN_HEIGHT 0.1 /* metres: plausible range of a leg's length */
#define MAX_HEIGHT 4.0

static const double identity_transform[7] = {0, 0, 0, 0, 0, 0, 1};

void sn_vmc_mirror(const double from[7], double to[7])
{
    const double mirrored[7] = {-from[0], from[1], from[2], from[3], -from[4], -from[5], from[6]};
    memcpy(to, mirrored, sizeof mirrored);
}

int sn_vmc_find_bone(const char *name)
{
    static const char *const thumbs[2] = {"LeftThumb", "RightThumb"};
    static const char *const parts[3] = {"Proximal", "Intermediate", "Distal"};
    for (int side = 0; side < 2; ++side) {
        const size_t length = strlen(thumbs[side]);
        for (int k = 0; k < 3 && strncasecmp(name, thumbs[side], length) == 0; ++k) {
            if (strcasecmp(name + length, parts[k]) == 0) {
                return sn_humanoid_bone_index(side, SN_PART_THUMB + k);
            }
        }
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (strcasecmp(name, sn_humanoid_name(bone)) == 0) {
            return strstr(sn_humanoid_name(bone), "Thumb") ? -1 : bone;
        }
    }
    return -1;
}

/* ---- frames ---- */

/* Mean leg length from the bones' offsets; 0: unknown. */
static double leg_height(const sn_vmc *v)
{
    double sum = 0;
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        const double *upper = v->bone_offsets[sn_humanoid_bone_index(side, SN_PART_UPPER_LEG)];
        const double knee = sn_length3(v->bone_offsets[sn_humanoid_bone_index(side, SN_PART_LOWER_LEG)]);
        const double ankle = sn_length3(v->bone_offsets[sn_humanoid_bone_index(side, SN_PART_FOOT)]);
        if (knee > 0 && ankle > 0) {
            sum += knee + ankle - upper[1];
            ++count;
        }
    }
    const double height = count > 0 ? sum / count : 0;
    return height > MIN_HEIGHT && height < MAX_HEIGHT ? height : 0;
}

static void compute_hips(sn_vmc *v)
{
    double m[9], rotation[4];
    sn_quaternion_multiply(v->root + 3, v->hips + 3, rotation);
    if (sn_tracking_has(&v->next, SN_HUMANOID_HIPS) || fabs(v->root[6]) < 1 - 1e-9) {
        sn_tracking_set_rotation(&v->next, SN_HUMANOID_HIPS, rotation, 1);
    }
    v->next.has_hips = v->has_hips_position;
    sn_quaternion_to_matrix(v->root + 3, m);
    for (int d = 0; d < 3; ++d) {
        v->next.hips[d] = v->root[d] + sn_dot3(m + 3 * d, v->hips);
    }
    v->next.hips_height = leg_height(v);
}

/* Seconds since the last frame, by the sender's clock if it is running. */
static double step_of(const sn_vmc *v)
{
    const double own_step = v->time - v->last_time;
    return v->has_time && v->had_time && own_step > 0 && own_step < MAX_STEP ? own_step
                                                                             : fmax(v->now - v->last_frame_now, 0);
}

static bool has_new_data(const sn_vmc *v)
{
    return v->received_bones != 0 || v->has_applied || v->has_root;
}

/* Bones that have not been received for LOST_SECONDS are no longer tracked. */
static void expire_bones(sn_vmc *v)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (v->received_bones >> bone & 1) {
            v->last_seen[bone] = v->now;
        } else if (v->now - v->last_seen[bone] > LOST_SECONDS) {
            sn_tracking_clear_bone(&v->next, bone);
            v->expected_bones &= ~(UINT64_C(1) << bone);
        }
    }
    if (!sn_tracking_has(&v->next, SN_HUMANOID_HIPS)) {
        v->has_hips_position = false;
        memcpy(v->hips, identity_transform, sizeof v->hips);
    }
}

static void finish_frame(sn_vmc *v)
{
    expire_bones(v);
    compute_hips(v);
    v->next.seconds += v->tracking_frame_count > 0 ? step_of(v) : 0;
    v->next.arrived = v->now;
    v->tracking_frame = v->next;
    v->has_frame = true;
    ++v->tracking_frame_count;
    v->expected_bones |= v->received_bones;
    v->is_applying = v->received_bones != 0 ? v->has_applied : v->is_applying;
    v->last_bones = v->received_bones;
    v->had_time = v->has_time;
    v->last_time = v->time;
    v->last_frame_now = v->now;
    v->received_bones = 0;
    v->has_root = v->has_applied = v->has_time = false;
}

static bool has_expected_bones(const sn_vmc *v)
{
    return (v->received_bones & v->expected_bones) == v->expected_bones;
}

static bool is_complete(const sn_vmc *v)
{
    return v->tracking_frame_count > 0 && has_expected_bones(v) && (v->has_applied || !v->is_applying) &&
           (v->received_bones != 0 || v->has_applied);
}

/* The first bone of the sender's frames. *is_burst: the sender pauses between frames. */
static int find_first_bone(const sn_vmc *v, bool *is_burst)
{
    int max_bone = 0;
    double second_gap = 0;
    for (int bone = 1; bone < SN_HUMANOID_COUNT; ++bone) {
        const bool is_max = v->mean_gaps[bone] > v->mean_gaps[max_bone];
        second_gap = fmax(second_gap, is_max ? v->mean_gaps[max_bone] : v->mean_gaps[bone]);
        max_bone = is_max ? bone : max_bone;
    }
    *is_burst = v->mean_gaps[max_bone] > QUIET_SECONDS && v->mean_gaps[max_bone] > GAP_FACTOR * second_gap;
    return *is_burst ? max_bone : SN_HUMANOID_HIPS;
}

/* Gaps longer than a frame are ignored: they are not pauses between frames. */
static void update_gap(sn_vmc *v, int bone)
{
    if (!(v->period > 0 && v->current_gap > 1.1 * v->period)) {
        v->mean_gaps[bone] += GAP_WEIGHT * (fmin(v->current_gap, LATE_SECONDS) - v->mean_gaps[bone]);
    }
    v->current_gap = 0;
}

static void update_period(sn_vmc *v, int first_bone)
{
    const double period = v->now - v->first_time;
    if (v->first_bone != first_bone) {
        v->period = 0;
    } else if (v->first_time > 0 && period > 0 && period < MAX_STEP) {
        v->period += (v->period > 0 ? GAP_WEIGHT : 1) * (period - v->period);
    }
    v->first_bone = first_bone;
    v->first_time = v->now;
}

/* Finishes the current frame if the bone belongs to the next one. Reopens the last frame if it was finished too early.
 */
static void begin_bone(sn_vmc *v, int bone)
{
    const uint64_t bit = UINT64_C(1) << bone;
    bool is_burst;
    update_gap(v, bone);
    const bool is_first = find_first_bone(v, &is_burst) == bone;
    const bool is_period_over = v->period > 0 && v->now - v->frame_start > (is_burst ? BURST_FRACTION : 1) * v->period;
    if (v->received_bones & bit || (v->received_bones != 0 && (is_first || is_period_over))) {
        finish_frame(v);
    } else if (v->received_bones == 0 && !has_new_data(v) && !v->has_time && !(v->last_bones & bit) && !is_first &&
               !is_period_over && v->now - v->last_frame_now < LATE_SECONDS) {
        v->received_bones = v->last_bones;
    }
    if (is_first) {
        update_period(v, bone);
    }
    v->frame_start = v->received_bones == 0 ? v->now : v->frame_start;
    v->received_bones |= bit;
}

/* ---- messages ---- */

static bool read_transform(sn_vmc *v, const sn_osc_message *m, const char **name, double transform[7])
{
    sn_osc_value values[8];
    double numbers[7], square = 0;
    if (!sn_osc_arguments(m, "sfffffff", values)) {
        ++v->mismatched_count;
        return false;
    }
    for (int i = 0; i < 7; ++i) {
        numbers[i] = (double)values[i + 1].number;
        square += i >= 3 ? numbers[i] * numbers[i] : 0;
        if (!(fabs(numbers[i]) < 1e6)) {
            ++v->bad_number_count;
            return false;
        }
    }
    if (!(square > 1e-6)) { /* zero quaternion: sent by some senders */
        ++v->bad_number_count;
        return false;
    }
    sn_quaternion_normalize(numbers + 3);
    sn_vmc_mirror(numbers, transform);
    *name = values[0].text;
    return true;
}

static void read_root(sn_vmc *v, const sn_osc_message *m)
{
    const char *name;
    double transform[7];
    if (!read_transform(v, m, &name, transform)) {
        return;
    }
    if (v->has_root || v->received_bones != 0) {
        finish_frame(v);
    }
    memcpy(v->root, transform, sizeof v->root);
    v->has_root = true;
}

static void read_bone(sn_vmc *v, const sn_osc_message *m)
{
    const char *name;
    double transform[7];
    if (!read_transform(v, m, &name, transform)) {
        return;
    }
    const int bone = sn_vmc_find_bone(name);
    if (bone < 0) {
        ++v->unknown_bone_count;
        return;
    }
    begin_bone(v, bone);
    memcpy(v->bone_offsets[bone], transform, sizeof v->bone_offsets[bone]);
    sn_tracking_set_rotation(&v->next, bone, transform + 3, 1);
    if (bone == SN_HUMANOID_HIPS) {
        memcpy(v->hips, transform, sizeof v->hips);
        v->has_hips_position = sn_length3(transform) > 0; /* a zero position means unknown for some senders */
    }
}

static void read_weight(sn_vmc *v, const sn_osc_message *m)
{
    sn_osc_value values[2];
    if (!sn_osc_arguments(m, "sf", values)) {
        ++v->mismatched_count;
        return;
    }
    const int index = isfinite(values[1].number) ? sn_name_table_expression(&v->names, values[0].text, &v->next) : -1;
    if (index >= 0) {
        v->staged[index] = (double)values[1].number;
    } else if (isfinite(values[1].number)) {
        ++v->bad_name_count;
    } else {
        ++v->bad_number_count;
    }
}

static void apply(sn_vmc *v)
{
    if (v->has_applied && v->received_bones == 0) {
        finish_frame(v);
    }
    for (int i = 0; i < v->next.expression_count; ++i) {
        sn_tracking_set_weight(&v->next, i, v->staged[i]);
    }
    v->next.is_face_lost = false;
    v->has_applied = true;
}

static void read_time(sn_vmc *v, const sn_osc_message *m)
{
    sn_osc_value value;
    if (!sn_osc_arguments(m, "f", &value) || !isfinite(value.number)) {
        ++v->mismatched_count;
        return;
    }
    if (v->received_bones != 0 && v->has_time) {
        finish_frame(v);
    }
    v->time = (double)value.number;
    v->has_time = true;
    if (v->received_bones != 0 && has_expected_bones(v)) {
        finish_frame(v);
    }
}

/* State 0 (model not loaded): nothing is tracked. */
static void read_state(sn_vmc *v, const sn_osc_message *m)
{
    sn_osc_value value;
    if (!sn_osc_arguments(m, "i", &value)) {
        ++v->mismatched_count;
    } else if (value.integer == 0 && (v->next.tracked != 0 || !v->next.is_face_lost)) {
        v->next.tracked = v->received_bones = 0;
        v->next.is_face_lost = true;
        v->has_hips_position = false;
        memcpy(v->root, identity_transform, sizeof v->root);
        memcpy(v->hips, identity_transform, sizeof v->hips);
        finish_frame(v);
    }
}

static void handle(void *user, const sn_osc_message *m)
{
    sn_vmc *v = user;
    if (strcmp(m->address, "/VMC/Ext/Bone/Pos") == 0) {
        read_bone(v, m);
    } else if (strcmp(m->address, "/VMC/Ext/Blend/Val") == 0) {
        read_weight(v, m);
    } else if (strcmp(m->address, "/VMC/Ext/Blend/Apply") == 0) {
        apply(v);
    } else if (strcmp(m->address, "/VMC/Ext/Root/Pos") == 0) {
        read_root(v, m);
    } else if (strcmp(m->address, "/VMC/Ext/T") == 0) {
        read_time(v, m);
    } else if (strcmp(m->address, "/VMC/Ext/OK") == 0) {
        read_state(v, m);
    } else {
        ++v->unknown_count;
    }
}

void sn_vmc_init(sn_vmc *v)
{
    memset(v, 0, sizeof *v);
    memcpy(v->root, identity_transform, sizeof v->root);
    memcpy(v->hips, identity_transform, sizeof v->hips);
    v->osc = (sn_osc_handler){.handle = handle, .user = v};
}

void sn_vmc_read(sn_vmc *v, const uint8_t *bytes, size_t size, double now)
{
    v->current_gap = v->now > 0 ? fmax(v->current_gap, now - v->now) : 0;
    sn_vmc_flush(v, now);
    v->now = now;
    sn_osc_read(bytes, size, &v->osc);
    if (is_complete(v)) {
        finish_frame(v);
    }
}

void sn_vmc_flush(sn_vmc *v, double now)
{
    const bool is_partial = v->received_bones != 0 && !has_expected_bones(v);
    if (has_new_data(v) && now - v->now >= (is_partial ? LATE_SECONDS : QUIET_SECONDS)) {
        finish_frame(v);
    }
}
