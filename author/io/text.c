/* SPDX-License-Identifier: MIT */
/* The text cursor of all text readers. Numbers are copied before they are passed to strtod, to bound its reading and to
 * insert the locale's decimal point. */
#include "author/io/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER_CHARS 512 /* enough for the exact decimals of a double */
#define MAX_PRINTABLE_CHARS 40

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t sn_byte_order_mark(const sn_source *source)
{
    return source->size >= 3 && memcmp(source->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool has_byte(const sn_source *source, char byte)
{
    return source->size > 0 && memchr(source->bytes, byte, source->size);
}

sn_text sn_text_begin(const sn_source *source, char comment)
{
    sn_text text = {.name = source->name,
                    .bytes = source->bytes,
                    .size = source->size,
                    .offset = sn_byte_order_mark(source),
                    .line = 1,
                    .item_line = 1,
                    .line_end = has_byte(source, '\n') || !has_byte(source, '\r') ? '\n' : '\r',
                    .comment = comment,
                    .decimal_point = "."};
    char one[sizeof text.decimal_point + 2];
    const int length = snprintf(one, sizeof one, "%.1f", 1.0); /* "1.0" with the locale's decimal point */
    if (length >= 3 && (size_t)length < sizeof one) {
        const size_t point_size = (size_t)length - 2;
        memcpy(text.decimal_point, one + 1, point_size);
        text.decimal_point[point_size] = 0;
    }
    return text;
}

size_t sn_text_remaining(const sn_text *text)
{
    return text->size - text->offset;
}

sn_result sn_text_fail(const sn_text *text, const char *format, ...)
{
    char cause[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    const bool by_byte = text->is_binary;
    return sn_fail(SN_ERROR_FORMAT, "%s: %s %zu: %s", text->name, by_byte ? "byte" : "line",
                   by_byte ? text->item_offset : text->item_line, cause);
}

const char *sn_text_printable(const char *bytes, size_t size, char *out, size_t out_size)
{
    size_t length = 0;
    for (; length < size && length + 1 < out_size; length++) {
        out[length] = bytes[length] >= ' ' && bytes[length] <= '~' ? bytes[length] : '?';
    }
    out[length] = 0;
    return out;
}

bool sn_token_is(sn_token token, const char *word)
{
    return token.size == strlen(word) && memcmp(token.text, word, token.size) == 0;
}

static bool at_line_end(const sn_text *text)
{
    return text->bytes[text->offset] == (uint8_t)text->line_end;
}

static void advance(sn_text *text)
{
    text->line += at_line_end(text);
    text->offset++;
}

void sn_text_skip_line(sn_text *text)
{
    while (text->offset < text->size && !at_line_end(text)) {
        text->offset++;
    }
    if (text->offset < text->size) {
        advance(text);
    }
}

static bool at_comment(const sn_text *text)
{
    return text->comment && text->bytes[text->offset] == (uint8_t)text->comment;
}

static void skip_space(sn_text *text)
{
    while (text->offset < text->size) {
        if (at_comment(text)) {
            sn_text_skip_line(text);
        } else if (is_space(text->bytes[text->offset])) {
            advance(text);
        } else {
            break;
        }
    }
}

static void begin_item(sn_text *text)
{
    text->item_offset = text->offset;
    text->item_line = text->line;
}

sn_token sn_text_peek(sn_text *text)
{
    skip_space(text);
    begin_item(text);
    size_t end = text->offset;
    while (end < text->size && !is_space(text->bytes[end]) &&
           !(text->comment && text->bytes[end] == (uint8_t)text->comment)) {
        end++;
    }
    return (sn_token){.text = (const char *)text->bytes + text->offset, .size = end - text->offset};
}

sn_token sn_text_next(sn_text *text)
{
    const sn_token token = sn_text_peek(text);
    text->offset += token.size;
    return token;
}

sn_result sn_text_token(sn_text *text, const char *what, sn_token *token)
{
    *token = sn_text_next(text);
    return token->size > 0 ? SN_OK : sn_text_fail(text, "the file ends before the %s", what);
}

static sn_result fail_token(const sn_text *text, sn_token token, const char *what, const char *cause)
{
    char printable[MAX_PRINTABLE_CHARS];
    return sn_text_fail(text, "%s '%s' %s", what,
                        sn_text_printable(token.text, token.size, printable, sizeof printable), cause);
}

sn_result sn_text_expect(sn_text *text, const char *word)
{
    const sn_token token = sn_text_next(text);
    if (sn_token_is(token, word)) {
        return SN_OK;
    }
    char printable[MAX_PRINTABLE_CHARS];
    if (token.size == 0) {
        return sn_text_fail(text, "the file ends before '%s'", word);
    }
    return sn_text_fail(text, "'%s' found where '%s' was expected",
                        sn_text_printable(token.text, token.size, printable, sizeof printable), word);
}

/* Accumulates negative values, since -INT64_MIN is not representable. */
static bool parse_integer(sn_token token, int64_t *value)
{
    const bool has_sign = token.size > 0 && (token.text[0] == '-' || token.text[0] == '+');
    const bool is_negative = has_sign && token.text[0] == '-';
    int64_t sum = 0;
    for (size_t i = has_sign; i < token.size; i++) {
        if (!is_digit(token.text[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_sub_overflow(sum, token.text[i] - '0', &sum)) {
            return false;
        }
    }
    *value = sum;
    return token.size > (size_t)has_sign && (is_negative || !__builtin_sub_overflow((int64_t)0, sum, value));
}

sn_result sn_text_integer(sn_text *text, const char *what, int64_t *value)
{
    sn_token token;
    SN_TRY(sn_text_token(text, what, &token));
    if (!parse_integer(token, value)) {
        SN_TRY(fail_token(text, token, what, "is not a 64-bit integer"));
    }
    return SN_OK;
}

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (is_digit(text[count])) {
        count++;
    }
    return count;
}

/* Rejects "nan", "inf" and hexadecimal numbers, which strtod accepts. `number` is null-terminated. */
static bool is_decimal_number(const char *number)
{
    number += *number == '-' || *number == '+';
    size_t digits = count_digits(number);
    number += digits;
    if (*number == '.') {
        const size_t fraction = count_digits(number + 1);
        digits += fraction;
        number += 1 + fraction;
    }
    if (digits > 0 && (*number == 'e' || *number == 'E')) {
        number++;
        number += *number == '-' || *number == '+';
        digits = count_digits(number);
        number += digits;
    }
    return digits > 0 && *number == 0;
}

bool sn_text_decimal(const sn_text *text, sn_token token, double *value)
{
    char number[MAX_NUMBER_CHARS + sizeof text->decimal_point];
    if (token.size > MAX_NUMBER_CHARS) {
        return false;
    }
    memcpy(number, token.text, token.size);
    number[token.size] = 0;
    /* a null byte inside the token would hide the rest */
    if (strlen(number) != token.size || !is_decimal_number(number)) {
        return false;
    }
    char *point = memchr(number, '.', token.size);
    if (point && strcmp(text->decimal_point, ".") != 0) {
        const size_t point_size = strlen(text->decimal_point);
        const size_t tail_size = strlen(point + 1) + 1;
        memmove(point + point_size, point + 1, tail_size);
        memcpy(point, text->decimal_point, point_size);
    }
    *value = strtod(number, NULL);
    return true;
}

sn_result sn_text_double(sn_text *text, const char *what, double *value)
{
    sn_token token;
    SN_TRY(sn_text_token(text, what, &token));
    if (!(sn_text_decimal(text, token, value) && isfinite(*value))) {
        SN_TRY(fail_token(text, token, what, "is not a finite decimal number"));
    }
    return SN_OK;
}

sn_result sn_text_in_range(sn_text *text, const char *what, double *value)
{
    SN_TRY(sn_text_double(text, what, value));
    if (fabs(*value) > (double)FLT_MAX) {
        return sn_text_fail(text, "%s %g exceeds the range of a float", what, *value);
    }
    return SN_OK;
}

sn_result sn_text_float(sn_text *text, const char *what, float *value)
{
    double number = 0;
    const sn_result result = sn_text_in_range(text, what, &number);
    *value = (float)number;
    return result;
}

sn_result sn_text_line_end(sn_text *text)
{
    while (text->offset < text->size && !at_line_end(text) && is_space(text->bytes[text->offset])) {
        text->offset++;
    }
    if (text->offset < text->size && at_comment(text)) {
        sn_text_skip_line(text);
        return SN_OK;
    }
    if (text->offset < text->size && !at_line_end(text)) {
        const sn_token token = sn_text_peek(text);
        return fail_token(text, token, "text", "found where the line should end");
    }
    if (text->offset < text->size) {
        advance(text);
    }
    return SN_OK;
}

/* The offset of the next `word` that is followed by white space or the end; the size if there is none. */
static size_t find_word(const sn_text *text, const char *word)
{
    const size_t length = strlen(word);
    size_t at = text->offset;
    while (at < text->size) {
        const uint8_t *match = memchr(text->bytes + at, word[0], text->size - at);
        if (!match) {
            break;
        }
        at = (size_t)(match - text->bytes);
        const size_t left = text->size - at;
        if (left >= length && memcmp(match, word, length) == 0 && (left == length || is_space(match[length]))) {
            return at;
        }
        at++;
    }
    return text->size;
}

sn_result sn_text_skip_past(sn_text *text, const char *word)
{
    const size_t at = find_word(text, word);
    if (at == text->size) {
        return sn_text_fail(text, "the file ends before '%s'", word);
    }
    const size_t end = at + strlen(word);
    while (text->offset < end) {
        advance(text);
    }
    return SN_OK;
}

sn_result sn_text_check_count(const sn_text *text, const char *what, int64_t count, size_t item_bytes)
{
    if (count < 0) {
        return sn_text_fail(text, "the %s is negative: %lld", what, (long long)count);
    }
    if (count > INT32_MAX || (uint64_t)count > sn_text_remaining(text) / item_bytes) {
        return sn_text_fail(text, "the %s is %lld, more than the rest of the file can hold", what, (long long)count);
    }
    return SN_OK;
}

uint32_t sn_load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint64_t sn_load_u64(const uint8_t *bytes)
{
    return (uint64_t)sn_load_u32(bytes) | (uint64_t)sn_load_u32(bytes + 4) << 32;
}

double sn_load_f64(const uint8_t *bytes)
{
    const uint64_t bits = sn_load_u64(bytes);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the next `count` bytes, or null (logged) if fewer remain. */
static const uint8_t *take_bytes(sn_text *text, const char *what, size_t count)
{
    begin_item(text);
    if (sn_text_remaining(text) < count) {
        sn_text_fail(text, "the file ends inside the %s", what);
        return NULL;
    }
    const uint8_t *bytes = text->bytes + text->offset;
    text->offset += count;
    return bytes;
}

sn_result sn_text_i32(sn_text *text, const char *what, int64_t *value)
{
    const uint8_t *bytes = take_bytes(text, what, 4);
    if (!bytes) {
        return SN_ERROR_FORMAT;
    }
    *value = (int32_t)sn_load_u32(bytes);
    return SN_OK;
}

sn_result sn_text_size(sn_text *text, const char *what, size_t size, int64_t *value)
{
    SN_ASSERT(size == 4 || size == 8);
    const uint8_t *bytes = take_bytes(text, what, size);
    if (!bytes) {
        return SN_ERROR_FORMAT;
    }
    const uint64_t bits = size == 8 ? sn_load_u64(bytes) : sn_load_u32(bytes);
    if (bits > INT64_MAX) {
        return sn_text_fail(text, "the %s is negative or too large: %llu", what, (unsigned long long)bits);
    }
    *value = (int64_t)bits;
    return SN_OK;
}

sn_result sn_text_f64(sn_text *text, const char *what, double *value)
{
    const uint8_t *bytes = take_bytes(text, what, 8);
    if (!bytes) {
        return SN_ERROR_FORMAT;
    }
    *value = sn_load_f64(bytes);
    return isfinite(*value) ? SN_OK : sn_text_fail(text, "%s is not finite", what);
}

sn_result sn_text_skip_bytes(sn_text *text, const char *what, size_t count)
{
    return take_bytes(text, what, count) ? SN_OK : SN_ERROR_FORMAT;
}
