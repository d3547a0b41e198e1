/* SPDX-License-Identifier: MIT */
/* Reads and writes PNG with libpng's classic interface; the simplified one would treat 16-bit values as linear light
 * and convert them.
 *
 * libpng reports errors by calling a function that must not return. So reading and writing run inside `run_guarded`,
 * the only setjmp of the project, and take their memory from an arena, which cannot leak. */
#include "author/io/image/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* Max. compression ratio of deflate: 258 bytes in 2 bits. */
#define DEFLATE_RATIO 1032
#define OUTPUT_SLACK 4096
/* Chosen for speed on dithered frames of 1280 x 720 pixels. */
#define WRITE_LEVEL 2
#define WRITE_FILTERS PNG_FILTER_SUB
#define WRITE_CHUNK 65536

typedef struct png_job {
    const char *name;
    jmp_buf failed;
    sn_result result;
    png_structp png;
    png_infop info;
    sn_arena scratch; /* memory of libpng */
    /* for reading */
    const sn_source *source;
    size_t offset;
    sn_arena *arena;
    sn_image image;
    /* for writing */
    const sn_image *written;
    bool is_opaque;
    uint8_t *bytes; /* (limit), of which `size` bytes are used */
    size_t size, limit;
} png_job;

static void run_guarded(png_job *job, void (*work)(png_job *job))
{
    if (setjmp(job->failed) == 0) {
        work(job);
    }
}

__attribute__((noreturn)) static void fail(png_job *job, sn_result result)
{
    job->result = result;
    longjmp(job->failed, 1);
}

__attribute__((noreturn)) static void on_error(png_structp png, png_const_charp cause)
{
    png_job *job = png_get_error_ptr(png);
    if (job->result != SN_ERROR_MEMORY) { /* else the allocator has logged it */
        sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: %s", job->name, job->source ? job->offset : job->size, cause);
        job->result = SN_ERROR_FORMAT;
    }
    fail(job, job->result);
}

static void on_warning(png_structp png, png_const_charp cause)
{
    (void)png;
    (void)cause;
}

static png_voidp on_alloc(png_structp png, png_alloc_size_t size)
{
    png_job *job = png_get_mem_ptr(png);
    if (job->result == SN_ERROR_MEMORY) { /* a retry: the error has been logged */
        return NULL;
    }
    void *memory = sn_arena_alloc(&job->scratch, size, 1);
    job->result = memory ? job->result : SN_ERROR_MEMORY;
    return memory;
}

static void on_free(png_structp png, png_voidp memory)
{
    (void)png;
    (void)memory; /* the arena frees it */
}

static void on_read(png_structp png, png_bytep bytes, size_t size)
{
    png_job *job = png_get_io_ptr(png);
    if (size > job->source->size - job->offset) {
        png_error(png, "the file ends too early");
    }
    memcpy(bytes, job->source->bytes + job->offset, size);
    job->offset += size;
}

static void begin_reading(png_job *job)
{
    job->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, job, on_error, on_warning, job, on_alloc, on_free);
    job->info = job->png ? png_create_info_struct(job->png) : NULL;
    if (!job->info) {
        fail(job, SN_ERROR_MEMORY);
    }
    png_set_read_fn(job->png, job, on_read);
    /* check_size has better messages */
    png_set_user_limits(job->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    /* Ancillary chunks (text, profiles) are skipped, since each could expand to megabytes. */
    png_set_keep_unknown_chunks(job->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
}

static void check_size(png_job *job)
{
    const uint64_t width = png_get_image_width(job->png, job->info);
    const uint64_t height = png_get_image_height(job->png, job->info);
    const uint64_t bits = (uint64_t)png_get_channels(job->png, job->info) * png_get_bit_depth(job->png, job->info);
    if (width > SN_IMAGE_LIMIT || height > SN_IMAGE_LIMIT) {
        fail(job, sn_fail(SN_ERROR_UNSUPPORTED,
                          "%s: header: %llu x %llu pixels are too many; at most %d per side are supported", job->name,
                          (unsigned long long)width, (unsigned long long)height, SN_IMAGE_LIMIT));
    }
    if (width * height * bits / 8 > (uint64_t)job->source->size * DEFLATE_RATIO) {
        fail(job, sn_fail(SN_ERROR_FORMAT, "%s: header: %llu x %llu pixels cannot be in a file of %zu bytes", job->name,
                          (unsigned long long)width, (unsigned long long)height, job->source->size));
    }
}

/* Converts any format to 8-bit RGBA, without gamma conversion. */
static int set_conversions(png_job *job)
{
    png_set_scale_16(job->png);
    png_set_expand(job->png); /* palettes, 1 to 4 bits, tRNS */
    png_set_gray_to_rgb(job->png);
    png_set_add_alpha(job->png, 255, PNG_FILLER_AFTER);
    const int pass_count = png_set_interlace_handling(job->png);
    png_read_update_info(job->png, job->info);
    return pass_count;
}

static void read_image(png_job *job)
{
    begin_reading(job);
    png_read_info(job->png, job->info);
    check_size(job);
    const size_t width = png_get_image_width(job->png, job->info), height = png_get_image_height(job->png, job->info);
    const int pass_count = set_conversions(job);
    SN_ASSERT(png_get_rowbytes(job->png, job->info) == 4 * width);
    job->image = (sn_image){(int)width, (int)height, sn_arena_alloc(job->arena, height, 4 * width)};
    if (!job->image.pixels) {
        fail(job, SN_ERROR_MEMORY);
    }
    for (int pass = 0; pass < pass_count; ++pass) {
        for (size_t y = 0; y < height; ++y) {
            png_read_row(job->png, job->image.pixels + 4 * width * y, NULL);
        }
    }
    png_read_end(job->png, NULL); /* fails if the end chunk is missing */
}

sn_result sn_png_read(const sn_source *source, sn_arena *arena, sn_image *image)
{
    SN_ASSERT(source && arena && image);
    png_job job = {.name = source->name, .source = source, .arena = arena};
    run_guarded(&job, read_image);
    sn_arena_finish(&job.scratch);
    if (job.result == SN_OK) {
        *image = job.image;
    }
    return job.result;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    png_job *job = png_get_io_ptr(png);
    SN_ASSERT(size <= job->limit - job->size);
    memcpy(job->bytes + job->size, bytes, size);
    job->size += size;
}

static void on_flush(png_structp png)
{
    (void)png;
}

static void begin_writing(png_job *job)
{
    job->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, job, on_error, on_warning, job, on_alloc, on_free);
    job->info = job->png ? png_create_info_struct(job->png) : NULL;
    if (!job->info) {
        fail(job, SN_ERROR_MEMORY);
    }
    png_set_write_fn(job->png, job, on_write, on_flush);
    png_set_compression_level(job->png, WRITE_LEVEL);
    png_set_filter(job->png, PNG_FILTER_TYPE_BASE, WRITE_FILTERS);
    png_set_compression_buffer_size(job->png, WRITE_CHUNK);
}

static void write_image(png_job *job)
{
    const sn_image *image = job->written;
    const size_t width = (size_t)image->width, height = (size_t)image->height;
    /* upper bound: stored blocks, chunk headers and filter bytes add less than 1/128 */
    job->limit = height * (4 * width + 1) / 128 * 129 + OUTPUT_SLACK;
    job->bytes = SN_NEW(&job->scratch, uint8_t, job->limit);
    if (!job->bytes) {
        fail(job, SN_ERROR_MEMORY);
    }
    begin_writing(job);
    png_set_IHDR(job->png, job->info, (png_uint_32)width, (png_uint_32)height, 8,
                 job->is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(job->png, job->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(job->png, job->info);
    if (job->is_opaque) {
        png_set_filler(job->png, 0, PNG_FILLER_AFTER); /* drops the fourth byte */
    }
    for (size_t y = 0; y < height; ++y) {
        png_write_row(job->png, image->pixels + 4 * width * y);
    }
    png_write_end(job->png, NULL);
}

sn_result sn_png_encode(const char *name, const sn_image *image, bool is_opaque, sn_arena *arena, uint8_t **bytes,
                        size_t *size)
{
    SN_ASSERT(name && image && image->pixels && image->width > 0 && image->height > 0);
    SN_ASSERT(image->width <= SN_IMAGE_LIMIT && image->height <= SN_IMAGE_LIMIT);
    png_job job = {.name = name, .written = image, .is_opaque = is_opaque};
    run_guarded(&job, write_image);
    *size = job.size;
    *bytes = job.result == SN_OK ? SN_NEW(arena, uint8_t, job.size) : NULL;
    if (*bytes) {
        memcpy(*bytes, job.bytes, job.size);
    }
    sn_arena_finish(&job.scratch);
    return job.result != SN_OK ? job.result : *bytes ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_png_write(const char *path, const sn_image *image, bool is_opaque)
{
    SN_ASSERT(path && image && image->pixels && image->width > 0 && image->height > 0);
    SN_ASSERT(image->width <= SN_IMAGE_LIMIT && image->height <= SN_IMAGE_LIMIT);
    png_job job = {.name = path, .written = image, .is_opaque = is_opaque};
    run_guarded(&job, write_image);
    if (job.result == SN_OK) {
        job.result = sn_file_write(path, job.bytes, job.size);
    }
    sn_arena_finish(&job.scratch);
    return job.result;
}
