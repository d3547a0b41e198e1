/* SPDX-License-Identifier: MIT */
#include "tools/command/record_file.h"

#include <errno.h>
#include <string.h>

static bool write_bytes(const void *bytes, size_t size, void *user)
{
    sn_record_file *f = user;
    if (sn_file_output_write(f->output, bytes, size)) {
        return true;
    }
    sn_log(SN_LOG_WARNING, "%s: cannot write: %s", f->path, strerror(errno));
    return false;
}

sn_result sn_record_file_open(const char *path, const char *note, sn_record_file *f)
{
    if (!path) {
        return SN_OK;
    }
    f->path = path;
    SN_TRY(sn_file_output_open(path, &f->output));
    const sn_recorder_desc desc = {.write = write_bytes, .user = f, .note = note};
    return sn_recorder_create(&desc, &f->recorder);
}

sn_result sn_record_file_close(sn_record_file *f, bool keep_file)
{
    sn_result result = SN_OK;
    if (f->recorder) {
        result = sn_recorder_finish(f->recorder);
        sn_recorder_destroy(&f->recorder);
    }
    const sn_result closed = sn_file_output_close(&f->output, keep_file && result == SN_OK);
    return result ? result : closed;
}

sn_result sn_replay_file_read(const char *path, const sn_model *const *model, sn_arena *arena, sn_replay_desc *desc)
{
    sn_source source;
    SN_TRY(sn_source_read(path, arena, &source));
    *desc = (sn_replay_desc){.name = path,
                             .bytes = source.bytes,
                             .size = source.size,
                             .world = sn_default_world_desc(),
                             .models = model,
                             .model_count = model && *model ? 1 : 0};
    return SN_OK;
}

sn_result sn_replay_check_model(const sn_replay *replay, const char *path, const char *model_path,
                                const sn_model *model)
{
    for (int i = 0; i < sn_replay_model_count(replay); ++i) {
        if (sn_replay_model(replay, i) == model) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_ARGUMENT, "%s: it was recorded with another model than %s", path, model_path);
}
