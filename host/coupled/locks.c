/* SPDX-License-Identifier: MIT */
/* Locks and targets of a world body's bones. */
#include "host/coupled/table.h"
#include "host/model/model.h"

/* If a joint's whole chain is locked, its position follows from the pose, and locking its translation would only cost
 * time. */
static bool is_position_implied(const sn_coupled_table_body *b, int bone)
{
    const sn_model *m = b->shared->bones->model;
    int ancestor = m->bone_parents[bone], root = bone;
    bool is_locked = ancestor >= 0;
    for (; ancestor >= 0 && is_locked; ancestor = m->bone_parents[ancestor]) {
        is_locked = (b->locks[ancestor] & SN_LOCK_ROTATION) == SN_LOCK_ROTATION;
        root = ancestor;
    }
    return is_locked && (b->locks[root] & SN_LOCK_TRANSLATION) == SN_LOCK_TRANSLATION;
}

unsigned sn_coupled_effective_locks(const sn_coupled_table_body *b, int bone)
{
    const unsigned locks = b->locks[bone];
    return is_position_implied(b, bone) ? locks & ~(unsigned)SN_LOCK_TRANSLATION : locks;
}

void sn_coupled_apply_locks(sn_coupled_table_body *b)
{
    for (int bone = 0; bone < b->bone_count; ++bone) {
        sn_coupled_body_set_locks(b->body, bone, sn_coupled_effective_locks(b, bone));
    }
}

void sn_coupled_lock_all(sn_coupled_table_body *b, const double *pose)
{
    const sn_model *m = b->shared->bones->model;
    for (int bone = 0; bone < b->bone_count; ++bone) {
        const unsigned locks = m->bone_parents[bone] >= 0 ? SN_LOCK_ROTATION | SN_LOCK_STRETCH : SN_LOCK_ALL;
        sn_coupled_body_set_locks(b->body, bone, locks);
        sn_coupled_body_set_target(b->body, bone, pose + 12 * (size_t)bone);
    }
}

void sn_coupled_apply_targets(sn_coupled_table_body *b, const double *pose)
{
    for (int bone = 0; bone < b->bone_count; ++bone) {
        if (b->locks[bone]) {
            sn_coupled_body_set_target(b->body, bone, pose + 12 * (size_t)bone);
        }
    }
}
