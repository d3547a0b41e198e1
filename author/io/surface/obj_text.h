/* SPDX-License-Identifier: MIT */
/* Lines of Wavefront's text formats, .obj and .mtl, and the files that they name. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_OBJ_TEXT_H
#define SN_AUTHOR_IO_SURFACE_OBJ_TEXT_H

#include "author/io/text.h"

/* Moves in front of the next word of the line, over backslashes that continue it; false at its end or a comment. */
bool sn_obj_find_word(sn_text *text);
/* No byte of a word stands here. */
bool sn_obj_at_word_end(const sn_text *text);
/* The next word of the line; empty at its end. */
sn_token sn_obj_word(sn_text *text);
/* Up to `limit` numbers in the range of floats: as many as the line has. More than that is an error. */
sn_result sn_obj_numbers(sn_text *text, const char *what, int limit, double *values, int *count);
/* What is left of the line, without blanks around it: a name, which may hold blanks. */
sn_token sn_obj_rest(sn_text *text);

/* The path of a file that `source` names, beside it: FOLDER/NAME with backslashes as slashes and without "." parts.
 * False where the name is absolute, holds ".." or control characters, or is too long. */
#define SN_OBJ_PATH_BYTES 4096
bool sn_obj_beside(const sn_source *source, sn_token name, char path[SN_OBJ_PATH_BYTES]);
bool sn_obj_is_file(const char *path);

#endif
