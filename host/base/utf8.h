/* SPDX-License-Identifier: MIT */
/* Validation of UTF-8 text from outside. */
#ifndef SN_HOST_BASE_UTF8_H
#define SN_HOST_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Number of bytes of the character at `text`, of `left` bytes; 0 for invalid UTF-8 (RFC 3629) and control characters.
 */
size_t sn_utf8_character_size(const char *text, size_t left);
/* Whether the text consists only of such characters. */
bool sn_utf8_is_text(const char *text, size_t size);

#endif
