/* SPDX-License-Identifier: MIT */
/* Reads JPEG with libjpeg. As with PNG, errors leave the library by longjmp to `run_guarded`; jpeg_destroy_decompress
 * frees its memory. */
#include "author/io/image/jpeg.h"

#include <setjmp.h>
#include <stdio.h> /* jpeglib.h needs it first */

#include <jerror.h>
#include <jpeglib.h>

/* Bound of the decoded size: each 8 x 8 block takes at least one bit. */
#define PIXELS_PER_BYTE 512
/* Each scan of a progressive file visits the complete image, whatever its length. Encoders write about 10. */
#define MAX_SCANS 200
/* libjpeg's memory: up to four components of 16-bit coefficients, plus a constant. */
#define MEMORY_PER_PIXEL 8
#define MEMORY_SLACK ((size_t)1 << 24)

typedef struct jpeg_job {
    const sn_source *source;
    jmp_buf failed;
    sn_result result;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr input;
    struct jpeg_progress_mgr progress;
    sn_arena *arena;
    sn_image image;
} jpeg_job;

static void run_guarded(jpeg_job *job, void (*work)(jpeg_job *job))
{
    if (setjmp(job->failed) == 0) {
        work(job);
    }
}

__attribute__((noreturn)) static void fail(jpeg_job *job, sn_result result)
{
    job->result = result;
    longjmp(job->failed, 1);
}

__attribute__((noreturn)) static void fail_at(jpeg_job *job, const char *cause)
{
    const size_t offset = job->source->size - job->input.bytes_in_buffer;
    fail(job, sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: %s", job->source->name, offset, cause));
}

__attribute__((noreturn)) static void on_error(j_common_ptr jpeg)
{
    jpeg_job *job = jpeg->client_data;
    char cause[JMSG_LENGTH_MAX];
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY || jpeg->err->msg_code == JERR_NO_BACKING_STORE) {
        fail(job, sn_fail(SN_ERROR_MEMORY, "%s: out of memory in the JPEG reader", job->source->name));
    }
    jpeg->err->format_message(jpeg, cause);
    fail_at(job, cause);
}

/* Warnings are ignored, except the one about missing pixels. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0 && jpeg->err->msg_code == JWRN_HIT_MARKER) {
        fail_at(jpeg->client_data, "the image data end too early");
    }
}

static void on_progress(j_common_ptr jpeg)
{
    jpeg_job *job = jpeg->client_data;
    if (job->jpeg.input_scan_number > MAX_SCANS) {
        fail_at(job, "the image has too many scans");
    }
}

static void on_init(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

static boolean on_empty(j_decompress_ptr jpeg)
{
    fail_at(jpeg->client_data, "the file ends too early");
}

static void on_skip(j_decompress_ptr jpeg, long count)
{
    if (count > 0 && (size_t)count > jpeg->src->bytes_in_buffer) {
        fail_at(jpeg->client_data, "the file ends too early");
    }
    jpeg->src->next_input_byte += count > 0 ? count : 0;
    jpeg->src->bytes_in_buffer -= count > 0 ? (size_t)count : 0;
}

static void begin(jpeg_job *job)
{
    jpeg_std_error(&job->errors);
    job->errors.error_exit = on_error;
    job->errors.emit_message = on_message;
    job->jpeg.err = &job->errors;
    job->jpeg.client_data = job;
    jpeg_create_decompress(&job->jpeg);
    job->input = (struct jpeg_source_mgr){.next_input_byte = job->source->bytes,
                                          .bytes_in_buffer = job->source->size,
                                          .init_source = on_init,
                                          .fill_input_buffer = on_empty,
                                          .skip_input_data = on_skip,
                                          .resync_to_restart = jpeg_resync_to_restart,
                                          .term_source = on_init};
    job->progress.progress_monitor = on_progress;
    job->jpeg.src = &job->input;
    job->jpeg.progress = &job->progress;
}

static void fail_unsupported(jpeg_job *job, const char *cause)
{
    fail(job, sn_fail(SN_ERROR_UNSUPPORTED, "%s: header: %s", job->source->name, cause));
}

static void read_header(jpeg_job *job)
{
    begin(job);
    jpeg_read_header(&job->jpeg, TRUE);
    const size_t width = job->jpeg.image_width, height = job->jpeg.image_height;
    if (width > SN_IMAGE_LIMIT || height > SN_IMAGE_LIMIT) {
        fail(job, sn_fail(SN_ERROR_UNSUPPORTED,
                          "%s: header: %zu x %zu pixels are too many; at most %d per side are supported",
                          job->source->name, width, height, SN_IMAGE_LIMIT));
    }
    if (width * height / PIXELS_PER_BYTE > job->source->size) {
        fail(job, sn_fail(SN_ERROR_FORMAT, "%s: header: %zu x %zu pixels cannot be in a file of %zu bytes",
                          job->source->name, width, height, job->source->size));
    }
    if (job->jpeg.num_components != 1 && job->jpeg.num_components != 3) {
        fail_unsupported(job, "only gray and three-component color images are supported");
    }
    if (job->jpeg.arith_code) {
        fail_unsupported(job, "arithmetic coding is not supported");
    }
    job->image = (sn_image){.width = (int)width, .height = (int)height};
}

static void read_image(jpeg_job *job)
{
    read_header(job);
    const size_t width = job->jpeg.image_width, height = job->jpeg.image_height;
    job->jpeg.mem->max_memory_to_use = (long)(MEMORY_PER_PIXEL * width * height + MEMORY_SLACK);
    job->jpeg.out_color_space = JCS_EXT_RGBA; /* sets alpha to 255 */
    jpeg_start_decompress(&job->jpeg);
    SN_ASSERT(job->jpeg.output_width == width && job->jpeg.output_height == height);
    SN_ASSERT(job->jpeg.output_components == 4);
    job->image.pixels = sn_arena_alloc(job->arena, height, 4 * width);
    if (!job->image.pixels) {
        fail(job, SN_ERROR_MEMORY);
    }
    while (job->jpeg.output_scanline < height) {
        JSAMPROW row = job->image.pixels + 4 * width * job->jpeg.output_scanline;
        jpeg_read_scanlines(&job->jpeg, &row, 1);
    }
    jpeg_finish_decompress(&job->jpeg); /* fails if the end marker is missing */
}

sn_result sn_jpeg_size(const sn_source *source, int *width, int *height)
{
    SN_ASSERT(source && width && height);
    jpeg_job job = {.source = source};
    run_guarded(&job, read_header);
    jpeg_destroy_decompress(&job.jpeg);
    if (job.result == SN_OK) {
        *width = job.image.width;
        *height = job.image.height;
    }
    return job.result;
}

sn_result sn_jpeg_read(const sn_source *source, sn_arena *arena, sn_image *image)
{
    SN_ASSERT(source && arena && image);
    jpeg_job job = {.source = source, .arena = arena};
    run_guarded(&job, read_image);
    jpeg_destroy_decompress(&job.jpeg);
    if (job.result == SN_OK) {
        *image = job.image;
    }
    return job.result;
}
