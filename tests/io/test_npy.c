/* SPDX-License-Identifier: MIT */
/* NumPy arrays: every type in both orders built in memory, round trips through files, the exact bytes of a header, one
 * message for each thing that can be wrong, and seeded mutations. */
#include "tests/io/io_test.h"

#include "author/io/npy.h"
#include "host/math/half.h"

#include <math.h>

static void put_npy(bytes *b, int version, const char *dictionary)
{
    const char head[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', (char)version, 0};
    put(b, head, sizeof head);
    put_int(b, strlen(dictionary), version == 1 ? 2 : 4);
    put_text(b, dictionary);
}

static sn_result read_npy(const sn_source *source, sn_arena *arena)
{
    sn_npy array;
    const sn_result result = sn_npy_read(source, arena, &array);
    if (result == SN_OK) {
        size_t count = 1;
        for (int k = 0; k < array.dimension_count; k++) {
            count *= array.shape[k];
        }
        assert_int_equal(array.count, count);
        assert_non_null(array.values);
    }
    return result;
}

/* The values -3, -2, .. in file order as a 2 x 3 x 4 array of the type. */
static void build_array(bytes *b, const char *type, bool is_fortran, int version)
{
    char dictionary[256];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3, 4), }   \n", type,
             is_fortran ? "True" : "False");
    b->size = 0;
    put_npy(b, version, dictionary);
    const size_t size = (size_t)(type[2] - '0');
    for (int i = -3; i < 21; i++) {
        const float value = (float)i;
        const double wide = i;
        uint32_t narrow;
        uint64_t bits = (uint64_t)(int64_t)i;
        memcpy(&narrow, &value, sizeof narrow);
        if (type[1] == 'f' && size == 8) {
            memcpy(&bits, &wide, sizeof bits);
        } else if (type[1] == 'f') {
            bits = size == 2 ? sn_half_from_float(value) : narrow;
        }
        for (size_t k = 0; k < size; k++) {
            put_int(b, bits >> (8 * (type[0] == '>' ? size - 1 - k : k)), 1);
        }
    }
}

static void check_array(const bytes *b, bool is_fortran, const char *type)
{
    const char kind = type[1];
    sn_arena arena = {0};
    sn_npy array;
    const sn_source source = source_of(b);
    begin_log();
    if (sn_npy_read(&source, &arena, &array) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    assert_int_equal(array.dimension_count, 3);
    assert_int_equal(array.count, 24);
    assert_int_equal(array.is_integer, kind == 'i');
    const bool is_unsigned = kind == 'u' || kind == 'b';
    for (int i = 0; i < 24; i++) {
        const int x = i / 12;
        const int y = i / 4 % 3;
        const int z = i % 4;
        const int expected = (is_fortran ? x + 2 * y + 6 * z : i) - 3;
        const double wrapped = expected < 0 ? expected + pow(256, type[2] - '0') : expected;
        assert_true(array.values[i] == (is_unsigned ? wrapped : (double)expected));
    }
    sn_arena_finish(&arena);
}

static void test_types_and_orders(void **state)
{
    (void)state;
    static const char *const types[] = {"<f4", "<f8", "<i4", "<i8", "|u1", "|b1", "<f2", ">f2", ">f4", ">f8", "|i1",
                                        "<i2", ">i2", ">i4", ">i8", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "=i4"};
    enum { TYPES = sizeof types / sizeof types[0] };
    bytes b = {0};
    for (int i = 0; i < 6 * TYPES; i++) {
        const char *type = types[i % TYPES];
        const bool is_fortran = i / TYPES % 2;
        build_array(&b, type, is_fortran, 1 + i / (2 * TYPES));
        check_array(&b, is_fortran, type);
        mutate(&b, 51, 600, read_npy);
        fail_each_allocation(&b, read_npy);
    }
}

static void make_path(char path[4096])
{
    snprintf(path, 4096, "%s/test_npy.%ld.npy", SN_BINARY_DIR, (long)getpid());
}

static void check_round_trip(sn_npy_type type, int dimension_count, const size_t *shape, const void *values)
{
    char path[4096];
    sn_arena arena = {0};
    sn_source source;
    sn_npy array;
    make_path(path);
    begin_log();
    assert_int_equal(sn_npy_write(path, type, dimension_count, shape, values), SN_OK);
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(sn_npy_read(&source, &arena, &array), SN_OK);
    assert_int_equal(array.dimension_count, dimension_count);
    assert_int_equal((source.size - array.count * (type == SN_NPY_F64 ? 8 : 4)) % 64, 0);
    for (int k = 0; k < dimension_count; k++) {
        assert_int_equal(array.shape[k], shape[k]);
    }
    for (size_t i = 0; i < array.count; i++) {
        const double expected = type == SN_NPY_F64 ? ((const double *)values)[i] : ((const int32_t *)values)[i];
        assert_memory_equal(&array.values[i], &expected, sizeof expected);
    }
    assert_int_equal(unlink(path), 0);
    sn_arena_finish(&arena);
}

static void test_round_trip(void **state)
{
    (void)state;
    const double doubles[] = {0.1, -0.0, 1e-310, INFINITY, NAN, 3};
    const int32_t ints[] = {INT32_MIN, -1, 0, 1, 2, INT32_MAX};
    check_round_trip(SN_NPY_F64, 0, NULL, doubles);
    check_round_trip(SN_NPY_F64, 1, (const size_t[]){6}, doubles);
    check_round_trip(SN_NPY_F64, 2, (const size_t[]){2, 3}, doubles);
    check_round_trip(SN_NPY_I32, 3, (const size_t[]){3, 1, 2}, ints);
    check_round_trip(SN_NPY_I32, 8, (const size_t[]){1, 1, 1, 6, 1, 1, 1, 1}, ints);
    check_round_trip(SN_NPY_I32, 2, (const size_t[]){0, 7}, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Byte for byte what numpy.save writes. */
static void test_written_bytes(void **state)
{
    (void)state;
    char path[4096];
    sn_arena arena = {0};
    sn_source source;
    const int32_t values[] = {1, 258};
    make_path(path);
    begin_log();
    assert_int_equal(sn_npy_write(path, SN_NPY_I32, 1, (const size_t[]){2}, values), SN_OK);
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(source.size, 128 + 8);
    assert_memory_equal(source.bytes,
                        "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2,), } ", 67);
    assert_int_equal(source.bytes[126], ' ');
    assert_int_equal(source.bytes[127], '\n');
    assert_memory_equal(source.bytes + 128, "\x01\0\0\0\x02\x01\0\0", 8);
    assert_int_equal(unlink(path), 0);
    sn_arena_finish(&arena);
}

static void test_write_errors(void **state)
{
    (void)state;
    const double value = 1;
    begin_log();
    assert_int_equal(sn_npy_write(SN_BINARY_DIR "/no/such.npy", SN_NPY_F64, 0, NULL, &value), SN_ERROR_FILE);
    assert_one_error("/no/such.npy");
    begin_log();
    assert_int_equal(sn_npy_write("huge.npy", SN_NPY_F64, 2, (const size_t[]){SIZE_MAX / 2, 3}, &value),
                     SN_ERROR_ARGUMENT);
    assert_one_error("huge.npy");
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *dictionary; /* eight bytes of values follow */
        const char *message;
        sn_result result;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", NULL, SN_OK},
        {"{\"shape\":(1L,),'fortran_order':True,'descr':'<f8'}", NULL, SN_OK},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "8 bytes of values, but the shape",
         SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}", "8 bytes of values, but the shape",
         SN_ERROR_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "8 bytes of values, but the shape",
         SN_ERROR_FORMAT},
        {"{'descr': '|f8', 'fortran_order': False, 'shape': (1,)}", "type '|f8' is not", SN_ERROR_UNSUPPORTED},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "type '<f16' is not", SN_ERROR_UNSUPPORTED},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "type '|O' is not", SN_ERROR_UNSUPPORTED},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "type '<c8' is not", SN_ERROR_UNSUPPORTED},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "not a string", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", "neither True nor False", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "shape is malformed", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 1}", "shape is not a tuple", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1", "shape is malformed", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "malformed", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296,)}", "larger", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False}", "lacks a key", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", "repeated key", SN_ERROR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", "text after", SN_ERROR_FORMAT},
        {"['descr']", "not a dictionary", SN_ERROR_FORMAT},
        {"", "not a dictionary", SN_ERROR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        sn_arena arena = {0};
        put_npy(&b, 1 + (int)(i % 3), cases[i].dictionary);
        put_f64(&b, 1.0);
        const sn_source source = source_of(&b);
        begin_log();
        assert_int_equal(read_npy(&source, &arena), cases[i].result);
        if (cases[i].message) {
            assert_one_error("memory: ");
            assert_non_null(strstr(logged.last, cases[i].message));
        }
        sn_arena_finish(&arena);
    }
}

static void test_bad_magic(void **state)
{
    (void)state;
    static const struct {
        const char bytes[13];
        size_t size;
        const char *message;
    } cases[] = {{"", 0, "not a .npy file"},
                 {"\x93NUMPX\x01\0\0\0", 10, "not a .npy file"},
                 {"\x93NUMPY\x04\0\0\0\0\0", 12, "version 4.0 is not supported"},
                 {"\x93NUMPY\x01\0\xff\xff", 10, "the header is longer"},
                 {"\x93NUMPY\x02\0\0\0", 10, "the header is longer"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        sn_arena arena = {0};
        put(&b, cases[i].bytes, cases[i].size);
        const sn_source source = source_of(&b);
        begin_log();
        assert_int_not_equal(read_npy(&source, &arena), SN_OK);
        assert_one_error("memory: ");
        assert_non_null(strstr(logged.last, cases[i].message));
        sn_arena_finish(&arena);
    }
}

static void test_dmat(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: "},
        {"2", "line 1: "},
        {"-1 3\n", "line 1: "},
        {"2 2\n1 2", "line 1: "},
        {"2 2\n1 2 3     ", "line 2: "},
        {"2 1\n1 x", "line 2: "},
        {"2 1\n1 inf", "line 2: "},
        {"1 1\n1 2", "the file has more than 1 x 1 values"},
        {"2000000000 2000000000\n1", "line 1: "},
    };
    sn_arena arena = {0};
    sn_npy array;
    bytes good = {0};
    put_text(&good, "3 2\n1\n2\n3\n4\n5.5\n-6\n");
    sn_source source = source_of(&good);
    assert_int_equal(sn_dmat_read(&source, &arena, &array), SN_OK);
    assert_true(array.shape[0] == 2 && array.shape[1] == 3 && array.count == 6);
    const double expected[6] = {1, 3, 5.5, 2, 4, -6};
    assert_memory_equal(array.values, expected, sizeof expected);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        put_text(&b, cases[i].text);
        source = source_of(&b);
        begin_log();
        assert_int_not_equal(sn_dmat_read(&source, &arena, &array), SN_OK);
        assert_one_error("memory: ");
        if (!strstr(logged.last, cases[i].message)) {
            fail_msg("%s: %s", cases[i].text, logged.last);
        }
    }
    sn_arena_finish(&arena);
}

int test_npy(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_orders),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_written_bytes),
        cmocka_unit_test(test_write_errors),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_bad_magic),
        cmocka_unit_test(test_dmat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
