/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/sidecar_names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "author/cook/parts/part_table.h"
#include "author/io/text.h"

#define LIST_BYTES 200
#define PRINTABLE_BYTES 48

static bool is_part(const sn_character *c, const char *name)
{
    bool is_found = false;
    for (int p = 0; p < c->part_count && !is_found; ++p) {
        is_found = strcmp(c->parts[p].name, name) == 0;
    }
    return is_found;
}

static bool is_material(const sn_character *c, const char *name)
{
    bool is_found = false;
    for (int m = 0; m < c->material_count && !is_found; ++m) {
        is_found = strcmp(c->materials[m].name, name) == 0;
    }
    return is_found;
}

static bool is_bone(const sn_cook_context *cook, const char *name)
{
    bool is_found = false;
    for (int b = 0; b < cook->bone_count && !is_found; ++b) {
        is_found = strcmp(cook->bone_names[b], name) == 0;
    }
    return is_found;
}

static void check_parts(const sn_cook_context *cook, const sn_name_list *list, const char *member)
{
    for (int i = 0; i < list->count; ++i) {
        if (!is_part(&cook->character, list->names[i])) {
            sn_log(SN_LOG_WARNING, "%s: %s: no part is called '%s'", cook->sidecar.path, member, list->names[i]);
        }
    }
}

static void check_bones(const sn_cook_context *cook, const sn_name_list *list, const char *member)
{
    for (int i = 0; i < list->count; ++i) {
        if (!is_bone(cook, list->names[i])) {
            sn_log(SN_LOG_WARNING, "%s: %s: no bone is called '%s'", cook->sidecar.path, member, list->names[i]);
        }
    }
}

/* Among `count` names. */
static bool is_listed(const char *const *names, int count, const char *name)
{
    bool is_found = false;
    for (int i = 0; i < count && !is_found; ++i) {
        is_found = strcmp(names[i], name) == 0;
    }
    return is_found;
}

/* A tet mesh with named groups is meant to be addressed by them, so an unknown name is an error; the message lists some
 * of the names. */
static sn_result fail_group(const sn_cook_context *cook, const char *name)
{
    const char *const *names = cook->groups.names;
    const int count = cook->groups.count + cook->groups.empty_count;
    if (is_listed(names, count, name)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: materials: no tet of %s belongs to its physical group '%s'",
                       cook->sidecar.path, cook->path, name);
    }
    char list[LIST_BYTES] = "";
    size_t size = 0;
    for (int g = 0; g < count && size < sizeof list - 1; ++g) {
        char printable[PRINTABLE_BYTES];
        sn_text_printable(names[g], strlen(names[g]), printable, sizeof printable);
        if (!is_listed(names, g, names[g])) { /* groups may share a name */
            size += (size_t)snprintf(list + size, sizeof list - size, "%s'%s'", g > 0 ? ", " : "", printable);
        }
    }
    return sn_fail(SN_ERROR_ARGUMENT, "%s: materials: no physical group of %s is called '%s': it has %s%s",
                   cook->sidecar.path, cook->path, name, list, size >= sizeof list ? "..." : "");
}

static sn_result check_materials(const sn_cook_context *cook)
{
    const sn_sidecar *s = &cook->sidecar;
    const sn_tet_groups *groups = &cook->groups;
    const bool is_grouped = !cook->has_character && groups->count + groups->empty_count > 0;
    for (int i = 0; i < s->material_count; ++i) {
        const char *name = s->materials[i].name;
        if (is_material(&cook->character, name) || is_listed(groups->names, groups->count, name)) {
            continue;
        }
        if (is_grouped) {
            return fail_group(cook, name);
        }
        sn_log(SN_LOG_WARNING, "%s: materials: no material is called '%s'", s->path, name);
    }
    return SN_OK;
}

/* The list of kinds in the message is what the user needs most. */
static sn_result check_parts_table(const sn_sidecar *s)
{
    for (int i = 0; i < s->part_count; ++i) {
        const char *kind = s->parts[i].kind;
        if (!kind || strcasecmp(kind, "rigid") == 0 || strcasecmp(kind, "soft") == 0 ||
            sn_flesh_kind_find(kind) < SN_FLESH_KIND_COUNT) {
            continue;
        }
        char list[600] = "rigid, soft", printable[PRINTABLE_BYTES];
        for (int k = 0; k < SN_FLESH_KIND_COUNT; ++k) {
            const size_t size = strlen(list);
            snprintf(list + size, sizeof list - size, ", %s", sn_flesh_preset_of((sn_flesh_kind)k)->name);
        }
        sn_text_printable(kind, strlen(kind), printable, sizeof printable);
        return sn_fail(SN_ERROR_ARGUMENT, "%s: parts.%s: '%s' is no kind of part; use one of %s", s->path,
                       s->parts[i].name, printable, list);
    }
    return SN_OK;
}

sn_result sn_sidecar_check_names(const sn_cook_context *cook)
{
    const sn_sidecar *s = &cook->sidecar;
    check_parts(cook, &s->rigid, "rigid");
    check_parts(cook, &s->soft, "soft");
    check_parts(cook, &s->show, "show");
    check_parts(cook, &s->hide, "hide");
    for (int i = 0; i < s->bone_count; ++i) {
        if (!is_bone(cook, s->bones[i].name)) {
            sn_log(SN_LOG_WARNING, "%s: bones: no bone is called '%s'", s->path, s->bones[i].name);
        }
    }
    check_bones(cook, &s->soft_bones, "loose");
    check_bones(cook, &s->held, "held");
    for (int i = 0; i < s->pin.count; ++i) {
        const char *name = s->pin.names[i];
        if (!is_part(&cook->character, name) && !is_material(&cook->character, name) && !is_bone(cook, name)) {
            sn_log(SN_LOG_WARNING, "%s: pin: no bone, part or material is called '%s'", s->path, name);
        }
    }
    SN_TRY(check_parts_table(s));
    return check_materials(cook);
}
