/* SPDX-License-Identifier: MIT */
/* Events of a scene file: changes during the simulation. */
#include "tools/scene_json/number.h"

#define COPY_LIMIT SN_SCENE_BODY_LIMIT

static void read_number(const sn_json *at, const char *key, unsigned bit, double *value, sn_scene_event *event)
{
    if (sn_json_has(at, key)) {
        *value = sn_json_number(at, key, 0);
        event->parameters |= bit;
    }
}

static void read_count(const sn_json *at, const char *key, int min, unsigned bit, int *value, sn_scene_event *event)
{
    if (sn_json_has(at, key)) {
        *value = (int)sn_json_integer(at, key, 1, min, 1000);
        event->parameters |= bit;
    }
}

static void read_point(const sn_json *at, const char *key, unsigned bit, double *value, sn_scene_event *event)
{
    const sn_json point = sn_json_get(at, key);
    event->parameters |= sn_scene_read_point(&point, value) ? bit : 0;
}

static void read_parameters(const sn_json *at, sn_scene_event *event)
{
    sn_body_desc *desc = &event->desc;
    const sn_json lame = sn_json_get(at, "lame");
    read_number(at, "stiffness", SN_SCENE_STIFFNESS, &desc->stiffness, event);
    read_number(at, "mass", SN_SCENE_MASS, &desc->mass, event);
    read_number(at, "poisson", SN_SCENE_POISSON, &desc->poisson, event);
    read_number(at, "damping", SN_SCENE_DAMPING, &desc->damping, event);
    read_number(at, "amount", SN_SCENE_AMOUNT, &desc->amount, event);
    read_count(at, "substeps", 0, SN_SCENE_SUBSTEPS, &desc->substep_count, event);
    read_count(at, "sweeps", 1, SN_SCENE_SWEEPS, &desc->sweep_count, event);
    read_point(at, "gravity", SN_SCENE_GRAVITY, desc->gravity, event);
    read_point(at, "wind", SN_SCENE_WIND, desc->wind, event);
    if (lame.value) {
        event->has_lame = true;
        event->lame[0] = sn_json_entry_number(&lame, 0, 0);
        event->lame[1] = sn_json_entry_number(&lame, 1, 0);
        if (sn_json_count(&lame) != 2) {
            sn_json_fail(&lame, SN_ERROR_FORMAT, "must be [lambda, mu]");
        }
    }
}

/* Applies the compliance to the bone, if there is one. */
static void read_bone(sn_scene_reader *reader, const sn_json *at, sn_scene_event *event)
{
    const sn_json locks = sn_json_get(at, "locks");
    event->bone = sn_scene_read_text(reader, at, "bone");
    if (event->bone && sn_json_has(at, "compliance")) {
        event->has_compliance = true;
        event->compliance = sn_json_number(at, "compliance", 0);
    } else {
        read_number(at, "compliance", SN_SCENE_COMPLIANCE, &event->desc.compliance, event);
    }
    if (locks.value) {
        event->has_locks = true;
        event->locks = sn_scene_read_locks(&locks);
        if (!event->bone) {
            sn_json_fail(&locks, SN_ERROR_FORMAT, "are of a bone");
        }
    }
}

static void read_collider(const sn_json *at, const sn_scene_script *script, sn_scene_event *event)
{
    static const char *const members[] = {"at", "collider", "friction", "present", NULL};
    sn_json_check_keys(at, members);
    event->collider = sn_json_index(at, "collider", script->collider_count);
    event->has_friction = sn_json_has(at, "friction");
    event->friction = sn_json_number(at, "friction", 0);
    event->has_presence = sn_json_has(at, "present");
    event->is_present = sn_json_flag(at, "present", true);
}

void sn_scene_read_event(sn_scene_reader *reader, const sn_json *at, const sn_scene_script *script,
                         sn_scene_event *event)
{
    static const char *const members[] = {"at",         "body",    "copy",   "stiffness", "mass",    "poisson",
                                          "compliance", "damping", "amount", "substeps",  "sweeps",  "gravity",
                                          "wind",       "lame",    "bone",   "locks",     "handles", NULL};
    const sn_json handles = sn_json_get(at, "handles");
    *event = (sn_scene_event){.seconds = sn_json_number(at, "at", 0), .body = -1, .copy = -1, .collider = -1};
    event->desc = sn_default_body_desc();
    sn_json_require(at, "at");
    if (sn_json_has(at, "collider")) {
        read_collider(at, script, event);
        return;
    }
    sn_json_check_keys(at, members);
    event->body = sn_json_has(at, "body") ? sn_json_index(at, "body", script->body_count) : 0;
    event->copy = (int)sn_json_integer(at, "copy", -1, 0, COPY_LIMIT);
    read_parameters(at, event);
    read_bone(reader, at, event);
    event->handles = handles.value ? sn_scene_read_handles(reader, &handles) : NULL;
    if (handles.value && !event->handles && !sn_json_failed(at)) {
        sn_json_fail(&handles, SN_ERROR_FORMAT, "must be a list of handles, at least one");
    }
}
