/* SPDX-License-Identifier: MIT */
/* Saves and restores state. One function a type visits all values that later steps depend on, in a fixed order and of
 * fixed sizes; the same function measures, saves and restores them. */
#ifndef SN_HOST_BASE_STATE_VISITOR_H
#define SN_HOST_BASE_STATE_VISITOR_H

#include <string.h>

#include "host/base/base.h"

typedef enum sn_state_pass { SN_STATE_MEASURE, SN_STATE_SAVE, SN_STATE_RESTORE } sn_state_pass;

typedef struct sn_state_visitor {
    sn_state_pass pass;
    uint8_t *saved;          /* (capacity) SN_STATE_SAVE: written */
    const uint8_t *restored; /* (capacity) SN_STATE_RESTORE: read */
    size_t capacity, position;
} sn_state_visitor;

static inline void sn_state_visit(sn_state_visitor *visitor, void *values, size_t size)
{
    SN_ASSERT(visitor->pass == SN_STATE_MEASURE || size <= visitor->capacity - visitor->position);
    if (visitor->pass == SN_STATE_SAVE && size > 0) {
        memcpy(visitor->saved + visitor->position, values, size);
    } else if (visitor->pass == SN_STATE_RESTORE && size > 0) {
        memcpy(values, visitor->restored + visitor->position, size);
    }
    visitor->position += size;
}

#endif
