/* SPDX-License-Identifier: MIT */
/* Text over the picture, of strokes: smooth at any scale, and no font to ship. */
#ifndef SN_RUNTIME_EDIT_TEXT_H
#define SN_RUNTIME_EDIT_TEXT_H

#include <stdbool.h>

#include "runtime/edit/marks.h"

#define SN_TEXT_MARKS 20000  /* room for a page of it */
#define SN_TEXT_HEIGHT 19.0F /* units from line to line */

/* Units right and down of the picture's upper left corner, or right and up of the lower left one. */
typedef struct sn_text_place {
    float x, y;
    bool is_from_below;
} sn_text_place;

/* Units. */
float sn_text_width(const char *text);
/* Places are of the line's upper left corner. What is not ASCII is a box. */
void sn_mark_text(sn_mark_list *list, const char *text, sn_text_place place, uint32_t color);
/* Lines (count) with a panel behind them. */
void sn_mark_lines(sn_mark_list *list, const char *const *lines, int count, sn_text_place place);

#endif
