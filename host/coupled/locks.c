/* SPDX-License-Identifier: MIT */
/* Locks and targets of a world body's bones. */
#include "host/coupled/table.h"
#include "host/model/model.h"

/* If a joint's whole chain is locked, its position follows from the pose, and locking its translation would only cost
 * time. */
static bool is_carried(const sn_table_body *b, int bone)
{
    const sn_model *m = b->shared->bones->model;
    int above = m->bone_parents[bone], root = bone;
    bool is_locked = above >= 0;
    for (; above >= 0 && is_locked; above = m->bone_parents[above]) {
        is_locked = (b->locks[above] & SN_LOCK_ROTATION) == SN_LOCK_ROTATION;
        root = above;
    }
    return is_locked && (b->locks[root] & SN_LOCK_TRANSLATION) == SN_LOCK_TRANSLATION;
}

unsigned sn_coupled_locks_of(const sn_table_body *b, int bone)
{
    const unsigned locks = b->locks[bone];
    return is_carried(b, bone) ? locks & ~(unsigned)SN_LOCK_TRANSLATION : locks;
}

void sn_coupled_give_locks(sn_table_body *b)
{
    for (int bone = 0; bone < b->bone_count; ++bone) {
        sn_coupled_body_set_locks(b->body, bone, sn_coupled_locks_of(b, bone));
    }
}

void sn_coupled_lock_all(sn_table_body *b, const double *pose)
{
    const sn_model *m = b->shared->bones->model;
    for (int bone = 0; bone < b->bone_count; ++bone) {
        const unsigned locks = m->bone_parents[bone] >= 0 ? SN_LOCK_ROTATION | SN_LOCK_STRETCH : SN_LOCK_ALL;
        sn_coupled_body_set_locks(b->body, bone, locks);
        sn_coupled_body_set_target(b->body, bone, pose + 12 * (size_t)bone);
    }
}

void sn_coupled_give_targets(sn_table_body *b, const double *pose)
{
    for (int bone = 0; bone < b->bone_count; ++bone) {
        if (b->locks[bone]) {
            sn_coupled_body_set_target(b->body, bone, pose + 12 * (size_t)bone);
        }
    }
}
