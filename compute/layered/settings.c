/* SPDX-License-Identifier: MIT */
#include "compute/layered/private.h"

static sn_result apply_flesh_settings(sn_gpu_layered *l, int index)
{
    const sn_gpu_layered_body *body = &l->bodies[index];
    const sn_layered_model *model = sn_gpu_layered_model_of(l, body);
    const sn_layered_settings *s = &body->settings;
    const bool is_damped_to_bones = s->damping > 0 && !s->is_rigid_damped && model->attached_vertex_count > 0;
    sn_xpbd_settings of_flesh = sn_layered_flesh_settings(model, s);
    of_flesh.damping = s->damping;
    of_flesh.is_rigid_damped |= is_damped_to_bones;
    const sn_result result = sn_gpu_xpbd_set_settings(l->xpbd, index, &of_flesh);
    uint32_t *flags = &sn_gpu_xpbd_find(l->xpbd, index)->record.flags;
    *flags = (*flags & ~(uint32_t)SN_XPBD_DAMPED_TO_BONES) | (is_damped_to_bones ? SN_XPBD_DAMPED_TO_BONES : 0);
    return result;
}

sn_result sn_gpu_layered_set_settings(sn_gpu_layered *l, int index, const sn_layered_settings *settings)
{
    sn_gpu_layered_body *body = sn_gpu_layered_find(l, index);
    const sn_result result = sn_layered_check_settings(settings);
    if (result != SN_OK) {
        return result;
    }
    body->settings = *settings;
    return apply_flesh_settings(l, index);
}
