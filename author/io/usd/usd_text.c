/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "author/io/usd/usd_writer.h"

#define FIRST_BLOCK ((size_t)1 << 16)
#define NAME_CHARS 200

static bool reserve(sn_usd_writer *w, size_t size)
{
    if (w->result != SN_OK || w->capacity - w->size > size) {
        return w->result == SN_OK;
    }
    const size_t capacity = 2 * w->capacity + size + FIRST_BLOCK;
    char *grown = SN_NEW(&w->arena, char, capacity);
    if (!grown) {
        w->result = SN_ERROR_MEMORY;
        return false;
    }
    if (w->size > 0) {
        memcpy(grown, w->text, w->size);
    }
    w->text = grown;
    w->capacity = capacity;
    return true;
}

static void put_list(sn_usd_writer *w, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, arguments);
    if (size > 0 && reserve(w, (size_t)size)) {
        vsnprintf(w->text + w->size, (size_t)size + 1, format, again);
        w->size += (size_t)size;
    }
    va_end(again);
}

void sn_usd_put(sn_usd_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_list(w, format, arguments);
    va_end(arguments);
}

void sn_usd_indent(sn_usd_writer *w)
{
    sn_usd_put(w, "%*s", 4 * w->depth, "");
}

void sn_usd_line(sn_usd_writer *w, const char *format, ...)
{
    va_list arguments;
    sn_usd_indent(w);
    va_start(arguments, format);
    put_list(w, format, arguments);
    va_end(arguments);
    sn_usd_put(w, "\n");
}

void sn_usd_open_brace(sn_usd_writer *w)
{
    sn_usd_line(w, "{");
    ++w->depth;
}

void sn_usd_close_brace(sn_usd_writer *w)
{
    --w->depth;
    sn_usd_line(w, "}");
}

static void put_float(sn_usd_writer *w, double value, int decimals)
{
    char text[64];
    if (decimals == SN_USD_EXACT) {
        sn_usd_put(w, "%.9g", value);
        return;
    }
    int size = snprintf(text, sizeof text, "%.*f", decimals, value);
    while (decimals > 0 && text[size - 1] == '0') {
        --size;
    }
    size -= text[size - 1] == '.';
    const bool is_zero = size == 2 && text[0] == '-' && text[1] == '0';
    sn_usd_put(w, "%.*s", is_zero ? 1 : size, is_zero ? "0" : text);
}

void sn_usd_floats(sn_usd_writer *w, const float *values, int count, int width, int stride, int decimals)
{
    sn_usd_put(w, "[");
    for (int i = 0; i < count; ++i) {
        sn_usd_put(w, i > 0 ? ", %s" : "%s", width > 1 ? "(" : "");
        for (int k = 0; k < width; ++k) {
            const double value = (double)values[(size_t)i * (size_t)stride + (size_t)k];
            sn_usd_put(w, k > 0 ? "," : "");
            put_float(w, value, fabs(value) < 1e9 ? decimals : SN_USD_EXACT);
        }
        sn_usd_put(w, "%s", width > 1 ? ")" : "");
    }
    sn_usd_put(w, "]");
}

int sn_usd_decimals(const float *values, size_t count, int digits)
{
    double max_value = 0;
    for (size_t i = 0; i < count; ++i) {
        max_value = fmax(max_value, fabs((double)values[i]));
    }
    return max_value > 0 && isfinite(max_value) ? (int)fmin(fmax(digits - 1 - floor(log10(max_value)), 0), 30) : 0;
}

void sn_usd_integers(sn_usd_writer *w, const int32_t *values, size_t count)
{
    sn_usd_put(w, "[");
    for (size_t i = 0; i < count; ++i) {
        sn_usd_put(w, i > 0 ? ", %d" : "%d", values[i]);
    }
    sn_usd_put(w, "]");
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_used(const char *name, const char *const *used_names, int count)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(name, used_names[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *sn_usd_identifier(sn_usd_writer *w, const char *name, const char *const *used_names, int count)
{
    char *identifier = SN_NEW(&w->arena, char, NAME_CHARS + 16);
    size_t size = 0;
    if (!identifier) {
        w->result = SN_ERROR_MEMORY;
        return NULL;
    }
    if (!is_letter(name[0])) {
        identifier[size++] = '_';
    }
    for (size_t i = 0; name[i] && size < NAME_CHARS; ++i) {
        const bool is_digit = name[i] >= '0' && name[i] <= '9';
        identifier[size++] = is_letter(name[i]) || is_digit ? name[i] : '_';
    }
    identifier[size] = '\0';
    for (int number = 1; is_used(identifier, used_names, count); ++number) {
        snprintf(identifier + size, 16, "_%d", number);
    }
    return identifier;
}
