/* SPDX-License-Identifier: MIT */
/* Which pictures of a glTF file are decoded, and at which size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/io/gltf/gltf_write.h"
#include "author/io/image/png.h"
#include "tests/io/gltf_test.h"

#define GIANTS 300
/* The header of a PNG of 16384 x 16384 pixels, 1 GiB; its pixels are missing. */
#define GIANT "iVBORw0KGgoAAAANSUhEUgAAQAAAAEAACAYAAAA="

/* A PNG whose left half is red and whose right half is blue. */
static void put_two_halves(bytes *to, int width, int height)
{
    sn_arena arena = {0};
    uint8_t *pixels = SN_NEW(&arena, uint8_t, 4 * width * height), *encoded = NULL;
    size_t size = 0;
    assert_non_null(pixels);
    for (int i = 0; i < width * height; ++i) {
        memcpy(pixels + 4 * i, 2 * (i % width) < width ? "\xff\0\0\xff" : "\0\0\xff\xff", 4);
    }
    const sn_image image = {width, height, pixels};
    assert_int_equal(sn_png_encode("halves", &image, true, &arena, &encoded, &size), SN_OK);
    put(to, encoded, size);
    sn_arena_finish(&arena);
}

static void put_format(bytes *to, const char *format, int number)
{
    char text[256];
    snprintf(text, sizeof text, format, number);
    put_text(to, text);
}

/* The picture of two halves, in the binary chunk, and many giants, each in a material of its own. */
static void put_document(bytes *to, const bytes *binary)
{
    put_text(to, "{'asset':{'version':'2.0'},");
    put_format(to, "'buffers':[{'byteLength':%d}],", (int)binary->size);
    put_format(to, "'bufferViews':[{'buffer':0,'byteLength':%d}],", (int)binary->size);
    put_text(to, "'images':[{'bufferView':0,'mimeType':'image/png'}");
    for (int i = 0; i < GIANTS; ++i) {
        put_text(to, ",{'uri':'data:image/png;base64," GIANT "'}");
    }
    put_text(to, "],'textures':[{'source':0}");
    for (int i = 0; i < GIANTS; ++i) {
        put_format(to, ",{'source':%d}", i + 1);
    }
    put_text(to, "],'materials':[{'emissiveTexture':{'index':0}}");
    for (int i = 0; i < GIANTS; ++i) {
        put_format(to, ",{'emissiveTexture':{'index':%d}}", i + 1);
    }
    put_text(to, "]}");
    put(to, "", 1);
}

/* With 300 pictures of 1 GiB, each may have 2 MiB: 1024 x 1024 pixels become 512 x 512. */
static void large_pictures_are_reduced(void **state)
{
    (void)state;
    bytes binary = {0}, document = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_two_halves(&binary, 1024, 1024);
    put_document(&document, &binary);
    read_document((const char *)document.data, &binary, &arena, &s);
    assert_int_equal(logged.warnings, 2); /* that they are reduced, and that the giants have no pixels */
    assert_int_equal(s.texture_count, 1);
    const sn_scene_texture *t = &s.textures[0];
    assert_true(t->width == 512 && t->height == 512);
    assert_memory_equal(t->pixels + 4 * 255, "\xff\0\0\xff\0\0\xff\xff", 8);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A material that no primitive has keeps its values, without textures. */
static void hidden_pictures_are_not_read(void **state)
{
    (void)state;
    bytes binary = {0}, document = {0};
    sn_arena arena = {0};
    sn_scene_file s;
    put_two_halves(&binary, 8, 8);
    put_text(&document, "{'asset':{'version':'2.0'},");
    put_format(&document, "'buffers':[{'byteLength':%d}],", (int)binary.size);
    put_format(&document, "'bufferViews':[{'buffer':0,'byteLength':%d}],", (int)binary.size);
    put_text(&document,
             "'images':[{'uri':'data:image/png;base64," GIANT "'},{'bufferView':0,'mimeType':'image/png'}],"
             "'textures':[{'source':0},{'source':1}],'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'material':1}]}],'nodes':[{'mesh':0}],"
             "'materials':[{'name':'hidden','emissiveFactor':[1,0,0],'emissiveTexture':{'index':0}},"
             "{'emissiveTexture':{'index':1}}]}");
    put(&document, "", 1);
    read_document((const char *)document.data, &binary, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    assert_true(s.material_count == 2 && s.texture_count == 1 && s.textures[0].width == 8);
    assert_int_equal(s.materials[0].values.textures[SN_TEXTURE_EMISSIVE], -1);
    assert_int_equal(s.materials[1].values.textures[SN_TEXTURE_EMISSIVE], 0);
    assert_true(s.materials[0].values.emissive[0] == 1);
    sn_arena_finish(&arena);
}

static void put_corpus(bytes *to, const char *name)
{
    char path[4096];
    sn_arena arena = {0};
    sn_source source;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", SN_SOURCE_DIR, name);
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    put(to, source.bytes, source.size);
    sn_arena_finish(&arena);
}

/* A JPEG, a WebP and a PNG of the binary chunk; the first and the last texture are of one picture. */
static void put_kinds(bytes *to, const size_t *starts)
{
    put_text(to, "{'asset':{'version':'2.0'},'extensionsUsed':['EXT_texture_webp'],");
    put_format(to, "'buffers':[{'byteLength':%d}],'bufferViews':[", (int)starts[3]);
    for (int i = 0; i < 3; ++i) {
        put_format(to, "{'buffer':0,'byteOffset':%d,", (int)starts[i]);
        put_format(to, i < 2 ? "'byteLength':%d}," : "'byteLength':%d}],", (int)(starts[i + 1] - starts[i]));
    }
    put_text(to, "'images':[{'bufferView':0,'mimeType':'image/jpeg'},{'bufferView':1,'mimeType':'image/webp'},"
                 "{'bufferView':2,'mimeType':'image/png'}],'samplers':[{'wrapS':33071}],'textures':[{'source':0},"
                 "{'extensions':{'EXT_texture_webp':{'source':1}}},{'source':2},{'source':0,'sampler':0}],"
                 "'materials':[{'emissiveTexture':{'index':0},'normalTexture':{'index':1},"
                 "'occlusionTexture':{'index':2},'pbrMetallicRoughness':{'baseColorTexture':{'index':3}}}]}");
    put(to, "", 1);
}

static void expect_encoded(const sn_scene_texture *texture, const bytes *expected, const size_t *starts)
{
    assert_int_equal(texture->encoded_size, starts[1] - starts[0]);
    assert_memory_equal(texture->encoded, expected->data + starts[0], starts[1] - starts[0]);
}

/* A JPEG and a WebP are written as they came, once for all textures of a picture; a PNG is encoded again. */
static void encoded_pictures_are_kept(void **state)
{
    (void)state;
    bytes binary = {0}, document = {0};
    size_t starts[4] = {0};
    put_corpus(&binary, "jpeg/rgb_444.jpg");
    starts[1] = binary.size;
    put_corpus(&binary, "webp/lossy.webp");
    starts[2] = binary.size;
    put_two_halves(&binary, 8, 8);
    starts[3] = binary.size;
    put_kinds(&document, starts);
    sn_arena arena = {0};
    sn_scene_file scenes[2];
    read_document((const char *)document.data, &binary, &arena, &scenes[0]);
    char folder[] = "/tmp/sn_pictures_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/written.glb", folder);
    assert_int_equal(sn_gltf_write(path, &scenes[0]), SN_OK);
    sn_source source;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(sn_gltf_read(&source, &arena, &scenes[1]), SN_OK);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    for (int i = 0; i < 2; ++i) {
        const sn_scene_file *s = &scenes[i];
        const int32_t *uses = s->materials[0].values.textures;
        assert_int_equal(s->texture_count, 4);
        expect_encoded(&s->textures[uses[SN_TEXTURE_EMISSIVE]], &binary, starts);
        expect_encoded(&s->textures[uses[SN_TEXTURE_NORMAL]], &binary, starts + 1);
        assert_null(s->textures[uses[SN_TEXTURE_OCCLUSION]].encoded);
        assert_ptr_equal(s->textures[uses[SN_TEXTURE_BASE_COLOR]].encoded,
                         s->textures[uses[SN_TEXTURE_EMISSIVE]].encoded);
    }
    assert_true(source.size < starts[3] + 4096); /* nothing is there twice */
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_gltf_pictures(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_pictures_are_reduced),
                                       cmocka_unit_test(hidden_pictures_are_not_read),
                                       cmocka_unit_test(encoded_pictures_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
