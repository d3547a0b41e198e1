/* SPDX-License-Identifier: MIT */
/* Overlay text drawn as strokes: smooth at any scale, without a font file. */
#ifndef SN_RUNTIME_EDIT_TEXT_H
#define SN_RUNTIME_EDIT_TEXT_H

#include <stdbool.h>

#include "runtime/edit/markers.h"

#define SN_TEXT_MARKER_LIMIT 20000 /* capacity for a page of text */
#define SN_TEXT_HEIGHT 19.0F       /* line spacing in units */

/* Position in units: right and down from the upper left corner of the picture, or right and up from the lower left one.
 */
typedef struct sn_text_position {
    float x, y;
    bool is_from_bottom;
} sn_text_position;

/* Width in units. */
float sn_text_width(const char *text);
/* Draws a line; `position` is its upper left corner. Characters other than ASCII are drawn as boxes. */
void sn_marker_add_text(sn_marker_list *list, const char *text, sn_text_position position, uint32_t color);
/* Draws lines (count) on a panel. */
void sn_marker_add_lines(sn_marker_list *list, const char *const *lines, int count, sn_text_position position);

#endif
