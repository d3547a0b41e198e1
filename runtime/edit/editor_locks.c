/* SPDX-License-Identifier: MIT */
/* Locks, targets and compliances that the editor sets on the body's bones. */
#include <string.h>

#include "runtime/edit/editor_state.h"
#include "runtime/edit/markers.h"

static bool is_posed(const sn_editor *e, int bone)
{
    return (e->action == SN_EDIT_ACTION_DRAG || e->action == SN_EDIT_ACTION_ROTATE) && e->bone == bone;
}

static void set_locks(sn_editor *e, int bone, unsigned locks)
{
    if (is_posed(e, bone)) {
        const unsigned dragged_locks = e->action == SN_EDIT_ACTION_DRAG ? SN_LOCK_TRANSLATION : SN_LOCK_ROTATION;
        e->locks_before = locks;
        locks |= dragged_locks & sn_bone_scalars(e->model, bone);
    } else if (locks == 0) {
        e->has_target[bone] = false;
    } else {
        sn_editor_bone_transform(e, bone, e->targets[bone]);
        e->has_target[bone] = true;
    }
    sn_body_set_locks(e->body, bone, locks);
}

void sn_editor_toggle_locks(sn_editor *e, unsigned locks)
{
    const int bone = e->selected >= 0 ? e->bones[e->selected] : -1;
    if (bone < 0) {
        sn_editor_set_message(e, e->selected < 0 ? "no handle is selected" : "its weights are still being computed");
        return;
    }
    const char *name = e->handles.items[e->selected].name;
    const unsigned scalars = sn_bone_scalars(e->model, bone), mask = locks & scalars;
    const unsigned previous = is_posed(e, bone) ? e->locks_before : sn_body_locks(e->body, bone) & scalars;
    if (mask == 0) {
        sn_editor_set_message(e, "%s has %s", name,
                              scalars & SN_LOCK_TRANSLATION ? "only a position" : "no position of its own");
        return;
    }
    const bool is_locked = (previous & mask) == mask;
    set_locks(e, bone, is_locked ? previous & ~mask : previous | mask);
    sn_editor_set_message(e, "%s: %s", name, is_locked ? "released" : "locked");
}

void sn_editor_free_all(sn_editor *e)
{
    for (int bone = 0; bone < sn_model_bone_count(e->model); ++bone) {
        set_locks(e, bone, 0);
    }
    sn_editor_set_message(e, "all handles released");
}

double sn_editor_compliance(const sn_editor *e)
{
    const int bone = e->selected >= 0 ? e->bones[e->selected] : -1;
    return bone >= 0 ? e->compliances[bone] : -1;
}

void sn_editor_set_compliance(sn_editor *e, double compliance)
{
    const int bone = e->selected >= 0 ? e->bones[e->selected] : -1;
    if (bone < 0) {
        sn_editor_set_message(e, e->selected < 0 ? "no handle is selected" : "its weights are still being computed");
        return;
    }
    e->compliances[bone] = compliance;
    sn_body_set_compliance(e->body, bone, compliance);
    sn_editor_set_message(e, "%s: compliance %.3g", e->handles.items[e->selected].name, compliance);
}

void sn_editor_rebind(sn_editor *e, sn_body_id body)
{
    SN_ASSERT(sn_body_model(body) == e->model);
    e->action = SN_EDIT_ACTION_NONE; /* a grab ends with its body */
    e->body = body;
    memset(e->has_target, 0, sizeof e->has_target);
    for (int bone = 0; bone < sn_model_bone_count(e->model); ++bone) {
        sn_body_set_compliance(body, bone, e->compliances[bone]);
    }
    sn_editor_update_bone_map(e);
}

void sn_editor_clear_targets(sn_editor *e)
{
    sn_editor_end_drag(e);
    memset(e->has_target, 0, sizeof e->has_target);
}

void sn_editor_pose(const sn_editor *e, sn_mat3x4 *bones, int count)
{
    SN_ASSERT(count == sn_model_bone_count(e->model));
    for (int bone = 0; bone < count; ++bone) {
        for (int i = 0; i < 12 && e->has_target[bone]; ++i) {
            bones[bone].m[i / 4][i % 4] = (float)e->targets[bone][i];
        }
    }
}
