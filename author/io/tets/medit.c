/* SPDX-License-Identifier: MIT */
/* Reads Medit .mesh in ASCII (Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, 2001): a list
 * of keywords with values. Vertices and Tetrahedra are read, other known keywords are skipped by their size. Departure:
 * Vertices must precede Tetrahedra, so that an error can name its line. */
#include "author/io/tets/tet_file.h"
#include "author/io/text.h"

#include <string.h>

#define MIN_ENTRY_BYTES 2 /* bytes of a value: a digit and white space */

/* Keywords to skip: a count with value_count values per entry, or value_count values without a count. */
static const struct {
    const char *name;
    int value_count;
    bool has_count;
} skipped_keywords[] = {
    {"AngleOfCornerBound", 1, false},
    {"BoundingBox", 6, false},
    {"Corners", 1, true},
    {"EdgeOnGeometricEdge", 2, true},
    {"Edges", 3, true},
    {"Hexahedra", 9, true},
    {"Hexaedra", 9, true},
    {"NormalAtQuadrilateralVertices", 3, true},
    {"NormalAtTriangleVertices", 3, true},
    {"NormalAtVertices", 2, true},
    {"Normals", 3, true},
    {"Prisms", 7, true},
    {"Pyramids", 6, true},
    {"Quadrilaterals", 5, true},
    {"RequiredEdges", 1, true},
    {"RequiredQuadrilaterals", 1, true},
    {"RequiredTetrahedra", 1, true},
    {"RequiredTriangles", 1, true},
    {"RequiredVertices", 1, true},
    {"Ridges", 1, true},
    {"SubDomainFromMesh", 4, true},
    {"TangentAtEdges", 3, true},
    {"TangentAtVertices", 2, true},
    {"Tangents", 3, true},
    {"Triangles", 4, true},
};

typedef struct reader {
    sn_text text;
    sn_arena *arena;
    bool has_dimension;
    sn_tet_mesh mesh;
} reader;

static sn_result read_count(reader *r, const char *what, size_t values, int64_t *count)
{
    SN_TRY(sn_text_integer(&r->text, what, count));
    return sn_text_check_count(&r->text, what, *count, values * MIN_ENTRY_BYTES);
}

static sn_result read_header(reader *r)
{
    int64_t version = 0;
    sn_result result = sn_text_expect(&r->text, "MeshVersionFormatted");
    if (result == SN_OK) {
        result = sn_text_integer(&r->text, "version", &version);
    }
    if (result == SN_OK && (version < 1 || version > 4)) {
        result = sn_text_fail(&r->text, "version %lld is not supported; 1 to 4 are", (long long)version);
    }
    return result;
}

static sn_result read_dimension(reader *r)
{
    int64_t dimension = 0;
    const sn_result result = sn_text_integer(&r->text, "dimension", &dimension);
    if (result == SN_OK && dimension != 3) {
        return sn_text_fail(&r->text, "the dimension is %lld instead of 3", (long long)dimension);
    }
    r->has_dimension = true;
    return result;
}

static sn_result read_vertex(reader *r, double *position)
{
    static const char *const names[] = {"x coordinate", "y coordinate", "z coordinate"};
    int64_t reference = 0;
    for (int k = 0; k < 3; k++) {
        SN_TRY(sn_text_double(&r->text, names[k], &position[k]));
    }
    return sn_text_integer(&r->text, "reference of a vertex", &reference);
}

static sn_result read_vertices(reader *r)
{
    int64_t count = 0;
    if (!r->has_dimension || r->mesh.positions) {
        return sn_text_fail(&r->text,
                            r->mesh.positions ? "there is a second Vertices" : "Vertices must follow Dimension");
    }
    sn_result result = read_count(r, "vertex count", 4, &count);
    if (result != SN_OK) {
        return result;
    }
    r->mesh.vertex_count = (int)count;
    r->mesh.positions = SN_NEW(r->arena, double, (size_t)count * 3);
    if (!r->mesh.positions) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)count && result == SN_OK; i++) {
        result = read_vertex(r, r->mesh.positions + i * 3);
    }
    return result;
}

static sn_result read_tet(reader *r, int32_t *tet)
{
    int64_t value = 0;
    for (int k = 0; k < 4; k++) {
        const sn_result result = sn_text_integer(&r->text, "vertex of a tet", &value);
        if (result != SN_OK) {
            return result;
        }
        if (value < 1 || value > r->mesh.vertex_count) {
            return sn_text_fail(&r->text, "a tet refers to vertex %lld; vertices are numbered 1 to %d",
                                (long long)value, r->mesh.vertex_count);
        }
        tet[k] = (int32_t)(value - 1);
    }
    return sn_text_integer(&r->text, "reference of a tet", &value);
}

static sn_result read_tets(reader *r)
{
    int64_t count = 0;
    if (!r->mesh.positions || r->mesh.tets) {
        return sn_text_fail(&r->text,
                            r->mesh.tets ? "there is a second Tetrahedra" : "Tetrahedra must follow Vertices");
    }
    sn_result result = read_count(r, "tet count", 5, &count);
    if (result != SN_OK) {
        return result;
    }
    r->mesh.tet_count = (int)count;
    r->mesh.tets = SN_NEW(r->arena, int32_t, (size_t)count * 4);
    if (!r->mesh.tets) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)count && result == SN_OK; i++) {
        result = read_tet(r, r->mesh.tets + i * 4);
    }
    return result;
}

static sn_result skip_values(reader *r, size_t entry_values, bool has_count)
{
    int64_t count = 1;
    SN_TRY(has_count ? read_count(r, "entry count", entry_values, &count) : SN_OK);
    for (size_t i = 0; i < (size_t)count * entry_values; i++) {
        double value = 0;
        SN_TRY(sn_text_double(&r->text, "value", &value));
    }
    return SN_OK;
}

static sn_result skip_keyword(reader *r, sn_token keyword)
{
    for (size_t i = 0; i < sizeof skipped_keywords / sizeof skipped_keywords[0]; i++) {
        if (sn_token_is(keyword, skipped_keywords[i].name)) {
            return skip_values(r, (size_t)skipped_keywords[i].value_count, skipped_keywords[i].has_count);
        }
    }
    char printable[40];
    return sn_text_fail(&r->text, "'%s' is not a known keyword",
                        sn_text_printable(keyword.text, keyword.size, printable, sizeof printable));
}

static sn_result read_keyword(reader *r, sn_token keyword)
{
    if (sn_token_is(keyword, "Dimension")) {
        return read_dimension(r);
    }
    if (sn_token_is(keyword, "Vertices")) {
        return read_vertices(r);
    }
    if (sn_token_is(keyword, "Tetrahedra")) {
        return read_tets(r);
    }
    return skip_keyword(r, keyword);
}

static sn_result finish_mesh(reader *r, sn_tet_mesh *mesh)
{
    if (r->mesh.vertex_count == 0) {
        return sn_text_fail(&r->text, "the file has no vertices");
    }
    if (r->mesh.tet_count == 0) {
        return sn_text_fail(&r->text, "the file has no tetrahedra");
    }
    *mesh = r->mesh;
    return SN_OK;
}

sn_result sn_medit_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh)
{
    SN_ASSERT(source && arena && mesh);
    reader r = {.text = sn_text_begin(source, '#'), .arena = arena};
    sn_result result = read_header(&r);
    while (result == SN_OK) {
        const sn_token keyword = sn_text_next(&r.text);
        if (keyword.size == 0 || sn_token_is(keyword, "End")) {
            return finish_mesh(&r, mesh);
        }
        result = read_keyword(&r, keyword);
    }
    return result;
}
