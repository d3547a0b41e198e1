/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/tracking.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "author/io/motion/arkit_csv.h"
#include "author/io/scene_file.h"
#include "host/base/utf8.h"

bool sn_tracking_set_rotation(sn_tracking *tracking_frame, int bone, const double rotation[4], double confidence)
{
    double length = 0;
    for (int i = 0; i < 4; ++i) {
        length += rotation[i] * rotation[i];
    }
    length = sqrt(length);
    if (!(length > 1e-6) || !isfinite(length)) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        tracking_frame->rotations[bone][i] = rotation[i] / length;
    }
    tracking_frame->confidence[bone] = fmin(fmax(confidence, 0), 1);
    tracking_frame->tracked |= UINT64_C(1) << bone;
    return true;
}

/* Canonical spelling: VRM 1.0's or ARKit's where it is one of their names. */
static const char *known_name(const char *name)
{
    const char *preset = sn_vrm_preset_name(name);
    const int arkit = preset ? -1 : sn_arkit_find(name, strlen(name));
    return preset ? preset : arkit >= 0 ? sn_arkit_name(arkit) : name;
}

int sn_tracking_expression(sn_tracking *tracking_frame, const char *name, size_t length)
{
    char own[SN_TRACKING_NAME_SIZE];
    if (length == 0 || length >= sizeof own || !sn_utf8_is_text(name, length)) {
        return -1;
    }
    memcpy(own, name, length);
    own[length] = 0;
    const char *stored_name = known_name(own);
    for (int i = 0; i < tracking_frame->expression_count; ++i) {
        if (strcasecmp(tracking_frame->expressions[i].name, stored_name) == 0) {
            return i;
        }
    }
    if (tracking_frame->expression_count == SN_TRACKING_EXPRESSION_LIMIT) {
        return -1;
    }
    sn_tracked_expression *added = &tracking_frame->expressions[tracking_frame->expression_count];
    memset(added, 0, sizeof *added);
    memcpy(added->name, stored_name, strlen(stored_name));
    return tracking_frame->expression_count++;
}

void sn_tracking_set_weight(sn_tracking *tracking_frame, int expression, double weight)
{
    if (expression >= 0 && isfinite(weight)) {
        tracking_frame->expressions[expression].weight = fmin(fmax(weight, 0), 1);
    }
}

void sn_tracking_source_destroy(sn_tracking_source **source)
{
    if (*source) {
        (*source)->destroy(*source);
    }
    *source = NULL;
}
