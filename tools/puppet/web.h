/* SPDX-License-Identifier: MIT */
/* The options of --web, and its tracking source. */
#ifndef SN_TOOLS_PUPPET_WEB_H
#define SN_TOOLS_PUPPET_WEB_H

#include "runtime/puppet/tracking.h"
#include "tools/command/args.h"

typedef struct sn_web_options {
    bool is_enabled, is_in_place;
    const char *page, *certificate, *key;
    sn_string_list origins, hosts;
} sn_web_options;

/* Opens the source; listen may be null. Prints the page's address. If `page` is null, uses the page that the script
 * `build` or the installation provides; prints a warning if there is none. Errors: SN_ERROR_ARGUMENT, SN_ERROR_FILE,
 * SN_ERROR_MEMORY. */
sn_result sn_web_open(const sn_web_options *options, const char *listen, sn_tracking_source **source);

#endif
