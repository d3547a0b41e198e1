/* SPDX-License-Identifier: MIT */
/* Reads $Elements of a Gmsh file: tets with four nodes. Other elements are skipped, by line or by size. */
#include "author/io/tets/msh_groups.h"

#define MAX_ELEMENT_TAGS 65536 /* one tag per partition; far above practical values */

/* Number of nodes of each Gmsh element type, for skipping binary elements; 0: unknown, or differs between versions of
 * Gmsh. */
static const uint16_t element_node_counts[] = {
    0,  2,  3,  4,  4,  8,  6,  5,  3,  6,  9,   10,  27,  18,  14,  1,   8,   20,  15,  13, /* 0..19 */
    9,  10, 12, 15, 15, 21, 4,  5,  6,  20, 35,  56,  0,   0,   0,   0,   16,  25,  36,  12, /* 20..39 */
    16, 20, 28, 36, 45, 55, 66, 49, 64, 81, 100, 121, 18,  21,  24,  27,  30,  24,  28,  32, /* 40..59 */
    36, 40, 7,  8,  9,  10, 11, 0,  0,  0,  0,   84,  120, 165, 220, 286, 0,   0,   0,   0,  /* 60..79 */
    0,  0,  0,  0,  1,  1,  1,  1,  1,  1,  40,  75,  64,  125, 216, 343, 512, 729, 1000     /* 80..98 */
};

/* Min. size of an id in bytes. */
static size_t id_bytes(const sn_msh_reader *r)
{
    return !r->text.is_binary ? 2 : (r->is_version_4 ? r->size_bytes : 4);
}

static sn_result allocate_elements(sn_msh_reader *r, int64_t total)
{
    const sn_result result = sn_text_check_count(&r->text, "element count", total, SN_MSH_MIN_ELEMENT_BYTES);
    if (result != SN_OK) {
        return result;
    }
    r->element_total = (int)total;
    r->tets = SN_NEW(&r->scratch, int32_t, (size_t)total * 4);
    r->tet_tags = r->has_group_output ? SN_NEW(&r->scratch, int64_t, total) : NULL;
    return r->tets && (r->tet_tags || !r->has_group_output) ? SN_OK : SN_ERROR_MEMORY;
}

/* Reads the nodes of a tet, after its id and tags. */
static sn_result read_tet(sn_msh_reader *r)
{
    int32_t *tet = r->tets + (size_t)r->tet_count * 4;
    for (int k = 0; k < 4; k++) {
        int64_t id = 0;
        const sn_result result = sn_msh_read_id(r, "node of a tet", &id);
        if (result != SN_OK) {
            return result;
        }
        tet[k] = sn_msh_find_node(r, id);
        if (tet[k] < 0) {
            return sn_text_fail(&r->text, "a tet refers to node %lld, which does not exist", (long long)id);
        }
    }
    r->tet_count++;
    return sn_msh_end_record(r);
}

/* The size of a binary element with `leading` numbers before its nodes; 0 (logged): the type is unknown. */
static size_t binary_element_bytes(const sn_msh_reader *r, int64_t type, int64_t leading)
{
    const size_t type_count = sizeof element_node_counts / sizeof element_node_counts[0];
    const size_t node_count = type > 0 && (uint64_t)type < type_count ? element_node_counts[type] : 0;
    if (node_count == 0) {
        sn_text_fail(&r->text, "the element type %lld is unknown", (long long)type);
        return 0;
    }
    return (node_count + (size_t)leading) * id_bytes(r);
}

/* Skips `count` elements that are not tets: by size in binary, by line in ASCII. */
static sn_result skip_elements(sn_msh_reader *r, int64_t type, int64_t leading, int64_t count)
{
    if (!r->text.is_binary) {
        for (int64_t i = 0; i < count; i++) {
            int64_t id = 0;
            const sn_result result = sn_text_integer(&r->text, "element id", &id);
            if (result != SN_OK) {
                return result;
            }
            sn_text_skip_line(&r->text);
        }
        return SN_OK;
    }
    const size_t bytes = binary_element_bytes(r, type, leading);
    if (bytes == 0) {
        return SN_ERROR_FORMAT;
    }
    const sn_result result = sn_text_check_count(&r->text, "element count", count, bytes);
    return result == SN_OK ? sn_text_skip_bytes(&r->text, "elements", (size_t)count * bytes) : result;
}

/* Reads `count` tets with `leading` numbers (an id, tags) before their nodes. Number group_at is the physical group; if
 * it is not among them, the block's group is used. */
static sn_result read_tets(sn_msh_reader *r, int64_t leading, int64_t group_at, int64_t count)
{
    const int64_t of_block = r->is_version_4 ? sn_msh_group_of_entity(r, r->entity) : 0;
    sn_result result = SN_OK;
    for (int64_t i = 0; i < count && result == SN_OK; i++) {
        int64_t group = of_block;
        for (int64_t k = 0; k < leading && result == SN_OK; k++) {
            int64_t tag = 0;
            result = sn_msh_read_id(r, k == 0 ? "element id" : "element tag", &tag);
            group = k == group_at ? tag : group;
        }
        if (r->tet_tags && result == SN_OK) {
            r->tet_tags[r->tet_count] = group < 0 && group > INT64_MIN ? -group : group;
        }
        if (result == SN_OK) {
            result = read_tet(r);
        }
    }
    return result;
}

static sn_result check_tag_count(const sn_msh_reader *r, int64_t count)
{
    return count >= 0 && count <= MAX_ELEMENT_TAGS
               ? SN_OK
               : sn_text_fail(&r->text, "the tag count of an element is %lld, which is out of range", (long long)count);
}

/* One line of 2.2: id, type, tag count, tags, nodes. */
static sn_result read_element_ascii(sn_msh_reader *r)
{
    static const char *const names[3] = {"element id", "element type", "tag count"};
    int64_t values[3] = {0};
    SN_TRY(sn_msh_read_ints(r, 2, names, values));
    if (values[1] != SN_MSH_TET) {
        sn_text_skip_line(&r->text);
        return SN_OK;
    }
    SN_TRY(sn_msh_read_ints(r, 1, names + 2, values + 2));
    SN_TRY(check_tag_count(r, values[2]));
    return read_tets(r, values[2], 0, 1);
}

/* One binary block of 2.2: type, element count, tag count; then id, tags and nodes of each element. */
static sn_result read_element_block_2(sn_msh_reader *r, int64_t left, int64_t *count)
{
    static const char *const names[3] = {"element type", "count of a block", "tag count"};
    int64_t values[3] = {0};
    sn_result result = sn_msh_read_ints(r, 3, names, values);
    if (result == SN_OK && (values[1] <= 0 || values[1] > left)) {
        return sn_text_fail(&r->text, "the count of a block is %lld, with %lld elements left to read",
                            (long long)values[1], (long long)left);
    }
    if (result == SN_OK) {
        result = check_tag_count(r, values[2]);
    }
    if (result != SN_OK) {
        return result;
    }
    const int64_t leading = 1 + values[2];
    *count = values[1];
    return values[0] == SN_MSH_TET ? read_tets(r, leading, 1, *count) : skip_elements(r, values[0], leading, *count);
}

static sn_result read_elements_2(sn_msh_reader *r)
{
    int64_t total = 0;
    sn_result result = sn_text_integer(&r->text, "element count", &total); /* text also in binary files */
    if (result == SN_OK) {
        result = allocate_elements(r, total);
    }
    if (result == SN_OK && total == 0) {
        return sn_text_fail(&r->text, "the file has no tetrahedra of 4 nodes (type %d)", SN_MSH_TET);
    }
    if (result == SN_OK) {
        result = sn_text_line_end(&r->text);
    }
    for (int64_t done = 0; done < total && result == SN_OK;) {
        int64_t count = 1;
        result = r->text.is_binary ? read_element_block_2(r, total - done, &count) : read_element_ascii(r);
        done += count;
    }
    return result;
}

static sn_result read_element_block_4(sn_msh_reader *r, int64_t left, int64_t *count)
{
    int64_t dimension = 0;
    int64_t type = 0;
    const sn_result result = sn_msh_read_block_header(r, &dimension, &type, count);
    if (result == SN_OK && *count > left) {
        return sn_text_fail(&r->text, "a block has %lld elements, but only %lld of the declared number remain",
                            (long long)*count, (long long)left);
    }
    if (result != SN_OK) {
        return result;
    }
    return type == SN_MSH_TET ? read_tets(r, 1, 1, *count) : skip_elements(r, type, 1, *count);
}

static sn_result read_elements_4(sn_msh_reader *r)
{
    int64_t block_count = 0;
    int64_t total = 0;
    int64_t done = 0;
    sn_result result = sn_msh_read_header_4(r, &block_count, &total);
    if (result == SN_OK) {
        result = allocate_elements(r, total);
    }
    for (int64_t i = 0; i < block_count && result == SN_OK; i++) {
        int64_t count = 0;
        result = read_element_block_4(r, total - done, &count);
        done += count;
    }
    if (result == SN_OK && done != total) {
        result = sn_text_fail(&r->text, "the blocks have %lld elements, but %lld are declared", (long long)done,
                              (long long)total);
    }
    return result;
}

sn_result sn_msh_read_elements(sn_msh_reader *r)
{
    return r->is_version_4 ? read_elements_4(r) : read_elements_2(r);
}
