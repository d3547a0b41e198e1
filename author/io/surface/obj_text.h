/* SPDX-License-Identifier: MIT */
/* Lines of the Wavefront text formats .obj and .mtl, and paths in them. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_OBJ_TEXT_H
#define SN_AUTHOR_IO_SURFACE_OBJ_TEXT_H

#include "author/io/text.h"

/* Moves to the next word of the line, across line continuations; false at the end of the line or a comment. */
bool sn_obj_find_word(sn_text *text);
/* Whether the cursor is not inside a word. */
bool sn_obj_at_word_end(const sn_text *text);
/* Returns the next word of the line; empty at its end. */
sn_token sn_obj_word(sn_text *text);
/* Reads the numbers up to the end of the line, within the range of a float; more than `limit` are an error. */
sn_result sn_obj_numbers(sn_text *text, const char *what, int limit, double *values, int *count);
/* Returns the remainder of the line without surrounding blanks: a name, which may contain blanks. */
sn_token sn_obj_rest(sn_text *text);

/* Builds the path of a file in the folder of `source`: FOLDER/NAME, with backslashes replaced by slashes and without
 * "." parts. Returns false if the name is absolute, too long, or contains ".." or control characters. */
#define SN_OBJ_PATH_BYTES 4096
bool sn_obj_sibling_path(const sn_source *source, sn_token name, char path[SN_OBJ_PATH_BYTES]);
bool sn_obj_is_file(const char *path);

#endif
