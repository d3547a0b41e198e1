/* SPDX-License-Identifier: MIT */
/* Loads JSON documents from untrusted sources, for all readers. */
#ifndef SN_AUTHOR_IO_JSON_LOAD_H
#define SN_AUTHOR_IO_JSON_LOAD_H

#include <jansson.h>

#include "author/io/source.h"

/* Parses a source with jansson's `flags`; a byte order mark is skipped. On failure, logs one line "NAME: line N, column
 * N: cause" and sets *root to null; otherwise the caller owns *root. */
sn_result sn_json_load(const sn_source *source, size_t flags, json_t **root);

#endif
