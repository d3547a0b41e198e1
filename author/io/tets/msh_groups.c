/* SPDX-License-Identifier: MIT */
/* Physical groups (Gmsh reference manual, "MSH file format"): in 2.x the first tag of an element, in 4.1 the first
 * group of the block's entity. The sign of a tag is the orientation of an entity and is ignored. */
#include "author/io/tets/msh_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 4, VOLUMES = 3, NAME_BYTES = 6 /* shortest name entry: 3 1 "" */, TAG_BYTES = 24 };

static int by_tag(const void *a, const void *b)
{
    const int64_t x = ((const sn_msh_tag *)a)->tag, y = ((const sn_msh_tag *)b)->tag;
    return (x > y) - (x < y);
}

static const sn_msh_tag *find(const sn_msh_tag *list, int count, int64_t tag)
{
    const sn_msh_tag key = {.tag = tag};
    return count > 0 ? bsearch(&key, list, (size_t)count, sizeof *list, by_tag) : NULL;
}

static void store_location(const sn_msh_reader *r, sn_msh_tag *tag)
{
    tag->offset = r->text.item_offset;
    tag->line = r->text.item_line;
}

static int by_tag_and_offset(const void *a, const void *b)
{
    const size_t x = ((const sn_msh_tag *)a)->offset, y = ((const sn_msh_tag *)b)->offset;
    const int order = by_tag(a, b);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Sorts the list by tag for `find`; fails at the second occurrence of a duplicate. */
static sn_result sort_tags(sn_msh_reader *r, const char *what, sn_msh_tag *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_tag_and_offset);
    for (int i = 1; i < count; ++i) {
        if (list[i].tag == list[i - 1].tag) {
            r->text.item_offset = list[i].offset;
            r->text.item_line = list[i].line;
            return sn_text_fail(&r->text, "the %s %lld is defined twice", what, (long long)list[i].tag);
        }
    }
    return SN_OK;
}

/* Reads a quoted string or a word. */
static sn_result read_name(sn_msh_reader *r, const char **name)
{
    sn_token token;
    const sn_result result = sn_text_token(&r->text, "name of a group", &token);
    if (result != SN_OK) {
        return result;
    }
    const uint8_t *from = (const uint8_t *)token.text, *to = from + token.size;
    if (token.text[0] == '"') {
        const uint8_t *end = r->text.bytes + r->text.size;
        ++from;
        for (to = from; to < end && *to != '"' && *to != '\n' && *to != 0;) {
            ++to;
        }
        if (to == end || *to != '"') {
            return sn_text_fail(&r->text, "the name of a group has no closing quote");
        }
        r->text.offset = (size_t)(to + 1 - r->text.bytes);
    }
    char *copy = SN_NEW(r->arena, char, to - from + 1);
    *name = copy;
    return copy ? (memcpy(copy, from, (size_t)(to - from)), SN_OK) : SN_ERROR_MEMORY;
}

sn_result sn_msh_read_names(sn_msh_reader *r)
{
    int64_t count = 0;
    sn_result result = sn_text_integer(&r->text, "count of names", &count); /* text also in binary files */
    result = result == SN_OK ? sn_text_check_count(&r->text, "count of names", count, NAME_BYTES) : result;
    if (result == SN_OK) {
        r->names = SN_NEW(&r->scratch, sn_msh_tag, count);
        r->name_count = 0;
        result = r->names ? SN_OK : SN_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < count && result == SN_OK; ++i) {
        int64_t dimension = 0;
        sn_msh_tag named = {0};
        result = sn_text_integer(&r->text, "dimension of a group", &dimension);
        result = result == SN_OK ? sn_text_integer(&r->text, "tag of a group", &named.tag) : result;
        store_location(r, &named);
        result = result == SN_OK ? read_name(r, &named.name) : result;
        if (result == SN_OK && dimension == VOLUMES) {
            r->names[r->name_count++] = named;
        }
    }
    return result == SN_OK ? sort_tags(r, "group", r->names, r->name_count) : result;
}

/* Reads physical tags or bounding entities; returns the first. */
static sn_result read_tags(sn_msh_reader *r, const char *what, int64_t *first)
{
    int64_t count = 0, tag = 0;
    sn_result result = sn_msh_read_id(r, what, &count);
    result = result == SN_OK ? sn_text_check_count(&r->text, what, count, 2) : result;
    *first = 0;
    for (int64_t i = 0; i < count && result == SN_OK; ++i) {
        result = sn_msh_read_ints(r, 1, &what, &tag);
        *first = i == 0 ? tag : *first;
    }
    return result;
}

/* Reads tag, position or box, physical tags and, unless it is a point, bounding entities. */
static sn_result read_entity(sn_msh_reader *r, int dimension, sn_msh_tag *entity)
{
    static const char *const name = "tag of an entity";
    int64_t bounding = 0;
    double coordinate = 0;
    sn_result result = sn_msh_read_ints(r, 1, &name, &entity->tag);
    store_location(r, entity);
    for (int i = 0; i < (dimension == 0 ? 3 : 6) && result == SN_OK; ++i) {
        result = sn_msh_read_double(r, "box of an entity", &coordinate);
    }
    result = result == SN_OK ? read_tags(r, "physical tag", &entity->group) : result;
    return result == SN_OK && dimension > 0 ? read_tags(r, "bounding entity", &bounding) : result;
}

sn_result sn_msh_read_entities(sn_msh_reader *r)
{
    int64_t counts[DIMENSIONS] = {0};
    sn_result result = SN_OK;
    for (int dimension = 0; dimension < DIMENSIONS && result == SN_OK; ++dimension) {
        result = sn_msh_read_id(r, "count of entities", &counts[dimension]);
        result = result == SN_OK ? sn_text_check_count(&r->text, "count of entities", counts[dimension], 10) : result;
    }
    if (result == SN_OK) {
        r->entities = SN_NEW(&r->scratch, sn_msh_tag, counts[VOLUMES]);
        r->entity_count = 0;
        result = r->entities ? SN_OK : SN_ERROR_MEMORY;
    }
    for (int dimension = 0; dimension < DIMENSIONS; ++dimension) {
        for (int64_t i = 0; i < counts[dimension] && result == SN_OK; ++i) {
            sn_msh_tag entity = {0};
            result = read_entity(r, dimension, &entity);
            if (result == SN_OK && dimension == VOLUMES) {
                r->entities[r->entity_count++] = entity;
            }
        }
    }
    return result == SN_OK ? sort_tags(r, "volume", r->entities, r->entity_count) : result;
}

int64_t sn_msh_group_of_entity(sn_msh_reader *r, int64_t entity)
{
    const sn_msh_tag *match = find(r->entities, r->entity_count, entity);
    return match ? match->group : 0;
}

/* Lists the distinct nonzero tags of the tets, ascending; returns their number. */
static int list_tags(const sn_msh_reader *r, sn_msh_tag *tags)
{
    int count = 0, used = 0;
    for (int t = 0; t < r->tet_count; ++t) {
        tags[t] = (sn_msh_tag){.tag = r->tet_tags[t]};
    }
    qsort(tags, (size_t)r->tet_count, sizeof *tags, by_tag);
    for (; used < r->tet_count; ++used) {
        if (tags[used].tag != 0 && (count == 0 || tags[used].tag != tags[count - 1].tag)) {
            tags[count++] = tags[used];
        }
    }
    return count;
}

/* The name of a group, or its number as text. */
static const char *name_of(sn_msh_reader *r, int64_t tag)
{
    const sn_msh_tag *named = find(r->names, r->name_count, tag);
    char *number = named ? NULL : SN_NEW(r->arena, char, TAG_BYTES);
    if (number) {
        snprintf(number, TAG_BYTES, "%lld", (long long)tag);
    }
    return named ? named->name : number;
}

sn_result sn_msh_finish_groups(sn_msh_reader *r, sn_tet_groups *groups)
{
    sn_msh_tag *tags = SN_NEW(&r->scratch, sn_msh_tag, r->tet_count);
    const int count = tags ? list_tags(r, tags) : 0;
    *groups = (sn_tet_groups){.count = count,
                              .names = SN_NEW(r->arena, const char *, count + r->name_count),
                              .of_tet = SN_NEW(r->arena, int32_t, r->tet_count)};
    if (!tags || !groups->names || !groups->of_tet) {
        return SN_ERROR_MEMORY;
    }
    for (int g = 0; g < count; ++g) {
        groups->names[g] = name_of(r, tags[g].tag);
        if (!groups->names[g]) {
            return SN_ERROR_MEMORY;
        }
    }
    for (int i = 0; i < r->name_count; ++i) {
        if (!find(tags, count, r->names[i].tag)) {
            groups->names[count + groups->empty_count++] = r->names[i].name;
        }
    }
    for (int t = 0; t < r->tet_count; ++t) {
        const sn_msh_tag *match = find(tags, count, r->tet_tags[t]);
        groups->of_tet[t] = match ? (int32_t)(match - tags) : -1;
    }
    return SN_OK;
}
