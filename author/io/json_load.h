/* SPDX-License-Identifier: MIT */
/* JSON documents of untrusted sources: one way in for every reader. */
#ifndef SN_AUTHOR_IO_JSON_LOAD_H
#define SN_AUTHOR_IO_JSON_LOAD_H

#include <jansson.h>

#include "author/io/source.h"

/* `flags` are jansson's. A byte order mark before the document is left out. A failure has logged one line
 * "NAME: line N, column N: cause", and *root is null; else the caller owns it. */
sn_result sn_json_load(const sn_source *source, size_t flags, json_t **root);

#endif
