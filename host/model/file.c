/* SPDX-License-Identifier: MIT */
/* Layout, writer and reader of the binary model format. */
#include "host/model/check.h"

#include <errno.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/platform/platform.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the binary form is little-endian");

#define MAGIC "SINEWMDL"
#define MAX_FILE_BYTES (INT64_C(4) << 30)

typedef struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes; /* this struct, counts and scalars */
    uint64_t file_bytes;
    uint64_t checksum; /* of everything after this struct */
    uint64_t reserved[4];
} file_header;
_Static_assert(sizeof(file_header) == 64, "the header is one cache line");

enum {
#define SN_COUNT(name) COUNT_##name,
    SN_MODEL_COUNTS(SN_COUNT)
#undef SN_COUNT
        COUNT_TOTAL
};
enum {
#define SN_SCALAR(name) SCALAR_##name,
    SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
        SCALAR_TOTAL
};

#define COUNT_BYTES ((sizeof(sn_model_counts) + 7) / 8 * 8)
#define PREFIX_BYTES (sizeof(file_header) + COUNT_BYTES + SCALAR_TOTAL * sizeof(double))
/* Trailing scalars, from is_posed on, are omitted while they are 0, so that older files remain valid. */
#define MIN_PREFIX_BYTES (PREFIX_BYTES - (SCALAR_TOTAL - SCALAR_is_posed) * sizeof(double))

static size_t align64(size_t offset)
{
    return (offset + 63) / 64 * 64;
}

/* Appends an array at the next multiple of 64; updates the end offset. Returns false if the size overflows. */
static bool append_array(size_t *offset, int64_t rows, int64_t columns, size_t element_size, size_t *start)
{
    size_t bytes = 0;
    *start = align64(*offset);
    return !__builtin_mul_overflow((size_t)rows, (size_t)columns, &bytes) &&
           !__builtin_mul_overflow(bytes, element_size, &bytes) && bytes < SIZE_MAX / 4 &&
           !__builtin_add_overflow(*start, bytes, offset) && *offset < SIZE_MAX / 4;
}

/* Sets the array pointers into `base`. Returns the total size, or 0 if the counts overflow. */
static size_t lay_out(sn_model *model, size_t prefix, const uint8_t *base)
{
    const sn_model_counts *c = &model->counts;
    size_t offset = prefix;
    size_t start = 0;
#define SN_ARRAY(name, type, rows, columns)                                                                            \
    if (!append_array(&offset, rows, columns, sizeof(type), &start)) {                                                 \
        return 0;                                                                                                      \
    }                                                                                                                  \
    model->name = base ? (const type *)(const void *)(base + start) : NULL;
    SN_MODEL_ARRAYS(SN_ARRAY)
#undef SN_ARRAY
    return align64(offset);
}

sn_result sn_model_write(const sn_model *model, sn_arena *arena, uint8_t **bytes, size_t *size)
{
    const double scalars[SCALAR_TOTAL] = {
#define SN_SCALAR(name) model->name,
        SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
    };
    size_t prefix = PREFIX_BYTES;
    for (int i = SCALAR_TOTAL - 1; i >= SCALAR_is_posed && scalars[i] == 0; --i) {
        prefix -= sizeof(double);
    }
    sn_model laid_out = *model;
    *size = lay_out(&laid_out, prefix, NULL);
    uint8_t *file = *size ? SN_NEW(arena, uint8_t, *size) : NULL;
    if (!file) {
        return SN_ERROR_MEMORY;
    }
    lay_out(&laid_out, prefix, file);
    const sn_model_counts *c = &model->counts;
#define SN_ARRAY(name, type, rows, columns)                                                                            \
    if ((int64_t)(rows) * (columns) > 0) {                                                                             \
        memcpy((void *)(uintptr_t)laid_out.name, model->name, (size_t)((int64_t)(rows) * (columns)) * sizeof(type));   \
    }
    SN_MODEL_ARRAYS(SN_ARRAY)
#undef SN_ARRAY
    memcpy(file + sizeof(file_header), c, sizeof *c);
    memcpy(file + sizeof(file_header) + COUNT_BYTES, scalars, prefix - sizeof(file_header) - COUNT_BYTES);
    file_header header = {.version = SN_MODEL_VERSION, .header_bytes = (uint32_t)prefix, .file_bytes = *size};
    memcpy(header.magic, MAGIC, sizeof header.magic);
    header.checksum = sn_hash(SN_HASH_SEED, file + sizeof header, *size - sizeof header);
    memcpy(file, &header, sizeof header);
    *bytes = file;
    return SN_OK;
}

static bool is_prefix(size_t bytes)
{
    return bytes >= MIN_PREFIX_BYTES && bytes <= PREFIX_BYTES && (PREFIX_BYTES - bytes) % sizeof(double) == 0;
}

static sn_result check_header(const char *name, const uint8_t *bytes, size_t size)
{
    file_header header;
    if (size < sizeof header || memcmp(bytes, MAGIC, sizeof header.magic) != 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 0: not a .sinew file of `sinew cook`", name);
    }
    memcpy(&header, bytes, sizeof header);
    if (header.version != SN_MODEL_VERSION) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: byte 8: format version %u, this program supports version %d; %s",
                       name, header.version, SN_MODEL_VERSION,
                       header.version > SN_MODEL_VERSION ? "update it" : "cook the model again");
    }
    if (header.file_bytes == size && !is_prefix(header.header_bytes)) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: byte 12: header of %u bytes, at most %d expected; cook the model again", name,
                       header.header_bytes, (int)PREFIX_BYTES);
    }
    if (header.file_bytes != size || size < header.header_bytes) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 16: %llu bytes expected, %zu found; the file is truncated or damaged",
                       name, (unsigned long long)header.file_bytes, size);
    }
    if (header.checksum != sn_hash(SN_HASH_SEED, bytes + sizeof header, size - sizeof header)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 24: checksum mismatch; the file is damaged", name);
    }
    return SN_OK;
}

static sn_result load_into(const char *file, sn_model *model, const uint8_t *bytes, size_t size)
{
    double scalars[SCALAR_TOTAL] = {0};
    file_header header;
    memcpy(&header, bytes, sizeof header);
    memcpy(&model->counts, bytes + sizeof(file_header), sizeof model->counts);
    memcpy(scalars, bytes + sizeof(file_header) + COUNT_BYTES, header.header_bytes - sizeof(file_header) - COUNT_BYTES);
#define SN_SCALAR(name) model->name = scalars[SCALAR_##name];
    SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
    const sn_model_counts *c = &model->counts;
#define SN_COUNT(name)                                                                                                 \
    if (c->name < 0) {                                                                                                 \
        return sn_fail(SN_ERROR_FORMAT, "%s: " #name " is negative; the file is damaged", file);                       \
    }
    SN_MODEL_COUNTS(SN_COUNT)
#undef SN_COUNT
    if (lay_out(model, header.header_bytes, bytes) != size) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the counts do not match the file size; the file is damaged", file);
    }
    const sn_result result = sn_model_check_counts(file, c);
    return result == SN_OK ? sn_model_check_contents(file, model) : result;
}

sn_result sn_model_load(const void *bytes, size_t size, sn_model **model)
{
    return sn_model_load_named("model", bytes, size, model);
}

sn_result sn_model_load_named(const char *name, const void *bytes, size_t size, sn_model **model)
{
    *model = NULL;
    SN_ASSERT(((uintptr_t)bytes & 7) == 0);
    sn_result result = check_header(name, bytes, size);
    if (result != SN_OK) {
        return result;
    }
    sn_model *loaded = sn_alloc(1, sizeof *loaded);
    if (!loaded) {
        return SN_ERROR_MEMORY;
    }
    result = load_into(name, loaded, bytes, size);
    if (result != SN_OK) {
        sn_model_release(loaded);
        return result;
    }
    *model = loaded;
    return SN_OK;
}

/* Fills `bytes`. The file may be truncated meanwhile. */
static sn_result read_all(const char *path, FILE *file, uint8_t *bytes, size_t size)
{
    const size_t count = fread(bytes, 1, size, file);
    if (ferror(file)) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot read: %s", path, strerror(errno));
    }
    if (count < size) {
        return sn_fail(SN_ERROR_FILE, "%s: %zu bytes expected, %zu found; the file was truncated while it was read",
                       path, size, count);
    }
    return SN_OK;
}

/* A mapping would be shared with whoever writes the file: truncating it would end the program. */
static sn_result read_file(const char *path, uint8_t **bytes, size_t *size)
{
    int64_t file_size = 0;
    FILE *file = sn_file_open(path, &file_size);
    sn_result result = SN_OK;
    *bytes = NULL;
    *size = 0;
    if (!file) {
        result = sn_fail(SN_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    } else if (file_size <= 0) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: byte 0: not a .sinew file of `sinew cook`", path);
    } else if (file_size > MAX_FILE_BYTES || (uint64_t)file_size > SIZE_MAX / 2) {
        result = sn_fail(SN_ERROR_UNSUPPORTED, "%s: larger than %d GiB", path, sizeof(size_t) < 8 ? 2 : 4);
    } else {
        *size = (size_t)file_size;
        *bytes = sn_alloc(*size, 1);
        result = *bytes ? read_all(path, file, *bytes, *size) : SN_ERROR_MEMORY;
    }
    if (file) {
        fclose(file);
    }
    if (result != SN_OK) {
        sn_free(*bytes, *size, 1);
    }
    return result;
}

bool sn_is_model_file(const char *path)
{
    char magic[sizeof MAGIC - 1] = "";
    int64_t size = 0;
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".sinew") == 0) {
        return true;
    }
    FILE *file = sn_file_open(path, &size);
    const bool is_read = file && fread(magic, 1, sizeof magic, file) == sizeof magic;
    if (file) {
        fclose(file);
    }
    return is_read && memcmp(magic, MAGIC, sizeof magic) == 0;
}

sn_result sn_model_open(const char *path, sn_model **model)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    *model = NULL;
    sn_result result = read_file(path, &bytes, &size);
    if (result != SN_OK) {
        return result;
    }
    result = sn_model_load_named(path, bytes, size, model);
    if (result != SN_OK) {
        sn_free(bytes, size, 1);
        return result;
    }
    (*model)->file_bytes = bytes;
    (*model)->file_size = size;
    return SN_OK;
}

void sn_model_release(sn_model *model)
{
    if (model) {
        sn_free(model->file_bytes, model->file_size, 1);
    }
    sn_free(model, 1, sizeof *model);
}
