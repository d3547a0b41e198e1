/* SPDX-License-Identifier: MIT */
/* Bones and flesh of coupled and layered bodies: locks, tears and springs. */
#include <math.h>
#include <string.h>

#include "host/model/model.h"
#include "host/world/embedded_flesh.h"
#include "host/world/record.h"

static sn_body_slot *get_bone(sn_body_id id, int bone)
{
    sn_body_slot *slot = sn_body_get(id);
    SN_ASSERT(slot->table->body_locks && bone >= 0 && bone < slot->bone_count);
    return slot;
}

/* For coupled and layered bodies. */
static const sn_body_slot *get_flesh(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_get(id);
    SN_ASSERT(slot->table->body_tet_positions);
    return slot;
}

/* ---- locks ---- */

/* Position of the pivot in a pose. */
static void transform_pivot(const double *m, const double *pivot, double *position)
{
    for (int d = 0; d < 3; ++d) {
        position[d] = m[4 * d] * pivot[0] + m[4 * d + 1] * pivot[1] + m[4 * d + 2] * pivot[2] + m[4 * d + 3];
    }
}

/* Copies the simulated state of newly locked axes into the pose, so that they keep their value: the locked axes of the
 * pivot's position, and the whole linear part if any other axis is locked. */
static void adopt_current_transform(const sn_model *model, int bone, const float *matrix, unsigned added, double *pose)
{
    double now[12], pivot[3], position[3], current_position[3];
    for (int i = 0; i < 12; ++i) {
        now[i] = (double)matrix[i];
    }
    sn_model_bone_pivot(model, bone, pivot);
    transform_pivot(pose, pivot, position);
    transform_pivot(now, pivot, current_position);
    for (int d = 0; d < 3; ++d) {
        position[d] = added >> d & SN_LOCK_X ? current_position[d] : position[d];
        for (int k = 0; k < 3 && added > SN_LOCK_TRANSLATION; ++k) {
            pose[4 * d + k] = now[4 * d + k];
        }
    }
    for (int d = 0; d < 3; ++d) {
        pose[4 * d + 3] =
            position[d] - pose[4 * d] * pivot[0] - pose[4 * d + 1] * pivot[1] - pose[4 * d + 2] * pivot[2];
    }
}

void sn_body_set_locks(sn_body_id id, int bone, unsigned locks)
{
    sn_body_slot *slot = get_bone(id, bone);
    const unsigned added = locks & SN_LOCK_ALL & ~(unsigned)slot->locks[bone];
    const size_t at = 12 * (size_t)bone;
    SN_RECORD(slot->recorder, LOCKS, .body = id.index1, .index = bone, .number = (int32_t)locks);
    if (added) {
        slot->table->body_bones(slot->body, 1, slot->matrices); /* restored by sn_body_slot_output below */
        adopt_current_transform(slot->desc.model, bone, slot->matrices + at, added, slot->pose_now + at);
        memcpy(slot->pose_before + at, slot->pose_now + at, 12 * sizeof(double));
    }
    slot->locks[bone] = (uint8_t)(locks & SN_LOCK_ALL);
    slot->table->body_locks(slot->body, bone, slot->locks[bone]);
    const sn_world *w = sn_world_by_index(id.world0);
    sn_body_slot_output(w, slot);
}

unsigned sn_body_locks(sn_body_id id, int bone)
{
    return get_bone(id, bone)->locks[bone];
}

void sn_body_set_compliance(sn_body_id id, int bone, double compliance)
{
    const sn_body_slot *slot = get_bone(id, bone);
    SN_RECORD(slot->recorder, COMPLIANCE, .body = id.index1, .index = bone, .scalar = compliance);
    slot->table->body_compliance(slot->body, bone, compliance);
}

void sn_body_lock_impulse(sn_body_id id, int bone, double impulse[6])
{
    const sn_body_slot *slot = get_bone(id, bone);
    slot->table->body_lock_impulse(slot->body, bone, impulse);
}

void sn_body_tet_positions(sn_body_id id, double *positions, int count)
{
    const sn_body_slot *slot = get_flesh(id);
    SN_ASSERT(count == sn_model_vertex_count(slot->desc.model));
    slot->table->body_tet_positions(slot->body, positions);
}

sn_body_motion sn_body_get_motion(sn_body_id id)
{
    const sn_body_slot *slot = get_flesh(id);
    sn_body_motion motion = {0};
    slot->table->body_motion(slot->body, &motion);
    return motion;
}

/* ---- edits of the flesh ---- */

int sn_body_tear(sn_body_id id, const double point[3], double radius)
{
    const sn_body_slot *slot = get_bone(id, 0);
    const bool is_valid = isfinite(point[0] + point[1] + point[2]) && radius > 0;
    const int removed_count = is_valid ? slot->table->body_tear(slot->body, point, radius) : 0;
    SN_RECORD(slot->recorder, TEAR, .body = id.index1, .point = {point[0], point[1], point[2]}, .scalar = radius,
              .number = removed_count);
    return removed_count;
}

sn_result sn_body_repair(sn_body_id id)
{
    const sn_body_slot *slot = get_bone(id, 0);
    SN_TRY(slot->table->body_repair(slot->body));
    SN_RECORD(slot->recorder, REPAIR, .body = id.index1);
    return SN_OK;
}

int sn_body_add_spring(sn_body_id id, int first, int second, double length, double stiffness)
{
    const sn_body_slot *slot = get_bone(id, 0);
    const int count = sn_model_vertex_count(slot->desc.model);
    const int32_t vertices[2] = {first, second};
    const bool are_vertices = first >= 0 && first < count && second >= 0 && second < count && first != second;
    const bool is_valid = are_vertices && isfinite(length) && stiffness > 0;
    const int spring = is_valid ? slot->table->body_add_spring(slot->body, vertices, length, stiffness) : -1;
    SN_RECORD(slot->recorder, SPRING, .body = id.index1, .index = first, .other = second, .scalar = length,
              .second = stiffness, .number = spring);
    return spring;
}

void sn_body_remove_spring(sn_body_id id, int spring)
{
    const sn_body_slot *slot = get_bone(id, 0);
    SN_RECORD(slot->recorder, SPRING_REMOVED, .body = id.index1, .index = spring);
    slot->table->body_remove_spring(slot->body, spring);
}
