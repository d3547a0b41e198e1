/* SPDX-License-Identifier: MIT */
#include "author/io/key_table.h"

#include <string.h>

#include "host/base/hash.h"

#define FIRST_SLOT_COUNT 64
#define NO_SLOT SIZE_MAX

/* ---- keys ---- */

static size_t hash_key(sn_key key)
{
    /* two rounds of the finalizer of MurmurHash3, one for each half */
    uint64_t hash = (uint64_t)key.words[0] << 32 | key.words[1];
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash ^= (uint64_t)key.words[2] << 32 | key.words[3];
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return (size_t)(hash ^ hash >> 33);
}

/* Returns the key's slot, or the free slot for it. */
static size_t find_slot(const sn_key_table *table, sn_key key)
{
    if (table->slot_count == 0) {
        return NO_SLOT;
    }
    const sn_key *keys = table->keys.items;
    size_t slot = hash_key(key) & (table->slot_count - 1);
    while (table->slots[slot] != 0 && memcmp(&keys[table->slots[slot] - 1], &key, sizeof key) != 0) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return slot;
}

static bool grow_slots(sn_key_table *table)
{
    const size_t slot_count = table->slot_count > 0 ? table->slot_count * 2 : FIRST_SLOT_COUNT;
    uint32_t *slots = sn_alloc(slot_count, sizeof *slots);
    if (!slots) {
        return false;
    }
    sn_free(table->slots, table->slot_count, sizeof *slots);
    table->slots = slots;
    table->slot_count = slot_count;
    const sn_key *keys = table->keys.items;
    for (size_t i = 0; i < table->keys.count; i++) {
        slots[find_slot(table, keys[i])] = (uint32_t)(i + 1);
    }
    return true;
}

int64_t sn_key_find(const sn_key_table *table, sn_key key)
{
    const size_t slot = find_slot(table, key);
    return slot == NO_SLOT ? -1 : (int64_t)table->slots[slot] - 1;
}

int64_t sn_key_add(sn_key_table *table, sn_key key)
{
    const int64_t index = sn_key_find(table, key);
    if (index >= 0) {
        return index;
    }
    if ((table->keys.count + 1) * 2 > table->slot_count && !grow_slots(table)) {
        return -1;
    }
    sn_key *added = SN_LIST_ADD(&table->keys, sn_key, 1);
    if (!added) {
        return -1;
    }
    *added = key;
    table->slots[find_slot(table, key)] = (uint32_t)table->keys.count;
    return (int64_t)table->keys.count - 1;
}

void sn_key_table_finish(sn_key_table *table)
{
    sn_list_finish(&table->keys);
    sn_free(table->slots, table->slot_count, sizeof *table->slots);
    *table = (sn_key_table){0};
}

/* ---- names ---- */

/* The key of a name is its hash and the number of earlier names with the same hash. Returns the index of the name, or
 * -1 and the key for adding it. */
static int64_t find_name(const sn_name_table *table, sn_token name, sn_key *key)
{
    const uint64_t hash = sn_hash(SN_HASH_SEED, name.text, name.size);
    *key = (sn_key){.words = {(uint32_t)hash, (uint32_t)(hash >> 32), 0, 0}};
    const sn_token *names = table->names.items;
    for (;; key->words[2]++) {
        const int64_t number = sn_key_find(&table->keys, *key);
        if (number < 0) {
            return -1;
        }
        if (names[number].size == name.size && memcmp(names[number].text, name.text, name.size) == 0) {
            return number;
        }
    }
}

int64_t sn_name_find(const sn_name_table *table, sn_token name)
{
    sn_key key;
    return find_name(table, name, &key);
}

int64_t sn_name_add(sn_name_table *table, sn_token name)
{
    sn_key key;
    const int64_t index = find_name(table, name, &key);
    if (index >= 0) {
        return index;
    }
    sn_token *added = SN_LIST_ADD(&table->names, sn_token, 1);
    if (!added) {
        return -1;
    }
    *added = name;
    return sn_key_add(&table->keys, key);
}

void sn_name_table_finish(sn_name_table *table)
{
    sn_key_table_finish(&table->keys);
    sn_list_finish(&table->names);
}
