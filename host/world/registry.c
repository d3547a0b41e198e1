/* SPDX-License-Identifier: MIT */
/* Table of all worlds of the process, so that a body's id identifies its world. Ids consist of an index and a
 * generation, as in Box2D. */
#include "host/platform/platform.h"
#include "host/world/backend.h"
#include "host/world/store.h"

static struct {
    sn_mutex mutex;
    sn_world *worlds[SN_WORLD_LIMIT];
    uint32_t generations[SN_WORLD_LIMIT];
    uint32_t
        slot_generations[SN_WORLD_LIMIT]; /* max generation of bodies and colliders of all worlds that had this index */
} table = {.mutex = SN_MUTEX_INITIALIZER};

static bool is_available(int index)
{
    return !table.worlds[index] && table.generations[index] < SN_LAST_GENERATION &&
           table.slot_generations[index] < SN_LAST_GENERATION;
}

bool sn_world_register(sn_world *w, sn_world_id *id)
{
    sn_mutex_lock(&table.mutex);
    int free_index = 0;
    while (free_index < SN_WORLD_LIMIT && !is_available(free_index)) {
        ++free_index;
    }
    if (free_index < SN_WORLD_LIMIT) {
        table.worlds[free_index] = w;
        w->min_generation = table.slot_generations[free_index];
        *id = (sn_world_id){(uint16_t)(free_index + 1), ++table.generations[free_index]};
    }
    sn_mutex_unlock(&table.mutex);
    return free_index < SN_WORLD_LIMIT;
}

sn_world *sn_world_try_get(sn_world_id id)
{
    sn_world *w = NULL;
    sn_mutex_lock(&table.mutex);
    if (id.index1 >= 1 && id.index1 <= SN_WORLD_LIMIT && table.generations[id.index1 - 1] == id.generation) {
        w = table.worlds[id.index1 - 1];
    }
    sn_mutex_unlock(&table.mutex);
    return w;
}

sn_world *sn_world_by_index(int world0)
{
    sn_world *w = NULL;
    sn_mutex_lock(&table.mutex);
    if (world0 < SN_WORLD_LIMIT) {
        w = table.worlds[world0];
    }
    sn_mutex_unlock(&table.mutex);
    return w;
}

void *sn_world_backend_world(sn_world_id id, const sn_solver_table *solver)
{
    const sn_world *w = sn_world_try_get(id);
    SN_ASSERT(w && (w->is_backend_lost || w->tables[SN_SOLVER_REDUCED] == solver));
    return w->backend_world;
}

void sn_world_unregister(sn_world_id id, uint32_t generation)
{
    sn_mutex_lock(&table.mutex);
    table.worlds[id.index1 - 1] = NULL;
    table.slot_generations[id.index1 - 1] = generation;
    sn_mutex_unlock(&table.mutex);
}

sn_body_slot *sn_body_try_get(sn_body_id id)
{
    const sn_world *w = id.index1 > 0 ? sn_world_by_index(id.world0) : NULL;
    sn_body_slot *slot = w && id.index1 <= w->slot_count ? w->slots[id.index1 - 1] : NULL;
    return slot && slot->is_used && slot->generation == id.generation ? slot : NULL;
}

sn_body_slot *sn_body_get(sn_body_id id)
{
    sn_body_slot *slot = sn_body_try_get(id);
    SN_ASSERT(slot);
    return slot;
}
