/* SPDX-License-Identifier: MIT */
#include "tools/command/record_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "author/io/source.h"

static bool write_bytes(const void *bytes, size_t size, void *user)
{
    const sn_record_file *f = user;
    if (fwrite(bytes, 1, size, f->file) == size) {
        return true;
    }
    sn_log(SN_LOG_WARNING, "%s: cannot write: %s", f->part, strerror(errno));
    return false;
}

sn_result sn_record_file_open(const char *path, const char *note, sn_record_file *f)
{
    if (!path) {
        return SN_OK;
    }
    f->path = path;
    if (snprintf(f->part, sizeof f->part, "%s.part", path) >= (int)sizeof f->part) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", path);
    }
    f->file = fopen(f->part, "wb");
    if (!f->file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot write: %s", f->part, strerror(errno));
    }
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
    if (f->file) {
        bool is_written = fflush(f->file) == 0 && fsync(fileno(f->file)) == 0;
        is_written = fclose(f->file) == 0 && is_written;
        f->file = NULL;
        if (!keep_file) {
            remove(f->part);
        } else if (result == SN_OK && (!is_written || rename(f->part, f->path) != 0)) {
            result = sn_fail(SN_ERROR_FILE, "%s: cannot write: %s", f->path, strerror(errno));
        }
    }
    return result;
}

sn_result sn_replay_file_read(const char *path, const sn_model *const *model, sn_arena *arena, sn_replay_desc *desc)
{
    sn_source source;
    const sn_result result = sn_source_read(path, arena, &source);
    if (result == SN_OK) {
        *desc = (sn_replay_desc){.name = path,
                                 .bytes = source.bytes,
                                 .size = source.size,
                                 .world = sn_default_world_desc(),
                                 .models = model,
                                 .model_count = model && *model ? 1 : 0};
    }
    return result;
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
