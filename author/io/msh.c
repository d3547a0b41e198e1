/* SPDX-License-Identifier: MIT */
/* Gmsh .msh, versions 2.2 and 4.1, ASCII and binary (Gmsh reference manual, "MSH file format" and its legacy chapter).
 * One pass over the sections; $Nodes must stand before $Elements, everything else but $MeshFormat is skipped.
 * Departures: a line break between binary data and the next $End tag is optional, since some writers leave it out;
 * big-endian files are refused; sections that are skipped are not parsed, their $End tag is searched. */
#include "author/io/tet_file.h"
#include "author/io/text.h"

#include <string.h>

#define TET_TYPE 4
#define MAX_SECTION_NAME 64
#define MIN_NODE_BYTES 8       /* of any node: "1 0 0 0\n" */
#define MIN_ELEMENT_BYTES 4    /* of any element: "1 1\n" (a point in 4.1) */
#define MAX_ELEMENT_TAGS 65536 /* a tag a partition: far above what any writer leaves */

/* Nodes of each element type of Gmsh, for skipping them in binary; 0: unknown, or versions of Gmsh disagree. */
static const uint16_t element_node_counts[] = {
    0,  2,  3,  4,  4,  8,  6,  5,  3,  6,  9,   10,  27,  18,  14,  1,   8,   20,  15,  13, /* 0..19 */
    9,  10, 12, 15, 15, 21, 4,  5,  6,  20, 35,  56,  0,   0,   0,   0,   16,  25,  36,  12, /* 20..39 */
    16, 20, 28, 36, 45, 55, 66, 49, 64, 81, 100, 121, 18,  21,  24,  27,  30,  24,  28,  32, /* 40..59 */
    36, 40, 7,  8,  9,  10, 11, 0,  0,  0,  0,   84,  120, 165, 220, 286, 0,   0,   0,   0,  /* 60..79 */
    0,  0,  0,  0,  1,  1,  1,  1,  1,  1,  40,  75,  64,  125, 216, 343, 512, 729, 1000     /* 80..98 */
};

typedef struct reader {
    sn_text text;
    sn_arena *arena;  /* the mesh */
    sn_arena scratch; /* the rest */
    bool is_version_4;
    size_t size_bytes; /* of a binary size_t in 4.1 */

    /* Node ids may have gaps: an open-addressing table from id to index. */
    int node_total;  /* as declared */
    int node_count;  /* so far */
    int64_t *ids;    /* (node_total) */
    uint32_t *slots; /* (slot_mask + 1): index + 1, 0 = free */
    size_t slot_mask;
    double *positions; /* (node_total x 3) */

    bool has_elements;
    int element_total;
    int tet_count;
    int32_t *tets; /* (element_total x 4) */
} reader;

/* Numbers of either encoding. */

static sn_result read_int(reader *r, const char *what, int64_t *value)
{
    return r->text.is_binary ? sn_text_i32(&r->text, what, value) : sn_text_integer(&r->text, what, value);
}

/* What is an int in 2.2 and a size_t in 4.1. */
static sn_result read_id(reader *r, const char *what, int64_t *value)
{
    if (r->text.is_binary && r->is_version_4) {
        return sn_text_size(&r->text, what, r->size_bytes, value);
    }
    return read_int(r, what, value);
}

static sn_result read_ints(reader *r, int count, const char *const *names, int64_t *values)
{
    sn_result result = SN_OK;
    for (int i = 0; i < count && result == SN_OK; i++) {
        result = read_int(r, names[i], &values[i]);
    }
    return result;
}

static sn_result read_double(reader *r, const char *what, double *value)
{
    return r->text.is_binary ? sn_text_f64(&r->text, what, value) : sn_text_double(&r->text, what, value);
}

static sn_result end_record(reader *r)
{
    return r->text.is_binary ? SN_OK : sn_text_line_end(&r->text);
}

/* The bytes that a record of ints or ids takes at least. */
static size_t id_bytes(const reader *r)
{
    return !r->text.is_binary ? 2 : (r->is_version_4 ? r->size_bytes : 4);
}

/* $MeshFormat */

static sn_result read_endianness(reader *r)
{
    int64_t one = 0;
    sn_result result = sn_text_i32(&r->text, "endianness marker", &one);
    if (result == SN_OK && one == 0x01000000) {
        result = sn_text_fail(&r->text, "the byte order is swapped: big-endian files are not supported");
    } else if (result == SN_OK && one != 1) {
        result = sn_text_fail(&r->text, "the endianness marker is %lld instead of 1", (long long)one);
    }
    return result;
}

static sn_result read_version(reader *r)
{
    sn_token token;
    const sn_result result = sn_text_token(&r->text, "version", &token);
    if (result != SN_OK) {
        return result;
    }
    r->is_version_4 = sn_token_is(token, "4.1");
    if (!r->is_version_4 && !sn_token_is(token, "2.2")) {
        char shown[16];
        return sn_text_fail(&r->text, "version '%s' is not supported: 2.2 and 4.1 are",
                            sn_text_printable(token.text, token.size, shown, sizeof shown));
    }
    return SN_OK;
}

static sn_result read_format_values(reader *r, int64_t *file_type)
{
    int64_t data_size = 0;
    sn_result result = sn_text_integer(&r->text, "file type", file_type);
    if (result == SN_OK && *file_type != 0 && *file_type != 1) {
        return sn_text_fail(&r->text, "the file type is %lld, neither 0 (ASCII) nor 1 (binary)", (long long)*file_type);
    }
    if (result == SN_OK) {
        result = sn_text_integer(&r->text, "data size", &data_size);
    }
    if (result == SN_OK && data_size != 8 && !(r->is_version_4 && data_size == 4)) {
        return sn_text_fail(&r->text, "the data size is %lld instead of 8", (long long)data_size);
    }
    r->size_bytes = (size_t)data_size;
    return result;
}

static sn_result read_format(reader *r)
{
    int64_t file_type = 0;
    if (r->size_bytes != 0) {
        return sn_text_fail(&r->text, "a second $MeshFormat");
    }
    sn_result result = read_version(r);
    if (result == SN_OK) {
        result = read_format_values(r, &file_type);
    }
    if (result == SN_OK) {
        result = sn_text_line_end(&r->text);
    }
    if (result == SN_OK && file_type == 1) {
        r->text.is_binary = true;
        result = read_endianness(r);
    }
    return result == SN_OK ? sn_text_expect(&r->text, "$EndMeshFormat") : result;
}

/* $Nodes */

/* The slot of `id`, or the free one where it belongs. */
static size_t find_slot(const reader *r, int64_t id)
{
    uint64_t hash = (uint64_t)id; /* the finaliser of MurmurHash3 */
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    size_t slot = (size_t)(hash ^ hash >> 33) & r->slot_mask;
    while (r->slots[slot] != 0 && r->ids[r->slots[slot] - 1] != id) {
        slot = (slot + 1) & r->slot_mask;
    }
    return slot;
}

static sn_result add_id(reader *r, int64_t id)
{
    if (id <= 0) {
        return sn_text_fail(&r->text, "the node id %lld is not positive", (long long)id);
    }
    if (r->node_count == r->node_total) {
        return sn_text_fail(&r->text, "more nodes than the %d that were declared", r->node_total);
    }
    const size_t slot = find_slot(r, id);
    if (r->slots[slot] != 0) {
        return sn_text_fail(&r->text, "the node id %lld is there twice", (long long)id);
    }
    r->ids[r->node_count++] = id;
    r->slots[slot] = (uint32_t)r->node_count;
    return SN_OK;
}

static sn_result read_position(reader *r, double *position)
{
    sn_result result = read_double(r, "x coordinate", &position[0]);
    if (result == SN_OK) {
        result = read_double(r, "y coordinate", &position[1]);
    }
    return result == SN_OK ? read_double(r, "z coordinate", &position[2]) : result;
}

static sn_result allocate_nodes(reader *r, int64_t total)
{
    sn_result result = sn_text_check_count(&r->text, "node count", total, MIN_NODE_BYTES);
    if (result != SN_OK) {
        return result;
    }
    if (total == 0) {
        return sn_text_fail(&r->text, "the file has no nodes");
    }
    size_t slot_count = 4;
    while (slot_count < (size_t)total * 2) {
        slot_count *= 2;
    }
    r->node_total = (int)total;
    r->slot_mask = slot_count - 1;
    r->ids = SN_NEW(&r->scratch, int64_t, total);
    r->slots = r->ids ? SN_NEW(&r->scratch, uint32_t, slot_count) : NULL; /* one failure, one line */
    r->positions = r->slots ? SN_NEW(r->arena, double, (size_t)total * 3) : NULL;
    return r->positions ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_nodes_2(reader *r)
{
    int64_t total = 0;
    sn_result result = sn_text_integer(&r->text, "node count", &total); /* text in binary files too */
    if (result == SN_OK) {
        result = allocate_nodes(r, total);
    }
    if (result == SN_OK) {
        result = sn_text_line_end(&r->text);
    }
    for (int i = 0; i < r->node_total && result == SN_OK; i++) {
        int64_t id = 0;
        result = read_id(r, "node id", &id);
        if (result == SN_OK) {
            result = add_id(r, id);
        }
        if (result == SN_OK) {
            result = read_position(r, r->positions + (size_t)i * 3);
        }
        if (result == SN_OK) {
            result = end_record(r);
        }
    }
    return result;
}

/* The four numbers that open $Nodes and $Elements of 4.1: blocks, entries, smallest and largest tag. */
static sn_result read_header_4(reader *r, int64_t *block_count, int64_t *total)
{
    int64_t tag = 0;
    sn_result result = read_id(r, "block count", block_count);
    if (result == SN_OK) {
        result = sn_text_check_count(&r->text, "block count", *block_count, 4);
    }
    if (result == SN_OK) {
        result = read_id(r, "total count", total);
    }
    const size_t total_offset = r->text.item_offset;
    const size_t total_line = r->text.item_line;
    for (int i = 0; i < 2 && result == SN_OK; i++) {
        result = read_id(r, "tag range", &tag);
    }
    if (result == SN_OK) {
        result = end_record(r);
    }
    if (result == SN_OK) { /* the caller checks the total: let the place be its own */
        r->text.item_offset = total_offset;
        r->text.item_line = total_line;
    }
    return result;
}

/* The header of a block of 4.1: three ints and a size; *third is "parametric" of nodes and the type of elements. */
static sn_result read_block_header(reader *r, int64_t *dimension, int64_t *third, int64_t *count)
{
    static const char *const names[3] = {"dimension of a block", "entity of a block", "third number of a block"};
    int64_t values[3] = {0};
    sn_result result = read_ints(r, 3, names, values);
    if (result == SN_OK && (values[0] < 0 || values[0] > 3)) {
        return sn_text_fail(&r->text, "the dimension of a block is %lld", (long long)values[0]);
    }
    if (result == SN_OK) {
        result = read_id(r, "count of a block", count);
    }
    if (result == SN_OK) {
        result = sn_text_check_count(&r->text, "count of a block", *count, MIN_ELEMENT_BYTES);
    }
    *dimension = values[0];
    *third = values[2];
    return result == SN_OK ? end_record(r) : result;
}

static sn_result read_block_ids(reader *r, int64_t count)
{
    sn_result result = SN_OK;
    for (int64_t i = 0; i < count && result == SN_OK; i++) {
        int64_t id = 0;
        result = read_id(r, "node id", &id);
        if (result == SN_OK) {
            result = add_id(r, id);
        }
        if (result == SN_OK) {
            result = end_record(r);
        }
    }
    return result;
}

/* All ids of the block, then all positions; a parametric block has as many extra coordinates as dimensions. */
static sn_result read_node_block(reader *r)
{
    int64_t dimension = 0;
    int64_t parametric = 0;
    int64_t count = 0;
    sn_result result = read_block_header(r, &dimension, &parametric, &count);
    if (result == SN_OK && parametric != 0 && parametric != 1) {
        return sn_text_fail(&r->text, "the parametric flag of a block is %lld", (long long)parametric);
    }
    const int first = r->node_count;
    if (result == SN_OK) {
        result = read_block_ids(r, count);
    }
    for (int i = first; i < r->node_count && result == SN_OK; i++) {
        double parameter = 0;
        result = read_position(r, r->positions + (size_t)i * 3);
        for (int64_t k = 0; k < dimension * parametric && result == SN_OK; k++) {
            result = read_double(r, "parametric coordinate", &parameter);
        }
        if (result == SN_OK) {
            result = end_record(r);
        }
    }
    return result;
}

static sn_result read_nodes_4(reader *r)
{
    int64_t block_count = 0;
    int64_t total = 0;
    sn_result result = read_header_4(r, &block_count, &total);
    if (result == SN_OK) {
        result = allocate_nodes(r, total);
    }
    for (int64_t i = 0; i < block_count && result == SN_OK; i++) {
        result = read_node_block(r);
    }
    if (result == SN_OK && r->node_count != r->node_total) {
        result = sn_text_fail(&r->text, "the blocks hold %d nodes, but %d were declared", r->node_count, r->node_total);
    }
    return result;
}

/* $Elements */

static sn_result allocate_elements(reader *r, int64_t total)
{
    const sn_result result = sn_text_check_count(&r->text, "element count", total, MIN_ELEMENT_BYTES);
    if (result != SN_OK) {
        return result;
    }
    r->element_total = (int)total;
    r->tets = SN_NEW(&r->scratch, int32_t, (size_t)total * 4);
    return r->tets ? SN_OK : SN_ERROR_MEMORY;
}

/* The nodes of one tet; its id and tags have been read. */
static sn_result read_tet(reader *r)
{
    int32_t *tet = r->tets + (size_t)r->tet_count * 4;
    for (int k = 0; k < 4; k++) {
        int64_t id = 0;
        const sn_result result = read_id(r, "node of a tet", &id);
        if (result != SN_OK) {
            return result;
        }
        const uint32_t entry = r->slots[find_slot(r, id)];
        if (entry == 0) {
            return sn_text_fail(&r->text, "a tet names the node %lld, which $Nodes does not have", (long long)id);
        }
        tet[k] = (int32_t)(entry - 1);
    }
    r->tet_count++;
    return end_record(r);
}

/* Bytes of one element of `type` in binary, with `leading` numbers before its nodes; 0 (logged): the type is unknown.
 */
static size_t binary_element_bytes(const reader *r, int64_t type, int64_t leading)
{
    const size_t type_count = sizeof element_node_counts / sizeof element_node_counts[0];
    const size_t node_count = type > 0 && (uint64_t)type < type_count ? element_node_counts[type] : 0;
    if (node_count == 0) {
        sn_text_fail(&r->text, "the element type %lld is unknown", (long long)type);
        return 0;
    }
    return (node_count + (size_t)leading) * id_bytes(r);
}

/* `count` elements that are not tets: by size in binary, by lines in ASCII. */
static sn_result skip_elements(reader *r, int64_t type, int64_t leading, int64_t count)
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

/* `count` tets that each open with `leading` numbers (an id, tags). */
static sn_result read_tets(reader *r, int64_t leading, int64_t count)
{
    sn_result result = SN_OK;
    for (int64_t i = 0; i < count && result == SN_OK; i++) {
        for (int64_t k = 0; k < leading && result == SN_OK; k++) {
            int64_t tag = 0;
            result = read_id(r, k == 0 ? "element id" : "element tag", &tag);
        }
        if (result == SN_OK) {
            result = read_tet(r);
        }
    }
    return result;
}

static sn_result check_tag_count(const reader *r, int64_t count)
{
    return count >= 0 && count <= MAX_ELEMENT_TAGS
               ? SN_OK
               : sn_text_fail(&r->text, "the tag count of an element is %lld", (long long)count);
}

/* One line of 2.2: id, type, tag count, tags, nodes. */
static sn_result read_element_ascii(reader *r)
{
    static const char *const names[3] = {"element id", "element type", "tag count"};
    int64_t values[3] = {0};
    sn_result result = read_ints(r, 2, names, values);
    if (result == SN_OK && values[1] != TET_TYPE) {
        sn_text_skip_line(&r->text);
        return SN_OK;
    }
    if (result == SN_OK) {
        result = read_ints(r, 1, names + 2, values + 2);
    }
    if (result == SN_OK) {
        result = check_tag_count(r, values[2]);
    }
    return result == SN_OK ? read_tets(r, values[2], 1) : result;
}

/* One block of binary 2.2: type, element count, tag count; then id, tags and nodes of each. */
static sn_result read_element_block_2(reader *r, int64_t left, int64_t *count)
{
    static const char *const names[3] = {"element type", "count of a block", "tag count"};
    int64_t values[3] = {0};
    sn_result result = read_ints(r, 3, names, values);
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
    return values[0] == TET_TYPE ? read_tets(r, leading, *count) : skip_elements(r, values[0], leading, *count);
}

static sn_result read_elements_2(reader *r)
{
    int64_t total = 0;
    sn_result result = sn_text_integer(&r->text, "element count", &total); /* text in binary files too */
    if (result == SN_OK) {
        result = allocate_elements(r, total);
    }
    if (result == SN_OK && total == 0) {
        return sn_text_fail(&r->text, "the file has no tetrahedra");
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

static sn_result read_element_block_4(reader *r, int64_t left, int64_t *count)
{
    int64_t dimension = 0;
    int64_t type = 0;
    const sn_result result = read_block_header(r, &dimension, &type, count);
    if (result == SN_OK && *count > left) {
        return sn_text_fail(&r->text, "a block has %lld elements, but %lld were left of the declared number",
                            (long long)*count, (long long)left);
    }
    if (result != SN_OK) {
        return result;
    }
    return type == TET_TYPE ? read_tets(r, 1, *count) : skip_elements(r, type, 1, *count);
}

static sn_result read_elements_4(reader *r)
{
    int64_t block_count = 0;
    int64_t total = 0;
    int64_t done = 0;
    sn_result result = read_header_4(r, &block_count, &total);
    if (result == SN_OK) {
        result = allocate_elements(r, total);
    }
    for (int64_t i = 0; i < block_count && result == SN_OK; i++) {
        int64_t count = 0;
        result = read_element_block_4(r, total - done, &count);
        done += count;
    }
    if (result == SN_OK && done != total) {
        result = sn_text_fail(&r->text, "the blocks hold %lld elements, but %lld were declared", (long long)done,
                              (long long)total);
    }
    return result;
}

/* Sections */

static sn_result read_nodes(reader *r)
{
    if (r->size_bytes == 0) {
        return sn_text_fail(&r->text, "$Nodes stands before $MeshFormat");
    }
    if (r->node_total != 0) {
        return sn_text_fail(&r->text, "a second $Nodes");
    }
    sn_result result = sn_text_line_end(&r->text);
    if (result == SN_OK) {
        result = r->is_version_4 ? read_nodes_4(r) : read_nodes_2(r);
    }
    return result == SN_OK ? sn_text_expect(&r->text, "$EndNodes") : result;
}

static sn_result read_elements(reader *r)
{
    if (r->node_total == 0) {
        return sn_text_fail(&r->text, "$Elements stands before $Nodes");
    }
    if (r->has_elements) {
        return sn_text_fail(&r->text, "a second $Elements");
    }
    r->has_elements = true;
    sn_result result = sn_text_line_end(&r->text);
    if (result == SN_OK) {
        result = r->is_version_4 ? read_elements_4(r) : read_elements_2(r);
    }
    return result == SN_OK ? sn_text_expect(&r->text, "$EndElements") : result;
}

static sn_result skip_section(reader *r, sn_token name)
{
    char end[MAX_SECTION_NAME + 8] = "$End";
    char shown[MAX_SECTION_NAME];
    if (name.size < 2 || name.size > MAX_SECTION_NAME || name.text[0] != '$' || memchr(name.text, 0, name.size)) {
        return sn_text_fail(&r->text, "'%s' stands where a section should begin",
                            sn_text_printable(name.text, name.size, shown, sizeof shown));
    }
    memcpy(end + 4, name.text + 1, name.size - 1); /* the rest of `end` is zero */
    return sn_text_skip_past(&r->text, end);
}

static sn_result read_section(reader *r, sn_token name)
{
    if (sn_token_is(name, "$MeshFormat")) {
        return read_format(r);
    }
    if (sn_token_is(name, "$Nodes")) {
        return read_nodes(r);
    }
    if (sn_token_is(name, "$Elements")) {
        return read_elements(r);
    }
    return skip_section(r, name);
}

static sn_result finish_mesh(reader *r, sn_tet_mesh *mesh)
{
    if (r->node_total == 0) {
        return sn_text_fail(&r->text, "the file has no nodes");
    }
    if (r->tet_count == 0) {
        return sn_text_fail(&r->text, "the file has no tetrahedra");
    }
    int32_t *tets = SN_NEW(r->arena, int32_t, (size_t)r->tet_count * 4);
    if (!tets) {
        return SN_ERROR_MEMORY;
    }
    memcpy(tets, r->tets, (size_t)r->tet_count * 4 * sizeof *tets);
    *mesh = (sn_tet_mesh){
        .vertex_count = r->node_total, .tet_count = r->tet_count, .positions = r->positions, .tets = tets};
    return SN_OK;
}

sn_result sn_msh_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh)
{
    SN_ASSERT(source && arena && mesh);
    reader r = {.text = sn_text_begin(source, 0), .arena = arena};
    sn_result result = SN_OK;
    sn_token name = sn_text_next(&r.text);
    while (result == SN_OK && name.size > 0) {
        result = read_section(&r, name);
        if (result == SN_OK) {
            name = sn_text_next(&r.text);
        }
    }
    if (result == SN_OK) {
        result = finish_mesh(&r, mesh);
    }
    sn_arena_finish(&r.scratch);
    return result;
}
