/* SPDX-License-Identifier: MIT */
/* The options of a page with a camera, and its source. */
#ifndef SN_TOOLS_PUPPET_WEB_H
#define SN_TOOLS_PUPPET_WEB_H

#include "runtime/puppet/tracking.h"
#include "tools/command/args.h"

typedef struct sn_web_options {
    bool is_wanted, is_in_place;
    const char *page, *certificate, *key;
    sn_string_list origins;
} sn_web_options;

/* listen: or null. Says where the page is, which is found where the script `build` of it, or the installation, puts it,
 * if `page` is null; without one, a warning. Errors: SN_ERROR_ARGUMENT, SN_ERROR_FILE, SN_ERROR_MEMORY. */
sn_result sn_web_open(const sn_web_options *options, const char *listen, sn_tracking_source **source);

#endif
