/* SPDX-License-Identifier: MIT */
/* How much memory a surface file can ask for: the worst that we know of each format. */
#include "tests/io/surface_test.h"

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

/* A large text, for the most memory that a file can ask for. */
typedef struct long_text {
    char *data;
    size_t size;
} long_text;

#define TEXT_BYTES ((size_t)1 << 20)

static void append(long_text *t, const char *part)
{
    const size_t size = strlen(part);
    assert_true(t->size + size < TEXT_BYTES + 4096);
    memcpy(t->data + t->size, part, size + 1);
    t->size += size;
}

static size_t heap_now, heap_peak;

static void *counting_alloc(size_t size, size_t alignment, void *user)
{
    (void)user;
    heap_now += size;
    heap_peak = heap_now > heap_peak ? heap_now : heap_peak;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_free(void *memory, size_t size, void *user)
{
    (void)user;
    heap_now -= size;
    free(memory);
}

static void check_memory(const char *what, reader *read, const long_text *t)
{
    sn_arena arena = {0};
    sn_scene_file scene;
    const sn_source source = {.name = what, .bytes = (const uint8_t *)t->data, .size = t->size};
    heap_now = heap_peak = 0;
    begin_log();
    sn_set_allocator(counting_alloc, counting_free, NULL);
    if (read(&source, &arena, &scene) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    sn_arena_finish(&arena);
    sn_set_allocator(NULL, NULL, NULL);
    print_message("%s: %.1f times the file\n", what, (double)heap_peak / (double)t->size);
    assert_true(heap_peak <= 64 * t->size + ((size_t)128 << 10));
    assert_int_equal(heap_now, 0);
}

static int setup(void **state)
{
    *state = malloc(TEXT_BYTES + 4096);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void test_obj(void **state)
{
    long_text t = {.data = *state};
    char part[256];
    append(&t, TRIANGLE "f");
    while (t.size < TEXT_BYTES) {
        append(&t, " 1");
    }
    check_memory("one polygon", sn_obj_read, &t);

    t.size = 0;
    append(&t, TRIANGLE "vt 0\n");
    for (int i = 0; t.size < TEXT_BYTES; i++) {
        snprintf(part, sizeof part, "usemtl %x\nf 1/1 1 1\n", i);
        append(&t, part);
    }
    check_memory("materials", sn_obj_read, &t);

    t.size = 0;
    for (int i = 0; i < 40; i++) {
        append(&t, "v 0 0 0 1 1 1\nvt 0\nvn 0 0 1\n");
    }
    append(&t, "f");
    for (int i = 0; t.size < TEXT_BYTES; i++) {
        snprintf(part, sizeof part, " %d/%d/%d", i % 40 + 1, i / 40 % 40 + 1, i / 1600 % 40 + 1);
        append(&t, part);
    }
    check_memory("triples", sn_obj_read, &t);
}

static void test_off(void **state)
{
    long_text t = {.data = *state};
    append(&t, "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n500000");
    while (t.size < TEXT_BYTES) {
        append(&t, " 1");
    }
    check_memory("one polygon", sn_off_read, &t);
}

static void test_ply(void **state)
{
    long_text t = {.data = *state};
    append(&t, "ply\nformat binary_little_endian 1.0\nelement vertex 300\nproperty char x\nproperty char y\n"
               "property char z\nelement face 4000\nproperty list uchar uchar vertex_index\nend_header\n");
    memset(t.data + t.size, 1, 900);
    t.size += 900;
    for (int i = 0; i < 4000; i++) {
        memset(t.data + t.size, 255, 1);
        memset(t.data + t.size + 1, 0, 255);
        t.size += 256;
    }
    check_memory("byte indices", sn_ply_read, &t);
}

static void test_stl(void **state)
{
    long_text t = {.data = *state};
    char part[256];
    append(&t, "solid\n");
    for (int i = 0; t.size < TEXT_BYTES; i++) {
        snprintf(part, sizeof part, "facet outer loop vertex %d 0 0 vertex %d 1 0 vertex %d 2 0 endloop endfacet\n", i,
                 i, i);
        append(&t, part);
    }
    check_memory("facets", sn_stl_read, &t);

    t.size = 0;
    append(&t, "solid\nfacet outer loop\n");
    for (int i = 0; t.size < TEXT_BYTES; i++) {
        snprintf(part, sizeof part, "vertex %d 0 0\n", i % 10);
        append(&t, part);
    }
    append(&t, "endloop endfacet\n");
    check_memory("one facet", sn_stl_read, &t);
}

int test_surface_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_obj, setup, teardown),
        cmocka_unit_test_setup_teardown(test_off, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ply, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stl, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
