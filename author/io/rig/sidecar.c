/* SPDX-License-Identifier: MIT */
#include "author/io/rig/sidecar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/io/json_load.h"
#include "author/io/rig/rig_handles.h"
#include "author/io/rig/sidecar_colliders.h"
#include "author/io/rig/sidecar_fibres.h"
#include "author/io/rig/sidecar_parts.h"

bool sn_name_is_listed(const sn_name_list *list, const char *name)
{
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

typedef struct reader {
    const char *file;
    sn_arena *arena;
} reader;

static const char *copy_text(sn_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = SN_NEW(arena, char, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static sn_result read_names(const reader *r, const char *member, const json_t *value, sn_name_list *list)
{
    if (!json_is_array(value)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s: must be a list of names", r->file, member);
    }
    list->names = SN_NEW(r->arena, const char *, json_array_size(value));
    for (size_t i = 0; i < json_array_size(value); ++i) {
        const char *name = json_string_value(json_array_get(value, i));
        if (!name) {
            return sn_fail(SN_ERROR_FORMAT, "%s: %s[%zu]: must be a name", r->file, member, i);
        }
        if (!list->names || !(list->names[list->count++] = copy_text(r->arena, name))) {
            return SN_ERROR_MEMORY;
        }
    }
    return SN_OK;
}

static sn_result read_integer(const reader *r, const char *member, const json_t *value, int min_value, int max_value,
                              int *count)
{
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < min_value || number > max_value) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s: must be an integer from %d to %d", r->file, member, min_value,
                       max_value);
    }
    *count = (int)number;
    return SN_OK;
}

static sn_result read_count(const reader *r, const char *member, const json_t *value, int max_value, int *count)
{
    return read_integer(r, member, value, 1, max_value, count);
}

static sn_result read_target_modes(const reader *r, const json_t *value, sn_sidecar *s)
{
    s->has_target_modes = true;
    return read_integer(r, "target_modes", value, 0, SN_TARGET_MODE_LIMIT, &s->target_mode_count);
}

static sn_result read_target_inertia_gain(const reader *r, const json_t *value, sn_sidecar *s)
{
    s->has_target_inertia_gain = true;
    s->target_inertia_gain = json_is_number(value) ? json_number_value(value) : -1;
    if (!(s->target_inertia_gain >= 0 && s->target_inertia_gain <= SN_MAX_INERTIA_GAIN)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: target_shake: must be a number from 0 to %g", r->file,
                       SN_MAX_INERTIA_GAIN);
    }
    return SN_OK;
}

static sn_result read_leak(const reader *r, const json_t *value, sn_cook_leak *leak)
{
    static const char *const names[] = {[SN_LEAK_AUTO] = "auto", [SN_LEAK_NONE] = "none", [SN_LEAK_ALL] = "all"};
    const char *text = json_string_value(value);
    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *leak = (sn_cook_leak)i;
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_FORMAT, "%s: leak: must be \"auto\", \"none\" or \"all\"", r->file);
}

static sn_result read_morphs(const reader *r, const json_t *value, sn_cook_morphs *morphs)
{
    const char *text = json_string_value(value);
    const bool is_dynamic = text && strcmp(text, "dynamic") == 0;
    if (!is_dynamic && !(text && strcmp(text, "visual") == 0)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: morphs: must be \"dynamic\" or \"visual\"", r->file);
    }
    *morphs = is_dynamic ? SN_MORPHS_DYNAMIC : SN_MORPHS_VISUAL;
    return SN_OK;
}

static sn_result read_method(const reader *r, const json_t *value, sn_cook_method *method)
{
    const char *text = json_string_value(value);
    const bool is_anchored = text && strcmp(text, "anchored") == 0;
    if (!is_anchored && !(text && strcmp(text, "complementary") == 0)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: method: must be \"anchored\" or \"complementary\"", r->file);
    }
    *method = is_anchored ? SN_COOK_METHOD_ANCHORED : SN_COOK_METHOD_COMPLEMENTARY;
    return SN_OK;
}

static sn_result read_complementary(const reader *r, const json_t *value, sn_cook_complementary *complementary)
{
    const char *text = json_string_value(value);
    const bool is_weights = text && strcmp(text, "weights") == 0;
    if (!is_weights && !(text && strcmp(text, "coordinates") == 0)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: complementary: must be \"weights\" or \"coordinates\"", r->file);
    }
    *complementary = is_weights ? SN_COMPLEMENTARY_WEIGHTS : SN_COMPLEMENTARY_COORDINATES;
    return SN_OK;
}

static sn_result read_factor(const reader *r, const char *member, const char *name, const char *key,
                             const json_t *value, double *factor)
{
    *factor = json_is_number(value) ? json_number_value(value) : -1;
    if (!(*factor >= SN_MIN_FACTOR && *factor <= SN_MAX_FACTOR)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s.%s.%s: must be a number from 1e-6 to 1e6", r->file, member, name, key);
    }
    return SN_OK;
}

/* member and name identify a material or bone, or are empty. */
static sn_result read_poisson(const reader *r, const char *member, const char *name, const json_t *value,
                              double *poisson)
{
    *poisson = json_is_number(value) ? json_number_value(value) : -1;
    if (!(*poisson >= 0 && *poisson <= SN_MAX_POISSON)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s%s%s%spoisson: must be a number from 0 to %g", r->file, member,
                       *member ? "." : "", name, *name ? "." : "", SN_MAX_POISSON);
    }
    return SN_OK;
}

static sn_result read_material_leak(const reader *r, const char *member, const char *name, const json_t *value,
                                    double *leak)
{
    *leak = json_is_number(value) ? json_number_value(value) : -1;
    if (!(*leak >= 0 && *leak <= 1)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s.%s.leak: must be a number from 0 to 1", r->file, member, name);
    }
    return SN_OK;
}

static sn_result read_material(const reader *r, const char *member, const char *name, json_t *value,
                               sn_named_tet_material *material)
{
    *material = (sn_named_tet_material){.name = copy_text(r->arena, name),
                                        .stiffness = 1,
                                        .density = 1,
                                        .poisson = -1,
                                        .leak = -1,
                                        .stretch = {1, 1, 1},
                                        .shear = {1, 1, 1}};
    if (!material->name) {
        return SN_ERROR_MEMORY;
    }
    if (!json_is_object(value)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s.%s: must be an object", r->file, member, name);
    }
    const char *key = NULL;
    json_t *entry = NULL;
    sn_result result = SN_OK;
    json_object_foreach(value, key, entry)
    {
        if (result != SN_OK) {
            break;
        }
        if (strcmp(key, "stiffness") == 0) {
            result = read_factor(r, member, name, key, entry, &material->stiffness);
        } else if (strcmp(key, "density") == 0) {
            result = read_factor(r, member, name, key, entry, &material->density);
        } else if (strcmp(key, "poisson") == 0) {
            result = read_poisson(r, member, name, entry, &material->poisson);
        } else if (strcmp(key, "leak") == 0) {
            result = read_material_leak(r, member, name, entry, &material->leak);
        } else if (strcmp(key, "stretch") == 0 || strcmp(key, "shear") == 0) {
            char member_path[256];
            snprintf(member_path, sizeof member_path, "%s.%s.%s", member, name, key);
            result = sn_sidecar_read_factors(r->file, member_path, entry,
                                             key[1] == 't' ? material->stretch : material->shear);
        } else {
            sn_log(SN_LOG_WARNING, "%s: %s.%s.%s: unknown key, ignored", r->file, member, name, key);
        }
    }
    return result;
}

static sn_result read_materials(const reader *r, const char *member, json_t *value, sn_named_tet_material **list,
                                int *count)
{
    if (!json_is_object(value)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s: must be an object", r->file, member);
    }
    *list = SN_NEW(r->arena, sn_named_tet_material, json_object_size(value));
    sn_result result = *list ? SN_OK : SN_ERROR_MEMORY;
    const char *name = NULL;
    json_t *entry = NULL;
    json_object_foreach(value, name, entry)
    {
        if (result == SN_OK) {
            result = read_material(r, member, name, entry, &(*list)[(*count)++]);
        }
    }
    return result;
}

static sn_result read_member(const reader *r, const char *key, json_t *value, sn_sidecar *s)
{
    const struct {
        const char *name;
        sn_name_list *list;
    } lists[] = {{"rigid", &s->rigid}, {"soft", &s->soft},        {"show", &s->show}, {"hide", &s->hide},
                 {"pin", &s->pin},     {"loose", &s->soft_bones}, {"held", &s->held}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        if (strcmp(key, lists[i].name) == 0) {
            return read_names(r, key, value, lists[i].list);
        }
    }
    if (strcmp(key, "modes") == 0) {
        return read_count(r, key, value, SN_SIDECAR_MODE_LIMIT, &s->mode_count);
    }
    if (strcmp(key, "clusters") == 0) {
        return read_count(r, key, value, 1000000, &s->cluster_count);
    }
    if (strcmp(key, "target_modes") == 0) {
        return read_target_modes(r, value, s);
    }
    if (strcmp(key, "target_shake") == 0) {
        return read_target_inertia_gain(r, value, s);
    }
    if (strcmp(key, "poisson") == 0) {
        return read_poisson(r, "", "", value, &s->poisson);
    }
    if (strcmp(key, "floor") == 0 || strcmp(key, "generated_clips") == 0) {
        *(key[0] == 'f' ? &s->is_floating : &s->is_without_generated_clips) = json_is_false(value);
        return json_is_boolean(value) ? SN_OK : sn_fail(SN_ERROR_FORMAT, "%s: %s: must be true or false", r->file, key);
    }
    if (strcmp(key, "leak") == 0) {
        return read_leak(r, value, &s->leak);
    }
    if (strcmp(key, "morphs") == 0) {
        return read_morphs(r, value, &s->morphs);
    }
    if (strcmp(key, "method") == 0) {
        return read_method(r, value, &s->method);
    }
    if (strcmp(key, "complementary") == 0) {
        return read_complementary(r, value, &s->complementary);
    }
    if (strcmp(key, "materials") == 0) {
        return read_materials(r, key, value, &s->materials, &s->material_count);
    }
    if (strcmp(key, "bones") == 0) {
        return read_materials(r, key, value, &s->bones, &s->bone_count);
    }
    if (strcmp(key, "handles") == 0) {
        return sn_rig_handles_read(r->file, value, r->arena, &s->handles);
    }
    if (strcmp(key, "colliders") == 0) {
        return sn_sidecar_read_colliders(r->file, value, r->arena, &s->colliders, &s->collider_count);
    }
    if (strcmp(key, "parts") == 0) {
        return sn_sidecar_read_parts(r->file, value, r->arena, &s->parts, &s->part_count);
    }
    if (strcmp(key, "character") == 0) {
        return sn_sidecar_read_style(r->file, value, &s->style);
    }
    if (strcmp(key, "fibres") == 0) {
        s->has_fibres = true;
        return sn_sidecar_read_fibres(r->file, value, r->arena, &s->fibres);
    }
    sn_log(SN_LOG_WARNING, "%s: %s: unknown key, ignored", r->file, key);
    return SN_OK;
}

sn_result sn_sidecar_read(const sn_source *source, sn_arena *arena, sn_sidecar *sidecar)
{
    *sidecar = (sn_sidecar){.path = source->name};
    json_t *root = NULL;
    const reader r = {source->name, arena};
    sn_result result = sn_json_load(source, JSON_REJECT_DUPLICATES, &root);
    if (result == SN_OK && !json_is_object(root)) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: line 1: must be a JSON object", source->name);
    }
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(root, key, value)
    {
        if (result == SN_OK) {
            result = read_member(&r, key, value, sidecar);
        }
    }
    json_decref(root);
    return result;
}

const char *sn_sidecar_path(const char *path, sn_arena *arena)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    const size_t size = (size_t)stem + sizeof ".sinew.json";
    char *name = SN_NEW(arena, char, size);
    if (name) {
        snprintf(name, size, "%.*s.sinew.json", stem, path);
    }
    return name;
}

sn_result sn_sidecar_find(const char *path, sn_arena *arena, sn_sidecar *sidecar)
{
    *sidecar = (sn_sidecar){.path = NULL};
    const char *name = sn_sidecar_path(path, arena);
    if (!name) {
        return SN_ERROR_MEMORY;
    }
    if (access(name, F_OK) != 0) {
        return SN_OK;
    }
    sn_source source;
    SN_TRY(sn_source_read(name, arena, &source));
    return sn_sidecar_read(&source, arena, sidecar);
}
