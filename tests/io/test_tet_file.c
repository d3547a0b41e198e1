/* SPDX-License-Identifier: MIT */
/* Readers of tet meshes and of whole files: the real models, every variant of the formats built in memory, broken files
 * that must give one line each, and seeded mutations. */
#include "tests/io/io_test.h"

#include "author/io/tets/tet_file.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5}};

/* One tet on the ids 10, 7, 900000, 3 with triangles, a point and sections around it. */
static const uint32_t sparse_ids[4] = {10, 7, 900000, 3};

static const char msh_22_ascii[] = "$Comments\nany thing $ here\n$EndComments\n"
                                   "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
                                   "$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n"
                                   "$Nodes\n4\n10 0 0 0\n7 1.0 0. 0\n900000 0 1e0 0 \n3 0 0 +1.5\n$EndNodes\n"
                                   "$Elements\n4\n1 15 2 1 1 10\n2 2 2 1 1 10 7 900000\n"
                                   "3 4 3 1 1 5 10 7 900000 3\n4 777 0 1 2 3\n$EndElements\n"
                                   "$NodeData\n0\n$EndNodeData\n";

static const char msh_41_ascii[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                                   "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
                                   "$Nodes\n3 4 3 900000\n2 1 0 0\n2 1 1 2\n10\n7\n0 0 0 0.5 0.5\n1 0 0 0 1\n"
                                   "3 1 0 2\n900000\n3\n0 1 0\n0 0 1.5\n$EndNodes\n"
                                   "$Elements\n3 3 1 3\n2 1 2 1\n1 10 7 900000\n3 1 4 1\n2 10 7 900000 3\n"
                                   "3 2 4 1\n3 10 7 900000 3\n$EndElements\n";

static const char medit_ascii[] =
    "# a comment\nMeshVersionFormatted 2\nDimension\n3\nVertices 4\n0 0 0 1\n1 0 0 1 # here\n"
    "0 1 0 1\n0 0 1.5 1\nTriangles\n1\n1 2 3 0\nCorners 0\nTetrahedra\n1\n1 2 3 4 0\nEdges\n0";

static void build_22_binary(bytes *b, bool has_line_breaks)
{
    const char *end = has_line_breaks ? "\n" : "";
    b->size = 0;
    put_text(b, "$MeshFormat\n2.2 1 8\n");
    put_int(b, 1, 4);
    put_text(b, end);
    put_text(b, "$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; i++) {
        put_int(b, sparse_ids[i], 4);
        for (int k = 0; k < 3; k++) {
            put_f64(b, corners[i][k]);
        }
    }
    put_text(b, end);
    put_text(b, "$EndNodes\n$Elements\n3\n");
    const uint32_t elements[] = {2, 2, 1, 1, 9, 10, 7, 3, 2, 9, 7, 900000, 3, 4, 1, 2, 3, 9, 9, 10, 7, 900000, 3};
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        put_int(b, elements[i], 4);
    }
    put_text(b, end);
    put_text(b, "$EndElements\n$ElementData\n1\n\"$End\"\n");
    put_f64(b, 3.25);
    put_text(b, end);
    put_text(b, "$EndElementData\n");
}

static void put_sizes(bytes *b, size_t size, int count, const uint64_t *values)
{
    for (int i = 0; i < count; i++) {
        put_int(b, values[i], size);
    }
}

static void build_41_binary(bytes *b, size_t size, const char *end)
{
    b->size = 0;
    put_text(b, size == 8 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 1 4\n");
    put_int(b, 1, 4);
    put_text(b, end);
    put_text(b, "$EndMeshFormat\n$Nodes\n");
    put_sizes(b, size, 4, (const uint64_t[]){1, 4, 3, 900000});
    put_sizes(b, 4, 3, (const uint64_t[]){3, 1, 0});
    put_sizes(b, size, 5, (const uint64_t[]){4, 10, 7, 900000, 3});
    for (int i = 0; i < 12; i++) {
        put_f64(b, corners[i / 3][i % 3]);
    }
    put_text(b, end);
    put_text(b, "$EndNodes\n$Elements\n");
    put_sizes(b, size, 4, (const uint64_t[]){2, 2, 1, 2});
    put_sizes(b, 4, 3, (const uint64_t[]){2, 1, 2});
    put_sizes(b, size, 5, (const uint64_t[]){1, 1, 10, 7, 3});
    put_sizes(b, 4, 3, (const uint64_t[]){3, 1, 4});
    put_sizes(b, size, 6, (const uint64_t[]){1, 2, 10, 7, 900000, 3});
    put_text(b, end);
    put_text(b, "$EndElements\n");
}

/* Reads and checks what the type promises. */
static sn_result read_checked(const sn_source *source, sn_arena *arena,
                              sn_result (*read)(const sn_source *, sn_arena *, sn_tet_mesh *), sn_tet_mesh *mesh)
{
    const sn_result result = read(source, arena, mesh);
    if (result == SN_OK) {
        assert_true(mesh->vertex_count > 0 && mesh->tet_count > 0);
        for (size_t i = 0; i < (size_t)mesh->vertex_count * 3; i++) {
            assert_true(isfinite(mesh->positions[i]));
        }
        for (size_t i = 0; i < (size_t)mesh->tet_count * 4; i++) {
            assert_in_range(mesh->tets[i], 0, mesh->vertex_count - 1);
        }
    }
    return result;
}

static sn_result read_msh(const sn_source *source, sn_arena *arena)
{
    sn_tet_mesh mesh;
    return read_checked(source, arena, sn_msh_read, &mesh);
}

static sn_result read_medit(const sn_source *source, sn_arena *arena)
{
    sn_tet_mesh mesh;
    return read_checked(source, arena, sn_medit_read, &mesh);
}

static void check_small(const bytes *b, int tet_count, bool is_medit)
{
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    const sn_source source = source_of(b);
    begin_log();
    const sn_result result = read_checked(&source, &arena, is_medit ? sn_medit_read : sn_msh_read, &mesh);
    if (result != SN_OK) {
        fail_msg("%s", logged.last);
    }
    assert_int_equal(logged.errors + logged.warnings, 0);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.tet_count, tet_count);
    assert_memory_equal(mesh.positions, corners, sizeof corners);
    for (int i = 0; i < tet_count * 4; i++) {
        assert_int_equal(mesh.tets[i], i % 4);
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void check_hard(const bytes *b, uint64_t seed, read_function *read)
{
    mutate(b, seed, 4000, read);
    fail_each_allocation(b, read);
}

static void test_small_ascii(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int tet_count;
        bool is_medit;
    } cases[] = {{msh_22_ascii, 1, false}, {msh_41_ascii, 2, false}, {medit_ascii, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        put_text(&b, "\xef\xbb\xbf"); /* a byte order mark */
        put_text(&b, cases[i].text);
        check_small(&b, cases[i].tet_count, cases[i].is_medit);
        b.size = 0;
        put_text(&b, cases[i].text);
        check_small(&b, cases[i].tet_count, cases[i].is_medit);
        check_hard(&b, 11 + i, cases[i].is_medit ? read_medit : read_msh);
    }
}

static void replace_byte(bytes *b, char from, char to)
{
    for (size_t i = 0; i < b->size; i++) {
        b->data[i] = b->data[i] == (uint8_t)from ? (uint8_t)to : b->data[i];
    }
}

/* Lines that end with \r alone; and the versions before 2.2, which differ in nothing that is read. */
static void test_other_line_ends_and_versions(void **state)
{
    (void)state;
    static const char head[] = "$MeshFormat\r\n2.2 0 8\r\n";
    static const char *const versions[] = {"2", "2.0", "2.1"};
    const char *rest = strstr(msh_22_ascii, head) + strlen(head);
    const char *const texts[] = {msh_41_ascii, medit_ascii};
    for (int i = 0; i < 2; i++) {
        bytes b = {0};
        put_text(&b, texts[i]);
        replace_byte(&b, '\n', '\r');
        check_small(&b, i == 0 ? 2 : 1, i == 1);
    }
    for (int i = 0; i < 3; i++) {
        bytes b = {0};
        put_text(&b, "$MeshFormat\n");
        put_text(&b, versions[i]);
        put_text(&b, " 0 8\n");
        put_text(&b, rest);
        check_small(&b, 1, false);
    }
}

static void test_small_binary(void **state)
{
    (void)state;
    bytes b = {0};
    for (int i = 0; i < 2; i++) {
        build_22_binary(&b, i == 1);
        check_small(&b, 1, false);
        check_hard(&b, 21, read_msh);
    }
    for (int i = 0; i < 4; i++) {
        build_41_binary(&b, i < 2 ? 8 : 4, i % 2 ? "\n" : "");
        check_small(&b, 1, false);
        check_hard(&b, 31, read_msh);
    }
}

/* What each broken ASCII file must be told, with its line. */
#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define VERTICES "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
static const struct {
    const char *text;
    const char *message;
    bool is_medit;
} broken[] = {
    {"", "no nodes", false},
    {"solid\n", "line 1: 'solid' found where a section should begin", false},
    {"$MeshFormat\n3.0 0 8\n", "line 2: version '3.0' is not supported", false},
    {"$MeshFormat\n2.2 2 8\n", "line 2: the file type is 2", false},
    {"$MeshFormat\n2.2 0 4\n", "line 2: the data size is 4", false},
    {"$Nodes\n1\n", "$Nodes must follow $MeshFormat", false},
    {HEAD2 "$Elements\n", "line 4: $Elements must follow $Nodes", false},
    {HEAD2 "$Foo\n1\n", "line 4: the file ends before '$EndFoo'", false},
    {HEAD2 "$Nodes\n-4\n", "line 5: the node count is negative: -4", false},
    {HEAD2 "$Nodes\n2000000000\n1 0 0 0\n", "line 5: the node count is 2000000000, more than", false},
    {HEAD2 "$Nodes\n99999999999999999999\n", "line 5: node count '99999999999999999999' is not a 64-bit integer",
     false},
    {HEAD2 "$Nodes\n1\n1 0 nan 0\n", "line 6: y coordinate 'nan' is not a finite", false},
    {HEAD2 "$Nodes\n1\n1 0 0 1e999\n", "line 6: z coordinate '1e999' is not a finite", false},
    {HEAD2 "$Nodes\n1\n1 0x10 0 0\n", "line 6: x coordinate '0x10' is not a finite", false},
    {HEAD2 "$Nodes\n1\n1 0 0 0 0\n", "line 6: text '0' found where the line should end", false},
    {HEAD2 "$Nodes\n1\n0 0 0 0\n", "line 6: the node id 0 is not positive", false},
    {HEAD2 "$Nodes\n2\n5 0 0 0\n5 1 0 0\n", "line 7: the node id 5 is used twice", false},
    {HEAD2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "line 7: '2' found where '$EndNodes'", false},
    {HEAD2 NODES2 NODES2, "line 11: there is a second $Nodes", false},
    {HEAD2 NODES2, "the file has no tetrahedra", false},
    {HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n", "line 13: a tet refers to node 9", false},
    {HEAD2 NODES2 "$Elements\n1\n1 4 -1 1 2 3 4\n$EndElements\n",
     "line 13: the tag count of an element is -1, which is out of range", false},
    {HEAD2 NODES2 "$Elements\n1\n1 15 0 1\n$EndElements\n", "no tetrahedra of 4 nodes (type 4)", false},
    {HEAD2 NODES2 "$Elements\n1\n1 11 0 1 2 3 4 1 2 3 4 1 2\n$EndElements\n", "no tetrahedra of 4 nodes", false},
    {HEAD2 NODES2 "$Elements\n2\n1 15 0 1\n", "the file ends before the element id", false},
    {HEAD4 "$Nodes\n1 9 1 9\n3 1 0 1\n1\n0 0 0\n$EndNodes\n$Foo\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"
           "1\n1\n1\n1\n1\n$EndFoo\n",
     "the blocks have 1 nodes, but 9 are declared", false},
    {HEAD4 "$Nodes\n1 1 1 1\n3 1 0 2\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n", "line 8: there are more nodes than the 1",
     false},
    {HEAD4 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n",
     "line 6: the dimension of a block is 4; it must be from 0 to 3", false},
    {"", "line 1: the file ends before 'MeshVersionFormatted'", true},
    {"MeshVersionFormatted 9\n", "line 1: version 9 is not supported", true},
    {"MeshVersionFormatted 1\nDimension 2\n", "line 2: the dimension is 2", true},
    {"MeshVersionFormatted 1\nVertices 1\n", "line 2: Vertices must follow Dimension", true},
    {VERTICES, "the file has no tetrahedra", true},
    {VERTICES "Tetrahedra\n1\n1 2 3 5 0\n", "line 10: a tet refers to vertex 5; vertices are numbered 1 to 4", true},
    {VERTICES "Tetrahedra\n1\n0 2 3 4 0\n", "line 10: a tet refers to vertex 0", true},
    {VERTICES "Tetrahedra\n-1\n", "line 9: the tet count is negative", true},
    {VERTICES "Tetrahedra\n2\n1 2 3 4 0 # so that a second could fit\n", "the file ends before the vertex of a tet",
     true},
    {VERTICES "Tetraeders\n1\n", "line 8: 'Tetraeders' is not a known keyword", true},
    {VERTICES "Triangles\n1000000\n1 2 3 0\n", "line 9: the entry count is 1000000, more than", true},
    {VERTICES VERTICES, "line 8: 'MeshVersionFormatted' is not a known", true},
};

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        bytes b = {0};
        put_text(&b, broken[i].text);
        sn_arena arena = {0};
        const sn_source source = source_of(&b);
        begin_log();
        assert_int_equal((broken[i].is_medit ? read_medit : read_msh)(&source, &arena), SN_ERROR_FORMAT);
        assert_one_error("memory: line ");
        if (!strstr(logged.last, broken[i].message)) {
            fail_msg("case %zu: '%s' lacks '%s'", i, logged.last, broken[i].message);
        }
        sn_arena_finish(&arena);
    }
}

static void test_real_models(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int vertex_count;
        int tet_count;
    } models[] = {{"cd_fish/cd_fish.msh", 10000, 42205},
                  {"cartoon_octopus/cartoon_octopus.msh", 16738, 60349},
                  {"dolphin/dolphin.msh", 7380, 27576},
                  {"giant_squid/giant_squid.msh", 10166, 33386},
                  {"humpback/humpback.msh", 8325, 32125},
                  {"mantaray/mantaray.msh", 5091, 16919},
                  {"sea_serpent/sea_serpent.msh", 6967, 23388},
                  {"elephant/elephant.msh", 7842, 29011},
                  {"format/bunny.mesh", 5433, 34055}};
    skip_without(SN_SHARED_DATA "/tet");
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char path[4096];
        sn_arena arena = {0};
        sn_source source;
        sn_tet_mesh mesh;
        snprintf(path, sizeof path, "%s/tet/%s", SN_SHARED_DATA, models[i].path);
        begin_log();
        assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
        assert_int_equal(read_checked(&source, &arena, strstr(path, ".mesh") ? sn_medit_read : sn_msh_read, &mesh),
                         SN_OK);
        assert_int_equal(mesh.vertex_count, models[i].vertex_count);
        assert_int_equal(mesh.tet_count, models[i].tet_count);
        assert_int_equal(logged.errors, 0);
        sn_arena_finish(&arena);
    }
}

static void check_shared_file(const char *file, const char *message)
{
    char path[4096];
    sn_arena arena = {0};
    sn_source source;
    snprintf(path, sizeof path, "%s/%s", SN_SHARED_DATA, file);
    begin_log();
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    const sn_result result = read_msh(&source, &arena);
    assert_int_equal(result, message ? SN_ERROR_FORMAT : SN_OK);
    if (message) {
        assert_one_error(file);
        if (!strstr(logged.last, message)) {
            fail_msg("'%s' lacks '%s'", logged.last, message);
        }
    }
    sn_arena_finish(&arena);
}

static void test_bad_files(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/bad/derived");
    check_shared_file("bad/derived/msh_valid_one_tet.msh", NULL);
    check_shared_file("bad/derived/msh_valid_one_tet_packed.msh", NULL);
    check_shared_file("bad/derived/msh_inverted_tet.msh", NULL);
    check_shared_file("bad/derived/msh_flat_tet.msh", NULL);
    check_shared_file("bad/derived/msh_big_endian_marker.msh", "byte order is swapped");
    check_shared_file("bad/derived/msh_huge_node_count.msh", "the node count is 2000000000");
    check_shared_file("bad/derived/msh_index_out_of_range.msh", "a tet refers to node 9");
    check_shared_file("bad/derived/msh_index_zero.msh", "a tet refers to node 0");
    check_shared_file("bad/derived/msh_nan_coordinate.msh", "z coordinate is not finite");
    check_shared_file("bad/derived/msh_negative_count.msh", "the node count is negative: -4");
    check_shared_file("bad/derived/msh_no_elements.msh", "no tetrahedra");
    check_shared_file("bad/derived/msh_truncated_nodes.msh", "byte ");
    check_shared_file("bad/derived/msh_version_4.msh", "byte ");
    check_shared_file("tet/format/insulated.msh", "no tetrahedra");
}

static void test_source(void **state)
{
    (void)state;
    char path[4096];
    sn_arena arena = {0};
    sn_source source = {0};
    snprintf(path, sizeof path, "%s/test_tet_file.%ld.bin", SN_BINARY_DIR, (long)getpid());
    begin_log();
    assert_int_equal(sn_file_write(path, "abc", 3), SN_OK);
    assert_int_equal(sn_file_write(path, "hello", 5), SN_OK);
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(source.size, 5);
    assert_memory_equal(source.bytes, "hello", 6);
    assert_int_equal(sn_file_write(path, NULL, 0), SN_OK);
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(source.size, 0);
    assert_int_equal(source.bytes[0], 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(logged.errors, 0);
    sn_arena_finish(&arena);
}

static void check_file_error(bool is_write, const char *path, const char *cause)
{
    sn_arena arena = {0};
    sn_source source;
    begin_log();
    assert_int_equal(is_write ? sn_file_write(path, "x", 1) : sn_source_read(path, &arena, &source), SN_ERROR_FILE);
    assert_one_error(path);
    assert_non_null(strstr(logged.last, cause));
    sn_arena_finish(&arena);
}

static void test_source_errors(void **state)
{
    (void)state;
    char path[4096];
    check_file_error(false, SN_BINARY_DIR, "Is a directory");
    check_file_error(true, SN_BINARY_DIR, "is a directory");
    check_file_error(false, SN_BINARY_DIR "/no/such/file", "No such file");
    check_file_error(true, SN_BINARY_DIR "/no/such/file", "No such file");
    check_file_error(true, "/dev/null", "not a regular file");
    check_file_error(false, "/dev/null", "not a regular file");
    snprintf(path, sizeof path, "%s/test_tet_file.%ld.pipe", SN_BINARY_DIR, (long)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    check_file_error(false, path, "not a regular file"); /* and does not wait for a writer */
    assert_int_equal(unlink(path), 0);
}

static void check_content(const char *path, char first, size_t size)
{
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(source.size, size);
    for (size_t i = 0; i < size; ++i) {
        assert_int_equal(source.bytes[i], first + (int)(i % 7));
    }
    sn_arena_finish(&arena);
}

static void write_content(sn_file_output *output, char first, size_t begin, size_t end)
{
    uint8_t piece[1000];
    for (size_t i = begin; i < end; ++i) {
        piece[i - begin] = (uint8_t)(first + (int)(i % 7));
    }
    assert_true(sn_file_output_write(output, piece, end - begin));
}

/* Two writers of one path, whose pieces alternate; links and pipes lie in wait where a temporary file could be. */
static void test_output(void **state)
{
    (void)state;
    enum { PIECES = 200 };
    char path[512], victim[600], trap[600];
    sn_file_output *outputs[2], *discarded;
    snprintf(path, sizeof path, "%s/test_tet_file.%ld.out", SN_BINARY_DIR, (long)getpid());
    snprintf(victim, sizeof victim, "%s.victim", path);
    begin_log();
    assert_int_equal(sn_file_write(victim, "victim", 6), SN_OK);
    snprintf(trap, sizeof trap, "%s.%ld.0.tmp", path, (long)getpid());
    assert_int_equal(symlink(victim, trap), 0);
    snprintf(trap, sizeof trap, "%s.%ld.1.tmp", path, (long)getpid());
    assert_int_equal(mkfifo(trap, 0600), 0);
    assert_int_equal(sn_file_output_open(path, &outputs[0]), SN_OK);
    assert_int_equal(sn_file_output_open(path, &outputs[1]), SN_OK);
    assert_int_equal(sn_file_output_open(path, &discarded), SN_OK);
    for (size_t i = 0; i < PIECES; ++i) {
        write_content(outputs[0], 'a', 1000 * i, 1000 * (i + 1));
        write_content(outputs[1], 'A', 900 * i, 900 * (i + 1));
        write_content(discarded, '0', 10 * i, 10 * (i + 1));
    }
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sn_file_output_close(&discarded, false), SN_OK);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sn_file_output_close(&outputs[1], true), SN_OK);
    check_content(path, 'A', 900 * (size_t)PIECES);
    assert_int_equal(sn_file_output_close(&outputs[0], true), SN_OK);
    check_content(path, 'a', 1000 * (size_t)PIECES);
    assert_null(outputs[0]);
    assert_int_equal(sn_file_output_close(&outputs[0], true), SN_OK);
    assert_int_equal(unlink(trap), 0);
    snprintf(trap, sizeof trap, "%s.%ld.0.tmp", path, (long)getpid());
    assert_int_equal(unlink(trap), 0);
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(victim, &arena, &source), SN_OK);
    assert_string_equal((const char *)source.bytes, "victim");
    sn_arena_finish(&arena);
    assert_int_equal(unlink(victim), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(logged.lines, 0);
    for (int i = 0; i < 5; ++i) { /* no temporary file is left */
        snprintf(trap, sizeof trap, "%s.%ld.%d.tmp", path, (long)getpid(), i);
        assert_int_equal(access(trap, F_OK), -1);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* In a process of its own, as protection does not end. */
static void test_inputs_stay(void **state)
{
    (void)state;
    char path[512], link_path[600];
    sn_arena arena = {0};
    sn_source source;
    snprintf(path, sizeof path, "%s/test_tet_file.%ld.in", SN_BINARY_DIR, (long)getpid());
    snprintf(link_path, sizeof link_path, "%s.link", path);
    begin_log();
    assert_int_equal(sn_file_write(path, "input", 5), SN_OK);
    assert_int_equal(link(path, link_path), 0);
    const pid_t child = fork();
    if (child == 0) {
        sn_file_output *output;
        sn_source_protect_inputs();
        bool is_right = sn_file_output_open(link_path, &output) == SN_OK; /* it has not been read yet */
        is_right = is_right && sn_source_read(path, &arena, &source) == SN_OK && logged.lines == 0;
        is_right = is_right && sn_file_output_close(&output, true) == SN_ERROR_ARGUMENT && logged.errors == 1;
        is_right = is_right && sn_file_write(link_path, "x", 1) == SN_ERROR_ARGUMENT && logged.errors == 2;
        _exit(is_right && strstr(logged.last, "was read as an input") ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(sn_source_read(link_path, &arena, &source), SN_OK);
    assert_string_equal((const char *)source.bytes, "input");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(link_path), 0);
    sn_arena_finish(&arena);
}

/* A file of holes costs nothing to make. */
static void test_source_too_large(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s/test_tet_file.%ld.huge", SN_BINARY_DIR, (long)getpid());
    assert_int_equal(sn_file_write(path, "", 0), SN_OK);
    if (truncate(path, ((off_t)1 << 31) + 1) == 0) {
        check_file_error(false, path, "larger than 2 GiB");
    }
    assert_int_equal(unlink(path), 0);
}

int test_tet_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_ascii),      cmocka_unit_test(test_other_line_ends_and_versions),
        cmocka_unit_test(test_small_binary),     cmocka_unit_test(test_messages),
        cmocka_unit_test(test_real_models),      cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_source),           cmocka_unit_test(test_source_errors),
        cmocka_unit_test(test_output),           cmocka_unit_test(test_inputs_stay),
        cmocka_unit_test(test_source_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
