/* SPDX-License-Identifier: MIT */
/* Hash table from expression names, as a sender spells them, to indices. A flood of unknown names costs one hash lookup
 * each, without comparisons against the expression list. */
#ifndef SN_RUNTIME_PUPPET_NAME_TABLE_H
#define SN_RUNTIME_PUPPET_NAME_TABLE_H

#include "runtime/puppet/tracking.h"

#define SN_NAME_TABLE_SLOT_COUNT 512 /* a power of two, at most half filled, so that probe sequences are short */

/* Zero-initialize. */
typedef struct sn_name_table {
    struct {
        char name[SN_TRACKING_NAME_SIZE]; /* empty: free slot */
        int index;
    } slots[SN_NAME_TABLE_SLOT_COUNT];
    int count; /* at most SN_TRACKING_EXPRESSION_LIMIT */
} sn_name_table;

/* As sn_tracking_expression; always pass the same tracking struct. Also returns -1 if the table already holds
 * SN_TRACKING_EXPRESSION_LIMIT spellings. */
int sn_name_table_expression(sn_name_table *table, const char *name, sn_tracking *tracking_frame);

#endif
