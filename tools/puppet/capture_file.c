/* SPDX-License-Identifier: MIT */
#include "tools/puppet/capture_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    if (snprintf(f->part, sizeof f->part, "%s.part", f->path) >= (int)sizeof f->part) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", f->path);
    }
    FILE *file = fopen(f->part, "wb");
    if (!file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot write: %s", f->part, strerror(errno));
    }
    fclose(file);
    f->is_begun = true;
    return SN_OK;
}

sn_result sn_capture_file_end(sn_capture_file *f, const sn_capture *capture)
{
    sn_result result = SN_OK;
    if (!f->is_begun) {
        return SN_OK;
    }
    f->is_begun = false;
    if (!capture || sn_capture_frame_count(capture) == 0) {
        remove(f->part);
        return SN_OK;
    }
    result = sn_capture_write(capture, f->part);
    if (result == SN_OK && rename(f->part, f->path) != 0) {
        result = sn_fail(SN_ERROR_FILE, "%s: cannot write: %s", f->path, strerror(errno));
    }
    if (result != SN_OK) {
        remove(f->part);
    }
    return result;
}
