/* SPDX-License-Identifier: MIT */
/* Rare operations on coupled bodies of a device: the body is downloaded, changed by the CPU table and uploaded. */
#include <string.h>

#include "compute/world/coupled_body.h"

void sn_gpu_world_coupled_reset(void *body, const double *pose)
{
    sn_gpu_world_coupled_body *b = body;
    if (sn_gpu_world_download(b)) {
        sn_coupled_table.body_reset(&b->table, pose);
        sn_gpu_world_upload(b);
    }
}

void sn_gpu_world_coupled_teleport(void *body, const double *transform)
{
    sn_gpu_world_coupled_body *b = body;
    if (sn_gpu_world_download(b)) {
        sn_coupled_table.body_teleport(&b->table, transform);
        sn_gpu_world_upload(b);
    }
}

void sn_gpu_world_coupled_apply_impulse(void *body, const double *point, const double *impulse)
{
    sn_gpu_world_coupled_body *b = body;
    if (sn_gpu_world_download(b)) {
        const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
        sn_xpbd_skin_impulse(&skin, point, impulse);
        sn_gpu_world_upload(b);
    }
}

void sn_gpu_world_coupled_apply_bone_impulse(void *body, int bone, const double *impulse)
{
    sn_gpu_world_coupled_body *b = body;
    if (sn_gpu_world_download(b)) {
        const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
        sn_xpbd_skin_bone_impulse(&skin, bone, impulse);
        sn_gpu_world_upload(b);
    }
}

/* ---- grabs ---- */

int sn_gpu_world_coupled_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    sn_gpu_world_coupled_body *b = body;
    if (!sn_gpu_world_download(b)) {
        return -1;
    }
    const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
    const int grab = sn_xpbd_skin_grab(&skin, point, desc);
    return sn_gpu_world_upload(b) == SN_OK ? grab : -1;
}

/* The pull is computed here from the current flesh positions, and is constant until the next call. */
void sn_gpu_world_coupled_drag(void *body, int grab, const double *target)
{
    sn_gpu_world_coupled_body *b = body;
    sn_xpbd_grabs_drag(b->table.grabs, grab, target);
    if (!b->table.grabs[grab].is_active || !sn_gpu_world_download(b)) {
        return;
    }
    const sn_xpbd_body *flesh = sn_coupled_body_flesh(b->table.body);
    const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
    sn_xpbd_skin_move_pins(&skin);
    for (int i = 0; i < flesh->pin_count; ++i) {
        const sn_xpbd_pin *pin = &flesh->pins[i];
        double position[3]; /* pin targets are relative to the rest position */
        for (int d = 0; d < 3; ++d) {
            position[d] = pin->target[d] + (double)flesh->model->rest[4 * pin->row + d];
        }
        sn_gpu_xpbd_move_pin(sn_gpu_world_flesh_of(b), b->base.index, flesh->model->order[pin->row], position);
    }
    b->table.body = NULL;
}

void sn_gpu_world_coupled_release(void *body, int grab)
{
    sn_gpu_world_coupled_body *b = body;
    if (b->table.grabs[grab].is_active && sn_gpu_world_download(b)) {
        const sn_xpbd_skin skin = sn_coupled_skin(&b->table);
        sn_xpbd_skin_release(&skin, grab);
        sn_gpu_world_upload(b);
    }
}

/* ---- flesh that changes ---- */

/* At the first edit the body gets a CPU body of its own, since its copy of the flesh now differs. */
static bool begin_edit(sn_gpu_world_coupled_body *b)
{
    if (!b->edited && sn_gpu_world_create_cpu_body(b, &b->edited) != SN_OK) {
        return false;
    }
    return sn_gpu_world_download(b);
}

static sn_result end_edit(sn_gpu_world_coupled_body *b)
{
    b->table.body = NULL; /* the state itself did not change */
    return sn_gpu_world_upload_edits(b, b->edited);
}

int sn_gpu_world_coupled_tear(void *body, const double *point, double radius)
{
    sn_gpu_world_coupled_body *b = body;
    if (!begin_edit(b)) {
        return -1;
    }
    const int torn = sn_coupled_tear(&b->table, point, radius);
    return end_edit(b) == SN_OK ? torn : -1;
}

sn_result sn_gpu_world_coupled_repair(void *body)
{
    sn_gpu_world_coupled_body *b = body;
    if (!b->edited) {
        return SN_OK;
    }
    SN_TRY(begin_edit(b) ? sn_coupled_restore_elements(&b->table) : SN_ERROR_UNSUPPORTED);
    return end_edit(b);
}

int sn_gpu_world_coupled_add_spring(void *body, const int32_t *vertices, double length, double stiffness)
{
    sn_gpu_world_coupled_body *b = body;
    if (!begin_edit(b)) {
        return -1;
    }
    const int spring = sn_coupled_add_spring(&b->table, vertices, length, stiffness);
    return end_edit(b) == SN_OK ? spring : -1;
}

void sn_gpu_world_coupled_remove_spring(void *body, int spring)
{
    sn_gpu_world_coupled_body *b = body;
    if (b->edited && begin_edit(b)) {
        sn_coupled_remove_spring(&b->table, spring);
        end_edit(b);
    }
}
