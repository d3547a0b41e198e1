/* SPDX-License-Identifier: MIT */
/* What the host still asks of a model that is uploaded, in a copy: the model itself may go before its bodies' places
 * do. Arrays that are not copied are null. */
#include <string.h>

#include "compute/reduced/solver.h"

/* copy: zeroed room for count items. */
static bool copy_items(void *copy, const void *items, int64_t count, size_t item_size)
{
    if (copy && count > 0) {
        memcpy(copy, items, (size_t)count * item_size);
    }
    return copy != NULL;
}

#define KEEP(name, type, count)                                                                                        \
    type *name = SN_NEW(arena, type, count);                                                                           \
    is_ok &= copy_items(name, model->name, count, sizeof(type));                                                       \
    kept->name = name

sn_result sn_gpu_reduced_keep(const sn_model *model, sn_arena *arena, sn_model *kept)
{
    const sn_model_counts *c = &model->counts;
    bool is_ok = true;
    *kept = (sn_model){.counts = *c, .diagonal = model->diagonal};
    KEEP(morph_rest, float, c->morph_count);
    KEEP(morph_shares, double, (int64_t)c->morph_field_count * c->morph_count);
    KEEP(morph_pairs, sn_morph_pair, c->morph_pair_count);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
