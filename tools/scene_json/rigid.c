/* SPDX-License-Identifier: MIT */
/* Rigid bodies of a scene file. */
#include "tools/scene_json/number.h"

#define MIN_VALUE 1e-9
#define MAX_VALUE 1e12

static void read_length(const sn_json *at, const char *key, double *value)
{
    sn_scene_read_real(at, key, SN_SCENE_SOLID_MIN_LENGTH, SN_SCENE_SOLID_MAX_LENGTH, value);
}

/* Required and optional members of each shape, in the order of sn_scene_solid_type. */
static void check_members(const sn_json *at, sn_scene_solid_type type)
{
    static const struct {
        const char *needed[2], *other;
    } members[] = {[SN_SOLID_SPHERE] = {{"radius"}, NULL},
                   [SN_SOLID_CAPSULE] = {{"radius", "half_height"}, NULL},
                   [SN_SOLID_CYLINDER] = {{"radius", "half_height"}, NULL},
                   [SN_SOLID_BOX] = {{"half_extents"}, "radius"}};
    const char *all[] = {"shape", "translation", "rotation", NULL, NULL, NULL, NULL};
    int count = 3;
    for (int i = 0; i < 2 && members[type].needed[i]; ++i) {
        all[count++] = members[type].needed[i];
        sn_json_require(at, members[type].needed[i]);
    }
    all[count] = members[type].other;
    sn_json_check_keys(at, all);
}

static void read_solid(const sn_json *at, sn_scene_solid *solid)
{
    static const char *const types[] = {[SN_SOLID_SPHERE] = "sphere",
                                        [SN_SOLID_CAPSULE] = "capsule",
                                        [SN_SOLID_CYLINDER] = "cylinder",
                                        [SN_SOLID_BOX] = "box",
                                        NULL};
    const sn_json extents = sn_json_get(at, "half_extents"), translation = sn_json_get(at, "translation"),
                  rotation = sn_json_get(at, "rotation");
    int type = SN_SOLID_SPHERE;
    sn_json_require(at, "shape");
    sn_scene_read_choice(at, "shape", types, &type);
    solid->type = (sn_scene_solid_type)type;
    check_members(at, solid->type);
    read_length(at, "radius", &solid->radius);
    read_length(at, "half_height", &solid->half_height);
    if (extents.value && sn_json_count(&extents) != 3) {
        sn_json_fail(&extents, SN_ERROR_FORMAT, "must have three numbers");
    }
    sn_scene_read_point(&extents, solid->half_extents);
    sn_scene_read_point(&translation, solid->translation);
    sn_scene_read_point(&rotation, solid->rotation);
}

const sn_scene_rigid *sn_scene_read_rigid(sn_scene_reader *reader, const sn_json *body)
{
    static const char *const members[] = {"kinematic", "mass",     "density",          "friction", "restitution",
                                          "dents",     "velocity", "angular_velocity", "shapes",   NULL};
    const sn_json at = sn_json_get(body, "rigid"), list = sn_json_get(&at, "shapes");
    sn_scene_rigid *rigid = at.value ? SN_SCENE_NEW(reader, sn_scene_rigid, 1) : NULL;
    if (!rigid) {
        return NULL;
    }
    *rigid = sn_default_scene_rigid();
    sn_json_check_keys(&at, members);
    rigid->is_kinematic = sn_json_flag(&at, "kinematic", false);
    sn_scene_read_real(&at, "mass", MIN_VALUE, MAX_VALUE, &rigid->mass);
    sn_scene_read_real(&at, "density", MIN_VALUE, MAX_VALUE, &rigid->density);
    sn_scene_read_real(&at, "friction", 0, MAX_VALUE, &rigid->friction);
    sn_scene_read_real(&at, "restitution", 0, 1, &rigid->restitution);
    sn_scene_read_real(&at, "dents", 0, 10, &rigid->dents);
    sn_scene_read_vector(reader, &at, "velocity", &rigid->velocity);
    sn_scene_read_vector(reader, &at, "angular_velocity", &rigid->angular_velocity);
    const int count = sn_scene_count(&list, SN_SCENE_SOLID_LIMIT);
    sn_scene_solid *solids = SN_SCENE_NEW(reader, sn_scene_solid, count);
    for (int i = 0; solids && i < count && !sn_json_failed(&list); ++i) {
        const sn_json entry = sn_json_entry(&list, (size_t)i);
        read_solid(&entry, &solids[i]);
    }
    rigid->solids = solids;
    rigid->solid_count = count;
    return rigid;
}
