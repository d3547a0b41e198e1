/* SPDX-License-Identifier: MIT */
/* Reads FBX files. The Open Asset Import Library parses the format in a separate process, tools/read_fbx, which returns
 * a .glb; that is read like any other untrusted file. */
#include "author/io/fbx.h"
#include "author/io/child_process.h"
#include "author/io/program.h"
#include "author/io/text.h"

#include <string.h>

/* The child limits its own processor time and memory by the size of its input (tools/read_fbx/sandbox.c). Here,
 * wall-clock time and output size are limited; arrays in FBX files are compressed, so the output may be larger. */
#define MIN_SECONDS 120.0
#define SECONDS_PER_BYTE 4e-6
#define MIN_OUTPUT ((size_t)64 << 20)
#define MAX_OUTPUT ((size_t)1 << 31)
#define OUTPUT_FACTOR 64

/* Returns the text of the next line after the keyword `word` and advances to the following line; null if it is another
 * line. */
static const char *next_line(const sn_source *output, size_t *at, const char *word, size_t *size)
{
    const char *line = (const char *)output->bytes + *at;
    const size_t left = output->size - *at, word_size = strlen(word);
    const char *end = memchr(line, '\n', left < SN_FBX_MAX_LINE ? left : SN_FBX_MAX_LINE);
    if (!end || (size_t)(end - line) < word_size || memcmp(line, word, word_size) != 0) {
        return NULL;
    }
    *at += (size_t)(end - line) + 1;
    *size = (size_t)(end - line) - word_size;
    return line + word_size;
}

/* Parses decimal digits; returns false for other text and for values above `max_value`. */
static bool parse_size(const char *text, size_t count, size_t max_value, size_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9' || *value > max_value / 10) {
            return false;
        }
        *value = 10 * *value + (size_t)(text[i] - '0');
    }
    return count > 0 && *value <= max_value;
}

sn_result sn_fbx_output_read(const sn_source *output, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(output && arena && scene);
    char printable[SN_FBX_MAX_LINE];
    size_t at = 0, size = 0, glb_size = 0;
    const char *text = next_line(output, &at, "warning ", &size);
    for (int i = 0; text && i < SN_FBX_MAX_WARNINGS; ++i) {
        sn_log(SN_LOG_WARNING, "%s: %s", output->name, sn_text_printable(text, size, printable, sizeof printable));
        text = next_line(output, &at, "warning ", &size);
    }
    text = next_line(output, &at, "error ", &size);
    if (text && at == output->size) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s", output->name,
                       sn_text_printable(text, size, printable, sizeof printable));
    }
    text = text ? NULL : next_line(output, &at, "glb ", &size);
    if (!text || !parse_size(text, size, output->size - at, &glb_size) || glb_size != output->size - at) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the reader process sent malformed output", output->name);
    }
    const sn_source glb = {.name = output->name, .bytes = output->bytes + at, .size = glb_size};
    return sn_gltf_read(&glb, arena, scene);
}

sn_result sn_fbx_read(const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(source && arena && scene);
    sn_arena scratch = {0};
    sn_list bytes = {0};
    const char *program = NULL;
    sn_result result = sn_program_find(SN_FBX_PROGRAM, "SINEW_READ_FBX", source->name, &scratch, &program);
    if (result == SN_OK) {
        const char *const arguments[] = {program, source->name, NULL};
        const size_t max_value = source->size < MAX_OUTPUT / OUTPUT_FACTOR ? OUTPUT_FACTOR * source->size : MAX_OUTPUT;
        const sn_child_process child = {.program = program,
                                        .arguments = arguments,
                                        .seconds = MIN_SECONDS + SECONDS_PER_BYTE * (double)source->size,
                                        .max_bytes = max_value > MIN_OUTPUT ? max_value : MIN_OUTPUT};
        result = sn_child_process_run(&child, source, &bytes);
    }
    /* sources end with a null byte */
    if (result == SN_OK && !SN_LIST_ADD(&bytes, uint8_t, 1)) {
        result = SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        const sn_source output = {.name = source->name, .bytes = bytes.items, .size = bytes.count - 1};
        result = sn_fbx_output_read(&output, arena, scene);
    }
    sn_list_finish(&bytes);
    sn_arena_finish(&scratch);
    return result;
}
