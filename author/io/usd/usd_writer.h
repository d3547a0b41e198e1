/* SPDX-License-Identifier: MIT */
/* Private to the USD writer: what its files share. */
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
    int depth; /* of braces: four spaces each */
    sn_result result;
} sn_usd_writer;

/* usd_text.c */
/* A formatted line at the depth, its break included. */
void sn_usd_line(sn_usd_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Formatted text as it is. */
void sn_usd_put(sn_usd_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The indent of a line that sn_usd_put goes on with. */
void sn_usd_indent(sn_usd_writer *w);
/* Braces around what stands deeper. */
void sn_usd_open(sn_usd_writer *w);
void sn_usd_close(sn_usd_writer *w);
#define SN_USD_EXACT -1 /* decimals: as many as tell a float from its neighbours */
/* "[(a,b), (c,d)]": count tuples of `width` floats, each `stride` behind the one before; a width of 1 has no
 * brackets. Rounded to so many decimals: text of large meshes is long. */
void sn_usd_floats(sn_usd_writer *w, const float *values, int count, int width, int stride, int decimals);
/* So many decimals that the largest of the values has `digits` of them that count. */
int sn_usd_decimals(const float *values, size_t count, int digits);
void sn_usd_integers(sn_usd_writer *w, const int32_t *values, size_t count);
/* An identifier made of a name that none of the `count` in `taken` has; in the arena, null when memory is out. */
const char *sn_usd_identifier(sn_usd_writer *w, const char *name, const char *const *taken, int count);

/* usd_material.c: a scope of materials, named Material_0 and on, and their pictures. */
void sn_usd_write_materials(sn_usd_writer *w, const char *root);

/* usd_skeleton.c: the skeleton and its animation; targets are the tokens of the mesh's morph targets. */
void sn_usd_write_skeleton(sn_usd_writer *w, const char *root, const char *const *targets);
/* Of the skin's joints, (joint_count) their numbers in the skeleton; null when memory is out. */
int32_t *sn_usd_skin_joints(sn_usd_writer *w);

#endif
