/* SPDX-License-Identifier: MIT */
#include "author/io/surface/obj_text.h"

#include <string.h>
#include <sys/stat.h>

static bool at_line_end(const sn_text *text, const uint8_t *at)
{
    return *at == (uint8_t)text->line_end;
}

static bool is_blank(const sn_text *text, const uint8_t *at)
{
    const bool is_space = *at == ' ' || *at == '\t' || *at == '\r' || *at == '\v' || *at == '\f';
    return is_space && !at_line_end(text, at);
}

/* The size of a backslash with a line break, or 0. The null byte after the source bounds the lookahead. */
static size_t continuation(const sn_text *text, const uint8_t *at)
{
    if (at[0] != '\\') {
        return 0;
    }
    const size_t size = at[1] == '\r' && !at_line_end(text, at + 1) ? 2 : 1;
    return at_line_end(text, at + size) ? size + 1 : 0;
}

bool sn_obj_find_word(sn_text *text)
{
    while (text->offset < text->size) {
        const uint8_t *at = text->bytes + text->offset;
        const size_t continued = continuation(text, at);
        if (continued > 0) {
            text->offset += continued;
            text->line++;
        } else if (is_blank(text, at)) {
            text->offset++;
        } else {
            text->item_offset = text->offset;
            text->item_line = text->line;
            return !at_line_end(text, at) && *at != '#';
        }
    }
    return false;
}

bool sn_obj_at_word_end(const sn_text *text)
{
    const uint8_t *at = text->bytes + text->offset;
    return text->offset == text->size || is_blank(text, at) || at_line_end(text, at) || continuation(text, at) > 0;
}

sn_token sn_obj_word(sn_text *text)
{
    if (!sn_obj_find_word(text)) {
        return (sn_token){.text = "", .size = 0};
    }
    const uint8_t *first = text->bytes + text->offset;
    while (!sn_obj_at_word_end(text)) {
        text->offset++;
    }
    return (sn_token){.text = (const char *)first, .size = (size_t)(text->bytes + text->offset - first)};
}

sn_result sn_obj_numbers(sn_text *text, const char *what, int limit, double *values, int *count)
{
    sn_result result = SN_OK;
    *count = 0;
    while (sn_obj_find_word(text)) {
        if (*count == limit) {
            return sn_text_fail(text, "the %s has more than %d numbers", what, limit);
        }
        result = sn_text_in_range(text, what, &values[*count]);
        if (result != SN_OK) {
            break;
        }
        ++*count;
    }
    return result;
}

sn_token sn_obj_rest(sn_text *text)
{
    while (text->offset < text->size && is_blank(text, text->bytes + text->offset)) {
        text->offset++;
    }
    text->item_offset = text->offset;
    text->item_line = text->line;
    const uint8_t *first = text->bytes + text->offset;
    const uint8_t *end = memchr(first, text->line_end, sn_text_remaining(text));
    end = end ? end : text->bytes + text->size;
    text->offset = (size_t)(end - text->bytes);
    while (end > first && is_blank(text, end - 1)) {
        end--;
    }
    return (sn_token){.text = (const char *)first, .size = (size_t)(end - first)};
}

/* Returns the next part of a path and removes it from `name`. */
static sn_token next_part(sn_token *name)
{
    size_t size = 0;
    while (size < name->size && name->text[size] != '/' && name->text[size] != '\\') {
        size++;
    }
    const sn_token part = {.text = name->text, .size = size};
    const size_t skipped = size < name->size ? size + 1 : size;
    name->text += skipped;
    name->size -= skipped;
    return part;
}

static bool has_control(sn_token name)
{
    for (size_t i = 0; i < name.size; i++) {
        const uint8_t byte = (uint8_t)name.text[i];
        if (byte < ' ' || byte == 0x7f) {
            return true;
        }
    }
    return false;
}

bool sn_obj_sibling_path(const sn_source *source, sn_token name, char path[SN_OBJ_PATH_BYTES])
{
    const char *slash = strrchr(source->name, '/');
    size_t length = slash ? (size_t)(slash + 1 - source->name) : 0;
    if (length + name.size + 1 > SN_OBJ_PATH_BYTES || name.size == 0 || has_control(name) || name.text[0] == '/' ||
        name.text[0] == '\\') {
        return false;
    }
    memcpy(path, source->name, length);
    const size_t folder = length;
    while (name.size > 0) {
        const sn_token part = next_part(&name);
        if (sn_token_is(part, "..")) {
            return false;
        }
        if (part.size == 0 || sn_token_is(part, ".")) {
            continue;
        }
        if (length > folder) {
            path[length++] = '/';
        }
        memcpy(path + length, part.text, part.size);
        length += part.size;
    }
    path[length] = 0;
    return length > folder;
}

bool sn_obj_is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}
