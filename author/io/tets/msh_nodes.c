/* SPDX-License-Identifier: MIT */
/* Reads $Nodes of a Gmsh file. Ids may have gaps; a hash table maps them to indices. */
#include "author/io/tets/msh.h"

#define MIN_NODE_BYTES 8 /* bytes of the shortest node: "1 0 0 0\n" */

/* The slot of `id`, or the free slot for it. */
static size_t find_slot(const sn_msh_reader *r, int64_t id)
{
    uint64_t hash = (uint64_t)id; /* finalizer of MurmurHash3 */
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    size_t slot = (size_t)(hash ^ hash >> 33) & r->slot_mask;
    while (r->slots[slot] != 0 && r->ids[r->slots[slot] - 1] != id) {
        slot = (slot + 1) & r->slot_mask;
    }
    return slot;
}

static sn_result add_id(sn_msh_reader *r, int64_t id)
{
    if (id <= 0) {
        return sn_text_fail(&r->text, "the node id %lld is not positive", (long long)id);
    }
    if (r->node_count == r->node_total) {
        return sn_text_fail(&r->text, "there are more nodes than the %d that are declared", r->node_total);
    }
    const size_t slot = find_slot(r, id);
    if (r->slots[slot] != 0) {
        return sn_text_fail(&r->text, "the node id %lld is used twice", (long long)id);
    }
    r->ids[r->node_count++] = id;
    r->slots[slot] = (uint32_t)r->node_count;
    return SN_OK;
}

static sn_result read_position(sn_msh_reader *r, double *position)
{
    SN_TRY(sn_msh_read_double(r, "x coordinate", &position[0]));
    SN_TRY(sn_msh_read_double(r, "y coordinate", &position[1]));
    return sn_msh_read_double(r, "z coordinate", &position[2]);
}

static sn_result allocate_nodes(sn_msh_reader *r, int64_t total)
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
    r->slots =
        r->ids ? SN_NEW(&r->scratch, uint32_t, slot_count) : NULL; /* stops at the first failure, which is logged */
    r->positions = r->slots ? SN_NEW(r->arena, double, (size_t)total * 3) : NULL;
    return r->positions ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_nodes_2(sn_msh_reader *r)
{
    int64_t total = 0;
    sn_result result = sn_text_integer(&r->text, "node count", &total); /* text also in binary files */
    if (result == SN_OK) {
        result = allocate_nodes(r, total);
    }
    if (result == SN_OK) {
        result = sn_text_line_end(&r->text);
    }
    for (int i = 0; i < r->node_total && result == SN_OK; i++) {
        int64_t id = 0;
        result = sn_msh_read_id(r, "node id", &id);
        if (result == SN_OK) {
            result = add_id(r, id);
        }
        if (result == SN_OK) {
            result = read_position(r, r->positions + (size_t)i * 3);
        }
        if (result == SN_OK) {
            result = sn_msh_end_record(r);
        }
    }
    return result;
}

static sn_result read_block_ids(sn_msh_reader *r, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t id = 0;
        SN_TRY(sn_msh_read_id(r, "node id", &id));
        SN_TRY(add_id(r, id));
        SN_TRY(sn_msh_end_record(r));
    }
    return SN_OK;
}

/* A block has all ids, then all positions; a parametric block has one additional coordinate per dimension. */
static sn_result read_node_block(sn_msh_reader *r)
{
    int64_t dimension = 0;
    int64_t parametric = 0;
    int64_t count = 0;
    SN_TRY(sn_msh_read_block_header(r, &dimension, &parametric, &count));
    if (parametric != 0 && parametric != 1) {
        return sn_text_fail(&r->text, "the parametric flag of a block is %lld; it must be 0 or 1",
                            (long long)parametric);
    }
    const int first = r->node_count;
    SN_TRY(read_block_ids(r, count));
    for (int i = first; i < r->node_count; i++) {
        double parameter = 0;
        SN_TRY(read_position(r, r->positions + (size_t)i * 3));
        for (int64_t k = 0; k < dimension * parametric; k++) {
            SN_TRY(sn_msh_read_double(r, "parametric coordinate", &parameter));
        }
        SN_TRY(sn_msh_end_record(r));
    }
    return SN_OK;
}

static sn_result read_nodes_4(sn_msh_reader *r)
{
    int64_t block_count = 0;
    int64_t total = 0;
    SN_TRY(sn_msh_read_header_4(r, &block_count, &total));
    SN_TRY(allocate_nodes(r, total));
    for (int64_t i = 0; i < block_count; i++) {
        SN_TRY(read_node_block(r));
    }
    if (r->node_count != r->node_total) {
        SN_TRY(sn_text_fail(&r->text, "the blocks have %d nodes, but %d are declared", r->node_count, r->node_total));
    }
    return SN_OK;
}

int32_t sn_msh_find_node(const sn_msh_reader *r, int64_t id)
{
    return (int32_t)r->slots[find_slot(r, id)] - 1;
}

sn_result sn_msh_read_nodes(sn_msh_reader *r)
{
    return r->is_version_4 ? read_nodes_4(r) : read_nodes_2(r);
}
