/* SPDX-License-Identifier: MIT */
/* Physical groups of Gmsh files: of elements in 2.x, of entities in 4.1, in both encodings. */
#include "tests/io/io_test.h"

#include "author/io/tets/tet_file.h"

#define NAMES "$PhysicalNames\n3\n2 7 \"outside\"\n3 2 \"soft core\"\n3 7 \"shell\"\n$EndPhysicalNames\n"
#define HEAD_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MESH_2 "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$EndNodes\n$Elements\n"

/* Tets of the groups shell, -soft core, 40 (which has no name), none; a triangle of 7 says nothing. */
static const char ascii_2[] = HEAD_2 NAMES MESH_2 "6\n1 2 2 7 1 1 2 3\n2 4 2 7 1 1 2 3 4\n3 4 2 -2 1 1 3 2 5\n"
                                                  "4 4 1 40 1 2 3 4\n5 4 0 1 2 3 4\n6 4 2 0 3 1 2 3 4\n$EndElements\n";

static const char ascii_41[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" NAMES "$Entities\n1 1 1 4\n1 0 0 0 1 7\n1 0 0 0 1 1 1 0 2 1 -1\n"
    "1 0 0 0 1 1 1 1 7 1 1\n"
    "9 0 0 0 1 1 1 2 7 2 1 1\n4 0 0 0 1 1 1 1 -2 0\n5 0 0 0 1 1 1 1 40 0\n6 0 0 0 1 1 1 0 2 1 -1\n$EndEntities\n"
    "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n$EndNodes\n"
    "$Elements\n6 6 1 6\n2 1 2 1\n1 1 2 3\n3 9 4 1\n2 1 2 3 4\n3 4 4 1\n3 1 3 2 5\n3 5 4 1\n4 1 2 3 4\n"
    "3 6 4 1\n5 1 2 3 4\n3 77 4 1\n6 1 2 3 4\n$EndElements\n";

static void put_floats(bytes *b, int count)
{
    for (int i = 0; i < count; ++i) {
        put_f64(b, i);
    }
}

static void put_points(bytes *b, bool is_41)
{
    static const double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 5 && is_41; ++i) {
        put_int(b, (uint64_t)i + 1, 8);
    }
    for (int i = 0; i < 5; ++i) {
        if (!is_41) {
            put_int(b, (uint64_t)i + 1, 4);
        }
        for (int d = 0; d < 3; ++d) {
            put_f64(b, points[i][d]);
        }
    }
}

static void put_ints(bytes *b, size_t size, int count, const uint64_t *values)
{
    for (int i = 0; i < count; ++i) {
        put_int(b, values[i], size);
    }
}

/* The same in binary. */
static void build_2(bytes *b)
{
    put_text(b, "$MeshFormat\n2.2 1 8\n");
    put_int(b, 1, 4);
    put_text(b, "\n$EndMeshFormat\n" NAMES "$Nodes\n5\n");
    put_points(b, false);
    put_text(b, "\n$EndNodes\n$Elements\n6\n");
    put_ints(b, 4, 9, (const uint64_t[]){2, 1, 2, 1, 7, 1, 1, 2, 3});
    put_ints(b, 4, 17, (const uint64_t[]){4, 2, 2, 2, 7, 1, 1, 2, 3, 4, 3, (uint32_t)-2, 1, 1, 3, 2, 5});
    put_ints(b, 4, 9, (const uint64_t[]){4, 1, 1, 4, 40, 1, 2, 3, 4});
    put_ints(b, 4, 8, (const uint64_t[]){4, 1, 0, 5, 1, 2, 3, 4});
    put_ints(b, 4, 10, (const uint64_t[]){4, 1, 2, 6, 0, 3, 1, 2, 3, 4});
    put_text(b, "\n$EndElements\n");
}

static void put_entity(bytes *b, int tag, int box, int count, const uint64_t *groups, int bounds)
{
    put_int(b, (uint64_t)tag, 4);
    put_floats(b, box);
    put_int(b, (uint64_t)count, 8);
    put_ints(b, 4, count, groups);
    if (box == 6) {
        put_int(b, (uint64_t)bounds, 8);
        for (int i = 0; i < bounds; ++i) {
            put_int(b, 1, 4);
        }
    }
}

static void build_41(bytes *b)
{
    put_text(b, "$MeshFormat\n4.1 1 8\n");
    put_int(b, 1, 4);
    put_text(b, "\n$EndMeshFormat\n" NAMES "$Entities\n");
    put_ints(b, 8, 4, (const uint64_t[]){1, 1, 1, 4});
    put_entity(b, 1, 3, 1, (const uint64_t[]){7}, 0);
    put_entity(b, 1, 6, 0, NULL, 2);
    put_entity(b, 1, 6, 1, (const uint64_t[]){7}, 1);
    put_entity(b, 9, 6, 2, (const uint64_t[]){7, 2}, 1);
    put_entity(b, 4, 6, 1, (const uint64_t[]){(uint32_t)-2}, 0);
    put_entity(b, 5, 6, 1, (const uint64_t[]){40}, 0);
    put_entity(b, 6, 6, 0, NULL, 2);
    put_text(b, "\n$EndEntities\n$Nodes\n");
    put_ints(b, 8, 4, (const uint64_t[]){1, 5, 1, 5});
    put_ints(b, 4, 3, (const uint64_t[]){3, 1, 0});
    put_int(b, 5, 8);
    put_points(b, true);
    put_text(b, "\n$EndNodes\n$Elements\n");
    put_ints(b, 8, 4, (const uint64_t[]){6, 6, 1, 6});
    put_ints(b, 4, 3, (const uint64_t[]){2, 1, 2});
    put_ints(b, 8, 5, (const uint64_t[]){1, 1, 1, 2, 3});
    static const uint32_t entities[5] = {9, 4, 5, 6, 77};
    for (uint64_t i = 0; i < 5; ++i) {
        put_ints(b, 4, 3, (const uint64_t[]){3, entities[i], 4});
        put_ints(b, 8, 6, i == 1 ? (const uint64_t[]){1, 3, 1, 3, 2, 5} : (const uint64_t[]){1, i + 2, 1, 2, 3, 4});
    }
    put_text(b, "\n$EndElements\n");
}

static void groups_of_tets(void **state)
{
    (void)state;
    static const char *const names[5] = {"shell", "soft core", "40", NULL, NULL};
    for (int kind = 0; kind < 4; ++kind) {
        bytes b = {0};
        sn_arena arena = {0};
        sn_tet_mesh mesh;
        sn_tet_groups groups;
        if (kind < 2) {
            put_text(&b, kind == 0 ? ascii_2 : ascii_41);
        } else {
            (kind == 2 ? build_2 : build_41)(&b);
        }
        const sn_source source = source_of(&b);
        begin_log();
        if (sn_msh_read_with_groups(&source, &arena, &mesh, &groups) != SN_OK) {
            fail_msg("%d: %s", kind, logged.last);
        }
        assert_int_equal(mesh.tet_count, 5);
        assert_int_equal(groups.count, 3);
        for (int t = 0; t < 5; ++t) {
            assert_true((groups.of_tet[t] >= 0) == (names[t] != NULL));
            assert_true(!names[t] || strcmp(groups.names[groups.of_tet[t]], names[t]) == 0);
        }
        assert_int_equal(sn_msh_read(&source, &arena, &mesh), SN_OK); /* the same tets without them */
        assert_int_equal(mesh.tet_count, 5);
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void broken_groups(void **state)
{
    (void)state;
#define TETS MESH_2 "1\n1 4 2 7 1 1 2 3 4\n$EndElements\n"
#define HEAD_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD_2 "$PhysicalNames\n1\n3 7 \"open\n$EndPhysicalNames\n" TETS, "has no closing quote"},
        {HEAD_2 "$PhysicalNames\n9000000\n3 7 \"x\"\n$EndPhysicalNames\n" TETS, "count of names"},
        {HEAD_2 "$PhysicalNames\n2\n3 7 \"x\"\n$EndPhysicalNames\n" TETS, "line 7: dimension of a group"},
        {HEAD_2 "$PhysicalNames\n1\n3 x \"x\"\n$EndPhysicalNames\n" TETS, "line 6: tag of a group 'x'"},
        {HEAD_2 NAMES NAMES TETS, "line 10: there is a second $PhysicalNames"},
        {"$PhysicalNames\n0\n$EndPhysicalNames\n" HEAD_2 TETS, "line 1: $PhysicalNames must follow $MeshFormat"},
        {HEAD_4 "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n$Entities\n",
         "line 13: $Entities must precede $Elements"},
        {HEAD_2 "$PhysicalNames\n4\n3 7 \"x\"\n2 5 \"y\"\n3 5 \"y\"\n3 7 \"z\"\n$EndPhysicalNames\n" TETS,
         "line 9: the group 7 is defined twice"},
        {HEAD_4 "$Entities\n0 0 0 3\n4 0 0 0 1 1 1 1 7 0\n9 0 0 0 1 1 1 0 0\n4 0 0 0 1 1 1 1 2 0\n$EndEntities\n",
         "line 8: the volume 4 is defined twice"},
        {HEAD_4 "$Entities\n0 0 0 5000000\n1 0 0 0 1 1 1 0 0\n$EndEntities\n", "count of entities"},
        {HEAD_4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 99999 0\n$EndEntities\n", "physical tag"},
        {HEAD_4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 nan 0 0\n$EndEntities\n", "box of an entity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bytes b = {0};
        sn_arena arena = {0};
        sn_tet_mesh mesh;
        sn_tet_groups groups;
        put_text(&b, cases[i].text);
        const sn_source source = source_of(&b);
        begin_log();
        assert_int_equal(sn_msh_read_with_groups(&source, &arena, &mesh, &groups), SN_ERROR_FORMAT);
        assert_one_error(cases[i].message);
        sn_arena_finish(&arena);
    }
}

static void names_behind_elements(void **state)
{
    (void)state;
    bytes b = {0};
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_tet_groups groups;
    put_text(&b, HEAD_2 TETS NAMES);
    const sn_source source = source_of(&b);
    assert_int_equal(sn_msh_read_with_groups(&source, &arena, &mesh, &groups), SN_OK);
    assert_int_equal(groups.count, 1);
    assert_string_equal(groups.names[groups.of_tet[0]], "shell");
    sn_arena_finish(&arena);
}

static void real_mesh(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/tet/dolphin/dolphin.msh");
    sn_arena arena = {0};
    sn_source source;
    sn_tet_mesh mesh;
    sn_tet_groups groups;
    assert_int_equal(sn_source_read(SN_SHARED_DATA "/tet/dolphin/dolphin.msh", &arena, &source), SN_OK);
    assert_int_equal(sn_msh_read_with_groups(&source, &arena, &mesh, &groups), SN_OK);
    assert_int_equal(groups.count, 0); /* its elements have no tags */
    sn_arena_finish(&arena);
}

int test_msh_groups(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_of_tets), cmocka_unit_test(broken_groups),
                                       cmocka_unit_test(names_behind_elements), cmocka_unit_test(real_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
