/* SPDX-License-Identifier: MIT */
/* URIs of glTF: data: with base64 (RFC 2397, RFC 4648), and relative paths (RFC 3986) to files in the source's folder
 * or below. Absolute paths, ".." and schemes are rejected, so that a document cannot access other files. */
#include "author/io/gltf/gltf_reader.h"
#include "author/io/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit for all external files together, since different paths may link to one file. */
#define MAX_FILE_BYTES ((size_t)1 << 31)
#define MAX_PRINTABLE_CHARS 128

struct sn_gltf_file {
    const sn_gltf_file *next;
    const char *path;
    sn_gltf_bytes bytes;
};

/* 0 to 63; 64: invalid */
static unsigned base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? (unsigned)(c - 'A')
           : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 26
           : c >= '0' && c <= '9' ? (unsigned)(c - '0') + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : 64;
}

static bool decode_base64(sn_gltf *g, const sn_json *at, const char *text, sn_gltf_bytes *bytes)
{
    size_t length = strlen(text);
    const size_t padded = length;
    while (length > 0 && padded - length < 2 && text[length - 1] == '=') {
        --length;
    }
    if (length % 4 == 1 || (padded != length && padded % 4 != 0)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the base64 text is truncated at %zu characters", padded);
        return false;
    }
    const size_t size = length / 4 * 3 + (length % 4 > 0 ? length % 4 - 1 : 0);
    uint8_t *out = SN_GLTF_NEW(g, &g->scratch, at, uint8_t, size + 1);
    if (!out) {
        return false;
    }
    uint32_t bits = 0;
    for (size_t i = 0, written = 0; i < length; ++i) {
        const unsigned digit = base64_digit(text[i]);
        if (digit > 63) {
            sn_json_fail(at, SN_ERROR_FORMAT, "character %zu of the base64 text is invalid", i);
            return false;
        }
        bits = bits << 6 | digit;
        if (i % 4 > 0) { /* 12, 18 or 24 bits complete one, two or three bytes */
            out[written++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    *bytes = (sn_gltf_bytes){.bytes = out, .size = size};
    return true;
}

/* "data:[type][;parameter]...;base64,..." */
static bool read_data(sn_gltf *g, const sn_json *at, const char *uri, sn_gltf_bytes *bytes)
{
    static const char marker[] = ";base64";
    const char *comma = strchr(uri, ',');
    const size_t marker_size = sizeof marker - 1;
    if (!comma || (size_t)(comma - uri) < marker_size || memcmp(comma - marker_size, marker, marker_size) != 0) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the data: URI is not in base64");
        return false;
    }
    const char *empty = strstr(uri, ";;");
    if (empty && empty < comma) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the data: URI has an empty parameter");
        return false;
    }
    return decode_base64(g, at, comma + 1, bytes);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes in place; false if an escape is malformed or encodes a null. */
static bool decode_percent(char *text)
{
    char *out = text;
    for (; *text; ++text) {
        *out = *text;
        if (*text == '%') {
            const int high = hex_digit(text[1]), low = high < 0 ? -1 : hex_digit(text[2]);
            if (low < 0 || high + low == 0) {
                return false;
            }
            *out = (char)(16 * high + low);
            text += 2;
        }
        ++out;
    }
    *out = 0;
    return true;
}

/* Removes "." and empty segments in place, so that paths are unique; false if there is a "..". */
static bool simplify_path(char *path)
{
    char *out = path;
    for (const char *segment = path; *segment;) {
        const size_t length = strcspn(segment, "/");
        const bool is_last = segment[length] == 0;
        if (length == 2 && memcmp(segment, "..", 2) == 0) {
            return false;
        }
        if (length > 0 && !(length == 1 && *segment == '.')) {
            memmove(out, segment, length);
            out += length;
            *out = is_last ? 0 : '/';
            out += !is_last;
        }
        segment += is_last ? length : length + 1;
    }
    *out = 0;
    return true;
}

/* Normalizes `path` in place; returns why it is not allowed, or null. */
static const char *check_path(char *path)
{
    const size_t colon = strcspn(path, ":");
    if (path[colon] && colon < strcspn(path, "/?#")) {
        return "only data: URIs and relative paths are supported";
    }
    if (!decode_percent(path)) {
        return "has a malformed escape";
    }
    if (path[0] == '/' || strchr(path, '\\')) {
        return "is not a relative path";
    }
    if (!simplify_path(path)) {
        return "is outside of the folder of the file";
    }
    return path[0] ? NULL : "is empty";
}

static bool load_file(sn_gltf *g, const sn_json *at, const char *printable, sn_gltf_file *file)
{
    sn_source read;
    /* Common failures are reported with the location in the document; sn_source_read reports others. */
    if (access(file->path, R_OK) != 0) {
        char cause[128];
        if (strerror_r(errno, cause, sizeof cause) != 0) {
            cause[0] = 0;
        }
        sn_json_fail(at, SN_ERROR_FILE, "cannot open '%s': %s", printable, cause);
        return false;
    }
    struct stat status;
    if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        sn_json_fail(at, SN_ERROR_FILE, "cannot open '%s': not a regular file", printable);
        return false;
    }
    const sn_result result = sn_source_read(file->path, &g->scratch, &read);
    if (result != SN_OK) {
        sn_json_set_result(&g->reader, result);
        return false;
    }
    g->file_bytes += read.size;
    if (g->file_bytes > MAX_FILE_BYTES) {
        sn_json_fail(at, SN_ERROR_UNSUPPORTED, "the referenced files exceed 2 GiB");
        return false;
    }
    file->bytes = (sn_gltf_bytes){.bytes = read.bytes, .size = read.size};
    file->next = g->files;
    g->files = file;
    return true;
}

/* Concatenates the source's folder and the URI. */
static char *join_path(sn_gltf *g, const sn_json *at, const char *uri, size_t *folder_size)
{
    const char *slash = strrchr(g->source->name, '/');
    const size_t uri_size = strlen(uri) + 1;
    *folder_size = slash ? (size_t)(slash - g->source->name) + 1 : 0;
    char *path = SN_GLTF_NEW(g, &g->scratch, at, char, *folder_size + uri_size);
    if (path) {
        memcpy(path, g->source->name, *folder_size);
        memcpy(path + *folder_size, uri, uri_size);
    }
    return path;
}

static bool is_data(const char *uri)
{
    return strncmp(uri, "data:", 5) == 0;
}

bool sn_gltf_is_picture_missing(sn_gltf *g, const sn_json *at, const char *uri)
{
    char printable[MAX_PRINTABLE_CHARS], error[128];
    size_t folder_size = 0;
    char *path = is_data(uri) ? NULL : join_path(g, at, uri, &folder_size);
    if (!path) {
        return false;
    }
    const char *cause = check_path(path + folder_size);
    if (!cause && access(path, R_OK) != 0) {
        cause = strerror_r(errno, error, sizeof error) == 0 ? error : "cannot be opened";
    }
    if (cause) {
        sn_json_warn(at, SN_GLTF_WARNED_PICTURE, "'%s': %s; its textures are ignored",
                     sn_text_printable(uri, strlen(uri), printable, sizeof printable), cause);
    }
    return cause;
}

static bool read_file(sn_gltf *g, const sn_json *at, const char *uri, sn_gltf_bytes *bytes)
{
    char printable[MAX_PRINTABLE_CHARS];
    size_t folder_size = 0;
    char *path = join_path(g, at, uri, &folder_size);
    if (!path) {
        return false;
    }
    const char *cause = check_path(path + folder_size);
    sn_text_printable(uri, strlen(uri), printable, sizeof printable);
    if (cause) {
        sn_json_fail(at, SN_ERROR_FORMAT, "'%s' %s", printable, cause);
        return false;
    }
    const sn_gltf_file *loaded = g->files;
    while (loaded && strcmp(loaded->path, path) != 0) {
        loaded = loaded->next;
    }
    if (!loaded) {
        sn_gltf_file *file = SN_GLTF_NEW(g, &g->scratch, at, sn_gltf_file, 1);
        if (!file) {
            return false;
        }
        file->path = path;
        if (!load_file(g, at, printable, file)) {
            return false;
        }
        loaded = file;
    }
    *bytes = loaded->bytes;
    return true;
}

bool sn_gltf_read_uri(sn_gltf *g, const sn_json *at, const char *uri, sn_gltf_bytes *bytes)
{
    return is_data(uri) ? read_data(g, at, uri, bytes) : read_file(g, at, uri, bytes);
}
