/* SPDX-License-Identifier: MIT */
/* Reads Gmsh .msh, versions 2.0 to 2.2 (equal in the sections that are read) and 4.1, ASCII and binary (Gmsh reference
 * manual, "MSH file format" and its legacy chapter), in one pass. $Nodes must precede $Elements, and so must $Entities
 * if groups are requested; sections other than these, $MeshFormat and $PhysicalNames are skipped. Departures: a line
 * break between binary data and the next $End tag is optional, since some writers omit it; big-endian files are
 * rejected; skipped sections are not parsed but searched for their $End tag. */
#include "author/io/tets/msh_groups.h"
#include "author/io/tets/tet_file.h"

#include <string.h>

#define MAX_SECTION_NAME 64

/* ---- $MeshFormat ---- */

static sn_result read_endianness(sn_msh_reader *r)
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

static bool is_version_2(sn_token token)
{
    return sn_token_is(token, "2") || sn_token_is(token, "2.0") || sn_token_is(token, "2.1") ||
           sn_token_is(token, "2.2");
}

static sn_result read_version(sn_msh_reader *r)
{
    sn_token token;
    const sn_result result = sn_text_token(&r->text, "version", &token);
    if (result != SN_OK) {
        return result;
    }
    r->is_version_4 = sn_token_is(token, "4.1");
    if (!r->is_version_4 && !is_version_2(token)) {
        char printable[16];
        return sn_text_fail(&r->text, "version '%s' is not supported; 2.0 to 2.2 and 4.1 are",
                            sn_text_printable(token.text, token.size, printable, sizeof printable));
    }
    return SN_OK;
}

static sn_result read_format_values(sn_msh_reader *r, int64_t *file_type)
{
    int64_t data_size = 0;
    sn_result result = sn_text_integer(&r->text, "file type", file_type);
    if (result == SN_OK && *file_type != 0 && *file_type != 1) {
        return sn_text_fail(&r->text, "the file type is %lld; it must be 0 (ASCII) or 1 (binary)",
                            (long long)*file_type);
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

static sn_result read_format(sn_msh_reader *r)
{
    int64_t file_type = 0;
    if (r->size_bytes != 0) {
        return sn_text_fail(&r->text, "there is a second $MeshFormat");
    }
    SN_TRY(read_version(r));
    SN_TRY(read_format_values(r, &file_type));
    SN_TRY(sn_text_line_end(&r->text));
    if (file_type == 1) {
        r->text.is_binary = true;
        SN_TRY(read_endianness(r));
    }
    return sn_text_expect(&r->text, "$EndMeshFormat");
}

/* ---- sections ---- */

static sn_result read_nodes(sn_msh_reader *r)
{
    if (r->size_bytes == 0) {
        return sn_text_fail(&r->text, "$Nodes must follow $MeshFormat");
    }
    if (r->node_total != 0) {
        return sn_text_fail(&r->text, "there is a second $Nodes");
    }
    SN_TRY(sn_text_line_end(&r->text));
    SN_TRY(sn_msh_read_nodes(r));
    return sn_text_expect(&r->text, "$EndNodes");
}

static sn_result read_elements(sn_msh_reader *r)
{
    if (r->node_total == 0) {
        return sn_text_fail(&r->text, "$Elements must follow $Nodes");
    }
    if (r->has_elements) {
        return sn_text_fail(&r->text, "there is a second $Elements");
    }
    r->has_elements = true;
    SN_TRY(sn_text_line_end(&r->text));
    SN_TRY(sn_msh_read_elements(r));
    return sn_text_expect(&r->text, "$EndElements");
}

static sn_result read_names(sn_msh_reader *r)
{
    if (r->size_bytes == 0) {
        return sn_text_fail(&r->text, "$PhysicalNames must follow $MeshFormat");
    }
    if (r->names) {
        return sn_text_fail(&r->text, "there is a second $PhysicalNames");
    }
    SN_TRY(sn_text_line_end(&r->text));
    SN_TRY(sn_msh_read_names(r));
    return sn_text_expect(&r->text, "$EndPhysicalNames");
}

/* Entities determine the groups of the blocks of $Elements. */
static sn_result read_entities(sn_msh_reader *r)
{
    if (r->has_elements) {
        return sn_text_fail(&r->text, "$Entities must precede $Elements");
    }
    if (r->entities) {
        return sn_text_fail(&r->text, "there is a second $Entities");
    }
    SN_TRY(sn_text_line_end(&r->text));
    SN_TRY(sn_msh_read_entities(r));
    return sn_text_expect(&r->text, "$EndEntities");
}

static sn_result skip_section(sn_msh_reader *r, sn_token name)
{
    char end[MAX_SECTION_NAME + 8] = "$End";
    char printable[MAX_SECTION_NAME];
    if (name.size < 2 || name.size > MAX_SECTION_NAME || name.text[0] != '$' || memchr(name.text, 0, name.size)) {
        return sn_text_fail(&r->text, "'%s' found where a section should begin",
                            sn_text_printable(name.text, name.size, printable, sizeof printable));
    }
    memcpy(end + 4, name.text + 1, name.size - 1); /* the remainder of `end` is zero */
    return sn_text_skip_past(&r->text, end);
}

static sn_result read_section(sn_msh_reader *r, sn_token name)
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
    if (r->has_group_output && sn_token_is(name, "$PhysicalNames")) {
        return read_names(r);
    }
    if (r->has_group_output && r->is_version_4 && sn_token_is(name, "$Entities")) {
        return read_entities(r);
    }
    return skip_section(r, name);
}

static sn_result finish_mesh(sn_msh_reader *r, sn_tet_mesh *mesh)
{
    if (r->node_total == 0) {
        return sn_text_fail(&r->text, "the file has no nodes");
    }
    if (r->tet_count == 0) {
        return sn_text_fail(&r->text, "the file has no tetrahedra of 4 nodes (type %d)", SN_MSH_TET);
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
    return sn_msh_read_with_groups(source, arena, mesh, NULL);
}

sn_result sn_msh_read_with_groups(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh, sn_tet_groups *groups)
{
    SN_ASSERT(source && arena && mesh);
    sn_msh_reader r = {.text = sn_text_begin(source, 0), .arena = arena, .has_group_output = groups != NULL};
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
    if (result == SN_OK && groups) {
        result = sn_msh_finish_groups(&r, groups);
    }
    sn_arena_finish(&r.scratch);
    return result;
}
