/* SPDX-License-Identifier: MIT */
/* Text of others: which of it is UTF-8. */
#ifndef SN_HOST_BASE_UTF8_H
#define SN_HOST_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the character at `text`, of `left` bytes; 0: none that UTF-8 has (RFC 3629), or a control character. */
size_t sn_utf8_character_size(const char *text, size_t left);
/* Nothing but such characters. */
bool sn_utf8_is_text(const char *text, size_t size);

#endif
