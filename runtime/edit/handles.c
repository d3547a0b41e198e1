/* SPDX-License-Identifier: MIT */
#include "runtime/edit/handles.h"

#include <stdio.h>
#include <string.h>

#include "host/base/base.h"

/* Where the bones that this one carries begin, on average; false: it carries none. */
static bool find_end(const sn_model *model, int bone, double end[3])
{
    int count = 0;
    memset(end, 0, 3 * sizeof *end);
    for (int child = 0; child < sn_model_bone_count(model); ++child) {
        double pivot[3];
        if (sn_model_bone_parent(model, child) == bone) {
            sn_model_bone_pivot(model, child, pivot);
            ++count;
            for (int d = 0; d < 3; ++d) {
                end[d] += (pivot[d] - end[d]) / count;
            }
        }
    }
    return count > 0;
}

sn_edit_handle sn_edit_handle_of(const sn_model *model, int bone)
{
    sn_edit_handle handle = {.parent = sn_model_bone_parent(model, bone),
                             .cage = -1,
                             .is_stretched = sn_model_is_bone_stretched(model, bone)};
    sn_model_bone_pivot(model, bone, handle.start);
    handle.shape = sn_model_is_bone_translated(model, bone) ? SN_HANDLE_SHAPE_CAGE
                   : find_end(model, bone, handle.end)      ? SN_HANDLE_SHAPE_BONE
                                                            : SN_HANDLE_SHAPE_POINT;
    snprintf(handle.name, sizeof handle.name, "%s", sn_model_bone_name(model, bone));
    return handle;
}

sn_result sn_edit_handles_take(sn_edit_handles *handles, const sn_model *model)
{
    const int count = sn_model_bone_count(model);
    *handles = (sn_edit_handles){0};
    if (count > SN_EDIT_HANDLE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "editing: the character has %d bones, of %d at most", count,
                       SN_EDIT_HANDLE_LIMIT);
    }
    for (int bone = 0; bone < count; ++bone) {
        handles->items[bone] = sn_edit_handle_of(model, bone);
    }
    handles->count = count;
    return SN_OK;
}

int sn_edit_handles_find(const sn_edit_handles *handles, const char *name)
{
    for (int i = 0; i < handles->count; ++i) {
        if (strcmp(handles->items[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int sn_edit_handles_add(sn_edit_handles *handles, const sn_edit_handle *handle)
{
    static const char *const names[] = {
        [SN_HANDLE_SHAPE_POINT] = "point", [SN_HANDLE_SHAPE_BONE] = "bone", [SN_HANDLE_SHAPE_CAGE] = "corner"};
    if (handles->count == SN_EDIT_HANDLE_LIMIT) {
        return -1;
    }
    char name[SN_EDIT_NAME_SIZE];
    int number = 1;
    do {
        snprintf(name, sizeof name, "%s %d", names[handle->shape], number++);
    } while (sn_edit_handles_find(handles, name) >= 0);
    sn_edit_handle *added = &handles->items[handles->count];
    *added = *handle;
    memcpy(added->name, name, sizeof name);
    ++handles->edit;
    return handles->count++;
}

void sn_edit_handles_remove(sn_edit_handles *handles, int index)
{
    const int cage = handles->items[index].cage;
    memmove(&handles->items[index], &handles->items[index + 1],
            (size_t)(handles->count - index - 1) * sizeof handles->items[0]);
    --handles->count;
    ++handles->edit;
    int left = 0;
    for (int i = 0; i < handles->count; ++i) {
        sn_edit_handle *handle = &handles->items[i];
        handle->parent = handle->parent == index ? -1 : handle->parent - (handle->parent > index);
        left += cage >= 0 && handle->cage == cage;
    }
    for (int i = 0; i < handles->count && left < 3; ++i) {
        handles->items[i].cage = cage >= 0 && handles->items[i].cage == cage ? -1 : handles->items[i].cage;
    }
}

int sn_edit_handles_next(const sn_edit_handles *handles, int index)
{
    const int cage = handles->items[index].cage;
    for (int i = 1; i < handles->count && cage >= 0; ++i) {
        const int next = (index + i) % handles->count;
        if (handles->items[next].cage == cage) {
            return next;
        }
    }
    return index;
}

void sn_edit_handles_cook(const sn_edit_handles *handles, sn_edit_cook *cook)
{
    cook->handles = (sn_cook_handles){.count = handles->count, .handles = cook->items, .edges = cook->edges};
    for (int i = 0; i < handles->count; ++i) {
        const sn_edit_handle *from = &handles->items[i];
        sn_cook_handle *to = &cook->items[i];
        *to = (sn_cook_handle){
            .shape = from->shape, .name = from->name, .parent = from->parent, .is_stretched = from->is_stretched};
        memcpy(to->start, from->start, sizeof to->start);
        memcpy(to->end, from->end, sizeof to->end);
        const int next = sn_edit_handles_next(handles, i);
        if (next != i) {
            cook->edges[2 * cook->handles.edge_count] = i;
            cook->edges[2 * cook->handles.edge_count++ + 1] = next;
        }
    }
}
