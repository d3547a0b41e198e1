/* SPDX-License-Identifier: MIT */
/* Memory, names and tolerated failures of a document. */
#include "author/io/gltf/gltf_reader.h"

#include <string.h>

void *sn_gltf_alloc(sn_gltf *g, sn_arena *arena, const sn_json *at, size_t count, size_t element_size)
{
    size_t bytes = 0;
    if (!sn_gltf_ok(g)) { /* an error has been logged */
        return NULL;
    }
    const size_t limit = SN_GLTF_FACTOR * g->input_bytes + SN_GLTF_SLACK;
    const bool is_overflow = __builtin_mul_overflow(count, element_size, &bytes) || bytes > SIZE_MAX / 2;
    bytes = (bytes + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT; /* as in the arena */
    if (is_overflow || bytes > limit - g->decoded_bytes) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the decoded data would exceed %d times the file's size plus %zu MiB",
                     SN_GLTF_FACTOR, SN_GLTF_SLACK >> 20);
        return NULL;
    }
    g->decoded_bytes += bytes;
    void *memory = sn_arena_alloc(arena, count, element_size);
    if (!memory) {
        sn_json_set_result(&g->reader, SN_ERROR_MEMORY);
    }
    return memory;
}

const char *sn_gltf_copy_text(sn_gltf *g, const sn_json *at, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (size == 1) {
        return "";
    }
    char *copy = SN_GLTF_NEW(g, g->arena, at, char, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

const char *sn_gltf_name(sn_gltf *g, const sn_json *object)
{
    return sn_gltf_copy_text(g, object, sn_json_text(object, "name", ""));
}

void sn_gltf_begin_attempt(sn_gltf_attempt *a)
{
    a->captured = (sn_captured_log){0};
    a->outer_log = sn_capture_log(&a->captured);
}

bool sn_gltf_end_attempt(sn_gltf *g, const sn_gltf_attempt *a, uint32_t warned, const char *outcome)
{
    sn_capture_log(a->outer_log);
    if (sn_gltf_ok(g)) {
        return true;
    }
    g->reader.result = SN_OK;
    if (!(g->reader.warned & warned)) {
        g->reader.warned |= warned;
        sn_log(SN_LOG_WARNING, "%s; %s", a->captured.line, outcome);
    }
    return false;
}
