/* SPDX-License-Identifier: MIT */
/* Name lookups of the DragonBones reader. Lists can be as long as the file, so linear searches per entry would take
 * quadratic time. */
#include <string.h>

#include "author/io/drawing/dragonbones.h"

static sn_token name_of(const char *text)
{
    return (sn_token){text, strlen(text)};
}

sn_result sn_dragon_names_build(const json_t *list, sn_dragon_names *names)
{
    const size_t count = json_array_size(list);
    *names =
        (sn_dragon_names){.list = list, .count = count, .first_entries = sn_alloc(count, sizeof *names->first_entries)};
    for (size_t i = 0; i < count && names->first_entries; ++i) {
        const size_t known = names->table.names.count;
        const int64_t number = sn_name_add(&names->table, name_of(sn_dragon_text(json_array_get(list, i), "name")));
        if (number < 0) {
            return SN_ERROR_MEMORY;
        }
        if ((size_t)number == known) {
            names->first_entries[number] = i;
        }
    }
    return names->first_entries ? SN_OK : SN_ERROR_MEMORY;
}

void sn_dragon_names_finish(sn_dragon_names *names)
{
    sn_free(names->first_entries, names->count, sizeof *names->first_entries);
    sn_name_table_finish(&names->table);
    *names = (sn_dragon_names){0};
}

const json_t *sn_dragon_find(const sn_dragon_names *names, const char *name)
{
    const int64_t number = sn_name_find(&names->table, name_of(name));
    return number < 0 ? NULL : json_array_get(names->list, names->first_entries[number]);
}

/* The pictures that animations display in the slots of one name. */
typedef struct slot_displays {
    bool has_display, is_varying; /* a display is set; different ones are set */
    double display;               /* the first display */
} slot_displays;

static void add_displays(const json_t *frames, slot_displays *s)
{
    for (size_t i = 0; i < json_array_size(frames); ++i) {
        const double display = sn_dragon_number(json_array_get(frames, i), "value", 0);
        if (display >= 0) { /* negative: the slot is hidden */
            s->is_varying = s->is_varying || (s->has_display && display != s->display);
            s->display = s->has_display ? s->display : display;
            s->has_display = true;
        }
    }
}

sn_result sn_dragon_count_animated_slots(const json_t *armature, int *count)
{
    const json_t *animations = json_object_get(armature, "animation"), *slots = json_object_get(armature, "slot");
    sn_dragon_names names;
    *count = 0;
    const sn_result result = sn_dragon_names_build(slots, &names);
    slot_displays *all = result == SN_OK ? sn_alloc(names.count, sizeof *all) : NULL;
    for (size_t a = 0; a < json_array_size(animations) && all; ++a) {
        const json_t *list = json_object_get(json_array_get(animations, a), "slot");
        for (size_t i = 0; i < json_array_size(list); ++i) {
            const json_t *entry = json_array_get(list, i);
            const int64_t number = sn_name_find(&names.table, name_of(sn_dragon_text(entry, "name")));
            if (number >= 0) {
                add_displays(json_object_get(entry, "displayFrame"), &all[number]);
            }
        }
    }
    for (size_t i = 0; i < names.count && all; ++i) {
        const json_t *slot = json_array_get(slots, i);
        const slot_displays *s = &all[sn_name_find(&names.table, name_of(sn_dragon_text(slot, "name")))];
        *count += s->is_varying || (s->has_display && s->display != sn_dragon_number(slot, "displayIndex", 0));
    }
    sn_free(all, names.count, sizeof *all);
    const bool is_ok = all != NULL;
    sn_dragon_names_finish(&names);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
