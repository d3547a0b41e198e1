/* SPDX-License-Identifier: MIT */
/* Private to the USD writer: state shared by its files. */
#ifndef SN_AUTHOR_IO_USD_USD_WRITER_H
#define SN_AUTHOR_IO_USD_USD_WRITER_H

#include "author/io/scene_file.h"

typedef struct sn_usd_writer {
    const char *path;
    const sn_scene_file *scene;
    double frame_rate;
    sn_arena arena;
    char *text; /* (capacity) */
    size_t size, capacity;
    int depth; /* nesting depth; indented by four spaces each */
    sn_result result;
} sn_usd_writer;

/* ---- usd_text.c ---- */
/* Writes a formatted, indented line with its line break. */
void sn_usd_line(sn_usd_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes formatted text as it is. */
void sn_usd_put(sn_usd_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the indentation of a line that sn_usd_put continues. */
void sn_usd_indent(sn_usd_writer *w);
/* Write braces and change the depth. */
void sn_usd_open_brace(sn_usd_writer *w);
void sn_usd_close_brace(sn_usd_writer *w);
#define SN_USD_EXACT -1 /* as many decimals as a float needs */
/* Writes "[(a,b), (c,d)]": `count` tuples of `width` floats, whose first floats are `stride` apart; a width of 1 has no
 * parentheses. Values are rounded to the given number of decimals to limit the file's size. */
void sn_usd_floats(sn_usd_writer *w, const float *values, int count, int width, int stride, int decimals);
/* The number of decimals that gives the largest value `digits` significant digits. */
int sn_usd_decimals(const float *values, size_t count, int digits);
void sn_usd_integers(sn_usd_writer *w, const int32_t *values, size_t count);
/* Converts a name to a valid identifier that differs from the `count` names in `used_names`; in the arena, null when
 * memory is exhausted. */
const char *sn_usd_identifier(sn_usd_writer *w, const char *name, const char *const *used_names, int count);

/* In usd_material.c: writes a scope of materials (Material_0 and so on) and their textures. */
void sn_usd_write_materials(sn_usd_writer *w, const char *root);

/* In usd_skeleton.c: writes the skeleton and its animation; targets are the tokens of the mesh's morph targets. */
void sn_usd_write_skeleton(sn_usd_writer *w, const char *root, const char *const *targets);
/* (joint_count) index in the skeleton of each joint of the skin; null when memory is exhausted. */
int32_t *sn_usd_skin_joints(sn_usd_writer *w);

#endif
