/* SPDX-License-Identifier: MIT */
/* Writes VRMC_vrm (humanoid bones, expressions, meta, lookAt) with VRMC_springBone, and VRMC_vrm_animation. */
#include <math.h>
#include <string.h>

#include "author/io/gltf/gltf_writer.h"

static json_t *build_humanoid(const sn_scene_file *scene)
{
    json_t *bones = json_object();
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        json_object_set_new(bones, scene->humanoid_bones[i].bone,
                            json_pack("{s:i}", "node", (int)scene->humanoid_bones[i].node));
    }
    return json_pack("{s:o}", "humanBones", bones);
}

/* Presets have a list of their own. */
static json_t *build_expressions(const sn_scene_file *scene)
{
    json_t *preset = json_object(), *custom = json_object();
    for (int i = 0; i < scene->expression_count; ++i) {
        const sn_expression *from = &scene->expressions[i].definition;
        const char *own = scene->expressions[i].name, *name = sn_vrm_preset_name(own);
        json_t *binds = json_array(), *written;
        for (int k = from->first_bind; k < from->first_bind + from->bind_count; ++k) {
            const sn_scene_expression_bind *bind = &scene->expression_binds[k];
            json_array_append_new(binds, json_pack("{s:i,s:i,s:f}", "node", (int)bind->node, "index", (int)bind->morph,
                                                   "weight", (double)bind->weight));
        }
        written = json_pack("{s:b,s:o}", "isBinary", (int)from->is_binary, "morphTargetBinds", binds);
        for (int g = 0; g < SN_EXPRESSION_GROUP_COUNT; ++g) {
            const char *kind = from->blocked_groups >> g & 1 ? "block" : from->blended_groups >> g & 1 ? "blend" : NULL;
            if (kind) {
                json_object_set_new(written, sn_vrm_override_names[g], json_string(kind));
            }
        }
        json_object_set_new(name && strcmp(name, own) == 0 ? preset : custom, own, written);
    }
    return json_pack("{s:o,s:o}", "preset", preset, "custom", custom);
}

/* ---- spring bones ---- */

static json_t *build_shape(const sn_spring_collider *c)
{
    if (c->shape == SN_COLLIDER_PLANE) {
        return json_pack("{s:{s:o,s:o}}", "plane", "offset", sn_gltf_reals(c->offset, 3), "normal",
                         sn_gltf_reals(c->normal, 3));
    }
    const bool is_capsule = c->shape == SN_COLLIDER_CAPSULE;
    json_t *shape = json_pack("{s:o,s:f}", "offset", sn_gltf_reals(c->offset, 3), "radius", c->radius);
    if (is_capsule) {
        json_object_set_new(shape, "tail", sn_gltf_reals(c->tail, 3));
    }
    if (c->is_inside) {
        json_object_set_new(shape, "inside", json_true());
    }
    return json_pack("{s:o}", is_capsule ? "capsule" : "sphere", shape);
}

/* Programs without the extension for planes and insides get a sphere that touches nothing, as its text recommends. */
static json_t *build_collider(sn_gltf_writer *w, const sn_spring_collider *c)
{
    json_t *collider = json_pack("{s:i}", "node", (int)c->node);
    if (!c->is_inside && c->shape != SN_COLLIDER_PLANE) {
        json_object_set_new(collider, "shape", build_shape(c));
        return collider;
    }
    json_object_set_new(collider, "shape",
                        json_pack("{s:{s:[f,f,f],s:f}}", "sphere", "offset", 0.0, -10000.0, 0.0, "radius", 0.0));
    json_object_set_new(
        collider, "extensions",
        json_pack("{s:{s:s,s:o}}", "VRMC_springBone_extended_collider", "specVersion", "1.0", "shape", build_shape(c)));
    sn_gltf_use_extension(w, "VRMC_springBone_extended_collider");
    return collider;
}

static json_t *build_joint(const sn_spring_link *link)
{
    const double *g = link->gravity, power = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double direction[3] = {power > 0 ? g[0] / power : 0, power > 0 ? g[1] / power : -1,
                                 power > 0 ? g[2] / power : 0};
    return json_pack("{s:i,s:f,s:f,s:f,s:o,s:f}", "node", (int)link->node, "hitRadius", link->hit_radius, "stiffness",
                     link->stiffness, "gravityPower", power, "gravityDir", sn_gltf_reals(direction, 3), "dragForce",
                     link->drag);
}

/* A chain: its links follow each other in the list, and the tail of the last ends it. */
static json_t *build_spring(const sn_scene_file *scene, int group)
{
    json_t *joints = json_array(), *spring = json_object();
    int32_t tail = -1;
    for (int i = 0; i < scene->spring_link_count; ++i) {
        if (scene->spring_links[i].group == group) {
            json_array_append_new(joints, build_joint(&scene->spring_links[i]));
            tail = scene->spring_links[i].tail;
        }
    }
    if (tail >= 0) {
        json_array_append_new(joints, json_pack("{s:i}", "node", (int)tail));
    }
    json_object_set_new(spring, "joints", joints);
    json_object_set_new(spring, "colliderGroups", json_pack("[i]", group));
    if (scene->springs[group].center >= 0) {
        sn_gltf_set_integer(spring, "center", scene->springs[group].center);
    }
    return spring;
}

/* Each spring has a group of colliders of its own. */
static void write_springs(sn_gltf_writer *w)
{
    const sn_scene_file *scene = w->scene;
    json_t *colliders = json_array(), *groups = json_array(), *springs = json_array();
    for (int i = 0; i < scene->collider_count; ++i) {
        json_array_append_new(colliders, build_collider(w, &scene->colliders[i]));
    }
    for (int i = 0; i < scene->spring_count; ++i) {
        json_t *members = json_array();
        for (int k = 0; k < scene->springs[i].collider_count; ++k) {
            json_array_append_new(members, json_integer(scene->spring_colliders[scene->springs[i].first_collider + k]));
        }
        json_array_append_new(groups, json_pack("{s:o}", "colliders", members));
        json_array_append_new(springs, build_spring(scene, i));
    }
    json_object_set_new(json_object_get(w->root, "extensions"), "VRMC_springBone",
                        json_pack("{s:s,s:o,s:o,s:o}", "specVersion", "1.0", "colliders", colliders, "colliderGroups",
                                  groups, "springs", springs));
    sn_gltf_use_extension(w, "VRMC_springBone");
}

static void write_avatar(sn_gltf_writer *w)
{
    json_t *vrm = json_loads(w->scene->vrm, 0, NULL);
    if (!json_is_object(vrm)) {
        w->result =
            sn_fail(SN_ERROR_FORMAT, "%s: the licence of the VRM is damaged; cook the character again", w->path);
        json_decref(vrm);
        return;
    }
    json_object_set_new(vrm, "specVersion", json_string("1.0"));
    json_object_set_new(vrm, "humanoid", build_humanoid(w->scene));
    json_object_set_new(vrm, "expressions", build_expressions(w->scene));
    json_object_set_new(w->root, "extensions", json_pack("{s:o}", "VRMC_vrm", vrm));
    sn_gltf_use_extension(w, "VRMC_vrm");
    if (w->scene->spring_count > 0) {
        write_springs(w);
    }
}

static void write_animation(sn_gltf_writer *w)
{
    const sn_scene_file *scene = w->scene;
    json_t *preset = json_object(), *custom = json_object();
    for (int i = 0; i < scene->expression_track_count; ++i) {
        const sn_scene_expression_track *track = &scene->expression_tracks[i];
        const char *name = sn_vrm_preset_name(track->name);
        const bool is_preset = name && strcmp(name, track->name) == 0;
        json_object_set_new(is_preset ? preset : custom, track->name, json_pack("{s:i}", "node", (int)track->node));
    }
    json_object_set_new(w->root, "extensions",
                        json_pack("{s:{s:s,s:o,s:{s:o,s:o}}}", "VRMC_vrm_animation", "specVersion", "1.0", "humanoid",
                                  build_humanoid(scene), "expressions", "preset", preset, "custom", custom));
    sn_gltf_use_extension(w, "VRMC_vrm_animation");
}

void sn_gltf_write_vrm(sn_gltf_writer *w)
{
    if (w->scene->vrm_version == 2 && w->scene->mesh_count == 0) {
        write_animation(w);
    } else if (w->scene->vrm_version == 2 && w->scene->vrm) {
        write_avatar(w);
    }
}
