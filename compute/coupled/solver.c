/* SPDX-License-Identifier: MIT */
/* Creation and destruction of the solver and its pipeline. */
#include "compute/core/shared.h"
#include "compute/coupled/private.h"

static const uint32_t step_shader[] =
#include "shaders/coupled/step.comp.inc"
    ;
static const uint32_t matrix_shader[] =
#include "shaders/coupled/show.comp.inc"
    ;
static const uint32_t single_step_shader[] =
#include "shaders/coupled/step_single.comp.inc"
    ;
static const uint32_t single_matrix_shader[] =
#include "shaders/coupled/show_single.comp.inc"
    ;

_Static_assert(sizeof(struct sn_coupled_rig_record) == 128, "as the shader reads it");
_Static_assert(sizeof(struct sn_coupled_system_record) == 272, "as the shader reads it");
_Static_assert(sizeof(struct sn_coupled_record) == 80, "as the shader reads it");
_Static_assert(SN_COUPLED_AFFINE == SN_HANDLE_AFFINE && SN_COUPLED_TRANSLATION == SN_HANDLE_TRANSLATION, "kinds");
_Static_assert(SN_XPBD_BLOCK == SN_BATCH, "as weights lie");

static sn_result init(sn_gpu_coupled *c, const sn_gpu_xpbd_desc *desc)
{
    c->coupling.shader = SN_GPU_SHADER(step_shader);
    c->coupling.single = SN_GPU_SHADER(single_step_shader);
    c->coupling.phases = 1U << SN_XPBD_ALL | 1U << SN_XPBD_START | 1U << SN_XPBD_COUPLE | 1U << SN_XPBD_FINISH;
    c->coupling.has_separate_finish = true;
    SN_TRY(sn_gpu_shared_set_layout(c->device, SN_COUPLED_BINDING_COUNT, &c->coupling.set_layout));
    SN_TRY(sn_gpu_xpbd_create_coupled(c->device, desc, &c->coupling, &c->xpbd));
    for (int i = 0; i < SN_COUPLED_BINDING_COUNT; ++i) {
        SN_TRY(sn_gpu_coupled_enlarge(c, i, 0));
    }
    return SN_OK;
}

sn_result sn_gpu_coupled_create_pipeline(sn_gpu_coupled *c)
{
    const uint32_t constants[] = {SN_XPBD_ALL, false, 1, 0, 1, false};
    const sn_gpu_shader shader = SN_GPU_SHADER(matrix_shader), single = SN_GPU_SHADER(single_matrix_shader);
    return sn_gpu_shared_compute_pipeline(c->device, "coupled matrices", c->xpbd->layout,
                                          c->xpbd->desc.is_single_precision ? single : shader, constants, 6,
                                          &c->matrix_pipeline);
}

sn_result sn_gpu_coupled_create(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_gpu_coupled **coupled)
{
    *coupled = NULL;
    sn_gpu_coupled *c = sn_alloc(1, sizeof *c);
    if (!c) {
        return SN_ERROR_MEMORY;
    }
    c->device = device;
    c->recording_limit = desc->recording_limit;
    const sn_result result = init(c, desc);
    if (result != SN_OK) {
        sn_gpu_coupled_destroy(&c);
    }
    *coupled = c;
    return result;
}

static void free_all(sn_gpu_coupled *c)
{
    for (int i = 0; i < c->rig_count; ++i) {
        sn_coupled_body_destroy(&c->rigs[i].scratch);
    }
    for (int i = 0; i < c->body_count; ++i) {
        sn_free(c->bodies[i].handles, c->bodies[i].handle_capacity, sizeof *c->bodies[i].handles);
        sn_free(c->bodies[i].state, c->bodies[i].state_capacity, sizeof *c->bodies[i].state);
    }
    sn_gpu_coupled_free_systems(c);
    sn_free(c->rigs, (size_t)c->rig_capacity, sizeof *c->rigs);
    sn_free(c->bodies, (size_t)c->body_capacity, sizeof *c->bodies);
    sn_free(c, 1, sizeof *c);
}

void sn_gpu_coupled_destroy(sn_gpu_coupled **coupled)
{
    sn_gpu_coupled *c = *coupled;
    *coupled = NULL;
    if (!c) {
        return;
    }
    sn_gpu_xpbd_destroy(&c->xpbd); /* waits for the device */
    sn_gpu_set_destroy(c->device, &c->set);
    for (int i = 0; i < SN_COUPLED_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(c->device, &c->buffers[i]);
    }
    free_all(c);
}

sn_gpu_xpbd *sn_gpu_coupled_flesh(sn_gpu_coupled *coupled)
{
    return coupled->xpbd;
}
