/* SPDX-License-Identifier: MIT */
/* A bounds-checked cursor over a source: lines, words and numbers of ASCII formats, and little-endian values of formats
 * that mix both. It never reads past the source's size, does not depend on the locale, and reads doubles exactly.
 * Whatever returns sn_result has logged one line "NAME: line N: cause" (or "NAME: byte N: cause") when it fails. */
#ifndef SN_AUTHOR_IO_TEXT_H
#define SN_AUTHOR_IO_TEXT_H

#include "author/io/source.h"

typedef struct sn_text {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    size_t offset; /* of the next byte */
    size_t line;   /* of the next byte, from 1 */
    /* Where the last item began: the place that failures name. */
    size_t item_offset;
    size_t item_line;
    bool is_binary;        /* failures name bytes */
    char line_end;         /* '\n'; '\r' where the source has that alone */
    char comment;          /* begins a comment that ends with its line; 0: there are none */
    char decimal_point[8]; /* what strtod expects in the current locale */
} sn_text;

/* A run of bytes without white space; borrowed from the source. */
typedef struct sn_token {
    const char *text;
    size_t size;
} sn_token;

/* Bytes of a byte order mark at the begin: 3 or 0. What some editors leave, and harmless. */
size_t sn_byte_order_mark(const sn_source *source);
/* Stands behind a byte order mark. Lines end with \n, \r\n or, where there is no \n in all of the source, \r. */
sn_text sn_text_begin(const sn_source *source, char comment);
size_t sn_text_left(const sn_text *text);
/* Logs one error line that names the place of the last item; SN_ERROR_FORMAT. */
sn_result sn_text_fail(const sn_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Copies what is printable, for messages; the rest becomes '?'. Cuts long text. Returns `out`. */
const char *sn_text_printable(const char *bytes, size_t size, char *out, size_t out_size);
bool sn_token_is(sn_token token, const char *word);

/* The next word, across line breaks; an empty one at the end. */
sn_token sn_text_next(sn_text *text);
/* As sn_text_next, but stays in front of the word. */
sn_token sn_text_peek(sn_text *text);
/* `what` names the item in messages. */
sn_result sn_text_token(sn_text *text, const char *what, sn_token *token);
sn_result sn_text_expect(sn_text *text, const char *word);
sn_result sn_text_integer(sn_text *text, const char *what, int64_t *value);
/* Decimal notation only; a value that is not finite is an error. */
sn_result sn_text_double(sn_text *text, const char *what, double *value);
/* The same, within what a float can hold; and the float. */
sn_result sn_text_in_range(sn_text *text, const char *what, double *value);
sn_result sn_text_float(sn_text *text, const char *what, float *value);
/* Of a word in decimal notation that was found otherwise; one too large for a double is infinite. False: it is none. */
bool sn_text_decimal(const sn_text *text, sn_token token, double *value);
/* The rest of the line must be blank; the end of the source counts as the end of a line. */
sn_result sn_text_line_end(sn_text *text);
void sn_text_skip_line(sn_text *text);
/* Moves behind the next `word` that white space or the end follows. */
sn_result sn_text_skip_past(sn_text *text, const char *word);
/* Fails unless `count` is at least 0, fits int, and `count` items of `item_bytes` or more can still follow. */
sn_result sn_text_check_count(const sn_text *text, const char *what, int64_t count, size_t item_bytes);

/* Little-endian values. */
sn_result sn_text_i32(sn_text *text, const char *what, int64_t *value);
/* A size of 4 or 8 bytes; one above INT64_MAX is an error. */
sn_result sn_text_size(sn_text *text, const char *what, size_t bytes, int64_t *value);
/* A value that is not finite is an error. */
sn_result sn_text_f64(sn_text *text, const char *what, double *value);
sn_result sn_text_skip_bytes(sn_text *text, const char *what, size_t count);

/* Little-endian loads of unaligned bytes, whatever the machine's byte order. */
uint32_t sn_load_u32(const uint8_t *bytes);
uint64_t sn_load_u64(const uint8_t *bytes);
double sn_load_f64(const uint8_t *bytes);

#endif
