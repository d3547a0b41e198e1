/* SPDX-License-Identifier: MIT */
/* Hash tables that assign consecutive indices to keys and names. Private to author/io. */
#ifndef SN_AUTHOR_IO_KEY_TABLE_H
#define SN_AUTHOR_IO_KEY_TABLE_H

#include "author/io/list.h"
#include "author/io/text.h"

/* Distinct 16-byte keys, numbered in order of insertion. A zeroed table is empty. */
typedef struct sn_key {
    uint32_t words[4];
} sn_key;

typedef struct sn_key_table {
    sn_list keys;    /* of sn_key */
    uint32_t *slots; /* (slot_count) index + 1, 0: free; open addressing */
    size_t slot_count;
} sn_key_table;

/* Returns the key's index, or -1. */
int64_t sn_key_find(const sn_key_table *table, sn_key key);
/* Returns the key's index; adds the key if it is missing. -1 (logged): out of memory. */
int64_t sn_key_add(sn_key_table *table, sn_key key);
void sn_key_table_finish(sn_key_table *table);

/* Distinct names, numbered in order of insertion. The texts must outlive the table. */
typedef struct sn_name_table {
    sn_key_table keys;
    sn_list names; /* of sn_token */
} sn_name_table;

int64_t sn_name_find(const sn_name_table *table, sn_token name);
int64_t sn_name_add(sn_name_table *table, sn_token name);
void sn_name_table_finish(sn_name_table *table);

#endif
