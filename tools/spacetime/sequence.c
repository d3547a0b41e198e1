/* SPDX-License-Identifier: MIT */
/* Reads sequence files. The reader is strict: unknown members and out-of-range values are errors. */
#include "tools/spacetime/sequence.h"

#include <math.h>
#include <string.h>

#include "author/io/json_load.h"
#include "tools/scene_json/number.h"

#define MOVE_LIMIT 64
#define OBSTACLE_LIMIT 16
#define REGION_PARTS 1024
#define MAX_VERTEX_COUNT (1 << 20)
#define DEFAULT_VERTICES 1000
#define DEFAULT_SAMPLES 10
#define MIN_DURATION 1e-3
#define MAX_DURATION 1e4
#define MAX_AMOUNT 1e12

static void read_vector(const sn_json *object, const char *key, double vector[3])
{
    const sn_json at = sn_json_get(object, key);
    if (at.value) {
        sn_json_numbers(object, key, 3, vector);
    }
}

static void read_region(sn_scene_reader *reader, const sn_json *at, int depth, sn_region *region);

static void read_box(const sn_json *at, sn_region *region)
{
    double *corners[2] = {region->low, region->high};
    if (sn_json_count(at) != 2) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must be two points");
    }
    for (size_t i = 0; i < 2 && !sn_json_failed(at); ++i) {
        const sn_json corner = sn_json_entry(at, i);
        if (sn_json_count(&corner) != 3) {
            sn_json_fail(&corner, SN_ERROR_FORMAT, "must be three numbers");
        }
        for (size_t d = 0; d < 3; ++d) {
            corners[i][d] = sn_json_entry_number(&corner, d, 0);
        }
    }
    for (int d = 0; d < 3 && !sn_json_failed(at); ++d) {
        if (region->low[d] > region->high[d]) {
            sn_json_fail(at, SN_ERROR_FORMAT, "the first point is not the lower one");
        }
    }
    region->type = SN_REGION_BOX;
}

static void read_vertices(sn_scene_reader *reader, const sn_json *at, sn_region *region)
{
    region->count = sn_scene_count(at, MAX_VERTEX_COUNT);
    int32_t *vertices = SN_SCENE_NEW(reader, int32_t, region->count);
    for (int i = 0; vertices && i < region->count; ++i) {
        vertices[i] = sn_json_entry_index(at, (size_t)i, MAX_VERTEX_COUNT);
    }
    char path[SN_JSON_PATH_CHARS];
    sn_json_path(at, path);
    region->path = sn_scene_copy_text(reader, path);
    region->vertices = vertices;
    region->type = SN_REGION_VERTICES;
}

static void read_parts(sn_scene_reader *reader, const sn_json *at, int depth, sn_region *region)
{
    region->count = sn_scene_count(at, REGION_PARTS);
    sn_region *parts = SN_SCENE_NEW(reader, sn_region, region->count);
    for (int i = 0; parts && i < region->count && !sn_json_failed(at); ++i) {
        const sn_json part = sn_json_entry(at, (size_t)i);
        read_region(reader, &part, depth + 1, &parts[i]);
    }
    region->parts = parts;
    region->type = SN_REGION_ANY;
}

static void read_region_object(sn_scene_reader *reader, const sn_json *at, int depth, sn_region *region)
{
    static const char *const members[] = {"box", "vertices", "paint", "not", NULL};
    const sn_json box = sn_json_get(at, "box"), vertices = sn_json_get(at, "vertices");
    const sn_json not = sn_json_get(at, "not");
    sn_json_check_keys(at, members);
    if (json_object_size(at->value) != 1) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have one of box, vertices, paint and not");
    } else if (box.value) {
        read_box(&box, region);
    } else if (vertices.value) {
        read_vertices(reader, &vertices, region);
    } else if (not .value) {
        sn_region *part = SN_SCENE_NEW(reader, sn_region, 1);
        if (part) {
            read_region(reader, &not, depth + 1, part);
        }
        *region = (sn_region){.type = SN_REGION_NOT, .count = 1, .parts = part};
    } else {
        region->path = sn_scene_read_path(reader, at, "paint");
        region->type = SN_REGION_PAINT;
    }
}

static void read_region(sn_scene_reader *reader, const sn_json *at, int depth, sn_region *region)
{
    *region = (sn_region){0};
    if (depth > SN_REGION_DEPTH) {
        sn_json_fail(at, SN_ERROR_FORMAT, "regions in regions, %d deep", SN_REGION_DEPTH);
    } else if (json_is_boolean(at->value)) {
        region->type = json_is_true(at->value) ? SN_REGION_ALL : SN_REGION_NONE;
    } else if (json_is_array(at->value)) {
        read_parts(reader, at, depth, region);
    } else if (json_is_object(at->value)) {
        read_region_object(reader, at, depth, region);
    } else {
        sn_json_fail(at, SN_ERROR_FORMAT, "must be true, false, a region or a list of regions");
    }
}

static void read_hold(sn_scene_reader *reader, const sn_json *object, const char *key, sn_region *region)
{
    const sn_json at = sn_json_get(object, key);
    if (at.value) {
        read_region(reader, &at, 0, region);
    }
}

static void read_scale(const sn_json *object, double scale[3])
{
    const sn_json at = sn_json_get(object, "scale");
    if (json_is_array(at.value)) {
        sn_json_numbers(object, "scale", 3, scale);
    } else if (at.value) {
        scale[0] = scale[1] = scale[2] = sn_json_number(object, "scale", 1);
    }
}

static void read_move(sn_scene_reader *reader, const sn_json *at, sn_spacetime_file_move *move)
{
    static const char *const members[] = {"region", "translate", "rotate", "scale", "pivot", NULL};
    *move = (sn_spacetime_file_move){.region = {.type = SN_REGION_ALL}, .scale = {1, 1, 1}};
    sn_json_check_keys(at, members);
    read_hold(reader, at, "region", &move->region);
    read_vector(at, "translate", move->translation);
    read_vector(at, "rotate", move->rotation);
    read_vector(at, "pivot", move->pivot);
    read_scale(at, move->scale);
}

static void read_moves(sn_scene_reader *reader, const sn_json *object, sn_spacetime_file_key *key)
{
    const sn_json list = sn_json_get(object, "move");
    const int count = sn_scene_count(&list, MOVE_LIMIT);
    sn_spacetime_file_move *moves = SN_SCENE_NEW(reader, sn_spacetime_file_move, count);
    for (int i = 0; moves && i < count && !sn_json_failed(&list); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_move(reader, &at, &moves[i]);
    }
    key->moves = moves;
    key->move_count = count;
}

/* Returns a duration, or 0. */
static void read_duration(const sn_json *at, sn_spacetime_file_key *key)
{
    const sn_json duration = sn_json_get(at, "duration");
    sn_scene_read_real(at, "duration", 0, MAX_DURATION, &key->duration);
    if (key->duration > 0 && key->duration < MIN_DURATION) {
        sn_json_fail(&duration, SN_ERROR_FORMAT, "is %g: must be 0, or %g seconds at least", key->duration,
                     MIN_DURATION);
    }
}

static void read_key(sn_scene_reader *reader, const sn_json *at, const sn_spacetime_file_key *defaults,
                     sn_spacetime_file_key *key)
{
    static const char *const members[] = {"shape",    "move",     "hold",    "hold_velocity",
                                          "velocity", "duration", "samples", NULL};
    *key = *defaults;
    sn_json_check_keys(at, members);
    key->shape = sn_scene_read_path(reader, at, "shape");
    read_moves(reader, at, key);
    read_hold(reader, at, "hold", &key->hold);
    read_hold(reader, at, "hold_velocity", &key->hold_velocity);
    read_vector(at, "velocity", key->velocity);
    read_duration(at, key);
    key->sample_count = (int)sn_json_integer(at, "samples", key->sample_count, 2, SN_SPACETIME_SAMPLE_LIMIT);
}

/* Checks that a hit lies between two intervals of positive length, and that the total length is positive. */
static void check_durations(const sn_json *list, const sn_spacetime_file *s)
{
    for (int i = 0; i + 1 < s->key_count && !sn_json_failed(list); ++i) {
        const bool is_hit = !(s->keys[i].duration > 0);
        const bool is_between = i > 0 && i + 2 < s->key_count && s->keys[i - 1].duration > 0;
        if (is_hit && !is_between) {
            const sn_json key = sn_json_entry(list, (size_t)i), at = sn_json_get(&key, "duration");
            sn_json_fail(at.value ? &at : &key, SN_ERROR_FORMAT,
                         "a hit (duration 0) needs an interval before it and one behind");
        }
    }
}

/* Members of a key that describe its shape belong to the key whose positions it uses. */
static void check_shared(const sn_json *list, const sn_spacetime_file *s)
{
    static const char *const members[] = {"shape", "move"};
    for (int i = 1; i < s->key_count && !sn_json_failed(list); ++i) {
        const int shared = sn_spacetime_file_shared_key(s, i);
        const sn_json key = sn_json_entry(list, (size_t)i), other = sn_json_entry(list, (size_t)shared);
        for (size_t k = 0; k < sizeof members / sizeof members[0] && shared != i; ++k) {
            const sn_json at = sn_json_get(&key, members[k]), same = sn_json_get(&other, members[k]);
            if (at.value && !json_equal(at.value, same.value)) {
                sn_json_fail(&at, SN_ERROR_FORMAT, "is not that of keys[%d], whose shape this key has too: %s", shared,
                             shared == 0 ? "the sequence is cyclic" : "a hit is one shape");
            }
        }
    }
}

static void read_keys(sn_scene_reader *reader, const sn_json *root, sn_spacetime_file *sequence)
{
    const sn_json list = sn_json_get(root, "keys");
    sn_spacetime_file_key defaults = {
        .hold = {.type = SN_REGION_ALL}, .duration = 0.5, .sample_count = DEFAULT_SAMPLES};
    read_hold(reader, root, "hold", &defaults.hold);
    read_hold(reader, root, "hold_velocity", &defaults.hold_velocity);
    read_duration(root, &defaults);
    defaults.sample_count = (int)sn_json_integer(root, "samples", DEFAULT_SAMPLES, 2, SN_SPACETIME_SAMPLE_LIMIT);
    sn_json_require(root, "keys");
    sequence->key_count = sn_scene_count(&list, SN_SPACETIME_KEY_LIMIT);
    if (sequence->key_count < 2) {
        sn_json_fail(&list, SN_ERROR_FORMAT, "needs two keys at least");
    }
    sn_spacetime_file_key *keys = SN_SCENE_NEW(reader, sn_spacetime_file_key, sequence->key_count);
    for (int i = 0; keys && i < sequence->key_count && !sn_json_failed(&list); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_key(reader, &at, &defaults, &keys[i]);
    }
    sequence->keys = keys;
    if (keys) {
        check_durations(&list, sequence);
        check_shared(&list, sequence);
    }
}

static void read_obstacle(const sn_json *at, sn_spacetime_obstacle *obstacle)
{
    static const char *const members[] = {"plane", "sphere", NULL};
    static const char *const plane_members[] = {"point", "normal", NULL};
    static const char *const sphere_members[] = {"centre", "radius", NULL};
    const sn_json plane = sn_json_get(at, "plane"), sphere = sn_json_get(at, "sphere");
    sn_json_check_keys(at, members);
    *obstacle = (sn_spacetime_obstacle){.normal = {0, 1, 0}, .radius = 1};
    if (!plane.value == !sphere.value) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have one of plane and sphere");
    } else if (plane.value) {
        sn_json_check_keys(&plane, plane_members);
        read_vector(&plane, "point", obstacle->point);
        read_vector(&plane, "normal", obstacle->normal);
        const double length =
            sqrt(obstacle->normal[0] * obstacle->normal[0] + obstacle->normal[1] * obstacle->normal[1] +
                 obstacle->normal[2] * obstacle->normal[2]);
        if (!(length > 0)) {
            sn_json_fail(&plane, SN_ERROR_FORMAT, "normal has no length");
        }
        for (int d = 0; d < 3 && length > 0; ++d) {
            obstacle->normal[d] /= length;
        }
    } else {
        sn_json_check_keys(&sphere, sphere_members);
        obstacle->is_sphere = true;
        read_vector(&sphere, "centre", obstacle->point);
        sn_scene_read_real(&sphere, "radius", 1e-9, MAX_AMOUNT, &obstacle->radius);
    }
}

static void read_obstacles(sn_scene_reader *reader, const sn_json *root, sn_spacetime_file *sequence)
{
    const sn_json list = sn_json_get(root, "obstacles");
    const int count = sn_scene_count(&list, OBSTACLE_LIMIT);
    sn_spacetime_obstacle *obstacles = SN_SCENE_NEW(reader, sn_spacetime_obstacle, count);
    for (int i = 0; obstacles && i < count && !sn_json_failed(&list); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_obstacle(&at, &obstacles[i]);
    }
    sequence->obstacles = obstacles;
    sequence->obstacle_count = count;
}

static void read_material(const sn_json *root, sn_spacetime_material *material)
{
    static const char *const members[] = {"volume", "strain", "young", "poisson", "density", NULL};
    const sn_json at = sn_json_get(root, "material");
    *material = (sn_spacetime_material){.volume = 60, .strain = 60, .density = 1};
    if (!at.value) {
        return;
    }
    sn_json_check_keys(&at, members);
    sn_scene_read_real(&at, "density", 1e-9, MAX_AMOUNT, &material->density);
    if (sn_json_has(&at, "young")) {
        if (sn_json_has(&at, "volume") || sn_json_has(&at, "strain")) {
            sn_json_fail(&at, SN_ERROR_FORMAT, "volume and strain, or young and poisson");
        }
        double young = 1, poisson = 0.45;
        sn_scene_read_real(&at, "young", 1e-9, MAX_AMOUNT, &young);
        sn_scene_read_real(&at, "poisson", 0, 0.499, &poisson);
        *material = sn_spacetime_material_from_young(young, poisson, material->density);
        return;
    }
    if (sn_json_has(&at, "poisson")) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "poisson needs young");
    }
    sn_scene_read_real(&at, "volume", 0, MAX_AMOUNT, &material->volume);
    sn_scene_read_real(&at, "strain", 1e-9, MAX_AMOUNT, &material->strain);
}

static void read_desc(const sn_json *root, sn_spacetime_desc *desc)
{
    static const char *const norms[] = {"inverse mass", "identity", NULL};
    static const char *const timings[] = {"fixed", "total", "alike", "free", NULL};
    int norm = 0, timing = 0;
    *desc = sn_default_spacetime_desc();
    sn_scene_read_choice(root, "norm", norms, &norm);
    sn_scene_read_choice(root, "timing", timings, &timing);
    desc->norm = (sn_spacetime_norm)norm;
    desc->timing = (sn_spacetime_timing)timing;
    sn_scene_read_real(root, "regularisation", 1e-4, 1e4, &desc->regularisation);
    desc->iteration_limit = (int)sn_json_integer(root, "iterations", desc->iteration_limit, 0, 10000);
    sn_scene_read_real(root, "tolerance", 0, 1, &desc->tolerance);
}

static void read_sequence(sn_scene_reader *reader, const sn_json *root, sn_spacetime_file *s)
{
    static const char *const members[] = {"mesh",          "surface",   "vertices",  "material", "damping",
                                          "gravity",       "cyclic",    "timing",    "norm",     "regularisation",
                                          "iterations",    "tolerance", "obstacles", "keys",     "hold",
                                          "hold_velocity", "duration",  "samples",   NULL};
    sn_json_check_keys(root, members);
    s->mesh = sn_scene_read_path(reader, root, "mesh");
    s->surface = sn_scene_read_path(reader, root, "surface");
    if (!s->mesh && !s->surface && !sn_json_failed(root)) {
        sn_json_fail(root, SN_ERROR_FORMAT, "needs a mesh or a surface");
    }
    s->vertex_target = (int)sn_json_integer(root, "vertices", DEFAULT_VERTICES, 8, 100000);
    s->damping = 0.1;
    sn_scene_read_real(root, "damping", 0, 1e6, &s->damping);
    read_vector(root, "gravity", s->gravity);
    s->is_cyclic = sn_json_flag(root, "cyclic", false);
    read_material(root, &s->material);
    read_desc(root, &s->desc);
    read_obstacles(reader, root, s);
    read_keys(reader, root, s);
}

int sn_spacetime_file_shared_key(const sn_spacetime_file *sequence, int key)
{
    const bool is_first_again = sequence->is_cyclic && key == sequence->key_count - 1;
    const bool is_after_hit = key > 0 && !(sequence->keys[key - 1].duration > 0);
    return is_first_again ? 0 : is_after_hit ? key - 1 : key;
}

sn_result sn_spacetime_file_read(const sn_source *source, sn_arena *arena, sn_spacetime_file *sequence)
{
    json_t *document = NULL;
    const sn_result result = sn_json_load(source, JSON_REJECT_DUPLICATES, &document);
    if (result != SN_OK) {
        return result;
    }
    sn_scene_reader reader = {.json = {.name = source->name}, .arena = arena, .path = source->name};
    const sn_json root = sn_json_root(&reader.json, document);
    *sequence = (sn_spacetime_file){0};
    read_sequence(&reader, &root, sequence);
    json_decref(document);
    return reader.json.result;
}
