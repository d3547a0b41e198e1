/* SPDX-License-Identifier: MIT */
#include "tools/puppet/capture_file.h"

#include "tools/command/args.h"
#include "tools/command/overwrite.h"

sn_result sn_capture_file_begin(sn_capture_file *f, const char *const *inputs, int count)
{
    if (!f->path) {
        return SN_OK;
    }
    if (!sn_has_extension(f->path, ".vrma")) {
        return sn_fail(SN_ERROR_ARGUMENT, "puppet: --capture %s: not a .vrma", f->path);
    }
    const sn_result result = sn_check_overwrite(f->path, inputs, count);
    if (result != SN_OK) {
        return result;
    }
    return sn_file_output_open(f->path, &f->output);
}

sn_result sn_capture_file_end(sn_capture_file *f, const sn_capture *capture)
{
    sn_arena arena = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sn_result result = SN_OK;
    const bool has_frames = f->output && capture && sn_capture_frame_count(capture) > 0;
    if (has_frames) {
        result = sn_capture_encode(capture, f->path, &arena, &bytes, &size);
    }
    if (has_frames && result == SN_OK) {
        sn_file_output_write(f->output, bytes, size);
    }
    const sn_result closed = sn_file_output_close(&f->output, has_frames && result == SN_OK);
    sn_arena_finish(&arena);
    return result ? result : closed;
}
