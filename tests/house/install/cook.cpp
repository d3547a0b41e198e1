/* SPDX-License-Identifier: MIT */
/* A C++ program of every public header: cooks argv[1], and checks that libsinew and libsinew_author share the hooks. */
#include "sinew/author.h"
#include "sinew/model.h"
#include "sinew/sinew.h"
#include "sinew/types.h"
#include "sinew/world.h"

#include <cstdio>
#include <cstring>

static int line_count;

static void count_line(sn_log_level, const char *, void *)
{
    ++line_count;
}

static bool check(bool is_right, const char *what)
{
    if (!is_right) {
        std::fprintf(stderr, "FAIL: %s\n", what);
    }
    return is_right;
}

int main(int argc, char **argv)
{
    const sn_cook_desc desc = sn_default_cook_desc();
    sn_blob blob = {};
    sn_model *model = nullptr;
    sn_set_log(count_line, nullptr);
    if (argc != 2 || !check(std::strcmp(sn_version(), SN_VERSION_STRING) == 0, "the version is the headers'") ||
        !check(sn_cook("/nowhere.obj", &desc, &blob, nullptr) == SN_ERROR_FILE, "a missing file is one") ||
        !check(line_count == 1, "a failing cook logs one line through the hook that was set in libsinew") ||
        !check(sn_cook(argv[1], &desc, &blob, nullptr) == SN_OK, "it cooks") ||
        !check(sn_allocated_bytes() >= blob.size, "libsinew counts what libsinew_author allocates") ||
        !check(sn_model_load(blob.bytes, blob.size, &model) == SN_OK, "what was cooked loads")) {
        return 1;
    }
    std::printf("%d modes cooked\n", sn_model_mode_count(model));
    sn_model_release(model);
    sn_blob_release(&blob);
    return check(sn_allocated_bytes() == 0, "all is freed") ? 0 : 1;
}
