/* SPDX-License-Identifier: MIT */
/* NumPy arrays (NumPy enhancement proposal 1, "A simple file format for NumPy arrays"): magic number, version, header
 * length, a Python dictionary in ASCII, raw values. i8 and u8 values above 2^53 are rounded to the nearest double. */
#include "author/io/npy.h"
#include "author/io/text.h"
#include "host/math/half.h"

#include <stdio.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define HEADER_ALIGNMENT 64 /* alignment of the values in written files, as in NumPy */
#define MAX_HEADER_BYTES 512

typedef struct header {
    size_t value_offset;
    size_t value_bytes;
    char type_char; /* 'f', 'i' or 'u' (unsigned or boolean) */
    bool is_big_endian;
    bool is_fortran_order;
    bool has_type;
    bool has_order;
    bool has_shape;
} header;

/* Parses the header's dictionary character by character, since sn_text does not split at quotes and commas. */
typedef struct cursor {
    const char *name;
    const char *at;
    const char *end;
    size_t base; /* byte offset of the dictionary in the file */
    const char *begin;
} cursor;

static sn_result fail_header(const cursor *c, const char *cause)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: %s", c->name, c->base + (size_t)(c->at - c->begin), cause);
}

static char peek(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n')) {
        c->at++;
    }
    return c->at < c->end ? *c->at : 0;
}

static bool accept(cursor *c, char expected)
{
    const bool is_there = peek(c) == expected && c->at < c->end;
    c->at += is_there;
    return is_there;
}

/* Reads a string in single or double quotes; returns false if there is none. */
static bool read_string(cursor *c, sn_token *string)
{
    const char quote = peek(c);
    if ((quote != '\'' && quote != '"') || c->end - c->at < 2) {
        return false;
    }
    const char *close = memchr(c->at + 1, quote, (size_t)(c->end - c->at - 1));
    if (!close) {
        return false;
    }
    *string = (sn_token){.text = c->at + 1, .size = (size_t)(close - c->at - 1)};
    c->at = close + 1;
    return true;
}

static bool accept_word(cursor *c, const char *word)
{
    peek(c);
    const size_t length = strlen(word);
    const bool is_there = (size_t)(c->end - c->at) >= length && memcmp(c->at, word, length) == 0;
    c->at += is_there ? length : 0;
    return is_there;
}

static bool read_size(cursor *c, size_t *value)
{
    bool is_valid = false;
    *value = 0;
    for (char digit = peek(c); digit >= '0' && digit <= '9'; digit = c->at < c->end ? *c->at : 0) {
        if (__builtin_mul_overflow(*value, (size_t)10, value) ||
            __builtin_add_overflow(*value, (size_t)(digit - '0'), value)) {
            return false;
        }
        is_valid = true;
        c->at++;
    }
    accept(c, 'L'); /* suffix of integers in Python 2 */
    return is_valid;
}

/* Parses a byte order (| for single bytes), a type character and a size. */
static bool parse_type(sn_token type, header *h)
{
    static const char *const known[] = {"b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"};
    const char order = type.size == 3 ? type.text[0] : 0;
    for (size_t i = 0; order && i < sizeof known / sizeof known[0]; i++) {
        const size_t bytes = (size_t)(known[i][1] - '0');
        if (memcmp(type.text + 1, known[i], 2) == 0 && strchr(bytes == 1 ? "|<>=" : "<>=", order)) {
            h->type_char = known[i][0] == 'b' ? 'u' : known[i][0];
            h->value_bytes = bytes;
            h->is_big_endian = order == '>';
            return true;
        }
    }
    return false;
}

static sn_result read_type(cursor *c, header *h)
{
    sn_token type = {0};
    if (!read_string(c, &type)) {
        return fail_header(c, "the type is not a string (structured types are not supported)");
    }
    h->has_type = parse_type(type, h);
    char printable[16];
    return h->has_type ? SN_OK
                       : sn_fail(SN_ERROR_UNSUPPORTED,
                                 "%s: the type '%s' is not supported; real numbers of 1, 2, 4 and 8 bytes are", c->name,
                                 sn_text_printable(type.text, type.size, printable, sizeof printable));
}

static sn_result read_order(cursor *c, header *h)
{
    h->is_fortran_order = accept_word(c, "True");
    h->has_order = h->is_fortran_order || accept_word(c, "False");
    return h->has_order ? SN_OK : fail_header(c, "fortran_order is neither True nor False");
}

static sn_result read_shape(cursor *c, header *h, sn_npy *array)
{
    if (!accept(c, '(')) {
        return fail_header(c, "the shape is not a tuple");
    }
    array->dimension_count = 0;
    array->count = 1;
    while (!accept(c, ')')) {
        if (array->dimension_count == SN_NPY_MAX_DIMENSIONS) {
            return fail_header(c, "the array has more than 8 dimensions");
        }
        size_t *size = &array->shape[array->dimension_count++];
        if (!read_size(c, size) || (!accept(c, ',') && peek(c) != ')')) {
            return fail_header(c, "the shape is malformed");
        }
        if (__builtin_mul_overflow(array->count, *size, &array->count)) {
            return fail_header(c, "the shape is larger than memory");
        }
    }
    h->has_shape = true;
    return SN_OK;
}

static sn_result read_entry(cursor *c, header *h, sn_npy *array)
{
    sn_token key = {0};
    if (!read_string(c, &key) || !accept(c, ':')) {
        return fail_header(c, "the header is not a dictionary");
    }
    if (sn_token_is(key, "descr") && !h->has_type) {
        SN_TRY(read_type(c, h));
    } else if (sn_token_is(key, "fortran_order") && !h->has_order) {
        SN_TRY(read_order(c, h));
    } else if (sn_token_is(key, "shape") && !h->has_shape) {
        SN_TRY(read_shape(c, h, array));
    } else {
        SN_TRY(fail_header(c, "the header has an unknown or repeated key"));
    }
    if (!accept(c, ',') && peek(c) != '}') {
        SN_TRY(fail_header(c, "the header is not a dictionary"));
    }
    return SN_OK;
}

static sn_result read_dictionary(cursor *c, header *h, sn_npy *array)
{
    if (!accept(c, '{')) {
        return fail_header(c, "the header is not a dictionary");
    }
    while (!accept(c, '}')) {
        const sn_result result = read_entry(c, h, array);
        if (result != SN_OK) {
            return result;
        }
    }
    peek(c); /* skips the padding */
    return c->at == c->end && h->has_type && h->has_order && h->has_shape
               ? SN_OK
               : fail_header(c, "the header lacks a key or has text after its dictionary");
}

/* Reads magic number, version and length; the cursor then spans the dictionary. */
static sn_result open_header(const sn_source *source, cursor *c)
{
    const uint8_t *bytes = source->bytes;
    if (source->size < 10 || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 0: not a .npy file", source->name);
    }
    const unsigned version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: format version %u.%u is not supported; 1.0 to 3.0 are", source->name,
                       version, (unsigned)bytes[7]);
    }
    const size_t base = version == 1 ? 10 : 12;
    const size_t length = source->size < base ? SIZE_MAX
                          : version == 1      ? (size_t)bytes[8] | (size_t)bytes[9] << 8
                                              : sn_load_u32(bytes + 8);
    if (source->size < base || length > source->size - base) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 8: the header is longer than the file", source->name);
    }
    const char *begin = (const char *)bytes + base;
    *c = (cursor){.name = source->name, .at = begin, .begin = begin, .end = begin + length, .base = base};
    return SN_OK;
}

static sn_result check_size(const sn_source *source, const header *h, const sn_npy *array)
{
    size_t bytes = 0;
    const size_t left = source->size - h->value_offset;
    if (__builtin_mul_overflow(array->count, h->value_bytes, &bytes) || bytes != left) {
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: byte %zu: there are %zu bytes of values, but the shape requires %zu values of %zu bytes",
                       source->name, h->value_offset, left, array->count, h->value_bytes);
    }
    return SN_OK;
}

static double load_value(const header *h, const uint8_t *bytes)
{
    uint64_t bits = 0;
    float single;
    double real;
    for (size_t k = 0; k < h->value_bytes; k++) {
        bits = bits << 8 | bytes[h->is_big_endian ? k : h->value_bytes - 1 - k];
    }
    if (h->type_char == 'u') {
        return (double)bits;
    }
    if (h->type_char == 'i') {
        const uint64_t sign = (uint64_t)1 << (8 * h->value_bytes - 1);
        return (double)(int64_t)((bits ^ sign) - sign);
    }
    if (h->value_bytes == 2) {
        return (double)sn_float_from_half((uint16_t)bits);
    }
    const uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return h->value_bytes == 4 ? (double)single : real;
}

/* Converts the values in file order; in Fortran order the first index varies fastest. */
static void load_values(const header *h, const uint8_t *bytes, sn_npy *array)
{
    size_t index[SN_NPY_MAX_DIMENSIONS] = {0};
    size_t stride[SN_NPY_MAX_DIMENSIONS] = {0}; /* C order */
    size_t at = 0;
    for (size_t k = (size_t)array->dimension_count, step = 1; k-- > 0; step *= array->shape[k]) {
        stride[k] = step;
    }
    for (size_t i = 0; i < array->count; i++) {
        array->values[h->is_fortran_order ? at : i] = load_value(h, bytes + i * h->value_bytes);
        for (int k = 0; k < array->dimension_count; k++) {
            at += stride[k];
            if (++index[k] < array->shape[k]) {
                break;
            }
            at -= stride[k] * array->shape[k];
            index[k] = 0;
        }
    }
}

sn_result sn_npy_read(const sn_source *source, sn_arena *arena, sn_npy *array)
{
    SN_ASSERT(source && arena && array);
    cursor c = {.name = NULL};
    header h = {0};
    sn_npy read = {0};
    sn_result result = open_header(source, &c);
    if (result == SN_OK) {
        result = read_dictionary(&c, &h, &read);
    }
    if (result == SN_OK) {
        h.value_offset = c.base + (size_t)(c.end - c.begin);
        result = check_size(source, &h, &read);
    }
    if (result != SN_OK) {
        return result;
    }
    read.values = SN_NEW(arena, double, read.count);
    if (!read.values) {
        return SN_ERROR_MEMORY;
    }
    read.is_integer = h.type_char == 'i';
    load_values(&h, source->bytes + h.value_offset, &read);
    *array = read;
    return SN_OK;
}

/* Writes magic number, version, length and the padded dictionary; returns their size. */
static size_t build_header(char *out, sn_npy_type type, int dimension_count, const size_t *shape)
{
    char *text = out + MAGIC_BYTES + 4;
    const size_t capacity = MAX_HEADER_BYTES - MAGIC_BYTES - 4;
    int length = snprintf(text, capacity, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          type == SN_NPY_F64 ? "<f8" : "<i4");
    for (int k = 0; k < dimension_count; k++) {
        length += snprintf(text + length, capacity - (size_t)length, k == 0 ? "%zu," : " %zu,", shape[k]);
    }
    length -= dimension_count > 1; /* only a tuple of one element keeps the trailing comma */
    length += snprintf(text + length, capacity - (size_t)length, "), }");
    size_t size = MAGIC_BYTES + 4 + (size_t)length + 1;
    size = (size + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    memset(text + length, ' ', size - (MAGIC_BYTES + 4) - (size_t)length);
    out[size - 1] = '\n';
    memcpy(out, MAGIC "\x01", MAGIC_BYTES + 2); /* version 1.0; the terminating null is the minor version */
    out[MAGIC_BYTES + 2] = (char)((size - MAGIC_BYTES - 4) & 255);
    out[MAGIC_BYTES + 3] = (char)((size - MAGIC_BYTES - 4) >> 8);
    return size;
}

static void store_value(sn_npy_type type, const void *values, size_t i, uint8_t *out)
{
    uint64_t bits = 0;
    size_t bytes = 8;
    if (type == SN_NPY_F64) {
        memcpy(&bits, (const double *)values + i, 8);
    } else {
        bits = (uint32_t)((const int32_t *)values)[i];
        bytes = 4;
    }
    for (size_t k = 0; k < bytes; k++) {
        out[k] = (uint8_t)(bits >> (8 * k));
    }
}

sn_result sn_npy_write(const char *path, sn_npy_type type, int dimension_count, const size_t *shape, const void *values)
{
    SN_ASSERT(path && dimension_count >= 0 && dimension_count <= SN_NPY_MAX_DIMENSIONS);
    SN_ASSERT(shape || dimension_count == 0);
    char head[MAX_HEADER_BYTES];
    const size_t value_bytes = type == SN_NPY_F64 ? 8 : 4;
    size_t bytes = value_bytes;
    for (int k = 0; k < dimension_count; k++) {
        if (__builtin_mul_overflow(bytes, shape[k], &bytes) || bytes > SIZE_MAX / 4) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: cannot write: the array is larger than memory", path);
        }
    }
    SN_ASSERT(values || bytes == 0);
    const size_t head_size = build_header(head, type, dimension_count, shape);
    sn_arena scratch = {0};
    uint8_t *file = SN_NEW(&scratch, uint8_t, head_size + bytes);
    sn_result result = SN_ERROR_MEMORY;
    if (file) {
        memcpy(file, head, head_size);
        for (size_t i = 0; i < bytes / value_bytes; i++) {
            store_value(type, values, i, file + head_size + i * value_bytes);
        }
        result = sn_file_write(path, file, head_size + bytes);
    }
    sn_arena_finish(&scratch);
    return result;
}
