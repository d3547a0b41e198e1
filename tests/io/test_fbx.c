/* SPDX-License-Identifier: MIT */
/* Two small FBX files of our own against what they say, and what goes wrong. */
#include "author/io/child_process.h"
#include "author/io/fbx.h"
#include "author/io/image/png.h"
#include "tests/io/fbx_test.h"

#include <math.h>
#include <sys/stat.h>

#define BAR SN_SOURCE_DIR "/tests/io/fbx/bar.fbx"
#define PIVOTS SN_SOURCE_DIR "/tests/io/fbx/pivots.fbx"

static void assert_near(double found, double expected, double tolerance, const char *what)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%s: %.9g instead of %.9g", what, found, expected);
    }
}

/* Adds what the primitive encloses, if it is closed, and widens the box. */
static void measure(const sn_scene_primitive *p, double *volume, double *low, double *high)
{
    for (int t = 0; t < p->triangle_count; ++t) {
        const float *a = p->positions + 3 * p->triangles[3 * t], *b = p->positions + 3 * p->triangles[3 * t + 1],
                    *c = p->positions + 3 * p->triangles[3 * t + 2];
        *volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                            a[2] * (b[0] * c[1] - b[1] * c[0])) /
                   6;
    }
    for (int i = 0; i < 3 * p->vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], (double)p->positions[i]);
        high[i % 3] = fmax(high[i % 3], (double)p->positions[i]);
    }
}

/* 20 x 20 x 100 cm along the file's Z, which is up; the lids are of another material than the sides. */
static void test_bar_shape(void **state)
{
    (void)state;
    static const double lows[3] = {-0.1, 0, -0.1}, highs[3] = {0.1, 1, 0.1};
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_fbx(BAR, &arena, &s);
    assert_int_equal(s.mesh_count, 1);
    assert_int_equal(s.primitive_count, 2);
    const sn_scene_primitive *sides = &s.primitives[0], *lids = &s.primitives[1];
    assert_int_equal(sides->vertex_count, 25); /* of 64 corners: five columns of five, as the texture has a seam */
    assert_int_equal(sides->triangle_count, 32);
    assert_int_equal(lids->vertex_count, 8);
    assert_int_equal(lids->triangle_count, 4);
    assert_string_equal(s.materials[sides->material].name, "Clay");
    assert_string_equal(s.materials[lids->material].name, "Lid");
    for (int i = 0; i < sides->vertex_count; ++i) {
        assert_near((double)sides->uvs[0][2 * i + 1], 1 - (double)sides->positions[3 * i + 1], 1e-6, "v is down");
    }
    double volume = 0, low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
    measure(sides, &volume, low, high);
    measure(lids, &volume, low, high);
    assert_near(volume, 0.04, 1e-6, "the volume, whose sign is that of the winding");
    for (int k = 0; k < 3; ++k) {
        assert_near(low[k], lows[k], 1e-6, "the box's low end");
        assert_near(high[k], highs[k], 1e-6, "the box's high end");
    }
    sn_arena_finish(&arena);
}

static void check_bent(const sn_scene_file *s, const sn_scene_primitive *p, double time, double degrees)
{
    const double angle = degrees * 3.14159265358979323846 / 180;
    for (int i = 0; i < p->vertex_count; ++i) {
        const double x = (double)p->positions[3 * i], y = (double)p->positions[3 * i + 1],
                     z = (double)p->positions[3 * i + 2], tip = fmin(fmax((y - 0.25) / 0.5, 0), 1);
        const double bent[3] = {x, 0.5 + (y - 0.5) * cos(angle) - z * sin(angle),
                                (y - 0.5) * sin(angle) + z * cos(angle)};
        double found[3];
        skinned_vertex(s, 0, time, &s->skins[0], p, i, found);
        assert_near(found[0], x, 1e-5, "x");
        assert_near(found[1], (1 - tip) * y + tip * bent[1], 1e-5, "y");
        assert_near(found[2], (1 - tip) * z + tip * bent[2], 1e-5, "z");
    }
}

/* Tip bends by 30 degrees in half a second and by 90 in one, about the file's X, towards the viewer. */
static void test_bar_motion(void **state)
{
    (void)state;
    static const double times[4] = {0, 0.25, 0.5, 1}, degrees[4] = {0, 15, 30, 90};
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_fbx(BAR, &arena, &s);
    assert_int_equal(s.clip_count, 1);
    assert_string_equal(s.clips[0].name, "Bend");
    assert_near(s.clips[0].seconds, 1, 1e-6, "the clip's length");
    assert_int_equal(s.skin_count, 1);
    assert_int_equal(s.skins[0].joint_count, 2);
    assert_string_equal(s.nodes[s.skins[0].joints[0]].name, "Root");
    assert_string_equal(s.nodes[s.skins[0].joints[1]].name, "Tip");
    assert_int_equal(s.nodes[s.skins[0].joints[1]].parent, s.skins[0].joints[0]);
    for (int t = 0; t < 4; ++t) {
        check_bent(&s, &s.primitives[0], times[t], degrees[t]);
        check_bent(&s, &s.primitives[1], times[t], degrees[t]);
    }
    sn_arena_finish(&arena);
}

/* The middle ring grows by half, as the clip goes on. */
static void test_bar_shapes(void **state)
{
    (void)state;
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_fbx(BAR, &arena, &s);
    assert_int_equal(s.meshes[0].morph_count, 1);
    assert_string_equal(s.meshes[0].morph_names[0], "Bulge");
    assert_true(s.meshes[0].morph_weights[0] == 0);
    const sn_scene_primitive *p = &s.primitives[0];
    for (int i = 0; i < p->vertex_count; ++i) {
        const bool is_middle = fabs((double)p->positions[3 * i + 1] - 0.5) < 1e-6;
        for (int k = 0; k < 3; ++k) {
            const double expected = is_middle && k != 1 ? 0.5 * (double)p->positions[3 * i + k] : 0;
            assert_near((double)p->morph_positions[0][3 * i + k], expected, 1e-6, "an offset");
        }
    }
    const sn_scene_channel *weights = NULL;
    for (int i = 0; i < s.channel_count; ++i) {
        weights = s.channels[i].path == SN_PATH_WEIGHTS ? &s.channels[i] : weights;
    }
    assert_non_null(weights);
    assert_int_equal(s.nodes[weights->node].mesh, 0);
    double weight[4];
    sample_channel(weights, 0.75, weight);
    assert_near(weight[0], 0.75, 1e-6, "the shape's weight");
    sn_arena_finish(&arena);
}

static void copy_file(const char *from, const char *to)
{
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(from, &arena, &source), SN_OK);
    assert_int_equal(sn_file_write(to, source.bytes, source.size), SN_OK);
    sn_arena_finish(&arena);
}

/* The file names a picture in a folder beside its own, where nothing may be read; it is looked for nearer. */
static void test_bar_material(void **state)
{
    (void)state;
    static const char *const places[] = {"", "textures/", "bar.fbm/"};
    static uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_fbx(BAR, &arena, &s);
    assert_one_warning("bar.fbx: images[0].uri: 'stripes.png': No such file or directory");
    assert_int_equal(s.material_count, 2);
    assert_int_equal(s.texture_count, 0);
    assert_true(s.materials[0].values.alpha_mode == SN_ALPHA_OPAQUE);
    assert_true(s.materials[1].values.alpha_mode == SN_ALPHA_BLEND);
    assert_near((double)s.materials[1].values.base_color[3], 0.5, 1e-6, "opacity");
    assert_near((double)s.materials[0].values.base_color[1], 0.4, 1e-6, "the colour, without the picture");
    assert_near((double)s.materials[0].values.roughness, 0.5, 1e-6, "of an exponent of 25");
    sn_arena_finish(&arena);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        char folder[] = "/tmp/sinew-fbx-XXXXXX", path[256], inner[256], picture[256];
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/bar.fbx", folder);
        snprintf(inner, sizeof inner, "%s/%s", folder, places[i]);
        snprintf(picture, sizeof picture, "%s/%sstripes.png", folder, places[i]);
        mkdir(inner, 0700);
        copy_file(BAR, path);
        const sn_image image = {2, 2, pixels};
        assert_int_equal(sn_png_write(picture, &image, true), SN_OK);
        read_fbx(path, &arena, &s);
        assert_int_equal(logged.lines, 0);
        assert_int_equal(s.texture_count, 1);
        assert_int_equal(s.materials[0].values.textures[SN_TEXTURE_BASE_COLOR], 0);
        assert_memory_equal(s.textures[0].pixels, pixels, sizeof pixels);
        assert_true(s.materials[0].values.base_color[0] == 1);
        sn_arena_finish(&arena);
        unlink(picture);
        unlink(path);
        rmdir(inner);
        rmdir(folder);
    }
}

/* bar.fbx with one text in place of another, as a file of its own. */
static void read_changed_bar(const char *before, const char *after, sn_arena *arena, sn_scene_file *s)
{
    char folder[] = "/tmp/sinew-fbx-XXXXXX", path[256];
    sn_arena scratch = {0};
    sn_source source;
    bytes changed = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bar.fbx", folder);
    assert_int_equal(sn_source_read(BAR, &scratch, &source), SN_OK);
    const char *text = (const char *)source.bytes, *at = strstr(text, before);
    assert_non_null(at);
    for (; at; at = strstr(text, before)) {
        put(&changed, text, (size_t)(at - text));
        put_text(&changed, after);
        text = at + strlen(before);
    }
    put_text(&changed, text);
    assert_int_equal(sn_file_write(path, changed.data, changed.size), SN_OK);
    sn_arena_finish(&scratch);
    read_fbx(path, arena, s);
    unlink(path);
    rmdir(folder);
}

static void check_changed_bar(const char *before, const char *after, double size)
{
    sn_arena arena = {0};
    sn_scene_file s;
    double volume = 0, low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
    read_changed_bar(before, after, &arena, &s);
    measure(&s.primitives[0], &volume, low, high);
    measure(&s.primitives[1], &volume, low, high);
    assert_near(volume, 0.04 * size * size * size, 1e-6, "the volume, whose sign is that of the winding");
    assert_near(low[1], 0, 1e-6, "the low end");
    assert_near(high[1], size, 1e-6, "the high end");
    check_bent(&s, &s.primitives[0], 0, 0);
    sn_arena_finish(&arena);
}

/* Other units, and a file whose X points left. */
static void test_axes(void **state)
{
    (void)state;
    use_reader();
    check_changed_bar("\"UnitScaleFactor\", \"double\", \"Number\", \"\",1",
                      "\"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54", 2.54);
    check_changed_bar("\"CoordAxisSign\", \"int\", \"Integer\", \"\",1",
                      "\"CoordAxisSign\", \"int\", \"Integer\", \"\",-1", 1);
    assert_int_equal(logged.warnings, 1); /* of the picture */
    sn_arena arena = {0};
    sn_scene_file s;
    read_changed_bar("\"UpAxis\", \"int\", \"Integer\", \"\",2", "\"UpAxis\", \"int\", \"Integer\", \"\",7", &arena,
                     &s);
    assert_int_equal(logged.warnings, 2);
    sn_arena_finish(&arena);
}

/* In Latin 1, which JSON does not take. */
static void test_names(void **state)
{
    (void)state;
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_changed_bar("Model::Root", "Model::R\xf6t", &arena, &s);
    assert_string_equal(s.nodes[s.skins[0].joints[0]].name, "R_t");
    sn_arena_finish(&arena);
    read_changed_bar("Model::Root", "Model::R\xc3\xb6t", &arena, &s);
    assert_string_equal(s.nodes[s.skins[0].joints[0]].name, "R\xc3\xb6t");
    sn_arena_finish(&arena);
}

/* A custom property of a bone: a number, as Blender writes one, or a boolean. */
static void test_loose(void **state)
{
    (void)state;
    static const struct {
        const char *property;
        bool is_soft_bone;
    } cases[] = {{"\"sinew_loose\", \"double\", \"Number\", \"AU\",1", true},
                 {"\"sinew_loose\", \"double\", \"Number\", \"AU\",0", false},
                 {"\"sinew_loose\", \"int\", \"Integer\", \"AU\",1", true},
                 {"\"sinew_loose\", \"bool\", \"\", \"AU\",1", true},
                 {"\"sinew_tight\", \"bool\", \"\", \"AU\",1", false}};
    static const char *const before = "P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,50";
    use_reader();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_scene_file s;
        char after[256];
        snprintf(after, sizeof after, "%s\n\t\t\tP: %s", before, cases[i].property);
        read_changed_bar(before, after, &arena, &s);
        assert_int_equal(s.nodes[find_node(&s, "Tip")].is_soft_bone, cases[i].is_soft_bone);
        assert_false(s.nodes[find_node(&s, "Root")].is_soft_bone);
        sn_arena_finish(&arena);
    }
}

/* Transforms by hand, column vectors in metres. */

static void turn(int axis, double degrees, double *m)
{
    const double angle = degrees * 3.14159265358979323846 / 180;
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    sn_affine_identity(m);
    m[5 * a] = m[5 * b] = cos(angle);
    m[4 * a + b] = -sin(angle);
    m[4 * b + a] = sin(angle);
}

static void shift(double x, double y, double z, double *m)
{
    sn_affine_identity(m);
    m[3] = x;
    m[7] = y;
    m[11] = z;
}

static void stretch(double x, double y, double z, double *m)
{
    sn_affine_identity(m);
    m[0] = x;
    m[5] = y;
    m[10] = z;
}

static void append(double *product, const double *m)
{
    double before[12];
    memcpy(before, product, sizeof before);
    sn_affine_multiply(before, m, product);
}

/* WorldTransform = ParentWorldTransform T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1 (FBX SDK, "Computing
 * transformation matrices"), with the numbers of pivots.fbx. */
static void wheel_world(double time, double *cart, double *wheel)
{
    double m[12], other[12];
    shift(0, 4, 0, cart);
    turn(2, 30, m);
    append(cart, m);
    turn(1, 10, m); /* rotations are R = Rz Ry Rx */
    turn(0, 80 * time, other);
    append(m, other);
    append(cart, m);
    turn(1, -45, m);
    append(cart, m);
    memcpy(wheel, cart, 12 * sizeof *wheel);
    shift(1 + 0.1 + 1, 2 + 0.2, 3 + 0.3, m); /* T Roff Rp */
    append(wheel, m);
    turn(1, 90, m);
    append(wheel, m);
    turn(0, 120 * time, m);
    append(wheel, m);
    turn(0, -20, m);
    append(wheel, m);
    shift(-1, 1, 0, m); /* Rp^-1 Sp */
    append(wheel, m);
    stretch(1, 2, 1, m);
    append(wheel, m);
    shift(0, -1, 0, m);
    append(wheel, m);
}

/* Red and green above blue and white: the picture inside pivots.fbx. */
static void check_picture(const sn_scene_file *s)
{
    static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    assert_int_equal(s->texture_count, 1);
    assert_int_equal(s->materials[s->primitives[0].material].values.textures[SN_TEXTURE_BASE_COLOR], 0);
    assert_memory_equal(s->textures[0].pixels, pixels, sizeof pixels);
}

static void check_world(const sn_scene_file *s, double time, int32_t node, const double *expected, const char *what)
{
    double world[12];
    node_world(s, 0, time, node, world);
    for (int k = 0; k < 12; ++k) {
        assert_near(world[k], expected[k], 2e-4, what);
    }
}

static void test_pivots(void **state)
{
    (void)state;
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_fbx(PIVOTS, &arena, &s);
    assert_int_equal(logged.lines, 0);
    const int32_t wheel_node = find_node(&s, "Wheel"), rider_node = find_node(&s, "Rider");
    int32_t drawn = -1;
    for (int i = 0; i < s.node_count; ++i) {
        drawn = s.nodes[i].mesh >= 0 && s.nodes[i].parent == wheel_node && i != rider_node ? i : drawn;
    }
    assert_true(drawn >= 0); /* the geometric transform's own node */
    check_picture(&s);
    assert_int_equal(s.mesh_count, 1);
    assert_int_equal(s.nodes[drawn].mesh, s.nodes[rider_node].mesh);
    for (int frame = 0; frame <= 8; ++frame) {
        const double time = frame / 8.0;
        double cart[12], wheel[12], rider[12], shape[12], m[12];
        wheel_world(time, cart, wheel);
        memcpy(rider, wheel, sizeof rider);
        memcpy(shape, wheel, sizeof shape);
        shift(0, 1, 0, m);
        append(rider, m);
        shift(0, 0, 5, m);
        append(shape, m);
        stretch(1, 1, 2, m);
        append(shape, m);
        check_world(&s, time, find_node(&s, "Cart"), cart, "Cart");
        check_world(&s, time, wheel_node, wheel, "Wheel");
        check_world(&s, time, rider_node, rider, "Rider");
        check_world(&s, time, drawn, shape, "the wheel's mesh");
    }
    sn_arena_finish(&arena);
}

static void check_failure(const char *path, sn_result expected, const char *cause)
{
    sn_arena arena = {0};
    sn_scene_file s;
    begin_log();
    assert_int_equal(sn_scene_file_read(path, &arena, &s), expected);
    assert_one_error(cause);
    assert_ptr_equal(strstr(logged.last_error, path), logged.last_error);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(sn_file_write(path, text, strlen(text)), SN_OK);
}

/* What a reader may do, by programs that do it. */
static void test_bad_readers(void **state)
{
    (void)state;
    static const struct {
        const char *script, *cause;
    } readers[] = {
        {"kill -SEGV $$", "crashed with signal 11"},
        {"exit 9", "exit code 9"},
        {"cat >/dev/null", "malformed output"},
        {"cat >/dev/null; echo glb 3; printf abcd", "malformed output"},
        {"cat >/dev/null; echo glb 99999999999999999999; printf abcd", "malformed output"},
        {"cat >/dev/null; echo error it is green; echo more", "malformed output"},
        {"cat >/dev/null; echo glb 4; printf abcd", "expected near 'abcd'"},
        {"cat >/dev/null; printf 'error it is \\033[32mgreen\\n'", "bar.fbx: it is ?[32mgreen"},
    };
    char folder[] = "/tmp/sinew-fbx-XXXXXX", program[256];
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/reader", folder);
    setenv("SINEW_READ_FBX", program, 1);
    check_failure(BAR, SN_ERROR_FILE, "cannot start");
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", readers[i].script);
        write_text(program, text);
        chmod(program, 0700);
        check_failure(BAR, SN_ERROR_FORMAT, readers[i].cause);
    }
    unlink(program);
    rmdir(folder);
    unsetenv("SINEW_READ_FBX");
}

/* What the process may do after it has parsed a file. */
static void test_sandbox(void **state)
{
    (void)state;
#ifdef SN_SANITIZED
    skip(); /* sanitizers need more system calls */
#else
    const char *const program = SN_BINARY_DIR "/sinew-read-fbx";
    const char *const arguments[] = {program, BAR, "--test-sandbox", NULL};
    const sn_child_process child = {.program = program, .arguments = arguments, .seconds = 60, .max_bytes = 4096};
    sn_arena arena = {0};
    sn_source source;
    sn_list answer = {0};
    begin_log();
    assert_int_equal(sn_source_read(BAR, &arena, &source), SN_OK);
    assert_int_equal(sn_child_process_run(&child, &source, &answer), SN_OK);
    *SN_LIST_ADD(&answer, char, 1) = 0;
    assert_string_equal((const char *)answer.items, "open denied\ncreate denied\nsocket denied\nunlink denied\n"
                                                    "exec denied\nfork denied\ncode denied\nmemory allowed\n");
    assert_int_equal(logged.lines, 0);
    sn_list_finish(&answer);
    sn_arena_finish(&arena);
#endif
}

static void test_bad_files(void **state)
{
    (void)state;
    use_reader();
    char folder[] = "/tmp/sinew-fbx-XXXXXX", path[256];
    sn_arena arena = {0};
    sn_source source;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bad.fbx", folder);
    write_text(path, "");
    check_failure(path, SN_ERROR_FORMAT, "the file is not an FBX file");
    write_text(path, "solid nothing\nendsolid\n");
    check_failure(path, SN_ERROR_FORMAT, "the file is not an FBX file");
    assert_int_equal(sn_source_read(BAR, &arena, &source), SN_OK);
    for (size_t size = 40; size < source.size; size += 487) {
        sn_arena cut = {0};
        sn_scene_file s;
        assert_int_equal(sn_file_write(path, source.bytes, size), SN_OK);
        begin_log();
        const sn_result result = sn_scene_file_read(path, &cut, &s);
        assert_int_equal(logged.errors, result == SN_OK ? 0 : 1);
        sn_arena_finish(&cut);
    }
    sn_arena_finish(&arena);
    unlink(path);
    rmdir(folder);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static sn_result read_answer(const sn_source *source, sn_arena *arena)
{
    sn_scene_file scene;
    return sn_fbx_output_read(source, arena, &scene);
}

/* An answer, its every beginning, with changed bytes, and without memory. */
static void test_answers(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_source source;
    bytes answer = {0};
    assert_int_equal(sn_source_read(SN_SOURCE_DIR "/tests/fuzz/corpus/fbx_answer/warned", &arena, &source), SN_OK);
    put(&answer, source.bytes, source.size);
    sn_arena_finish(&arena);
    mutate(&answer, 7, 3000, read_answer);
    fail_each_allocation(&answer, read_answer);
}

int test_fbx(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar_shape),    cmocka_unit_test(test_bar_motion), cmocka_unit_test(test_bar_shapes),
        cmocka_unit_test(test_bar_material), cmocka_unit_test(test_axes),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_loose),        cmocka_unit_test(test_pivots),     cmocka_unit_test(test_bad_readers),
        cmocka_unit_test(test_sandbox),      cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
