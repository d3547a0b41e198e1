/* SPDX-License-Identifier: MIT */
/* KHR_draco_mesh_compression: what is coded reads as what is not, up to its precision and the order of vertices, and
 * what is wrong is refused. */
#include "tests/io/draco_tube.h"

#include "author/io/gltf/draco.h"

static void read_tube(const draco_source *source, const char *const (*changes)[2], sn_arena *arena,
                      sn_scene_file *scene)
{
    bytes coded = {0}, file = {0};
    code_tube(&coded, source);
    put_tube(&file, &coded, changes);
    read_bytes(&file, arena, scene);
}

/* The tube's vertex that one of the primitive is. */
static int vertex_of(const sn_scene_primitive *p, int32_t vertex)
{
    const float number = p->paint[SN_PAINTED_STIFFNESS][vertex];
    assert_true(number >= 1 && number <= TUBE_VERTICES && number == floorf(number));
    return (int)number - 1;
}

static void assert_near(const float *a, const float *b, int count, double tolerance)
{
    for (int k = 0; k < count; ++k) {
        assert_float_equal(a[k], b[k], tolerance);
    }
}

static void assert_vertices(const sn_scene_primitive *p, const tube *t, double tolerance)
{
    bool is_there[TUBE_VERTICES] = {false};
    assert_int_equal(p->vertex_count, TUBE_VERTICES);
    assert_int_equal(p->influence_count, 4);
    for (int32_t i = 0; i < p->vertex_count; ++i) {
        const int v = vertex_of(p, i);
        assert_false(is_there[v]);
        is_there[v] = true;
        assert_near(p->positions + 3 * i, t->positions + 3 * v, 3, tolerance);
        assert_near(p->normals + 3 * i, t->normals + 3 * v, 3, tolerance > 0 ? 0.02 : 0);
        assert_near(p->uvs[0] + 2 * i, t->uvs + 2 * v, 2, tolerance);
        for (int k = 0; k < 4; ++k) {
            assert_float_equal(p->colors[4 * i + k], (float)t->colors[4 * v + k] / 255, 0);
            assert_float_equal(p->weights[4 * i + k], (float)t->weights[4 * v + k] / 255, 1e-6);
            assert_int_equal(p->joints[4 * i + k], t->joints[4 * v + k]);
        }
    }
}

/* The same triangles, each from the corner of the lowest number on, in any order. */
static void assert_triangles(const sn_scene_primitive *p, const tube *t)
{
    bool is_met[TUBE_TRIANGLES] = {false};
    assert_int_equal(p->triangle_count, TUBE_TRIANGLES);
    for (int i = 0; i < p->triangle_count; ++i) {
        int corners[3], found = -1;
        for (int k = 0; k < 3; ++k) {
            corners[k] = vertex_of(p, p->triangles[3 * i + k]);
        }
        for (int j = 0; j < 3 * TUBE_TRIANGLES && found < 0; ++j) {
            const uint32_t *other = t->triangles + j / 3 * 3;
            const int turn = j % 3;
            found = (int)other[0] == corners[turn] && (int)other[1] == corners[(turn + 1) % 3] &&
                            (int)other[2] == corners[(turn + 2) % 3]
                        ? j / 3
                        : -1;
        }
        assert_in_range(found, 0, TUBE_TRIANGLES - 1);
        assert_false(is_met[found]);
        is_met[found] = true;
    }
}

/* The tube of such values, read with these changes of its JSON, is the tube. */
static void expect_tube(const tube *t, const draco_values *values, const char *const (*changes)[2])
{
    const draco_source source = tube_source(t, values);
    sn_arena arena = {0};
    sn_scene_file scene;
    read_tube(&source, changes, &arena, &scene);
    assert_vertices(scene.primitives, t, 0);
    sn_arena_finish(&arena);
}

/* Whatever the method, the metadata, and the mode that is said: Draco has triangles. */
static void reads_as_it_was(void **state)
{
    (void)state;
    static const char *const as_strip[][2] = {{"'mode':4", "'mode':5"}, {NULL, NULL}};
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    for (int i = 0; i < 8; ++i) {
        sn_arena arena = {0};
        sn_scene_file scene;
        draco_source source = tube_source(&t, values);
        source.is_sequential = (i & 1) == 0;
        source.has_metadata = (i & 2) != 0;
        read_tube(&source, i & 4 ? as_strip : NULL, &arena, &scene);
        assert_int_equal(logged.errors + logged.warnings, 0);
        assert_vertices(scene.primitives, &t, 0);
        assert_triangles(scene.primitives, &t);
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Positions are within half a step of their quantisation, and fewer bytes. */
static void quantised_ones_are_near(void **state)
{
    (void)state;
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    size_t last = TUBE_CODED_BYTES;
    for (int bits = 20; bits > 4; bits -= 5) {
        sn_arena arena = {0};
        sn_scene_file scene;
        bytes coded = {0}, file = {0};
        draco_source source = tube_source(&t, values);
        source.is_sequential = false;
        source.position_bits = bits;
        code_tube(&coded, &source);
        put_tube(&file, &coded, NULL);
        read_bytes(&file, &arena, &scene);
        assert_vertices(scene.primitives, &t, 0.5 / ((1 << bits) - 1) + 1e-6);
        assert_triangles(scene.primitives, &t);
        assert_true(coded.size < last);
        last = coded.size;
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Encoders widen joints, and narrow them: as integers of any size and sign they are what the accessor says. */
static void integers_are_the_accessors(void **state)
{
    (void)state;
    static const char types[] = "bBhHiI";
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4};
    static const char *const joints[] = {"{'componentType':5121,'count':42,'type':'VEC4'}",
                                         "{'componentType':5123,'count':42,'type':'VEC4'}",
                                         "{'componentType':5125,'count':42,'type':'VEC4'}"};
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    for (int i = 0; i < 18; ++i) {
        uint8_t coded[4 * 4 * TUBE_VERTICES] = {0};
        const size_t size = sizes[i / 3];
        for (size_t k = 0; k < 4 * TUBE_VERTICES; ++k) {
            coded[k * size] = (uint8_t)t.joints[k];
        }
        values[4] = (draco_values){'g', types[i / 3], 4, false, coded};
        const char *const changes[][2] = {{joints[1], joints[i % 3]}, {NULL, NULL}};
        expect_tube(&t, values, changes);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Weights of floats and of 16 bits. */
static void weights_are_the_accessors(void **state)
{
    (void)state;
    static const char *const weights[] = {"{'componentType':5126,'count':42,'type':'VEC4'},{'componentType':5126",
                                          "{'componentType':5123,'normalized':true,'count':42,'type':'VEC4'},"
                                          "{'componentType':5126"};
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    float floats[4 * TUBE_VERTICES];
    uint16_t words[4 * TUBE_VERTICES];
    list_tube_values(&t, values);
    for (int i = 0; i < 4 * TUBE_VERTICES; ++i) {
        floats[i] = (float)t.weights[i] / 255;
        words[i] = (uint16_t)(257 * t.weights[i]);
    }
    const draco_values coded[] = {{'g', 'f', 4, false, floats}, {'g', 'H', 4, true, words}};
    for (int i = 0; i < 2; ++i) {
        const char *const changes[][2] = {
            {"{'componentType':5121,'normalized':true,'count':42,'type':'VEC4'},{'componentType':5126", weights[i]},
            {NULL, NULL}};
        values[5] = coded[i];
        expect_tube(&t, values, changes);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Texture coordinates that are not coded come from their accessor; morph targets always do. */
static void what_is_not_coded_is_the_files(void **state)
{
    (void)state;
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    bytes coded = {0}, file = {0};
    const draco_source source = tube_source(&t, values);
    code_tube(&coded, &source);
    while (coded.size % 4 != 0) {
        put_int(&coded, 0, 1);
    }
    char view[256], accessor[64];
    const size_t first = coded.size;
    snprintf(view, sizeof view,
             "'bufferViews':[{'buffer':0,'byteOffset':%zu,'byteLength':504},{'buffer':0,'byteOffset':%zu,'byteLength':"
             "336},",
             first, first);
    snprintf(accessor, sizeof accessor, "{'bufferView':1,'componentType':5126,'count':42,'type':'VEC2'}");
    put(&coded, t.normals, sizeof t.normals);
    const char *const changes[][2] = {
        {"'bufferViews':[", view},
        {"'bufferView':0,'attributes'", "'bufferView':2,'attributes'"},
        {"{'componentType':5126,'count':42,'type':'VEC2'}", accessor},
        {"'TEXCOORD_0':2,'COLOR_0':3,'JOINTS_0':4,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6}}",
         "'COLOR_0':3,'JOINTS_0':4,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6}}"},
        {"'type':'SCALAR'}]", "'type':'SCALAR'},{'bufferView':0,'componentType':5126,'count':42,'type':'VEC3'}]"},
        {"'indices':7", "'targets':[{'POSITION':8}],'indices':7"},
        {NULL, NULL}};
    sn_arena arena = {0};
    sn_scene_file scene;
    put_tube(&file, &coded, changes);
    read_bytes(&file, &arena, &scene);
    assert_memory_equal(scene.primitives->morph_positions[0], t.normals, sizeof t.normals);
    assert_memory_equal(scene.primitives->uvs[0], t.normals, 4 * 2 * TUBE_VERTICES);
    assert_memory_equal(scene.primitives->positions, t.positions, sizeof t.positions);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Two primitives with the same accessors: other bytes, other vertices; the same bytes, the same arrays. */
static void accessors_stand_for_each_primitives_own(void **state)
{
    (void)state;
    tube t = make_tube();
    draco_values values[TUBE_VALUES];
    bytes coded = {0}, second = {0};
    char view[128], length[64];
    list_tube_values(&t, values);
    const draco_source source = tube_source(&t, values);
    code_tube(&coded, &source);
    t.positions[0] = 7;
    code_tube(&second, &source);
    const size_t first = coded.size;
    put(&coded, second.data, second.size);
    for (int is_same = 0; is_same < 2; ++is_same) {
        bytes file = {0};
        sn_arena arena = {0};
        sn_scene_file scene;
        char primitive[1024];
        snprintf(view, sizeof view, "'bufferViews':[{'buffer':0,'byteLength':%zu},{'buffer':0,'byteOffset':%zu,", first,
                 first);
        snprintf(length, sizeof length, "'byteLength':%zu}],'accessors'", second.size);
        snprintf(primitive, sizeof primitive,
                 "{'primitives':[{'indices':7,'attributes':{'POSITION':0,'NORMAL':1},"
                 "'extensions':{'KHR_draco_mesh_compression':{'bufferView':%d,"
                 "'attributes':{'POSITION':0,'NORMAL':1}}}},{'indices':7,'attributes':{'POSITION':0,'NORMAL':1},"
                 "'extensions':{'KHR_draco_mesh_compression':{'bufferView':1,"
                 "'attributes':{'POSITION':0,'NORMAL':1}}}}]},{'primitives'",
                 is_same);
        char whole[96];
        snprintf(whole, sizeof whole, "'byteLength':%zu}],'accessors'", coded.size);
        const char *const changes[][2] = {{"'bufferViews':[{'buffer':0,", view},
                                          {whole, length},
                                          {"'nodes':[{'mesh':0", "'nodes':[{'mesh':1"},
                                          {"{'primitives'", primitive},
                                          {NULL, NULL}};
        put_tube(&file, &coded, changes);
        read_bytes(&file, &arena, &scene);
        assert_int_equal(scene.primitive_count, 3);
        assert_true(scene.primitives[1].positions[0] == 7);
        assert_true(scene.primitives[2].positions[0] != 7);
        assert_int_equal(scene.primitives[0].positions == scene.primitives[1].positions, is_same);
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Both attributes that name an accessor lay values under it; when the primitive is read, it has its own again: none. */
static void accessors_have_their_own_again(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"{'primitives'", "{'primitives':[{'indices':7,'attributes':{'POSITION':0,'NORMAL':0},"
                          "'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,"
                          "'attributes':{'POSITION':0,'NORMAL':1}}}},{'attributes':{'POSITION':0}}]},{'primitives'"},
        {"'nodes':[{'mesh':0", "'nodes':[{'mesh':1"},
        {NULL, NULL}};
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    sn_arena arena = {0};
    sn_scene_file scene;
    const draco_source source = tube_source(&t, values);
    read_tube(&source, changes, &arena, &scene);
    assert_int_equal(scene.primitive_count, 3);
    assert_int_equal(scene.primitives[1].vertex_count, TUBE_VERTICES);
    for (int i = 0; i < 3 * TUBE_VERTICES; ++i) {
        assert_true(scene.primitives[1].positions[i] == 0);
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Triangles of 42 vertices, where the primitive has another number: its positions are not among what is coded. */
static void positions_must_be_coded(void **state)
{
    (void)state;
#define ALL "{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2,'COLOR_0':3,'JOINTS_0':4,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6}"
#define CODED "'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':"
    static const char *const ids[] = {"'attributes':{'POSITION':0}," CODED "{}",
                                      "'attributes':{'POSITION':0,'NORMAL':1}," CODED "{'NORMAL':1}"};
    static const char *const positions[] = {"[{'componentType':5126,'count':1,'type':'VEC3'}",
                                            "[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}"};
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    bytes coded = {0};
    list_tube_values(&t, values);
    const draco_source source = tube_source(&t, values);
    code_tube(&coded, &source);
    for (int i = 0; i < 4; ++i) {
        bytes file = {0};
        const char *const changes[][2] = {{"'attributes':" ALL "," CODED ALL, ids[i % 2]},
                                          {"[{'componentType':5126,'count':42,'type':'VEC3'}", positions[i / 2]},
                                          {NULL, NULL}};
        put_tube(&file, &coded, changes);
        check_failure(&file, SN_ERROR_FORMAT, "extensions.KHR_draco_mesh_compression.attributes.POSITION: is missing");
    }
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
#define AT "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression"
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"'bufferView':0,'attributes'", "'attributes'", AT ".bufferView: is missing"},
        {"'bufferView':0,'attributes'", "'bufferView':1,'attributes'",
         AT ".bufferView: refers to entry 1, but there are only 1"},
        {"'bufferView':0,'attributes':{'POSITION':0", "'bufferView':0,'attributes':{'POSITION':9",
         AT ".attributes.POSITION: the data have no attribute 9"},
        {"'bufferView':0,'attributes':{'POSITION':0", "'bufferView':0,'attributes':{'POSITION':-1",
         AT ".attributes.POSITION: is -1"},
        {"'bufferView':0,'attributes':{", "'bufferView':0,'attributes':{'TANGENT':0,",
         AT ".attributes.TANGENT: is not among the attributes of the primitive"},
        {"'bufferView':0,'attributes':{'POSITION':0", "'bufferView':0,'attributes':{'POSITION':2",
         AT ".attributes.POSITION: the data have 2 components per vertex, but the accessor has 3"},
        {"'JOINTS_0':4,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6}}", "'JOINTS_0':3,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6}}",
         "which meshes[0].primitives[0] uses, does not exist: there are only 3 joints in skin 0"},
        {"[{'componentType':5126,'count':42,", "[{'componentType':5126,'count':43,",
         AT ".attributes.POSITION: the data have 42 vertices, but the accessor has 43"},
        {"'count':216", "'count':219", AT ": the data have 72 triangles, which do not match the 219 indices"},
        {"'mode':4,'indices':7", "'mode':5,'indices':6", "indices: accessor 6 has SCALAR of type 5126 instead of"},
        {"{'componentType':5123,'count':42,", "{'componentType':5126,'count':42,",
         AT ".attributes.JOINTS_0: the data are unsigned 16-bit integers, but the accessor has floats"},
        {"'VEC4'},{'componentType':5126,'count':42,'type':'SCALAR'}",
         "'VEC4'},{'componentType':5122,'count':42,'type':'SCALAR'}",
         AT ".attributes._SINEW_STIFFNESS: the data are floats, but the accessor has signed 16-bit integers"},
        {"'indices':7", "'targets':[{'POSITION':8}],'indices':7",
         "targets[0].POSITION: refers to entry 8, but there are only 8"},
    };
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    bytes coded = {0};
    const draco_source source = tube_source(&t, values);
    code_tube(&coded, &source);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bytes file = {0};
        const char *const changes[][2] = {{cases[i].from, cases[i].to}, {NULL, NULL}};
        put_tube(&file, &coded, changes);
        check_failure(&file, SN_ERROR_FORMAT, cases[i].message);
    }
}

static void check_coded_failure(const bytes *coded, sn_result expected, const char *message)
{
    bytes file = {0};
    put_tube(&file, coded, NULL);
    check_failure(&file, expected, message);
}

/* The header has 11 bytes; then triangles and vertices are counted in two bytes or one each. */
static void headers_are_checked_first(void **state)
{
    (void)state;
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    bytes good = {0}, bad;
    list_tube_values(&t, values);
    draco_source source = tube_source(&t, values);
    code_tube(&good, &source);
    assert_int_equal(good.data[11], TUBE_TRIANGLES);
    assert_int_equal(good.data[12], TUBE_VERTICES);
    static const struct {
        size_t at;
        uint8_t value;
        const char *message;
    } cases[] = {{0, 'd', AT ": the data do not begin with DRACO"},
                 {5, 1, AT ": version 1.2 of the Draco format is not supported; 2.2 is"},
                 {6, 3, AT ": version 2.3 of the Draco format is not supported; 2.2 is"},
                 {7, 0, AT ": the data are a point cloud, not a mesh"},
                 {7, 2, AT ": the data are not a mesh"},
                 {8, 2, AT ": the encoding method 2 is unknown"},
                 {10, 0x80, AT ": the data end"}, /* metadata that are not there */
                 {11, 0, AT ": the data have no triangles"},
                 {11, 73, AT ": the data have 73 triangles, which do not match the 216 indices"},
                 {12, 41, AT ": "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bad = good;
        bad.data[cases[i].at] = cases[i].value;
        check_coded_failure(&bad, SN_ERROR_FORMAT, cases[i].message);
    }
    for (size_t size = 1; size < 13; ++size) {
        bad = good;
        bad.size = size;
        check_coded_failure(&bad, SN_ERROR_FORMAT, size < 5 ? "do not begin with DRACO" : "end inside the header");
    }
    bad.size = draco_encode_cloud(&source, bad.data, TUBE_CODED_BYTES);
    assert_true(bad.size > 0);
    check_coded_failure(&bad, SN_ERROR_FORMAT, "the data are a point cloud");
}

/* Billions of triangles, vertices, and seams, which the file says in a few bytes and its accessors agree to. */
static void too_much_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *coded, *count, *message;
        size_t size;
    } cases[] = {
        {"DRACO\2\2\1\0\0\0\xaa\xd5\xaa\xd5\2\52", "'count':2147483646", "715827882 triangles of 42 vertices", 17},
        {"DRACO\2\2\1\0\0\0\110\xff\xff\xff\xff\17", "'count':216", "72 triangles of 4294967295 vertices", 17},
        {"DRACO\2\2\1\1\0\0\0\52\x80\x80\x40\xff", "'count':3145728", "1048576 triangles of 42 vertices", 17},
        {"DRACO\2\2\1\0\0\0\xff\xff\xff\xff\37\52", "'count':216", "end inside the header", 17}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bytes coded = {0}, file = {0};
        put(&coded, cases[i].coded, cases[i].size);
        const char *const changes[][2] = {{"'count':216", cases[i].count}, {NULL, NULL}};
        put_tube(&file, &coded, changes);
        check_failure(&file, i < 3 ? SN_ERROR_UNSUPPORTED : SN_ERROR_FORMAT, cases[i].message);
    }
}

/* Attributes may say few bytes and mean many. */
static void attributes_have_a_limit(void **state)
{
    (void)state;
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    bytes coded = {0};
    char cause[SN_DRACO_CAUSE_CHARS];
    list_tube_values(&t, values);
    draco_source source = tube_source(&t, values);
    for (int i = 0; i < 2; ++i) {
        source.is_sequential = i == 0;
        code_tube(&coded, &source);
        /* all values twice, as their own type and as 32 bits, and which one each vertex has */
        const size_t enough = (size_t)(28 + (3 + 3 + 2 + 1) * 8 + (4 + 4) * 5 + 4 * 6) * TUBE_VERTICES;
        assert_null(sn_draco_decode(coded.data, coded.size, i == 1, enough - 1, cause));
        assert_string_equal(cause, "the decoded attributes would take more than 0 MiB");
        sn_draco *mesh = sn_draco_decode(coded.data, coded.size, i == 1, enough, cause);
        assert_non_null(mesh);
        sn_draco_destroy(mesh);
    }
}

static sn_result read_gltf(const sn_source *source, sn_arena *arena)
{
    sn_scene_file scene;
    return sn_gltf_read(source, arena, &scene);
}

/* Whatever bytes are lost or changed in the coded ones: a tube, or one error. */
static void damage_is_found(void **state)
{
    (void)state;
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    draco_source source = tube_source(&t, values);
    uint64_t seed = 5;
    for (int i = 0; i < 2; ++i) {
        bytes coded = {0};
        source.is_sequential = i == 0;
        source.position_bits = 11;
        code_tube(&coded, &source);
        for (int round = 0; round < 400; ++round) {
            bytes bad = coded, file = {0};
            for (uint32_t k = next_random(&seed) % 4; k > 0; --k) {
                bad.data[next_random(&seed) % bad.size] = (uint8_t)next_random(&seed);
            }
            bad.size = round % 4 == 0 ? 1 + next_random(&seed) % bad.size : bad.size;
            put_tube(&file, &bad, NULL);
            read_copy(file.data, file.size, read_gltf);
        }
    }
}

static void memory_may_end(void **state)
{
    (void)state;
    const tube t = make_tube();
    draco_values values[TUBE_VALUES];
    list_tube_values(&t, values);
    bytes coded = {0}, file = {0};
    const draco_source source = tube_source(&t, values);
    code_tube(&coded, &source);
    put_tube(&file, &coded, NULL);
    fail_each_allocation(&file, read_gltf);
}

int test_gltf_draco(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_it_was),
        cmocka_unit_test(quantised_ones_are_near),
        cmocka_unit_test(integers_are_the_accessors),
        cmocka_unit_test(weights_are_the_accessors),
        cmocka_unit_test(what_is_not_coded_is_the_files),
        cmocka_unit_test(accessors_stand_for_each_primitives_own),
        cmocka_unit_test(accessors_have_their_own_again),
        cmocka_unit_test(positions_must_be_coded),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(headers_are_checked_first),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(attributes_have_a_limit),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
