/* SPDX-License-Identifier: MIT */
#include "tools/puppet/web.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/io/program.h"
#include "runtime/puppet/web.h"

static bool has_page(const char *folder)
{
    char index[SN_PROGRAM_PATH_SIZE + 16];
    snprintf(index, sizeof index, "%s/index.html", folder);
    return access(index, R_OK) == 0;
}

/* Beside a build's folder, where tools/puppet-page/build puts it. */
static bool find_page(char folder[SN_PROGRAM_PATH_SIZE])
{
    static const char place[] = "../puppet-page";
    if (!sn_program_folder(folder) || strlen(folder) + sizeof place > SN_PROGRAM_PATH_SIZE) {
        return false;
    }
    strcat(folder, place);
    return has_page(folder);
}

sn_result sn_web_open(const sn_web_options *options, const char *listen, sn_tracking_source **source)
{
    char found[SN_PROGRAM_PATH_SIZE];
    const char *folder = options->page ? options->page : find_page(found) ? found : NULL;
    if (options->page && !has_page(folder)) {
        return sn_fail(SN_ERROR_FILE, "%s: there is no index.html: tools/puppet-page/build makes a page", folder);
    }
    const sn_result result = sn_web_source_create(&(sn_web_desc){.listen = listen,
                                                                 .folder = folder,
                                                                 .origins = options->origins.items,
                                                                 .origin_count = options->origins.count},
                                                  source);
    if (result == SN_OK && folder) {
        sn_log(SN_LOG_INFO, "web: open http://localhost:%d/ in a browser", sn_web_source_port(*source));
    } else if (result == SN_OK) {
        sn_log(SN_LOG_WARNING, "web: there is no page at http://localhost:%d/: tools/puppet-page/build makes one",
               sn_web_source_port(*source));
    }
    return result;
}
