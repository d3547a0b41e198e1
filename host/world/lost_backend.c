/* SPDX-License-Identifier: MIT */
/* A world whose device is lost continues on the CPU. The state of its bodies was on the device only, so they continue
 * at rest in their poses, with their locks, morph targets and embeddings; grabs, tears and added springs are gone. */
#include "host/world/embedded_flesh.h"
#include "host/world/store.h"

typedef struct cpu_body {
    sn_shared_solver *solver;
    void *body;
} cpu_body;

static void destroy_bodies(sn_world *w, cpu_body *bodies)
{
    for (int i = 0; i < w->slot_count; ++i) {
        if (bodies[i].body) {
            bodies[i].solver->table->body_destroy(&bodies[i].body);
        }
        sn_world_release_solver(w, bodies[i].solver);
    }
}

/* bodies: (slot_count) zero. */
static sn_result create_bodies(sn_world *w, cpu_body *bodies)
{
    for (int i = 0; i < w->slot_count; ++i) {
        sn_body_slot *slot = w->slots[i];
        if (slot->is_used) {
            SN_TRY(sn_world_acquire_solver(w, &slot->desc, &bodies[i].solver));
        }
        if (slot->is_used) {
            SN_TRY(bodies[i].solver->table->body_create(bodies[i].solver->shared, sn_body_slot_displayed_pose(slot, 1),
                                                        &bodies[i].body));
        }
    }
    return SN_OK;
}

static void replace_body(sn_world *w, sn_body_slot *slot, const cpu_body *created)
{
    const sn_embedding *embedding = slot->embedded ? slot->embedded->embedding : NULL;
    sn_body_slot_remove_embedding(slot);
    slot->table->body_destroy(&slot->body);
    sn_world_release_solver(w, slot->solver);
    slot->solver = created->solver;
    slot->table = created->solver->table;
    slot->body = created->body;
    for (int bone = 0; bone < slot->bone_count && slot->table->body_locks; ++bone) {
        slot->table->body_locks(slot->body, bone, slot->locks[bone]);
    }
    if (slot->table->body_morphs && slot->morph_count > 0) {
        slot->table->body_morphs(slot->body, slot->morphs);
    }
    slot->table->body_reset(slot->body, sn_body_slot_displayed_pose(slot, 1)); /* with these locks and morph targets */
    if (embedding) {
        (void)sn_body_slot_add_embedding(slot, embedding);
    }
}

void sn_world_leave_lost_backend(sn_world *w)
{
    const sn_backend *backend = w->desc.backend;
    void *lost = w->backend_world;
    if (!lost || !backend->is_lost || !backend->is_lost(lost)) {
        return;
    }
    cpu_body *bodies = sn_alloc((size_t)w->slot_count, sizeof *bodies);
    if (!bodies) {
        return;
    }
    w->desc.backend = NULL;
    w->backend_world = NULL;
    sn_result result = sn_world_choose_solvers(w);
    if (result == SN_OK) {
        result = create_bodies(w, bodies);
    }
    if (result != SN_OK) {
        destroy_bodies(w, bodies);
        for (int i = 0; i < SN_SOLVER_COUNT; ++i) {
            if (w->scratch[i]) {
                w->tables[i]->scratch_destroy(&w->scratch[i]);
            }
        }
        sn_jobs_destroy(&w->jobs);
        w->tables[SN_SOLVER_REDUCED] = backend->table;
        w->tables[SN_SOLVER_COUPLED] = backend->coupled;
        w->tables[SN_SOLVER_LAYERED] = backend->layered;
        w->desc.backend = backend;
        w->backend_world = lost;
        sn_free(bodies, (size_t)w->slot_count, sizeof *bodies);
        return;
    }
    for (int i = 0; i < w->slot_count; ++i) {
        if (w->slots[i]->is_used) {
            replace_body(w, w->slots[i], &bodies[i]);
            sn_body_slot_output(w, w->slots[i]);
        }
    }
    sn_free(bodies, (size_t)w->slot_count, sizeof *bodies);
    sn_world_free_unused_solvers(w);
    backend->backend_world_destroy(&lost);
    w->is_backend_lost = true;
    w->is_order_stale = true;
    sn_log(SN_LOG_WARNING, "world: the device is lost; its bodies continue on the CPU, at rest in their poses");
}
