/* SPDX-License-Identifier: MIT */
/* The reader of Wavefront .obj: its statements, polygons of every shape, and the libraries and pictures beside a file.
 * Real files, failures and memory are in test_surface_file.c. */
#include "tests/io/surface_test.h"

#include "author/io/image/png.h"

#include <sys/stat.h>

/* OBJ */

static const char small_obj[] = "\xef\xbb\xbf# a comment \\\nmtllib\no thing\ng a b\ns off\n"
                                "v 0 0 0\nv 1 0 0 1.0\r\nv 1 \\\n 1 0\nv 0 1 0.0e0 # here\nvp 1 2\nl 1 2\np 1\n"
                                "vt 0 0\nvt 1 0.25 0\nvt 0.5\nvn 0 0 2\nvn 0 0 0\n"
                                "f 1/1/1 2/2/1 3/3/1 \\\r\n -1/-3/-2\nf 1/1/2 2/2/1 4/1/1";

static void test_obj(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_scene_file scene = read_text(sn_obj_read, small_obj, &arena);
    const sn_scene_primitive *p = scene.primitives;
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(scene.primitive_count, 1);
    assert_int_equal(scene.material_count, 0);
    assert_int_equal(p->material, -1);
    assert_int_equal(p->vertex_count, 5);
    ASSERT_TRIANGLES(p, 0, 1, 2, 0, 2, 3, 4, 1, 3);
    ASSERT_FLOATS(p->positions, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0);
    ASSERT_FLOATS(p->uvs[0], 0, 1, 1, 0.75F, 0.5F, 1, 0, 1, 0, 1);
    ASSERT_FLOATS(p->normals, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0);
    assert_null(p->colors);
    sn_arena_finish(&arena);
}

/* Normals and texture coordinates at some corners only; faces of materials between each other. */
static void test_obj_materials(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_scene_file scene =
        read_text(sn_obj_read,
                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt .5 .5\nvn 1 0 0\nusemtl unused\nusemtl red \nf 1 2 3\n"
                  "usemtl dark red\nf 2/1/1 3//1 4//1\nf 1 2\nusemtl red\nf 3//1 1//1 4//1\nf 4 3 2\nusemtl\nf 1 3 4\n",
                  &arena);
    assert_int_equal(logged.warnings, 1); /* the face of two corners */
    assert_int_equal(scene.primitive_count, 3);
    assert_int_equal(scene.material_count, 2);
    assert_string_equal(scene.materials[0].name, "red");
    assert_string_equal(scene.materials[1].name, "dark red");
    assert_int_equal(scene.primitives[0].material, 0);
    assert_int_equal(scene.primitives[1].material, 1);
    assert_int_equal(scene.primitives[2].material, -1);
    ASSERT_TRIANGLES(&scene.primitives[0], 0, 1, 2, 3, 4, 5, 6, 2, 1);
    ASSERT_TRIANGLES(&scene.primitives[1], 0, 1, 2);
    ASSERT_TRIANGLES(&scene.primitives[2], 0, 1, 2);
    assert_null(scene.primitives[0].normals); /* not every corner has one */
    assert_null(scene.primitives[0].uvs[0]);
    ASSERT_FLOATS(scene.primitives[1].normals, 1, 0, 0, 1, 0, 0, 1, 0, 0);
    ASSERT_FLOATS(scene.primitives[1].uvs[0], 0.5F, 0.5F, 0, 0, 0, 0);
    ASSERT_FLOATS(scene.primitives[1].positions, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    ASSERT_FLOATS(scene.materials[0].values.base_color, 1, 1, 1, 1);
    sn_arena_finish(&arena);
}

static void test_obj_colors(void **state)
{
    (void)state;
    const float half = powf((0.5F + 0.055F) / 1.055F, 2.4F);
    sn_arena arena = {0};
    sn_scene_file scene = read_text(sn_obj_read, "v 0 0 0\nv 1 0 0 1 0.5 0\nv 0 1 0 0 0 -1 0.25\nf 1 2 3\n", &arena);
    ASSERT_FLOATS(scene.primitives[0].colors, 1, 1, 1, 1, 1, half, 0, 1, 0, 0, 0, 0.25F);
    scene = read_text(sn_obj_read, "v 0 0 0 0 255 127.5\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &arena);
    ASSERT_FLOATS(scene.primitives[0].colors, 0, 1, half, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    sn_arena_finish(&arena);
}

/* Polygons */

/* Every triangle has an area and turns as the polygon does, and together they have its area: so they cover it once. */
static void check_cover(const float *points, int count, int axis)
{
    bytes b = {0};
    double area = 0;
    for (int i = 0; i < count; i++) {
        char line[128];
        const float *p = points + (ptrdiff_t)i * 2;
        const float *q = points + (ptrdiff_t)((i + 1) % count) * 2;
        const double place[3] = {axis == 0   ? 7
                                 : axis == 1 ? (double)p[1]
                                             : (double)p[0],
                                 axis == 0   ? (double)p[0]
                                 : axis == 1 ? 7
                                             : (double)p[1],
                                 axis == 0   ? (double)p[1]
                                 : axis == 1 ? (double)p[0]
                                             : 7};
        area += ((double)p[0] * (double)q[1] - (double)q[0] * (double)p[1]) / 2;
        snprintf(line, sizeof line, "v %.9g %.9g %.9g\n", place[0], place[1], place[2]);
        put_text(&b, line);
    }
    put_text(&b, "f");
    for (int i = 1; i <= count; i++) {
        char corner[16];
        snprintf(corner, sizeof corner, " %d", i);
        put_text(&b, corner);
    }
    sn_arena arena = {0};
    const sn_scene_file scene = read_good(sn_obj_read, &b, &arena);
    const sn_scene_primitive *mesh = scene.primitives;
    assert_int_equal(mesh->triangle_count, count - 2);
    double covered = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = points + (ptrdiff_t)mesh->triangles[i * 3 + k] * 2;
        }
        const double piece = (((double)p[1][0] - (double)p[0][0]) * ((double)p[2][1] - (double)p[0][1]) -
                              ((double)p[1][1] - (double)p[0][1]) * ((double)p[2][0] - (double)p[0][0])) /
                             2;
        assert_true(piece * area > 1e-9 * area * area); /* none is flat: a 2D body could not have it */
        covered += piece;
    }
    assert_true(fabs(covered - area) <= 1e-6 * fabs(area));
    sn_arena_finish(&arena);
}

static void check_polygon(const float *points, int count)
{
    float reversed[2 * 400];
    for (int i = 0; i < count; i++) {
        memcpy(reversed + (ptrdiff_t)i * 2, points + (ptrdiff_t)(count - 1 - i) * 2, 2 * sizeof(float));
    }
    for (int axis = 0; axis < 3; axis++) {
        check_cover(points, count, axis);
        check_cover(reversed, count, axis);
    }
}

static void test_polygons(void **state)
{
    (void)state;
    static const float square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const float dart[] = {0, 0, 2, -1, 0, 3, -2, -1};
    static const float dart_turned[] = {2, -1, 0, 3, -2, -1, 0, 0}; /* a fan from its first corner would be wrong */
    static const float letter_u[] = {0, 0, 3, 0, 3, 3, 2, 3, 2, 1, 1, 1, 1, 3, 0, 3};
    static const float straight[] = {0, 0, 1, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2, 0, 1}; /* with points on its sides */
    static const float keyhole[] = {0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1};
    check_polygon(square, 4);
    check_polygon(dart, 4);
    check_polygon(dart_turned, 4);
    check_polygon(letter_u, 8);
    check_polygon(straight, 8);
    check_polygon(keyhole, 10);
    static const float sides[] = {0, 0, 1, 0, 2, 0, 3, 0, 3, 1, 3, 2, 3, 3, 2, 3, 1, 3, 0, 3, 0, 2, 0, 1}; /* convex */
    static const float slope[] = {0, 0, 1, 0.3F, 2, 0.6F, 3, 0.9F, 2.5F, 2, 2, 3.1F, 1, 1.55F}; /* but for rounding */
    check_polygon(sides, 12);
    check_polygon(slope, 7);
    float star[2 * 100];
    for (int i = 0; i < 100; i++) {
        const float radius = i % 2 ? 1.0F : 0.2F + 0.005F * (float)i;
        star[i * 2] = radius * cosf((float)i * 0.0628318F);
        star[i * 2 + 1] = radius * sinf((float)i * 0.0628318F);
    }
    check_polygon(star, 100);
}

/* A polygon that cuts itself, one without area, and one too long for the search still give count - 2 triangles. */
static void test_odd_polygons(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file scene =
        read_text(sn_off_read,
                  "OFF 6 3\n0 0 0\n2 0 0\n0 1 0\n2 1 0\n1 3 0\n1 1 5\n4 0 1 2 3\n5 1 1 1 1 1\n6 0 3 1 2 4 5\n", &arena);
    assert_int_equal(scene.primitives[0].triangle_count, 2 + 3 + 4);
    bytes b = {0};
    put_text(&b, "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n1500");
    for (int i = 0; i < 1500; i++) {
        put_text(&b, i % 2 ? " 1" : " 2");
    }
    scene = read_good(sn_off_read, &b, &arena);
    assert_int_equal(scene.primitives[0].triangle_count, 1498);
    sn_arena_finish(&arena);
}

/* Companions of an .obj */

static char folder[2048];

static const char *in_folder(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    assert_int_equal(sn_file_write(in_folder(name), text, strlen(text)), SN_OK);
}

static void write_picture(const char *name, uint8_t red)
{
    uint8_t pixels[2 * 4] = {red, 2, 3, 255, 4, 5, 6, 255};
    const sn_image image = {.width = 2, .height = 1, .pixels = pixels};
    assert_int_equal(sn_png_write(in_folder(name), &image, false), SN_OK);
}

static const char *const written[] = {"a.mtl",        "b c.mtl",       "d.mtl",   "own.png",
                                      "skin one.png", "sub/other.png", "not.png", "own_tex.png"};

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/test_obj_file.%ld", SN_BINARY_DIR, (long)getpid());
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
}

static void remove_folder(void)
{
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        unlink(in_folder(written[i]));
    }
    assert_int_equal(rmdir(in_folder("sub")), 0);
    assert_int_equal(rmdir(folder), 0);
}

static sn_result read_beside(const char *text, sn_arena *arena, sn_scene_file *scene)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/own.obj", folder);
    const sn_source source = {.name = name, .bytes = (const uint8_t *)text, .size = strlen(text)};
    begin_log();
    const sn_result result = read_checked(sn_obj_read, &source, arena, scene);
    assert_int_equal(logged.errors, result == SN_OK ? 0 : 1);
    if (result == SN_OK) {
        assert_string_equal(scene->nodes[0].name, "own");
    }
    return result;
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n"
#define FACE "f 1/1 2/1 3/1\n"

static void check_libraries(sn_arena *arena)
{
    sn_scene_file scene;
    write_text("a.mtl",
               "# here\nKd 9 9 9\nnewmtl red\t \nKd 0.8 0.1 0.2\nd 0.5\nTr 0.9\nKe 1 2 3\nKs 1 1 1\nillum 2\n"
               "Ns 30\nmap_Bump b.png\n"
               "map_Kd -s 1 1 1 -o 0.5 -mm 0 1 -clamp on -blendu off skin one.png\nnewmtl unused\nmap_Kd no.png\n");
    write_text("b c.mtl", "newmtl dark red\nKd 0.25\nTr 0.25\nPr 0.3\nNs 900\nPm 1\nmap_Kd ./sub\\other.png\n"
                          "newmtl plain\nKd spectral f.rfl\nTr 1\nd\nmap_Kd skin one.png\n");
    write_picture("skin one.png", 1);
    write_picture("sub/other.png", 77);
    assert_int_equal(read_beside("mtllib ./a.mtl\nmtllib b c.mtl\nmtllib a.mtl\n" CORNERS "usemtl red\n" FACE
                                 "usemtl dark red\n" FACE "usemtl plain\n" FACE "usemtl unheard\n" FACE,
                                 arena, &scene),
                     SN_OK);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(scene.material_count, 4);
    assert_int_equal(scene.texture_count, 2);
    const sn_material *red = &scene.materials[0].values;
    ASSERT_FLOATS(red->base_color, 0.8F, 0.1F, 0.2F, 0.5F);
    ASSERT_FLOATS(red->emissive, 1, 2, 3);
    ASSERT_FLOATS(&red->roughness, 0.5F);
    assert_int_equal(red->alpha_mode, SN_ALPHA_BLEND);
    assert_int_equal(red->textures[SN_TEXTURE_BASE_COLOR], 0);
    assert_int_equal(scene.textures[0].wrap_u, SN_WRAP_CLAMP);
    assert_int_equal(scene.textures[0].width, 2);
    assert_int_equal(scene.textures[0].pixels[0], 1);
    const sn_material *dark = &scene.materials[1].values;
    ASSERT_FLOATS(dark->base_color, 0.25F, 0.25F, 0.25F, 0.75F);
    ASSERT_FLOATS(&dark->roughness, 0.3F);
    ASSERT_FLOATS(&dark->metallic, 1);
    assert_int_equal(scene.textures[dark->textures[SN_TEXTURE_BASE_COLOR]].pixels[0], 77);
    const sn_material *plain = &scene.materials[2].values;
    ASSERT_FLOATS(plain->base_color, 1, 1, 1, 1);
    assert_int_equal(plain->alpha_mode, SN_ALPHA_OPAQUE);
    assert_int_equal(plain->textures[SN_TEXTURE_BASE_COLOR], 0); /* the same picture is one texture */
    assert_int_equal(scene.materials[3].values.textures[SN_TEXTURE_BASE_COLOR], -1);
    assert_int_equal(read_beside("mtllib d.mtl a.mtl\n" CORNERS "usemtl red\n" FACE, arena, &scene), SN_OK);
    assert_int_equal(logged.warnings, 1); /* two names, one of which is missing */
    ASSERT_FLOATS(scene.materials[0].values.base_color, 0.8F);
}

static void check_warning(const char *map, const char *message, sn_arena *arena)
{
    char text[256];
    sn_scene_file scene;
    snprintf(text, sizeof text, "newmtl m\nmap_Kd %s\nmap_Kd %s\n", map, map);
    write_text("d.mtl", text);
    assert_int_equal(read_beside("mtllib d.mtl\n" CORNERS "usemtl m\n" FACE, arena, &scene), SN_OK);
    assert_in_range(logged.warnings, 1, 2);
    assert_int_equal(scene.texture_count, 0);
    if (!strstr(logged.last, message)) {
        fail_msg("'%s' lacks '%s'", logged.last, message);
    }
}

static void check_own_picture(sn_arena *arena)
{
    sn_scene_file scene;
    write_picture("own.png", 8); /* a preview */
    assert_int_equal(read_beside(CORNERS FACE, arena, &scene), SN_OK);
    assert_int_equal(scene.texture_count, 0);
    write_picture("own_tex.png", 9);
    assert_int_equal(read_beside(CORNERS FACE, arena, &scene), SN_OK);
    assert_int_equal(logged.warnings, 1);
    assert_non_null(strstr(logged.last, "the picture of the same name"));
    assert_int_equal(scene.material_count, 1);
    assert_int_equal(scene.primitives[0].material, 0);
    assert_int_equal(scene.materials[0].values.textures[SN_TEXTURE_BASE_COLOR], 0);
    assert_int_equal(scene.textures[0].pixels[0], 9);
    assert_int_equal(read_beside("mtllib no.mtl\nmtllib nor.mtl\n" CORNERS FACE "usemtl x\n" FACE, arena, &scene),
                     SN_OK);
    assert_int_equal(logged.warnings, 2);
    assert_int_equal(scene.material_count, 1);
    assert_int_equal(scene.primitives[0].material, 0); /* what has no material takes the first */
    assert_int_equal(scene.texture_count, 1);
    assert_int_equal(read_beside("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", arena, &scene), SN_OK);
    assert_int_equal(scene.texture_count, 0); /* no texture coordinates */
    assert_int_equal(read_beside("mtllib a.mtl\n" CORNERS FACE, arena, &scene), SN_OK);
    assert_int_equal(scene.texture_count, 0); /* a library was found */
}

static void check_broken_companions(sn_arena *arena)
{
    sn_scene_file scene;
    write_text("d.mtl", "newmtl m\n\nKd 1 x 2\n");
    assert_int_equal(read_beside("mtllib d.mtl\n" CORNERS "usemtl m\n" FACE, arena, &scene), SN_ERROR_FORMAT);
    assert_non_null(strstr(logged.last, "d.mtl: line 3: Kd 'x' is not a finite decimal number"));
    write_text("d.mtl", "newmtl m\nKd 1 1 1 1\n");
    assert_int_equal(read_beside("mtllib d.mtl\n" CORNERS "usemtl m\n" FACE, arena, &scene), SN_ERROR_FORMAT);
    assert_non_null(strstr(logged.last, "d.mtl: line 2: the Kd has more than 3 numbers"));
    write_text("not.png", "\x89PNG\r\n\x1a\n and no more");
    write_text("d.mtl", "newmtl m\nmap_Kd not.png\n");
    assert_int_equal(read_beside("mtllib d.mtl\n" CORNERS "usemtl m\n" FACE, arena, &scene), SN_ERROR_FORMAT);
    assert_non_null(strstr(logged.last, "not.png"));
}

/* The bytes as a library; the .obj is well. */
static sn_result read_library(const sn_source *source, sn_arena *arena)
{
    sn_scene_file scene;
    FILE *file = fopen(in_folder("d.mtl"), "wb"); /* sn_file_write would wait for the disk each time */
    assert_non_null(file);
    assert_int_equal(fwrite(source->bytes, 1, source->size, file), source->size);
    assert_int_equal(fclose(file), 0);
    return read_beside("mtllib d.mtl\n" CORNERS "usemtl m\n" FACE "usemtl n o\n" FACE, arena, &scene);
}

static void check_library_mutations(void)
{
    bytes b = {0};
    write_picture("skin one.png", 1);
    put_text(&b, "newmtl m\nKd 1 .5 0\nKe 0 0 1\nd 0.5\nNs 10\nmap_Kd -o 1 2 -clamp on skin one.png\n"
                 "newmtl n o\nTr .5\nPr 0.5\nPm 0.5\nmap_Kd ./sub/../own.png\n");
    mutate(&b, 7, 2000, read_library);
}

static void test_companions(void **state)
{
    (void)state;
    char outside[4096];
    sn_arena arena = {0};
    make_folder();
    check_libraries(&arena);
    check_own_picture(&arena);
    write_text("not.png", "GIF89a");
    check_warning("not.png", "is not a PNG", &arena);
    check_warning("no.png", "is missing", &arena);
    check_warning("sub", "is missing", &arena);
    check_warning("../own.png", "is not a path inside the folder of this file", &arena);
    check_warning("sub/..\\..\\own.png", "is not a path inside the folder of this file", &arena);
    check_warning("/etc/passwd", "is not a path inside the folder of this file", &arena);
    snprintf(outside, sizeof outside, "mtllib %s/a.mtl\n" CORNERS FACE, folder);
    sn_scene_file scene;
    assert_int_equal(read_beside(outside, &arena, &scene), SN_OK);
    assert_int_equal(logged.warnings, 2); /* absolute; and the picture of its name */
    check_broken_companions(&arena);
    sn_arena_finish(&arena);
    check_library_mutations();
    remove_folder();
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_mutations(void **state)
{
    (void)state;
    bytes b = {0};
    put_text(&b, "mtllib no.mtl\nusemtl a b\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 .5\nvn 0 0 1\nv 1 1 1 .5 .5 .5\n"
                 "usemtl c\nf 1/1/1 2/1/1 -1/-1/-1 \\\n 3/1/1\nf 1//1 2//1 3//1\n");
    mutate(&b, 1, 2000, read_obj);
}

static void test_memory_failures(void **state)
{
    (void)state;
    bytes b = {0};
    put_text(&b, small_obj);
    put_text(&b, "\nusemtl a\nv 0 0 0 1 1 1\nf 1 2 3\n");
    fail_each_allocation(&b, read_obj);
}

int test_obj_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),       cmocka_unit_test(test_obj_materials),   cmocka_unit_test(test_obj_colors),
        cmocka_unit_test(test_polygons),  cmocka_unit_test(test_odd_polygons),    cmocka_unit_test(test_companions),
        cmocka_unit_test(test_mutations), cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
