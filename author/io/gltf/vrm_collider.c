/* SPDX-License-Identifier: MIT */
/* Spring colliders of VRM 0.x (secondaryAnimation: spheres with left-handed offsets, so z is negated; UniVRM writes
 * them so, and the schema has required it since 2019) and of 1.0 (VRMC_springBone, VRMC_springBone_extended_collider).
 * An invalid collider, group or list is ignored without failing the file. */
#include "author/io/gltf/vrm_collider.h"

#define MAX_MEMBERS 65536 /* max. number of colliders, of group members, and of references by springs */

static void ignore_collider(const sn_json *at, const char *why)
{
    sn_json_warn(at, SN_GLTF_WARNED_COLLIDER, "%s; the collider is ignored", why);
}

static void ignore_rest(const sn_json *at)
{
    sn_json_warn(at, SN_GLTF_WARNED_COLLIDER, "there are more than %d colliders; the others are ignored", MAX_MEMBERS);
}

/* what: the object that is ignored */
static bool end_attempt(sn_gltf *g, const sn_gltf_attempt *a, const char *what)
{
    return sn_gltf_end_attempt(g, a, SN_GLTF_WARNED_COLLIDER, what);
}

/* The number of entries of a possibly invalid list, limited to `max_count`. */
static int count_entries(sn_gltf *g, const sn_json *list, int max_count)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const int count = sn_json_count(list);
    if (!end_attempt(g, &a, "its colliders are ignored")) {
        return 0;
    }
    if (count > max_count) {
        ignore_rest(list);
    }
    return count < max_count ? count : max_count;
}

/* -1 if the entry is no index below `count`. */
static int32_t entry_index(sn_gltf *g, const sn_json *list, int index, int count)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const int32_t entry = sn_json_entry_index(list, (size_t)index, count);
    return end_attempt(g, &a, "the collider is ignored") ? entry : -1;
}

double sn_vrm_read_hit_radius(sn_gltf *g, const sn_json *at)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const double radius = sn_json_number(at, "hitRadius", 0);
    return end_attempt(g, &a, "it is ignored") && radius > 0 ? radius : 0;
}

/* Returns its index, or -1. */
static int32_t add_collider(sn_gltf *g, const sn_json *at, const sn_spring_collider *collider)
{
    sn_scene_file *scene = g->scene;
    if (collider->radius < 0) {
        ignore_collider(at, "its radius is negative");
        return -1;
    }
    scene->colliders[scene->collider_count] = *collider;
    return scene->collider_count++;
}

// ---- 1.0 ----

/* {"sphere": {...}}, {"capsule": {...}} or, with the extension, {"plane": {...}}; false if it is none of these. */
static bool read_shape(const sn_json *shape, sn_spring_collider *collider)
{
    static const struct {
        const char *name;
        sn_collider_shape shape;
    } shape_types[] = {{"sphere", SN_COLLIDER_SPHERE}, {"capsule", SN_COLLIDER_CAPSULE}, {"plane", SN_COLLIDER_PLANE}};
    for (size_t i = 0; i < sizeof shape_types / sizeof shape_types[0]; ++i) {
        const sn_json at = sn_json_get(shape, shape_types[i].name);
        if (at.value) {
            collider->shape = shape_types[i].shape;
            collider->normal[2] = 1;
            sn_json_numbers(&at, "offset", 3, collider->offset);
            sn_json_numbers(&at, "tail", 3, collider->tail);
            sn_json_numbers(&at, "normal", 3, collider->normal);
            collider->radius = sn_json_number(&at, "radius", 0);
            collider->is_inside = sn_json_flag(&at, "inside", false) && collider->shape != SN_COLLIDER_PLANE;
            return true;
        }
    }
    return false;
}

static int32_t read_collider(sn_gltf *g, const sn_json *at)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const sn_json extensions = sn_json_get(at, "extensions");
    const sn_json extended = sn_json_get(&extensions, "VRMC_springBone_extended_collider");
    const sn_json own_shape = sn_json_get(at, "shape"), extended_shape = sn_json_get(&extended, "shape");
    sn_spring_collider collider = {.node = sn_json_index(at, "node", g->scene->node_count)};
    const bool is_known = read_shape(&extended_shape, &collider) || read_shape(&own_shape, &collider);
    if (!end_attempt(g, &a, "the collider is ignored")) {
        return -1;
    }
    if (collider.node < 0 || !is_known) {
        ignore_collider(at, collider.node < 0 ? "it has no node" : "it has no shape");
        return -1;
    }
    return add_collider(g, at, &collider);
}

static void read_members(sn_gltf *g, const sn_json *group, const int32_t *numbers, int count, sn_vrm_groups *groups,
                         int32_t *end)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const sn_json members = sn_json_get(group, "colliders");
    if (!end_attempt(g, &a, "its colliders are ignored")) {
        return;
    }
    const int member_count = count_entries(g, &members, groups->capacity - *end);
    for (int m = 0; m < member_count; ++m) {
        const int32_t member = entry_index(g, &members, m, count);
        if (member >= 0 && numbers[member] >= 0) {
            groups->members[(*end)++] = numbers[member];
        }
    }
}

static void read_version_1(sn_gltf *g, const sn_json *springs, const sn_json *named, sn_vrm_groups *groups)
{
    const sn_json list = sn_json_get(springs, "colliders");
    const int count = count_entries(g, &list, MAX_MEMBERS);
    int32_t *numbers = SN_GLTF_NEW(g, &g->scratch, &list, int32_t, count);
    g->scene->colliders = SN_GLTF_NEW(g, g->arena, &list, sn_spring_collider, count);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        numbers[i] = read_collider(g, &at);
    }
    for (int i = 0; i < groups->count && sn_gltf_ok(g); ++i) {
        const sn_json group = sn_json_entry(named, (size_t)i);
        groups->starts[i + 1] = groups->starts[i];
        read_members(g, &group, numbers, count, groups, &groups->starts[i + 1]);
    }
}

// ---- 0.x ----

static double read_axis(const sn_json *at, const char *key)
{
    const sn_json offset = sn_json_get(at, "offset");
    return sn_json_number(&offset, key, 0);
}

static int32_t read_sphere(sn_gltf *g, const sn_json *at, int32_t node)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const sn_spring_collider collider = {.node = node,
                                         .shape = SN_COLLIDER_SPHERE,
                                         .offset = {read_axis(at, "x"), read_axis(at, "y"), -read_axis(at, "z")},
                                         .radius = sn_json_number(at, "radius", 0)};
    return end_attempt(g, &a, "the collider is ignored") ? add_collider(g, at, &collider) : -1;
}

/* {"node": 3, "colliders": [{"offset": {"x": 0, "y": 0, "z": 0}, "radius": 0.1}, ...]}; old exporters write node -1 for
 * missing nodes. */
static void read_group(sn_gltf *g, const sn_json *group, sn_vrm_groups *groups, int32_t *end)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const sn_json list = sn_json_get(group, "colliders");
    const bool is_missing = sn_json_integer(group, "node", -1, INT64_MIN, INT64_MAX) < 0;
    const int32_t node = is_missing ? -1 : sn_json_index(group, "node", g->scene->node_count);
    if (!end_attempt(g, &a, "its colliders are ignored")) {
        return;
    }
    const int count = count_entries(g, &list, groups->capacity - *end);
    if (node < 0 && count > 0) {
        ignore_collider(group, "it has no node");
    }
    for (int i = 0; i < count && node >= 0; ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        const int32_t number = read_sphere(g, &at, node);
        if (number >= 0) {
            groups->members[(*end)++] = number;
        }
    }
}

static void read_version_0(sn_gltf *g, const sn_json *list, sn_vrm_groups *groups)
{
    g->scene->colliders = SN_GLTF_NEW(g, g->arena, list, sn_spring_collider, groups->capacity);
    for (int i = 0; i < groups->count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(list, (size_t)i);
        groups->starts[i + 1] = groups->starts[i];
        read_group(g, &at, groups, &groups->starts[i + 1]);
    }
}

// ---- both ----

void sn_vrm_read_colliders(sn_gltf *g, const sn_json *springs, bool is_new, sn_vrm_groups *groups)
{
    const sn_json list = sn_json_get(springs, "colliderGroups");
    size_t member_count = 0;
    groups->count = count_entries(g, &list, INT32_MAX - 1);
    for (int i = 0; i < groups->count; ++i) {
        member_count += json_array_size(json_object_get(json_array_get(list.value, (size_t)i), "colliders"));
    }
    groups->capacity = member_count < MAX_MEMBERS ? (int)member_count : MAX_MEMBERS;
    groups->starts = SN_GLTF_NEW(g, &g->scratch, &list, int32_t, groups->count + 1);
    groups->members = SN_GLTF_NEW(g, &g->scratch, &list, int32_t, groups->capacity);
    if (!sn_gltf_ok(g)) {
        return;
    }
    if (is_new) {
        read_version_1(g, springs, &list, groups);
    } else {
        read_version_0(g, &list, groups);
    }
}

/* Checks the limit for one more group of a spring, and allocates the list on first use. */
static bool reserve_colliders(sn_gltf *g, const sn_json *at, int more)
{
    sn_scene_file *scene = g->scene;
    if (more > MAX_MEMBERS - scene->spring_collider_count) {
        ignore_rest(at);
        return false;
    }
    if (!scene->spring_colliders && more > 0) {
        scene->spring_colliders = SN_GLTF_NEW(g, g->arena, at, int32_t, MAX_MEMBERS);
    }
    return sn_gltf_ok(g);
}

void sn_vrm_add_spring(sn_gltf *g, const sn_json *spring, const sn_vrm_groups *groups)
{
    sn_scene_file *scene = g->scene;
    const sn_json list = sn_json_get(spring, "colliderGroups");
    const int count = sn_gltf_ok(g) ? count_entries(g, &list, INT32_MAX) : 0;
    sn_spring_group *added = &scene->springs[scene->spring_count++];
    added->first_collider = scene->spring_collider_count;
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        const int32_t group = entry_index(g, &list, i, groups->count);
        if (group < 0 || !reserve_colliders(g, &at, groups->starts[group + 1] - groups->starts[group])) {
            continue;
        }
        for (int32_t m = groups->starts[group]; m < groups->starts[group + 1]; ++m) {
            scene->spring_colliders[scene->spring_collider_count++] = groups->members[m];
        }
    }
    added->collider_count = scene->spring_collider_count - added->first_collider;
}
