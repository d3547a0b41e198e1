/* SPDX-License-Identifier: MIT */
#include "author/cook/sidecar_names.h"

#include <stdio.h>
#include <string.h>

#include "author/io/text.h"

#define LIST_BYTES 200
#define SHOWN_BYTES 48

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

static bool is_bone(const sn_cooking *k, const char *name)
{
    bool is_found = false;
    for (int b = 0; b < k->bone_count && !is_found; ++b) {
        is_found = strcmp(k->bone_names[b], name) == 0;
    }
    return is_found;
}

static void check_parts(const sn_cooking *k, const sn_name_list *list, const char *member)
{
    for (int i = 0; i < list->count; ++i) {
        if (!is_part(&k->character, list->names[i])) {
            sn_log(SN_LOG_WARNING, "%s: %s: no part is called '%s'", k->sidecar.path, member, list->names[i]);
        }
    }
}

static void check_bones(const sn_cooking *k, const sn_name_list *list, const char *member)
{
    for (int i = 0; i < list->count; ++i) {
        if (!is_bone(k, list->names[i])) {
            sn_log(SN_LOG_WARNING, "%s: %s: no bone is called '%s'", k->sidecar.path, member, list->names[i]);
        }
    }
}

static bool is_group(const sn_tet_groups *groups, const char *name)
{
    bool is_found = false;
    for (int g = 0; g < groups->count && !is_found; ++g) {
        is_found = strcmp(groups->names[g], name) == 0;
    }
    return is_found;
}

/* A mesh of named parts was made to have them told apart: what names none of them is an error, which lists some. */
static sn_result fail_group(const sn_cooking *k, const char *name)
{
    char list[LIST_BYTES] = "";
    size_t size = 0;
    for (int g = 0; g < k->groups.count && size < sizeof list - 1; ++g) {
        char shown[SHOWN_BYTES];
        const char *each = k->groups.names[g];
        sn_text_printable(each, strlen(each), shown, sizeof shown);
        size += (size_t)snprintf(list + size, sizeof list - size, "%s'%s'", g > 0 ? ", " : "", shown);
    }
    return sn_fail(SN_ERROR_ARGUMENT, "%s: materials: no physical group of %s is called '%s': it has %s%s",
                   k->sidecar.path, k->desc->tets_path ? k->desc->tets_path : k->path, name, list,
                   size >= sizeof list ? "..." : "");
}

sn_result sn_sidecar_check_names(const sn_cooking *k)
{
    const sn_sidecar *s = &k->sidecar;
    check_parts(k, &s->rigid, "rigid");
    check_parts(k, &s->soft, "soft");
    check_parts(k, &s->show, "show");
    check_parts(k, &s->hide, "hide");
    for (int i = 0; i < s->material_count; ++i) {
        const char *name = s->materials[i].name;
        const bool is_known = is_material(&k->character, name) || is_group(&k->groups, name);
        if (!is_known && k->groups.count > 0) {
            return fail_group(k, name);
        }
        if (!is_known) {
            sn_log(SN_LOG_WARNING, "%s: materials: none is called '%s'", s->path, s->materials[i].name);
        }
    }
    for (int i = 0; i < s->bone_count; ++i) {
        if (!is_bone(k, s->bones[i].name)) {
            sn_log(SN_LOG_WARNING, "%s: bones: none is called '%s'", s->path, s->bones[i].name);
        }
    }
    check_bones(k, &s->loose, "loose");
    check_bones(k, &s->held, "held");
    for (int i = 0; i < s->pin.count; ++i) {
        const char *name = s->pin.names[i];
        if (!is_part(&k->character, name) && !is_material(&k->character, name) && !is_bone(k, name)) {
            sn_log(SN_LOG_WARNING, "%s: pin: no bone, part or material is called '%s'", s->path, name);
        }
    }
    return SN_OK;
}
