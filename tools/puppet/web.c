/* SPDX-License-Identifier: MIT */
#include "tools/puppet/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "author/io/program.h"
#include "runtime/puppet/web.h"

#define BUILD "tools/puppet-page/build makes one"

static bool has_file(const char *folder, const char *name)
{
    char path[SN_PROGRAM_PATH_SIZE + 32];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && access(path, R_OK) == 0;
}

static bool is_page(const char *folder)
{
    return has_file(folder, "index.html");
}

/* Path of a file relative to the program's folder. */
static bool is_next_to_program(const char *program_path, char folder[SN_PROGRAM_PATH_SIZE])
{
    if (!sn_program_folder(folder) || strlen(folder) + strlen(program_path) >= SN_PROGRAM_PATH_SIZE) {
        return false;
    }
    strcat(folder, program_path);
    return is_page(folder);
}

/* The user's data folder, where `build` of the installed page puts it with MediaPipe. */
static bool is_users(char folder[SN_PROGRAM_PATH_SIZE])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const bool is_set = data && data[0] == '/';
    const int size = snprintf(folder, SN_PROGRAM_PATH_SIZE, "%s%s/sinew/puppet-page",
                              is_set ? data
                              : home ? home
                                     : "",
                              is_set ? "" : "/.local/share");
    return size < SN_PROGRAM_PATH_SIZE && is_page(folder);
}

/* Finds the page: next to the build folder (tools/puppet-page/build), in the user's data folder, or as installed. */
static bool find_page(char folder[SN_PROGRAM_PATH_SIZE])
{
    return is_next_to_program("../puppet-page", folder) || is_users(folder) ||
           is_next_to_program("../share/sinew/puppet-page", folder);
}

static void say_where(const sn_tracking_source *source, const char *folder)
{
    char here[SN_WEB_SERVER_URL_SIZE], elsewhere[SN_WEB_SERVER_URL_SIZE];
    sn_web_source_urls(source, here, elsewhere);
    if (!folder) {
        sn_log(SN_LOG_WARNING, "web: there is no page at %s: " BUILD, here);
        return;
    }
    const bool is_two = elsewhere[0] && strcmp(here, elsewhere) != 0;
    const bool has_tasks = has_file(folder, "vision/vision_bundle.mjs");
    sn_log(SN_LOG_INFO, "web: open %s in a browser%s%s: the page of %s%s", here, is_two ? ", elsewhere " : "",
           is_two ? elsewhere : "", folder, has_tasks ? "" : ", without MediaPipe");
}

/* Warns that a phone's browser gives the page no camera without HTTPS. */
static void warn_of_no_camera(const sn_web_options *options, const sn_tracking_source *source)
{
    char here[SN_WEB_SERVER_URL_SIZE], elsewhere[SN_WEB_SERVER_URL_SIZE];
    sn_web_source_urls(source, here, elsewhere);
    if (elsewhere[0] && !options->certificate) {
        sn_log(SN_LOG_WARNING, "web: browsers of other machines give %s no camera: --web-cert and --web-key",
               elsewhere);
    }
}

sn_result sn_web_open(const sn_web_options *options, const char *listen, sn_tracking_source **source)
{
    char found[SN_PROGRAM_PATH_SIZE];
    const char *folder = options->page ? options->page : find_page(found) ? found : NULL;
    if (options->page && !is_page(folder)) {
        return sn_fail(SN_ERROR_FILE, "%s: index.html is missing: " BUILD, folder);
    }
    if (!options->certificate != !options->key) {
        return sn_fail(SN_ERROR_ARGUMENT, "puppet: --web-cert and --web-key go together");
    }
    SN_TRY(sn_web_source_create(&(sn_web_desc){.listen = listen,
                                               .folder = folder,
                                               .certificate = options->certificate,
                                               .key = options->key,
                                               .origins = options->origins.items,
                                               .origin_count = options->origins.count,
                                               .hosts = options->hosts.items,
                                               .host_count = options->hosts.count,
                                               .is_in_place = options->is_in_place},
                                source));
    say_where(*source, folder);
    warn_of_no_camera(options, *source);
    return SN_OK;
}
