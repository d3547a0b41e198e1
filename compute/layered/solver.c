/* SPDX-License-Identifier: MIT */
/* Creation and destruction of the solver. */
#include "compute/core/shared.h"
#include "compute/layered/private.h"

static const uint32_t step_shader[] =
#include "shaders/layered/step.comp.inc"
    ;
static const uint32_t single_step_shader[] =
#include "shaders/layered/step_single.comp.inc"
    ;

_Static_assert(sizeof(struct sn_layered_model_record) == 56, "as the shader reads it");
_Static_assert(sizeof(struct sn_layered_record) == 96, "as the shader reads it");

static uint32_t bits(const uint32_t *phases, size_t count)
{
    uint32_t all = 0;
    for (size_t i = 0; i < count; ++i) {
        all |= UINT32_C(1) << phases[i];
    }
    return all;
}

static sn_result init(sn_gpu_layered *l, const sn_gpu_xpbd_desc *desc)
{
    static const uint32_t phases[] = {SN_XPBD_ALL,        SN_XPBD_START, SN_XPBD_MOVE, SN_XPBD_COLOUR,
                                      SN_XPBD_SMALL_RUNS, SN_XPBD_RIGID, SN_XPBD_DAMP, SN_XPBD_FINISH};
    l->coupling.shader = SN_GPU_SHADER(step_shader);
    l->coupling.single = SN_GPU_SHADER(single_step_shader);
    l->coupling.phases = bits(phases, sizeof phases / sizeof phases[0]);
    SN_TRY(sn_gpu_shared_set_layout(l->device, SN_LAYERED_BINDING_COUNT, &l->coupling.set_layout));
    SN_TRY(sn_gpu_xpbd_create_coupled(l->device, desc, &l->coupling, &l->xpbd));
    for (int i = 0; i < SN_LAYERED_BINDING_COUNT; ++i) {
        SN_TRY(sn_gpu_layered_enlarge(l, i, 0));
    }
    return SN_OK;
}

sn_result sn_gpu_layered_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_layered **layered)
{
    *layered = NULL;
    sn_gpu_layered *l = sn_alloc(1, sizeof *l);
    if (!l) {
        return SN_ERROR_MEMORY;
    }
    l->device = device;
    l->recording_limit = desc->recording_limit;
    const sn_result result = init(l, desc);
    if (result != SN_OK) {
        sn_gpu_layered_destroy(&l);
    }
    *layered = l;
    return result;
}

static void free_all(sn_gpu_layered *l)
{
    for (int i = 0; i < l->model_count; ++i) {
        sn_layered_body_destroy(&l->models[i].scratch);
        sn_free(l->models[i].attached_fractions, (size_t)l->models[i].model->bone_count, sizeof(double));
    }
    for (int i = 0; i < l->body_count; ++i) {
        sn_free(l->bodies[i].poses, 36 * (size_t)l->bodies[i].bone_count, sizeof(double));
    }
    sn_free(l->models, (size_t)l->model_capacity, sizeof *l->models);
    sn_free(l->bodies, (size_t)l->body_capacity, sizeof *l->bodies);
    sn_free(l, 1, sizeof *l);
}

void sn_gpu_layered_destroy(sn_gpu_layered **layered)
{
    sn_gpu_layered *l = *layered;
    *layered = NULL;
    if (!l) {
        return;
    }
    sn_gpu_xpbd_destroy(&l->xpbd); /* waits for the device */
    sn_gpu_set_destroy(l->device, &l->set);
    for (int i = 0; i < SN_LAYERED_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(l->device, &l->buffers[i]);
    }
    free_all(l);
}

sn_gpu_xpbd *sn_gpu_layered_flesh(sn_gpu_layered *layered)
{
    return layered->xpbd;
}
