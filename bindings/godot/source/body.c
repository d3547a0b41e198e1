/* SPDX-License-Identifier: MIT */
/* The class SinewBody: the flesh of one avatar. All bodies are in one world, which the main thread steps. */
#include <stdlib.h>
#include <string.h>

#include "bindings/godot/source/model.h"

#define METHOD_GET_BONE_GLOBAL_POSE 1965739696 /* the hash in Godot's extension API */

/* What carries a bone of the model: a bone of a skeleton, and what turns model units at bind to that bone's space. */
typedef struct joint {
    int skeleton, bone; /* skeleton < 0: set_pose gives it */
    float bind_inverse[12];
} joint;

typedef struct body_instance {
    shared_model *model; /* null until it is created */
    sn_body_desc desc;
    sn_body_id body;
    int bone_count, morph_count;
    joint *joints;   /* (bone_count) */
    sn_mat3x4 *pose; /* (bone_count) */
} body_instance;

static sn_world_id world; /* zero until the first body */

void end_world(void)
{
    sn_world_destroy(world);
    world = (sn_world_id){0};
}

static bool begin_world(void)
{
    sn_world_desc desc = sn_default_world_desc();
    desc.worker_count = 0; /* one thread a processor */
    return world.index1 || sn_world_create(&desc, &world) == SN_OK;
}

static void *create(void)
{
    return calloc(1, sizeof(body_instance));
}

static bool is_alive(const body_instance *body)
{
    return body->model && sn_body_is_valid(body->body);
}

static void clear(body_instance *body)
{
    if (is_alive(body)) {
        sn_body_destroy(body->body);
    }
    release_shared_model(body->model);
    free(body->joints);
    free(body->pose);
    *body = (body_instance){0};
}

static void destroy(void *self)
{
    clear(self);
    free(self);
}

/* setup(model): a body at rest in the bind pose. */
static void setup(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    const model_instance *model = instance_of(arguments[0]);
    *(bool *)result = false;
    clear(body);
    if (!model || !model->shared || !begin_world()) {
        return;
    }
    body->model = model->shared;
    ++body->model->user_count;
    body->bone_count = sn_model_bone_count(body->model->model);
    body->morph_count = sn_model_morph_count(body->model->model);
    body->joints = calloc((size_t)body->bone_count, sizeof *body->joints);
    body->pose = calloc((size_t)body->bone_count, sizeof *body->pose);
    body->desc = sn_default_body_desc();
    body->desc.model = body->model->model;
    body->desc.is_without_springs = true; /* Godot draws its own bones */
    if (!body->joints || !body->pose || sn_body_create(world, &body->desc, &body->body) != SN_OK) {
        clear(body);
        return;
    }
    for (int i = 0; i < body->bone_count; ++i) {
        body->joints[i].skeleton = -1;
        body->pose[i].m[0][0] = body->pose[i].m[1][1] = body->pose[i].m[2][2] = 1;
    }
    *(bool *)result = true;
}

/* ---- parameters ---- */

/* set_parameters(amount, stiffness, damping, gravity, wind): vectors in model units. */
static void set_parameters(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    sn_body_desc desc = body->desc;
    const float *gravity = arguments[3], *wind = arguments[4];
    desc.amount = *(const double *)arguments[0];
    desc.stiffness = *(const double *)arguments[1];
    desc.damping = *(const double *)arguments[2];
    for (int d = 0; d < 3; ++d) {
        desc.gravity[d] = (double)gravity[d];
        desc.wind[d] = (double)wind[d];
    }
    *(bool *)result = is_alive(body) && sn_body_set_desc(body->body, &desc) == SN_OK;
    if (*(bool *)result) {
        body->desc = desc;
    }
}

/* set_detail(mode_count, cluster_level). */
static void set_detail(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    sn_body_desc desc = body->desc;
    desc.mode_count = (int)*(const int64_t *)arguments[0];
    desc.cluster_level = (int)*(const int64_t *)arguments[1];
    *(bool *)result = is_alive(body) && sn_body_set_desc(body->body, &desc) == SN_OK;
    if (*(bool *)result) {
        body->desc = desc;
    }
}

/* ---- poses ---- */

/* set_joint(bone, skeleton, skeleton_bone, bind_inverse): from now on read_skeleton(skeleton, ...) moves the bone.
 * bind_inverse: from model units at bind to the skeleton's bone. */
static void set_joint(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    const int64_t bone = *(const int64_t *)arguments[0];
    (void)result;
    if (bone >= 0 && bone < body->bone_count) {
        joint *j = &body->joints[bone];
        j->skeleton = (int)*(const int64_t *)arguments[1];
        j->bone = (int)*(const int64_t *)arguments[2];
        memcpy(j->bind_inverse, arguments[3], sizeof j->bind_inverse);
    }
}

/* copy_joint(bone, other): the bone moves as another one. */
static void copy_joint(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    const int64_t bone = *(const int64_t *)arguments[0], other = *(const int64_t *)arguments[1];
    (void)result;
    if (bone >= 0 && bone < body->bone_count && other >= 0 && other < body->bone_count) {
        body->joints[bone] = body->joints[other];
    }
}

/* read_skeleton(skeleton, node, to_model): reads the poses of a Skeleton3D. to_model: from it to model units. */
static void read_skeleton(void *self, const void *const *arguments, void *result)
{
    static GDExtensionMethodBindPtr get_pose;
    body_instance *body = self;
    const int64_t skeleton = *(const int64_t *)arguments[0];
    GDExtensionObjectPtr const node = *(GDExtensionObjectPtr const *)arguments[1];
    const float *to_model = arguments[2];
    (void)result;
    if (!get_pose) {
        const godot_name class_name = make_name("Skeleton3D"), method = make_name("get_bone_global_pose");
        get_pose = godot.classdb_get_method_bind(&class_name, &method, METHOD_GET_BONE_GLOBAL_POSE);
    }
    for (int bone = 0; get_pose && node && bone < body->bone_count; ++bone) {
        const joint *j = &body->joints[bone];
        if (j->skeleton == skeleton) {
            const int64_t index = j->bone;
            const GDExtensionConstTypePtr pose_arguments[1] = {&index};
            float pose[12], posed[12], moved[12];
            godot.object_method_bind_ptrcall(get_pose, node, pose_arguments, pose);
            multiply_transforms(pose, j->bind_inverse, posed);
            multiply_transforms(to_model, posed, moved);
            to_mat3x4(moved, &body->pose[bone]);
        }
    }
}

/* set_pose(bone, transform): relative to bind, in model units. */
static void set_pose(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    const int64_t bone = *(const int64_t *)arguments[0];
    (void)result;
    if (bone >= 0 && bone < body->bone_count) {
        to_mat3x4(arguments[1], &body->pose[bone]);
    }
}

static void set_clip_pose(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    const int64_t clip = *(const int64_t *)arguments[0];
    (void)result;
    if (is_alive(body) && clip >= 0 && clip < sn_model_clip_count(body->desc.model)) {
        sn_model_clip_pose(body->desc.model, (int)clip, *(const double *)arguments[1], body->pose, body->bone_count);
    }
}

/* apply_pose(): gives the pose to the body, whose next steps move there. */
static void apply_pose(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    (void)arguments;
    (void)result;
    if (is_alive(body)) {
        sn_body_set_pose(body->body, body->pose, body->bone_count);
    }
}

static void set_morphs(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    (void)result;
    if (is_alive(body) && packed_size(TYPE(PACKED_FLOAT32_ARRAY), arguments[0]) == body->morph_count) {
        sn_body_set_morphs(body->body, packed_elements(TYPE(PACKED_FLOAT32_ARRAY), arguments[0]), body->morph_count);
    }
}

static void reset(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    (void)arguments;
    (void)result;
    if (is_alive(body)) {
        sn_body_reset(body->body);
    }
}

/* ---- steps and their result ---- */

/* step_all(seconds): steps the bodies of all avatars, and returns the number of steps. */
static void step_all(void *self, const void *const *arguments, void *result)
{
    (void)self;
    *(int64_t *)result = world.index1 ? sn_world_step(world, *(const double *)arguments[0]).step_count : 0;
}

/* get_modes(): the rows of the modes' matrices, three vectors a mode of the model. */
static void get_modes(void *self, const void *const *arguments, void *result)
{
    const body_instance *body = self;
    (void)arguments;
    if (is_alive(body)) {
        const int mode_count = sn_model_mode_count(body->desc.model);
        const sn_body_matrices output = sn_body_output(body->body);
        sn_mat3x4 *modes = packed_resize(TYPE(PACKED_VECTOR4_ARRAY), result, 3 * (int64_t)mode_count);
        if (modes) {
            memset(modes, 0, (size_t)mode_count * sizeof *modes);
            memcpy(modes, output.matrices + output.bone_count, (size_t)output.mode_count * sizeof *modes);
        }
    }
}

/* skin(normals): for tests and tools, the positions of the model's surface in model units, or its normals. */
static void skin(void *self, const void *const *arguments, void *result)
{
    const body_instance *body = self;
    if (is_alive(body)) {
        const bool is_normals = *(const bool *)arguments[0];
        const sn_surface surface = sn_model_surface(body->desc.model);
        const sn_body_matrices output = sn_body_output(body->body);
        const int64_t count = surface.vertex_count;
        float *vectors = packed_resize(TYPE(PACKED_VECTOR3_ARRAY), result, count);
        float *positions = is_normals ? malloc(3 * (size_t)count * sizeof *positions) : vectors;
        if (vectors && positions) {
            sn_surface_skin(&surface, &output, positions, is_normals ? vectors : NULL, NULL);
        }
        if (is_normals) {
            free(positions);
        }
    }
}

/* ---- hands; points in model units ---- */

static void to_doubles(const float *v, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)v[d];
    }
}

/* poke(point, velocity): an impulse that moves a hundredth of the flesh's mass by this velocity. */
static void poke(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    double point[3], impulse[3];
    (void)result;
    to_doubles(arguments[0], point);
    to_doubles(arguments[1], impulse);
    if (is_alive(body)) {
        for (int d = 0; d < 3; ++d) {
            impulse[d] *= 0.01 * sn_model_mass(body->desc.model);
        }
        sn_body_apply_impulse(body->body, point, impulse);
    }
}

/* grab(point, max_distance): a number for drag and let_go, or -1. */
static void grab(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    sn_grab_desc desc = sn_default_grab_desc();
    double point[3];
    desc.max_distance = *(const double *)arguments[1];
    to_doubles(arguments[0], point);
    *(int64_t *)result = is_alive(body) ? sn_body_grab(body->body, point, &desc) : -1;
}

static void drag(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    double target[3];
    (void)result;
    to_doubles(arguments[1], target);
    if (is_alive(body)) {
        sn_body_drag(body->body, (int)*(const int64_t *)arguments[0], target);
    }
}

static void let_go(void *self, const void *const *arguments, void *result)
{
    body_instance *body = self;
    (void)result;
    if (is_alive(body)) {
        sn_body_release(body->body, (int)*(const int64_t *)arguments[0]);
    }
}

static const godot_method methods[] = {
    {.name = "setup",
     .function = setup,
     .result = TYPE(BOOL),
     .argument_count = 1,
     .arguments = {{.name = "model", .type = TYPE(OBJECT), .class_name = "SinewModel"}}},
    {.name = "set_parameters",
     .function = set_parameters,
     .result = TYPE(BOOL),
     .argument_count = 5,
     .arguments = {{.name = "amount", .type = TYPE(FLOAT)},
                   {.name = "stiffness", .type = TYPE(FLOAT)},
                   {.name = "damping", .type = TYPE(FLOAT)},
                   {.name = "gravity", .type = TYPE(VECTOR3)},
                   {.name = "wind", .type = TYPE(VECTOR3)}}},
    {.name = "set_detail",
     .function = set_detail,
     .result = TYPE(BOOL),
     .argument_count = 2,
     .arguments = {{.name = "mode_count", .type = TYPE(INT)}, {.name = "cluster_level", .type = TYPE(INT)}}},
    {.name = "set_joint",
     .function = set_joint,
     .argument_count = 4,
     .arguments = {{.name = "bone", .type = TYPE(INT)},
                   {.name = "skeleton", .type = TYPE(INT)},
                   {.name = "skeleton_bone", .type = TYPE(INT)},
                   {.name = "bind_inverse", .type = TYPE(TRANSFORM3D)}}},
    {.name = "copy_joint",
     .function = copy_joint,
     .argument_count = 2,
     .arguments = {{.name = "bone", .type = TYPE(INT)}, {.name = "other", .type = TYPE(INT)}}},
    {.name = "read_skeleton",
     .function = read_skeleton,
     .argument_count = 3,
     .arguments = {{.name = "skeleton", .type = TYPE(INT)},
                   {.name = "node", .type = TYPE(OBJECT), .class_name = "Skeleton3D"},
                   {.name = "to_model", .type = TYPE(TRANSFORM3D)}}},
    {.name = "set_pose",
     .function = set_pose,
     .argument_count = 2,
     .arguments = {{.name = "bone", .type = TYPE(INT)}, {.name = "transform", .type = TYPE(TRANSFORM3D)}}},
    {.name = "set_clip_pose",
     .function = set_clip_pose,
     .argument_count = 2,
     .arguments = {{.name = "clip", .type = TYPE(INT)}, {.name = "seconds", .type = TYPE(FLOAT)}}},
    {.name = "apply_pose", .function = apply_pose},
    {.name = "set_morphs",
     .function = set_morphs,
     .argument_count = 1,
     .arguments = {{.name = "weights", .type = TYPE(PACKED_FLOAT32_ARRAY)}}},
    {.name = "reset", .function = reset},
    {.name = "step_all",
     .function = step_all,
     .result = TYPE(INT),
     .is_static = true,
     .argument_count = 1,
     .arguments = {{.name = "seconds", .type = TYPE(FLOAT)}}},
    {.name = "get_modes", .function = get_modes, .result = TYPE(PACKED_VECTOR4_ARRAY)},
    {.name = "skin",
     .function = skin,
     .result = TYPE(PACKED_VECTOR3_ARRAY),
     .argument_count = 1,
     .arguments = {{.name = "normals", .type = TYPE(BOOL)}}},
    {.name = "poke",
     .function = poke,
     .argument_count = 2,
     .arguments = {{.name = "point", .type = TYPE(VECTOR3)}, {.name = "velocity", .type = TYPE(VECTOR3)}}},
    {.name = "grab",
     .function = grab,
     .result = TYPE(INT),
     .argument_count = 2,
     .arguments = {{.name = "point", .type = TYPE(VECTOR3)}, {.name = "max_distance", .type = TYPE(FLOAT)}}},
    {.name = "drag",
     .function = drag,
     .argument_count = 2,
     .arguments = {{.name = "grab", .type = TYPE(INT)}, {.name = "target", .type = TYPE(VECTOR3)}}},
    {.name = "let_go", .function = let_go, .argument_count = 1, .arguments = {{.name = "grab", .type = TYPE(INT)}}},
};

const godot_class body_class = {.name = "SinewBody",
                                .parent = "RefCounted",
                                .create = create,
                                .destroy = destroy,
                                .methods = methods,
                                .method_count = COUNT_OF(methods)};
