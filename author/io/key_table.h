/* SPDX-License-Identifier: MIT */
/* Keys and names that are found again, numbered as they come. Private to author/io. */
#ifndef SN_AUTHOR_IO_KEY_TABLE_H
#define SN_AUTHOR_IO_KEY_TABLE_H

#include "author/io/list.h"
#include "author/io/text.h"

/* Different keys of 16 bytes, numbered in the order of their coming. A zeroed table is empty. */
typedef struct sn_key {
    uint32_t words[4];
} sn_key;

typedef struct sn_key_table {
    sn_list keys;    /* of sn_key */
    uint32_t *slots; /* (slot_count) number + 1, 0 = free; open addressing */
    size_t slot_count;
} sn_key_table;

/* The key's number, -1 where it is not there. */
int64_t sn_key_find(const sn_key_table *table, sn_key key);
/* The same, but a key that is not there is added; -1 (logged): memory is out. */
int64_t sn_key_add(sn_key_table *table, sn_key key);
void sn_key_table_finish(sn_key_table *table);

/* Different names, numbered alike. The texts are borrowed. */
typedef struct sn_name_table {
    sn_key_table keys;
    sn_list names; /* of sn_token */
} sn_name_table;

int64_t sn_name_find(const sn_name_table *table, sn_token name);
int64_t sn_name_add(sn_name_table *table, sn_token name);
void sn_name_table_finish(sn_name_table *table);

#endif
