/* SPDX-License-Identifier: MIT */
/* What the tests of the glTF reader share: documents in memory, written with ' for ". */
#ifndef SN_TESTS_IO_GLTF_TEST_H
#define SN_TESTS_IO_GLTF_TEST_H

#include "author/io/scene_file.h"
#include "tests/io/io_test.h"

static inline void put_f32(bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_int(b, bits, 4);
}

static inline void put_floats(bytes *b, int count, const float *values)
{
    for (int i = 0; i < count; ++i) {
        put_f32(b, values[i]);
    }
}

static inline void put_quoted(bytes *b, const char *text)
{
    for (; *text; ++text) {
        put(b, *text == '\'' ? "\"" : text, 1);
    }
}

/* A container of the document and, unless it is null, a chunk of bytes. */
static inline void put_glb(bytes *file, const char *document, const bytes *binary)
{
    bytes body = {0}, text = {0};
    put_quoted(&text, document);
    while (text.size % 4 != 0) {
        put_text(&text, " ");
    }
    put_int(&body, text.size, 4);
    put_text(&body, "JSON");
    put(&body, text.data, text.size);
    if (binary) {
        put_int(&body, binary->size, 4);
        put(&body, "BIN", 4);
        put(&body, binary->data, binary->size);
    }
    put_text(file, "glTF");
    put_int(file, 2, 4);
    put_int(file, body.size + 12, 4);
    put(file, body.data, body.size);
}

static inline void read_bytes(const bytes *file, sn_arena *arena, sn_scene_file *scene)
{
    const sn_source source = source_of(file);
    begin_log();
    if (sn_gltf_read(&source, arena, scene) != SN_OK) {
        fail_msg("%s", logged.last);
    }
}

static inline void read_document(const char *document, const bytes *binary, sn_arena *arena, sn_scene_file *scene)
{
    bytes file = {0};
    put_glb(&file, document, binary);
    read_bytes(&file, arena, scene);
}

static inline void check_failure(const bytes *file, sn_result expected, const char *message)
{
    sn_arena arena = {0};
    sn_scene_file scene;
    const sn_source source = source_of(file);
    begin_log();
    const sn_result result = sn_gltf_read(&source, &arena, &scene);
    if (result != expected || !strstr(logged.last, message)) {
        fail_msg("%s: '%s' instead of '%s'", sn_result_name(result), logged.last, message);
    }
    assert_one_error("memory: ");
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static inline void check_document_failure(const char *document, const bytes *binary, sn_result expected,
                                          const char *message)
{
    bytes file = {0};
    put_glb(&file, document, binary);
    check_failure(&file, expected, message);
}

/* A file of tests/fuzz/corpus/gltf, which is there in every checkout. */
static inline void load_seed(const char *name, bytes *file)
{
    char path[4096];
    sn_arena arena = {0};
    sn_source source;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/gltf/%s", SN_SOURCE_DIR, name);
    begin_log();
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    put(file, source.bytes, source.size);
    sn_arena_finish(&arena);
}

#endif
