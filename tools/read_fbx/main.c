/* SPDX-License-Identifier: MIT */
/* sinew-read-fbx PATH <FILE >ANSWER: converts an FBX file to a .glb in a separate process, which libsinew_author
 * starts; author/io/fbx.h defines the output. PATH is the location of the file, to find its textures. The parser is the
 * Open Asset Import Library (assimp.org). With a second argument, --test-sandbox, it parses the file, and writes what
 * the process may still do instead of the output. */
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "author/io/fbx.h"
#include "author/io/list.h"
#include "tools/read_fbx/read_fbx.h"
#include "tools/read_fbx/sandbox.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define HEADER_BYTES 200 /* the library looks for the word "fbx" in as many bytes */

/* Messages collected for the output. */
typedef struct collected_messages {
    int warning_count;
    char warnings[SN_FBX_MAX_WARNINGS][SN_FBX_MAX_LINE];
    char error[SN_FBX_MAX_LINE];
} collected_messages;

static void set_line(char *line, const char *keyword, const char *message)
{
    snprintf(line, SN_FBX_MAX_LINE - 1, "%s %s", keyword, message); /* leaves space for the line break */
    for (char *c = line; *c; ++c) {
        *c = *c == '\n' ? ' ' : *c;
    }
    strcat(line, "\n");
}

static void collect_message(sn_log_level level, const char *message, void *user)
{
    collected_messages *messages = user;
    if (level == SN_LOG_ERROR && !messages->error[0]) {
        set_line(messages->error, "error", message);
    } else if (level == SN_LOG_WARNING && messages->warning_count < SN_FBX_MAX_WARNINGS) {
        set_line(messages->warnings[messages->warning_count++], "warning", message);
    }
}

static bool read_input(sn_list *input)
{
    for (;;) {
        char *destination = SN_LIST_ADD(input, char, CHUNK_BYTES);
        const ssize_t size = destination ? read(STDIN_FILENO, destination, CHUNK_BYTES) : -1;
        if (size < 0) {
            return false;
        }
        input->count -= CHUNK_BYTES - (size_t)size;
        if (size == 0) {
            return true;
        }
    }
}

static bool write_all(const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(STDOUT_FILENO, (const char *)bytes + done, size - done);
        if (put < 0) {
            return false;
        }
        done += (size_t)put;
    }
    return true;
}

/* Prevents the library from trying its readers of other formats. */
static bool is_fbx(const sn_list *input)
{
    const char *text = input->items;
    for (size_t i = 0; i + 3 <= input->count && i < HEADER_BYTES; ++i) {
        if (strncasecmp(text + i, "fbx", 3) == 0) {
            return true;
        }
    }
    return false;
}

static const struct aiScene *import(const sn_list *input)
{
    if (!is_fbx(input)) {
        sn_fail(SN_ERROR_FORMAT, "the file is not an FBX file");
        return NULL;
    }
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1); /* see nodes.c */
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_READ_LIGHTS, 0);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_READ_CAMERAS, 0);
    const struct aiScene *from = aiImportFileFromMemoryWithProperties(input->items, (unsigned)input->count,
                                                                      aiProcess_Triangulate, "fbx", properties);
    if (!from || !from->mRootNode) {
        const char *cause = from ? "the file is empty" : aiGetErrorString();
        sn_fail(SN_ERROR_FORMAT, "%s", cause && cause[0] ? cause : "cannot be read");
        return NULL;
    }
    return from;
}

static sn_result convert(fbx_reader *r, uint8_t **glb, size_t *size)
{
    static sn_result (*const steps[])(fbx_reader * r) = {fbx_nodes_read, fbx_materials_read, fbx_meshes_read,
                                                         fbx_clips_read};
    fbx_axes_read(r);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        SN_TRY(steps[i](r));
    }
    return sn_gltf_encode("the scene", &r->scene, r->pictures, &r->arena, glb, size);
}

static bool write_output(const collected_messages *messages, const uint8_t *glb, size_t size)
{
    char line[SN_FBX_MAX_LINE];
    bool is_written = true;
    for (int i = 0; i < messages->warning_count; ++i) {
        is_written &= write_all(messages->warnings[i], strlen(messages->warnings[i]));
    }
    if (!glb) {
        const char *error = messages->error[0] ? messages->error : "error out of memory\n";
        return is_written && write_all(error, strlen(error));
    }
    snprintf(line, sizeof line, "glb %zu\n", size);
    return is_written && write_all(line, strlen(line)) && write_all(glb, size);
}

int main(int argument_count, char **arguments)
{
    static collected_messages messages;
    sn_list input = {0};
    uint8_t *glb = NULL;
    size_t size = 0;
    const bool is_test = argument_count == 3 && strcmp(arguments[2], "--test-sandbox") == 0;
    if (argument_count != 2 && !is_test) {
        fprintf(stderr, "usage: sinew-read-fbx PATH [--test-sandbox] <FILE >ANSWER\n");
        return 2;
    }
    fbx_close_descriptors();
    sn_set_log(collect_message, &messages);
    if (!read_input(&input)) {
        return 1;
    }
    if (!fbx_enter_sandbox(input.count)) {
        sn_fail(SN_ERROR_UNSUPPORTED, "the reader process cannot restrict itself: %s", strerror(errno));
        _exit(write_output(&messages, NULL, 0) ? 0 : 1);
    }
    fbx_reader r = {.path = arguments[1], .from = import(&input)};
    if (!r.from || convert(&r, &glb, &size) != SN_OK) {
        glb = NULL;
    }
    if (is_test && glb) {
        fbx_test_sandbox();
        _exit(0);
    }
    /* Skips destructors and leak checks, since a malicious file may have corrupted the library's memory. */
    _exit(write_output(&messages, glb, size) ? 0 : 1);
}
