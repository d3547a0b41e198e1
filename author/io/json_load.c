/* SPDX-License-Identifier: MIT */
/* Messages of jansson quote the document; unprintable characters are replaced so that an error stays one line. */
#include "author/io/json_load.h"

#include <string.h>

#include "author/io/text.h"

sn_result sn_json_load(const sn_source *source, size_t flags, json_t **root)
{
    json_error_t error;
    const size_t mark_size = sn_byte_order_mark(source);
    *root = json_loadb((const char *)source->bytes + mark_size, source->size - mark_size, flags, &error);
    if (!*root && json_error_code(&error) == json_error_out_of_memory) {
        return sn_fail(SN_ERROR_MEMORY, "%s: out of memory in the JSON parser", source->name);
    }
    if (!*root) {
        char cause[JSON_ERROR_TEXT_LENGTH];
        sn_text_printable(error.text, strlen(error.text), cause, sizeof cause);
        return sn_fail(SN_ERROR_FORMAT, "%s: line %d, column %d: %s", source->name, error.line, error.column, cause);
    }
    return SN_OK;
}
