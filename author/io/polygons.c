/* SPDX-License-Identifier: MIT */
#include "author/io/polygons.h"

#include "host/base/hash.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FIRST_LIST_BYTES 256
#define FIRST_SLOT_COUNT 64
#define NO_SLOT SIZE_MAX

/* Lists */

static bool grow_list(sn_list *list, size_t needed)
{
    size_t capacity = list->capacity > 0 ? list->capacity * 2 : FIRST_LIST_BYTES / list->item_bytes + 1;
    capacity = capacity > needed ? capacity : needed;
    void *items = sn_alloc(capacity, list->item_bytes);
    if (!items) {
        return false;
    }
    if (list->count > 0) {
        memcpy(items, list->items, list->count * list->item_bytes);
    }
    sn_free(list->items, list->capacity, list->item_bytes);
    list->items = items;
    list->capacity = capacity;
    return true;
}

void *sn_list_add(sn_list *list, size_t item_bytes, size_t count)
{
    list->item_bytes = item_bytes;
    if ((!list->items || count > list->capacity - list->count) && !grow_list(list, list->count + count)) {
        return NULL;
    }
    void *first = (char *)list->items + list->count * item_bytes;
    memset(first, 0, count * item_bytes); /* a list that was emptied is used again */
    list->count += count;
    return first;
}

void sn_list_finish(sn_list *list)
{
    sn_free(list->items, list->capacity, list->item_bytes);
    *list = (sn_list){0};
}

void *sn_list_copy(const sn_list *list, size_t item_bytes, sn_arena *arena)
{
    void *copy = sn_arena_alloc(arena, list->count, item_bytes);
    if (copy && list->count > 0) {
        memcpy(copy, list->items, list->count * item_bytes);
    }
    return copy;
}

/* Keys */

static size_t hash_key(sn_key key)
{
    /* Two rounds of the finaliser of MurmurHash3, one a half. */
    uint64_t hash = (uint64_t)key.words[0] << 32 | key.words[1];
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash ^= (uint64_t)key.words[2] << 32 | key.words[3];
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return (size_t)(hash ^ hash >> 33);
}

/* The key's slot, or the free one where it belongs. */
static size_t find_slot(const sn_key_table *table, sn_key key)
{
    if (table->slot_count == 0) {
        return NO_SLOT;
    }
    const sn_key *keys = table->keys.items;
    size_t slot = hash_key(key) & (table->slot_count - 1);
    while (table->slots[slot] != 0 && memcmp(&keys[table->slots[slot] - 1], &key, sizeof key) != 0) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return slot;
}

static bool grow_slots(sn_key_table *table)
{
    const size_t slot_count = table->slot_count > 0 ? table->slot_count * 2 : FIRST_SLOT_COUNT;
    uint32_t *slots = sn_alloc(slot_count, sizeof *slots);
    if (!slots) {
        return false;
    }
    sn_free(table->slots, table->slot_count, sizeof *slots);
    table->slots = slots;
    table->slot_count = slot_count;
    const sn_key *keys = table->keys.items;
    for (size_t i = 0; i < table->keys.count; i++) {
        slots[find_slot(table, keys[i])] = (uint32_t)(i + 1);
    }
    return true;
}

int64_t sn_key_find(const sn_key_table *table, sn_key key)
{
    const size_t slot = find_slot(table, key);
    return slot == NO_SLOT ? -1 : (int64_t)table->slots[slot] - 1;
}

int64_t sn_key_add(sn_key_table *table, sn_key key)
{
    const int64_t found = sn_key_find(table, key);
    if (found >= 0) {
        return found;
    }
    if ((table->keys.count + 1) * 2 > table->slot_count && !grow_slots(table)) {
        return -1;
    }
    sn_key *added = SN_LIST_ADD(&table->keys, sn_key, 1);
    if (!added) {
        return -1;
    }
    *added = key;
    table->slots[find_slot(table, key)] = (uint32_t)table->keys.count;
    return (int64_t)table->keys.count - 1;
}

void sn_key_table_finish(sn_key_table *table)
{
    sn_list_finish(&table->keys);
    sn_free(table->slots, table->slot_count, sizeof *table->slots);
    *table = (sn_key_table){0};
}

/* Names */

/* The key of a name is its hash and how many other names of that hash stand before it. Returns the number of the name,
 * or -1 with the key that it would get. */
static int64_t find_name(const sn_name_table *table, sn_token name, sn_key *key)
{
    const uint64_t hash = sn_hash(SN_HASH_SEED, name.text, name.size);
    *key = (sn_key){.words = {(uint32_t)hash, (uint32_t)(hash >> 32), 0, 0}};
    const sn_token *names = table->names.items;
    for (;; key->words[2]++) {
        const int64_t number = sn_key_find(&table->keys, *key);
        if (number < 0) {
            return -1;
        }
        if (names[number].size == name.size && memcmp(names[number].text, name.text, name.size) == 0) {
            return number;
        }
    }
}

int64_t sn_name_find(const sn_name_table *table, sn_token name)
{
    sn_key key;
    return find_name(table, name, &key);
}

int64_t sn_name_add(sn_name_table *table, sn_token name)
{
    sn_key key;
    const int64_t found = find_name(table, name, &key);
    if (found >= 0) {
        return found;
    }
    sn_token *added = SN_LIST_ADD(&table->names, sn_token, 1);
    if (!added) {
        return -1;
    }
    *added = name;
    return sn_key_add(&table->keys, key);
}

void sn_name_table_finish(sn_name_table *table)
{
    sn_key_table_finish(&table->keys);
    sn_list_finish(&table->names);
}

/* Polygons */

#define LEAST_TURN 1e-6 /* twice a triangle's area, of the square of its longest edge */

/* A polygon in the plane and what is left of it. */
typedef struct ring {
    double x[SN_MAX_EAR_CORNERS], y[SN_MAX_EAR_CORNERS];
    uint16_t next[SN_MAX_EAR_CORNERS], previous[SN_MAX_EAR_CORNERS];
    bool is_ear[SN_MAX_EAR_CORNERS];
    size_t count; /* corners */
} ring;

/* Newell's normal: its length is twice the area. */
static void polygon_normal(const float *positions, const int32_t *corners, size_t count, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + (size_t)corners[i] * 3;
        const float *b = positions + (size_t)corners[i + 1 < count ? i + 1 : 0] * 3;
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3;
            const int v = (k + 2) % 3;
            normal[k] += ((double)a[u] - b[u]) * ((double)a[v] + b[v]);
        }
    }
}

/* Along the dominant axis of the normal, so that the ring turns left. */
static void project(ring *r, const float *positions, const int32_t *corners, const double normal[3])
{
    int axis = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
    axis = fabs(normal[2]) > fabs(normal[axis]) ? 2 : axis;
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const double sign = normal[axis] < 0 ? -1 : 1;
    for (size_t i = 0; i < r->count; i++) {
        const float *position = positions + (size_t)corners[i] * 3;
        r->x[i] = sign * (double)position[u];
        r->y[i] = position[v];
        r->next[i] = (uint16_t)(i + 1 < r->count ? i + 1 : 0);
        r->previous[i] = (uint16_t)(i > 0 ? i - 1 : r->count - 1);
    }
}

/* Twice the area of a b c; positive where it turns left. */
static double turn(const ring *r, size_t a, size_t b, size_t c)
{
    return (r->x[b] - r->x[a]) * (r->y[c] - r->y[a]) - (r->y[b] - r->y[a]) * (r->x[c] - r->x[a]);
}

static double squared_edge(const ring *r, size_t a, size_t b)
{
    return (r->x[b] - r->x[a]) * (r->x[b] - r->x[a]) + (r->y[b] - r->y[a]) * (r->y[b] - r->y[a]);
}

/* Whether it turns left by more than what floats make of three corners of a line. */
static bool has_area(const ring *r, size_t a, size_t b, size_t c)
{
    const double longest = fmax(squared_edge(r, a, b), fmax(squared_edge(r, b, c), squared_edge(r, c, a)));
    return turn(r, a, b, c) > LEAST_TURN * longest;
}

/* Convex, and no triangle of its fan is flat, as with corners in the middle of a side. */
static bool is_fan(const ring *r)
{
    bool is_good = true;
    for (size_t i = 0; i < r->count && is_good; i++) {
        is_good = turn(r, r->previous[i], i, r->next[i]) >= 0 && (i < 2 || has_area(r, 0, i - 1, i));
    }
    return is_good;
}

static bool is_same_point(const ring *r, size_t a, size_t b)
{
    return r->x[a] == r->x[b] && r->y[a] == r->y[b];
}

/* A point that a bridge to a hole repeats does not stand in the way of its twin. */
static bool is_in_triangle(const ring *r, size_t a, size_t b, size_t c, size_t point)
{
    return turn(r, a, b, point) >= 0 && turn(r, b, c, point) >= 0 && turn(r, c, a, point) >= 0 &&
           !is_same_point(r, a, point) && !is_same_point(r, b, point) && !is_same_point(r, c, point);
}

static bool find_ear(const ring *r, size_t tip)
{
    const size_t a = r->previous[tip];
    const size_t c = r->next[tip];
    if (!has_area(r, a, tip, c)) {
        return false;
    }
    for (size_t i = r->next[c]; i != a; i = r->next[i]) {
        if (is_in_triangle(r, a, tip, c, i)) {
            return false;
        }
    }
    return true;
}

static void put_triangle(int32_t *triangle, const int32_t *ids, size_t a, size_t b, size_t c)
{
    triangle[0] = ids[a];
    triangle[1] = ids[b];
    triangle[2] = ids[c];
}

static void fan(const int32_t *ids, size_t count, int32_t *triangles)
{
    for (size_t i = 2; i < count; i++) {
        put_triangle(triangles + (i - 2) * 3, ids, 0, i - 1, i);
    }
}

static void cut(ring *r, size_t tip)
{
    const size_t a = r->previous[tip];
    const size_t c = r->next[tip];
    r->next[a] = (uint16_t)c;
    r->previous[c] = (uint16_t)a;
    r->is_ear[a] = find_ear(r, a);
    r->is_ear[c] = find_ear(r, c);
}

/* Only the neighbours of a cut ear can change, so that each is tested a constant number of times. */
static void cut_ears(ring *r, const int32_t *ids, int32_t *triangles)
{
    for (size_t i = 0; i < r->count; i++) {
        r->is_ear[i] = find_ear(r, i);
    }
    size_t at = 0;
    size_t left = r->count;
    for (size_t steps = 0; left > 3 && steps < left;) {
        if (!r->is_ear[at]) {
            at = r->next[at];
            steps++;
            continue;
        }
        put_triangle(triangles, ids, r->previous[at], at, r->next[at]);
        triangles += 3;
        cut(r, at);
        at = r->next[r->next[at]]; /* not the next one: fewer slivers */
        left--;
        steps = 0;
    }
    for (size_t b = r->next[at]; left > 2; left--, b = r->next[b], triangles += 3) {
        put_triangle(triangles, ids, at, b, r->next[b]);
    }
}

sn_result sn_polygons_add(sn_polygons *polygons, const float *positions, const int32_t *corners, const int32_t *ids,
                          size_t count)
{
    if (count < 3) {
        polygons->skipped_count++;
        return SN_OK;
    }
    int32_t *triangles = sn_list_add(&polygons->triangles, sizeof(int32_t[3]), count - 2);
    if (!triangles) {
        return SN_ERROR_MEMORY;
    }
    if (count == 3 || count > SN_MAX_EAR_CORNERS) {
        fan(ids, count, triangles);
        return SN_OK;
    }
    double normal[3];
    ring r; /* not zeroed: project fills what is used */
    r.count = count;
    polygon_normal(positions, corners, count, normal);
    project(&r, positions, corners, normal);
    if (is_fan(&r)) {
        fan(ids, count, triangles);
    } else {
        cut_ears(&r, ids, triangles);
    }
    return SN_OK;
}

sn_result sn_polygons_check(const sn_polygons *polygons, const sn_text *text)
{
    if (polygons->skipped_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: faces with fewer than 3 corners are left out: %lld", text->name,
               (long long)polygons->skipped_count);
    }
    if (polygons->triangles.count > 0) {
        return SN_OK;
    }
    sn_text end = *text;
    end.item_offset = end.offset;
    end.item_line = end.line;
    return sn_text_fail(&end, "the file ends without a triangle");
}

/* Text and numbers */

sn_result sn_text_in_range(sn_text *text, const char *what, double *value)
{
    const sn_result result = sn_text_double(text, what, value);
    if (result == SN_OK && fabs(*value) > (double)FLT_MAX) {
        return sn_text_fail(text, "%s %g is beyond a float", what, *value);
    }
    return result;
}

sn_result sn_text_float(sn_text *text, const char *what, float *value)
{
    double number = 0;
    const sn_result result = sn_text_in_range(text, what, &number);
    *value = (float)number;
    return result;
}

static float linear_from_srgb(float value)
{
    return value <= 0.04045F ? value / 12.92F : powf((value + 0.055F) / 1.055F, 2.4F);
}

void sn_colors_linearise(float *colors, size_t count)
{
    for (size_t i = 0; i < count * 4; i++) {
        colors[i] = i % 4 < 3 ? linear_from_srgb(colors[i]) : colors[i];
    }
}

void sn_colors_normalise(float *colors, size_t count)
{
    float largest = 0;
    for (size_t i = 0; i < count * 4; i++) {
        largest = colors[i] > largest ? colors[i] : largest;
    }
    const float scale = largest > 1 ? 1.0F / 255.0F : 1.0F;
    for (size_t i = 0; i < count * 4; i++) {
        const float value = colors[i] == SN_NO_COLOR ? 1.0F : colors[i] * scale;
        colors[i] = value < 0 ? 0 : value > 1 ? 1 : value;
    }
    sn_colors_linearise(colors, count);
}

void sn_normals_normalise(float *normals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float *normal = normals + i * 3;
        const double x = normal[0];
        const double y = normal[1];
        const double z = normal[2];
        const double length = sqrt(x * x + y * y + z * z);
        for (int k = 0; k < 3 && length > 0; k++) {
            normal[k] = (float)((double)normal[k] / length);
        }
    }
}

/* The scene */

const char *sn_copy_text(sn_arena *arena, sn_token text)
{
    char *copy = SN_NEW(arena, char, text.size + 1);
    if (copy && text.size > 0) {
        memcpy(copy, text.text, text.size);
    }
    return copy;
}

sn_token sn_source_stem(const sn_source *source)
{
    const char *slash = strrchr(source->name, '/');
    const char *stem = slash ? slash + 1 : source->name;
    const char *dot = strrchr(stem, '.');
    return (sn_token){.text = stem, .size = dot && dot > stem ? (size_t)(dot - stem) : strlen(stem)};
}

sn_result sn_plain_scene(const sn_source *source, int primitive_count, const double origin[3], sn_arena *arena,
                         sn_scene_file *scene)
{
    const char *name = sn_copy_text(arena, sn_source_stem(source));
    sn_scene_node *node = name ? SN_NEW(arena, sn_scene_node, 1) : NULL; /* one failure, one line */
    sn_scene_mesh *mesh = node ? SN_NEW(arena, sn_scene_mesh, 1) : NULL;
    sn_scene_primitive *primitives = mesh ? SN_NEW(arena, sn_scene_primitive, primitive_count) : NULL;
    if (!primitives) {
        return SN_ERROR_MEMORY;
    }
    *node = (sn_scene_node){.name = name,
                            .parent = -1,
                            .skin = -1,
                            .translation = {origin[0], origin[1], origin[2]},
                            .rotation = {0, 0, 0, 1},
                            .scale = {1, 1, 1},
                            .local = {1, 0, 0, origin[0], 0, 1, 0, origin[1], 0, 0, 1, origin[2]},
                            .is_in_scene = true};
    *mesh = (sn_scene_mesh){.name = name, .primitive_count = primitive_count};
    for (int i = 0; i < primitive_count; i++) {
        primitives[i].material = -1;
    }
    *scene = (sn_scene_file){.node_count = 1,
                             .mesh_count = 1,
                             .primitive_count = primitive_count,
                             .nodes = node,
                             .meshes = mesh,
                             .primitives = primitives};
    return SN_OK;
}

sn_result sn_plain_mesh(const sn_source *source, const sn_scene_primitive *mesh, const sn_polygons *polygons,
                        const double origin[3], sn_arena *arena, sn_scene_file *scene)
{
    int32_t *triangles = sn_list_copy(&polygons->triangles, sizeof(int32_t[3]), arena);
    const sn_result result = triangles ? sn_plain_scene(source, 1, origin, arena, scene) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        scene->primitives[0] = *mesh;
        scene->primitives[0].triangles = triangles;
        scene->primitives[0].triangle_count = (int)polygons->triangles.count;
        scene->primitives[0].material = -1;
    }
    return result;
}
