/* SPDX-License-Identifier: MIT */
/* What the readers of plain surfaces share: lists that grow, keys that are found again, polygons that become triangles,
 * and the scene around one mesh. Private to author/io. */
#ifndef SN_AUTHOR_IO_POLYGONS_H
#define SN_AUTHOR_IO_POLYGONS_H

#include "author/io/scene_file.h"
#include "author/io/text.h"

/* A list that doubles; heap memory, so that what it outgrows is free again. A zeroed list is empty; finish it on every
 * way out. One list holds items of one type. */
typedef struct sn_list {
    void *items;
    size_t count, capacity; /* in items */
    size_t item_bytes;
} sn_list;

/* The first of `count` new zeroed items (of none, a valid pointer), good until the next call; null (logged) when memory
 * is out. */
void *sn_list_add(sn_list *list, size_t item_bytes, size_t count);
#define SN_LIST_ADD(list, type, count) ((type *)sn_list_add((list), sizeof(type), (size_t)(count)))
void sn_list_finish(sn_list *list);

/* Different keys of 16 bytes, numbered in the order of their coming. A zeroed table is empty. */
typedef struct sn_key {
    uint32_t words[4];
} sn_key;

typedef struct sn_key_table {
    sn_list keys;    /* of sn_key */
    uint32_t *slots; /* (slot_count) number + 1, 0 = free; open addressing */
    size_t slot_count;
} sn_key_table;

/* The key's number, -1 where it is not there. */
int64_t sn_key_find(const sn_key_table *table, sn_key key);
/* The same, but a key that is not there is added; -1 (logged): memory is out. */
int64_t sn_key_add(sn_key_table *table, sn_key key);
void sn_key_table_finish(sn_key_table *table);

/* Different names, numbered alike. The texts are borrowed. */
typedef struct sn_name_table {
    sn_key_table keys;
    sn_list names; /* of sn_token */
} sn_name_table;

int64_t sn_name_find(const sn_name_table *table, sn_token name);
int64_t sn_name_add(sn_name_table *table, sn_token name);
void sn_name_table_finish(sn_name_table *table);

/* Triangles under construction. */
typedef struct sn_polygons {
    sn_list triangles;     /* of int32_t[3] */
    int64_t skipped_count; /* faces with fewer than 3 corners */
} sn_polygons;

/* Adds the count - 2 triangles of a polygon: a fan where it is convex and that has no flat triangle, else the ears of
 * its projection along the dominant axis of its normal (Meisters, "Polygons have ears", 1975). What has no ear (it cuts
 * itself) or more than SN_MAX_EAR_CORNERS corners (the search is quadratic) is a fan. Corner i lies at position
 * corners[i] and gives the index ids[i]; both may be the same array. Fewer than 3 corners are counted and skipped. */
#define SN_MAX_EAR_CORNERS 1024
sn_result sn_polygons_add(sn_polygons *polygons, const float *positions, const int32_t *corners, const int32_t *ids,
                          size_t count);
/* One warning about what was skipped; SN_ERROR_FORMAT when there is no triangle. */
sn_result sn_polygons_check(const sn_polygons *polygons, const sn_text *text);

/* A decimal number within the range of a float, and the float. */
sn_result sn_text_in_range(sn_text *text, const char *what, double *value);
sn_result sn_text_float(sn_text *text, const char *what, float *value);

/* far_origin.c: the box of positions, which come one by one. */
typedef struct sn_extent {
    double low[3], high[3];
} sn_extent;

sn_extent sn_extent_begin(void);
/* Whether the box is still far from the origin: so far that floats are coarse in it. */
bool sn_extent_add(sn_extent *extent, const double *position);
/* What positions are to be counted from, for the sake of floats: 0, or where the box is far its middle. */
void sn_extent_origin(const sn_extent *extent, double origin[3]);
/* Positions (count x 3) as floats, from such an origin. */
void sn_positions_narrow(const double *positions, size_t count, double origin[3], float *narrowed);

/* sRGB to linear light (IEC 61966-2-1); alpha stays. `colors` is (count x 4), in 0..1. */
void sn_colors_linearise(float *colors, size_t count);
/* The same for colours of text files, which do not say their range: numbers above 1 anywhere mean 0..255. What the file
 * does not give is SN_NO_COLOR and becomes 1. */
#define SN_NO_COLOR (-1.0F)
void sn_colors_normalise(float *colors, size_t count);
/* Unit length each, (count x 3); zeros stay zeros. */
void sn_normals_normalise(float *normals, size_t count);

/* `count` items of a list at their exact size in the arena; null (logged) when memory is out. */
void *sn_list_copy(const sn_list *list, size_t item_bytes, sn_arena *arena);
/* The text in the arena, with a null behind it. */
const char *sn_copy_text(sn_arena *arena, sn_token text);
/* The name of the file without folder and extension; borrowed. */
sn_token sn_source_stem(const sn_source *source);
/* One node at the origin that positions are counted from, named as the file, with one mesh of `primitive_count` empty
 * primitives of no material. */
sn_result sn_plain_scene(const sn_source *source, int primitive_count, const double origin[3], sn_arena *arena,
                         sn_scene_file *scene);
/* The same with one primitive: `mesh`, whose arrays of vertices are in the arena, and the polygons' triangles. */
sn_result sn_plain_mesh(const sn_source *source, const sn_scene_primitive *mesh, const sn_polygons *polygons,
                        const double origin[3], sn_arena *arena, sn_scene_file *scene);

#endif
