/* SPDX-License-Identifier: MIT */
/* A bounds-checked cursor over a source: lines, words and numbers of ASCII formats, and little-endian values of mixed
 * formats. It does not depend on the locale and reads doubles exactly. On failure, functions that return sn_result log
 * one line "NAME: line N: cause" (or "NAME: byte N: cause"). */
#ifndef SN_AUTHOR_IO_TEXT_H
#define SN_AUTHOR_IO_TEXT_H

#include "author/io/source.h"

typedef struct sn_text {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    size_t offset; /* offset of the next byte */
    size_t line;   /* line of the next byte, from 1 */
    /* Start of the most recent item, for error messages. */
    size_t item_offset;
    size_t item_line;
    bool is_binary;        /* error messages name bytes instead of lines */
    char line_end;         /* '\n', or '\r' if the source has no '\n' */
    char comment;          /* starts a comment up to the end of the line; 0: none */
    char decimal_point[8]; /* the locale's decimal point, for strtod */
} sn_text;

/* A run of bytes without white space; points into the source. */
typedef struct sn_token {
    const char *text;
    size_t size;
} sn_token;

/* Size of a UTF-8 byte order mark at the beginning: 3 or 0. */
size_t sn_byte_order_mark(const sn_source *source);
/* Starts after a byte order mark. Lines end with \n or \r\n, or with \r if the source has no \n. */
sn_text sn_text_begin(const sn_source *source, char comment);
size_t sn_text_remaining(const sn_text *text);
/* Logs one error line with the location of the most recent item; returns SN_ERROR_FORMAT. */
sn_result sn_text_fail(const sn_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Copies text for a message: unprintable characters become '?', long text is cut. Returns `out`. */
const char *sn_text_printable(const char *bytes, size_t size, char *out, size_t out_size);
bool sn_token_is(sn_token token, const char *word);

/* Returns the next word, across line breaks; an empty one at the end. */
sn_token sn_text_next(sn_text *text);
/* Like sn_text_next, without consuming the word. */
sn_token sn_text_peek(sn_text *text);
/* Fails at the end of the source. `what` names the item in messages, here and below. */
sn_result sn_text_token(sn_text *text, const char *what, sn_token *token);
sn_result sn_text_expect(sn_text *text, const char *word);
sn_result sn_text_integer(sn_text *text, const char *what, int64_t *value);
/* Decimal notation only; fails if the value is not finite. */
sn_result sn_text_double(sn_text *text, const char *what, double *value);
/* Likewise, but fails outside the range of a float. */
sn_result sn_text_in_range(sn_text *text, const char *what, double *value);
sn_result sn_text_float(sn_text *text, const char *what, float *value);
/* Parses a token in decimal notation; overflow gives infinity. Returns false if it is no number. */
bool sn_text_decimal(const sn_text *text, sn_token token, double *value);
/* Fails unless the remainder of the line is blank. */
sn_result sn_text_line_end(sn_text *text);
void sn_text_skip_line(sn_text *text);
/* Moves past the next `word` that is followed by white space or the end. */
sn_result sn_text_skip_past(sn_text *text, const char *word);
/* Fails if `count` is negative, exceeds int, or if `count` items of `item_bytes` bytes exceed the remaining source. */
sn_result sn_text_check_count(const sn_text *text, const char *what, int64_t count, size_t item_bytes);

/* Little-endian values. */
sn_result sn_text_i32(sn_text *text, const char *what, int64_t *value);
/* An unsigned value of 4 or 8 bytes; fails above INT64_MAX. */
sn_result sn_text_size(sn_text *text, const char *what, size_t bytes, int64_t *value);
/* Fails if the value is not finite. */
sn_result sn_text_f64(sn_text *text, const char *what, double *value);
sn_result sn_text_skip_bytes(sn_text *text, const char *what, size_t count);

/* Little-endian loads of unaligned bytes on any machine. */
uint32_t sn_load_u32(const uint8_t *bytes);
uint64_t sn_load_u64(const uint8_t *bytes);
double sn_load_f64(const uint8_t *bytes);

#endif
