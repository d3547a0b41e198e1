/* SPDX-License-Identifier: MIT */
#include "tools/command/overwrite.h"

#include <sys/stat.h>

#include "host/base/base.h"

bool sn_is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return a && b && stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

sn_result sn_check_overwrite(const char *output, const char *const *inputs, int count)
{
    for (int i = 0; i < count; ++i) {
        if (sn_is_same_file(output, inputs[i])) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: is the input %s, which writing would replace", output, inputs[i]);
        }
    }
    return SN_OK;
}
