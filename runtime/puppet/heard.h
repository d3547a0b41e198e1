/* SPDX-License-Identifier: MIT */
/* Names of weights as a sender spells them, found without a look at each: a flood of names costs a hash each, and no
 * name beyond the list is compared with those in it. */
#ifndef SN_RUNTIME_PUPPET_HEARD_H
#define SN_RUNTIME_PUPPET_HEARD_H

#include "runtime/puppet/tracking.h"

#define SN_HEARD_SLOT_COUNT 512 /* a power of two, far more than names: runs of taken slots are short */

/* Zero it to begin. */
typedef struct sn_heard {
    struct {
        char name[SN_TRACKING_NAME_SIZE]; /* empty: the slot is free */
        int index;
    } slots[SN_HEARD_SLOT_COUNT];
    int count; /* at most SN_TRACKING_EXPRESSION_LIMIT */
} sn_heard;

/* As sn_tracking_expression, always with the same moment; -1, too, where as many spellings have been heard. */
int sn_heard_expression(sn_heard *heard, const char *name, sn_tracking *moment);

#endif
