/* SPDX-License-Identifier: MIT */
/* sinew cook: converts input files to a model. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/cook/cook.h"
#include "author/import/motion_file.h"
#include "author/io/npy.h"
#include "author/io/tets/tet_file.h"
#include "author/mesher/picture.h"
#include "author/modes/modes.h"
#include "host/platform/platform.h"
#include "tools/command/added_motion.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/model_file.h"
#include "tools/command/overwrite.h"
#include "tools/command/verbs.h"
#include "tools/cook/arrays.h"
#include "tools/cook/report.h"

#define BODY_OPTION_LIMIT 32

typedef struct cook_arguments {
    sn_string_list operands, clips;
    const char *output, *rig, *tets, *mask, *weights, *leak, *rows, *pins, *units, *labels, *dump, *morphs, *soft_bones,
        *springbones, *method, *complementary, *tet_stiffness, *tet_density, *tet_poisson;
    double young, poisson, density, sparsity, size, target_inertia_gain;
    int modes, target_modes, clusters[3], threads, vertices, soft;
    bool is_json, has_boundary, is_flat, is_coupled, is_layered, is_without_generated_clips;
} cook_arguments;

/* Array names of --dump, in the order of the table below. */
static const char *const dumped[] = {"vertices",       "tets",        "eigenvalues", "modes", "clusters",
                                     "mass",           "rig_weights", "constraint",  "leak",  "coordinate_constraint",
                                     "carrying_bones", "frames"};
#define DUMPED_COUNT (sizeof dumped / sizeof dumped[0])

static sn_result dump(const sn_cook_context *k, const char *folder)
{
    const size_t n = (size_t)k->mesh.vertex_count, t = (size_t)k->mesh.tet_count, r = (size_t)k->modes.mode_count;
    const struct {
        sn_npy_type type;
        size_t rows, columns; /* 0 columns: a 1D array */
        const void *values;
    } arrays[DUMPED_COUNT] = {
        {SN_NPY_F64, n, 3, k->mesh.positions},
        {SN_NPY_I32, t, k->mesh.is_flat ? 3 : 4, k->mesh.is_flat ? k->boundary : k->mesh.tets},
        {SN_NPY_F64, r, 0, k->modes.eigenvalues},
        {SN_NPY_F64, n, r, k->modes.weights},
        {SN_NPY_I32, t, 0, k->clusters},
        {SN_NPY_F64, n, 0, k->mass},
        {SN_NPY_F64, n, (size_t)k->bone_count, k->rig_weights},
        {SN_NPY_F64, (size_t)k->constraint.row_count, n, k->constraint.rows},
        {SN_NPY_F64, n, 0, k->leak},
        {SN_NPY_F64, (size_t)k->coordinate_constraint.row_count, n, k->coordinate_constraint.rows},
        {SN_NPY_I32, n, 0, k->attached_bones},
        {SN_NPY_F64, t, 9, k->frames},
    };
    for (size_t i = 0; i < DUMPED_COUNT; ++i) {
        const size_t shape[2] = {arrays[i].rows, arrays[i].columns};
        if (!arrays[i].values) { /* absent for bodies without modes, and for the constraint that is not used */
            continue;
        }
        SN_TRY(sn_array_write(folder, dumped[i], arrays[i].type, shape[1] == 0 ? 1 : 2, shape, arrays[i].values));
    }
    return SN_OK;
}

static sn_cook_leak choose_leak(const char *text)
{
    if (!text || strcmp(text, "auto") == 0) {
        return SN_LEAK_AUTO;
    }
    if (strcmp(text, "none") == 0) {
        return SN_LEAK_NONE;
    }
    return strcmp(text, "all") == 0 ? SN_LEAK_ALL : SN_LEAK_VALUES;
}

static sn_result fill_desc(const cook_arguments *a, sn_arena *arena, sn_cook_desc *desc)
{
    desc->tets_path = a->tets;
    desc->rig_path = a->rig;
    desc->mask_path = a->mask;
    desc->weights_path = a->weights;
    desc->tet_vertex_count = desc->drawing_vertex_count = a->vertices;
    desc->clip_paths = a->clips.items;
    desc->clip_count = a->clips.count;
    desc->mode_count = a->modes;
    desc->target_mode_count = a->target_modes;
    desc->target_inertia_gain = a->target_inertia_gain;
    desc->cluster_count = a->clusters[0];
    desc->coarse_cluster_counts[0] = a->clusters[1];
    desc->coarse_cluster_counts[1] = a->clusters[2];
    desc->young = a->young;
    desc->size = a->size;
    desc->poisson = a->poisson;
    desc->sparsity = a->sparsity;
    desc->density = a->density;
    desc->worker_count = a->threads;
    desc->units = a->units && strcmp(a->units, "keep") == 0 ? SN_UNITS_KEEP : SN_UNITS_UNIT;
    desc->has_generated_clips = !a->is_without_generated_clips;
    desc->is_flat = a->is_flat;
    desc->has_boundary_surface = a->has_boundary;
    desc->is_coupled = a->is_coupled;
    desc->is_layered = a->is_layered;
    desc->leak = choose_leak(a->leak);
    desc->method = !a->method                           ? SN_COOK_METHOD_AUTO
                   : strcmp(a->method, "anchored") == 0 ? SN_COOK_METHOD_ANCHORED
                                                        : SN_COOK_METHOD_COMPLEMENTARY;
    desc->complementary = !a->complementary                          ? SN_COMPLEMENTARY_AUTO
                          : strcmp(a->complementary, "weights") == 0 ? SN_COMPLEMENTARY_WEIGHTS
                                                                     : SN_COMPLEMENTARY_COORDINATES;
    desc->morphs = !a->morphs                          ? SN_MORPHS_AUTO
                   : strcmp(a->morphs, "dynamic") == 0 ? SN_MORPHS_DYNAMIC
                                                       : SN_MORPHS_VISUAL;
    desc->soft_bones = !a->soft_bones || strcmp(a->soft_bones, "auto") == 0 ? SN_SOFT_BONES_AUTO
                       : strcmp(a->soft_bones, "none") == 0                 ? SN_SOFT_BONES_NONE
                                                                            : SN_SOFT_BONES_SPRINGS;
    if (a->springbones && strcmp(a->springbones, "suppress") == 0) {
        desc->soft_bones = SN_SOFT_BONES_SPRINGS;
    }
    desc->is_without_springs = a->springbones && strcmp(a->springbones, "ignore") == 0;
    return sn_cook_arrays_read(&(sn_cook_array_paths){.leak = desc->leak == SN_LEAK_VALUES ? a->leak : NULL,
                                                      .rows = a->rows,
                                                      .pins = a->pins,
                                                      .labels = a->labels,
                                                      .tet_stiffness = a->tet_stiffness,
                                                      .tet_density = a->tet_density,
                                                      .tet_poisson = a->tet_poisson},
                               arena, desc);
}

/* Writes the model with a rig of points spread over the flesh. */
static sn_result write_soft(const cook_arguments *a, sn_cook_context *cooking)
{
    const sn_cook_soft_body_desc desc = {.point_count = a->soft};
    sn_model *model = NULL;
    sn_blob blob = {0};
    sn_result result = sn_model_load(cooking->bytes, cooking->size, &model);
    if (result == SN_OK) {
        result = sn_cook_soft_body(model, &desc, &blob);
    }
    sn_model_release(model);
    if (result == SN_OK) {
        result = sn_file_write(a->output, blob.bytes, blob.size);
    }
    if (result == SN_OK && sn_model_load(blob.bytes, blob.size, &model) == SN_OK) {
        cooking->report.bone_count = sn_model_bone_count(model);
        sn_model_release(model);
    }
    sn_blob_release(&blob);
    return result;
}

static sn_result cook(const cook_arguments *a, sn_arena *arena, sn_cook_context *cooking, sn_cook_desc *desc)
{
    sn_result result = fill_desc(a, arena, desc);
    if (result == SN_OK && a->dump) {
        result = sn_folder_create(a->dump);
    }
    if (result == SN_OK) {
        result = sn_cook_context_run(cooking, a->operands.items[0], desc);
    }
    if (result == SN_OK && a->dump) {
        result = dump(cooking, a->dump);
    }
    const double start = sn_now();
    if (result == SN_OK) {
        result = a->soft > 0 ? write_soft(a, cooking) : sn_file_write(a->output, cooking->bytes, cooking->size);
    }
    cooking->report.seconds[SN_COOK_WRITE] += sn_now() - start;
    return result;
}

/* Returns the input file that `path` refers to, or null. */
static const char *input_at(const cook_arguments *a, const char *path)
{
    const char *const inputs[] = {
        a->operands.items[0], a->tets,        a->rig,        a->mask, a->weights, a->leak, a->rows, a->pins, a->labels,
        a->tet_stiffness,     a->tet_density, a->tet_poisson};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; ++i) {
        if (sn_is_same_file(inputs[i], path)) {
            return inputs[i];
        }
    }
    for (int i = 0; i < a->clips.count; ++i) {
        if (sn_is_same_file(a->clips.items[i], path)) {
            return a->clips.items[i];
        }
    }
    return NULL;
}

/* Returns the input that an output would overwrite, or null. */
static const char *overwritten_input(const cook_arguments *a)
{
    const char *input = input_at(a, a->output);
    for (size_t i = 0; i < DUMPED_COUNT && a->dump && !input; ++i) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s.npy", a->dump, dumped[i]) < (int)sizeof path) {
            input = input_at(a, path);
        }
    }
    return input;
}

/* Returns the first option that is set and requires modes, or null. */
static const char *unused_without_modes(const cook_arguments *a)
{
    const sn_cook_desc defaults = sn_default_cook_desc();
    return a->modes != defaults.mode_count                          ? "--modes"
           : a->clusters[0] != defaults.cluster_count               ? "--clusters"
           : a->labels                                              ? "--labels"
           : a->sparsity != defaults.sparsity                       ? "--sparsity"
           : a->target_modes != defaults.target_mode_count          ? "--target-modes"
           : a->target_inertia_gain != defaults.target_inertia_gain ? "--target-shake"
           : a->leak                                                ? "--leak"
           : a->rows                                                ? "--constraint"
           : a->pins                                                ? "--pin"
           : a->method                                              ? "--method"
           : a->complementary                                       ? "--complementary"
           : a->soft_bones                                          ? "--loose"
           : a->morphs && strcmp(a->morphs, "dynamic") == 0         ? "--morphs dynamic"
                                                                    : NULL;
}

static int check_arguments(const cook_arguments *a)
{
    if (!a->output) {
        fprintf(stderr, "sinew: cook: -o OUT.sinew is missing\n");
        return SN_EXIT_USAGE;
    }
    if (overwritten_input(a)) {
        fprintf(stderr, "sinew: cook: its output would replace the input %s\n", overwritten_input(a));
        return SN_EXIT_USAGE;
    }
    if (a->units && strcmp(a->units, "keep") != 0 && strcmp(a->units, "unit") != 0) {
        fprintf(stderr, "sinew: --units %s: not a valid value (keep|unit)\n", a->units);
        return SN_EXIT_USAGE;
    }
    if (a->soft > 0 && (!a->is_coupled || a->rig)) {
        fprintf(stderr, "sinew: cook: --soft is for --coupled, without --rig\n");
        return SN_EXIT_USAGE;
    }
    if (a->morphs && strcmp(a->morphs, "dynamic") != 0 && strcmp(a->morphs, "visual") != 0) {
        fprintf(stderr, "sinew: --morphs %s: not a valid value (dynamic|visual)\n", a->morphs);
        return SN_EXIT_USAGE;
    }
    if (a->soft_bones && strcmp(a->soft_bones, "auto") != 0 && strcmp(a->soft_bones, "none") != 0 &&
        strcmp(a->soft_bones, "springs") != 0) {
        fprintf(stderr, "sinew: --loose %s: not a valid value (auto|none|springs)\n", a->soft_bones);
        return SN_EXIT_USAGE;
    }
    if (a->springbones && strcmp(a->springbones, "run") != 0 && strcmp(a->springbones, "suppress") != 0 &&
        strcmp(a->springbones, "ignore") != 0) {
        fprintf(stderr, "sinew: --springbones %s: not a valid value (run|suppress|ignore)\n", a->springbones);
        return SN_EXIT_USAGE;
    }
    if (a->springbones && a->soft_bones && strcmp(a->springbones, "ignore") != 0 &&
        (strcmp(a->soft_bones, "springs") == 0) != (strcmp(a->springbones, "suppress") == 0)) {
        fprintf(stderr, "sinew: cook: --loose %s: not with --springbones %s\n", a->soft_bones, a->springbones);
        return SN_EXIT_USAGE;
    }
    if (a->method && strcmp(a->method, "anchored") != 0 && strcmp(a->method, "complementary") != 0) {
        fprintf(stderr, "sinew: --method %s: not a valid value (anchored|complementary)\n", a->method);
        return SN_EXIT_USAGE;
    }
    if (a->complementary && strcmp(a->complementary, "weights") != 0 && strcmp(a->complementary, "coordinates") != 0) {
        fprintf(stderr, "sinew: --complementary %s: not a valid value (weights|coordinates)\n", a->complementary);
        return SN_EXIT_USAGE;
    }
    if ((a->is_coupled || a->is_layered) && unused_without_modes(a)) {
        fprintf(stderr, "sinew: cook: %s: not with %s, whose bodies have no modes\n", unused_without_modes(a),
                a->is_layered ? "--layered" : "--coupled");
        return SN_EXIT_USAGE;
    }
    if (a->is_layered && (a->is_coupled || a->is_flat)) {
        fprintf(stderr, "sinew: cook: --layered: not with %s\n", a->is_coupled ? "--coupled" : "--flat");
        return SN_EXIT_USAGE;
    }
    if (a->vertices > 0 && (a->tets || a->is_flat || sn_is_tet_file(a->operands.items[0]))) {
        fprintf(stderr, "sinew: cook: --vertices: %s\n",
                a->is_flat ? "a flat body has those of its file" : "the tet mesh determines its vertices");
        return SN_EXIT_USAGE;
    }
    return sn_check_clips(&a->clips, a->rig) ? SN_CONTINUE : SN_EXIT_USAGE;
}

static int run(const cook_arguments *a)
{
    sn_cook_context cooking = {0};
    sn_arena arena = {0};
    sn_cook_desc desc = sn_default_cook_desc();
    const sn_result result = cook(a, &arena, &cooking, &desc);
    if (result == SN_OK && a->is_json) {
        sn_print_json(sn_cook_report_json(&cooking));
    } else if (result == SN_OK) {
        sn_cook_report_print(a->output, &cooking);
    }
    sn_cook_context_finish(&cooking);
    sn_arena_finish(&arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}

/* Options of the body; the verb adds those of the files. */
static void body_options(cook_arguments *a, sn_option options[BODY_OPTION_LIMIT])
{
    const sn_option rows[] = {
        {"--modes", SN_OPTION_INT, &a->modes, 1, 1000, "N",
         "number of skinning modes [sidecar, else 24 if anchored, 16 if not]", SN_GROUP_SIMULATION, true},
        {"--clusters", SN_OPTION_COUNTS, a->clusters, 1, 1e6, "N[,N2[,N3]]",
         "rotation clusters of each level of detail [sidecar, else 100,30,10]", SN_GROUP_SIMULATION, false},
        {"--young", SN_OPTION_REAL, &a->young, 1e-12, 1e15, "PA",
         "Young's modulus [tet meshes 1e4; characters: fitted to their clips]", SN_GROUP_SIMULATION, true},
        {"--sparsity", SN_OPTION_REAL, &a->sparsity, 0, SN_MAX_SPARSITY, "S",
         "localised modes, useful from 1 to 10; 0: smooth modes [0]", SN_GROUP_ADVANCED, false},
        {"--poisson", SN_OPTION_REAL, &a->poisson, 0, SN_MAX_POISSON, "R",
         "Poisson's ratio, 0 to 0.45 [sidecar, else 0; layered 0.4]", SN_GROUP_SIMULATION, true},
        {"--size", SN_OPTION_REAL, &a->size, SN_COOK_MIN_SIZE, SN_COOK_MAX_SIZE, "M",
         "length of the model's diagonal in metres, instead of --units", SN_GROUP_INPUT, false},
        {"--density", SN_OPTION_REAL, &a->density, 1e-12, 1e15, "D", "density in kg/m^3 [1000]", SN_GROUP_SIMULATION,
         false},
        {"--leak", SN_OPTION_STRING, &a->leak, 0, 0, "none|auto|all|F.npy",
         "momentum leak of each vertex, n float64 in a file [sidecar, else auto]", SN_GROUP_ADVANCED, false},
        {"--method", SN_OPTION_STRING, &a->method, 0, 0, "METHOD",
         "anchored or complementary flesh [sidecar, else by skeleton]", SN_GROUP_SIMULATION, false},
        {"--complementary", SN_OPTION_STRING, &a->complementary, 0, 0, "METHOD",
         "rig orthogonality by weights or coordinates [sidecar, else by rig]", SN_GROUP_ADVANCED, false},
        {"--loose", SN_OPTION_STRING, &a->soft_bones, 0, 0, "auto|none|springs",
         "bones whose flesh is simulated; springs adds VRM spring bones [auto]", SN_GROUP_SIMULATION, false},
        {"--springbones", SN_OPTION_STRING, &a->springbones, 0, 0, "MODE",
         "VRM spring bones: run, suppress (leave them to the flesh), ignore [run]", SN_GROUP_SIMULATION, false},
        {"--constraint", SN_OPTION_STRING, &a->rows, 0, 0, "F.npy",
         "additional constraint rows C (k x n): C w = 0 for every mode w", SN_GROUP_ADVANCED, false},
        {"--pin", SN_OPTION_STRING, &a->pins, 0, 0, "F.npy",
         "vertices that no mode moves: n of 0 or 1, or a list of indices", SN_GROUP_INPUT, true},
        {"--morphs", SN_OPTION_STRING, &a->morphs, 0, 0, "dynamic|visual",
         "whether morph targets excite the flesh [sidecar, else dynamic]", SN_GROUP_SIMULATION, false},
        {"--target-modes", SN_OPTION_INT, &a->target_modes, 0, SN_TARGET_MODE_LIMIT, "N",
         "maximum modes for morph targets; 0: none [sidecar, else 8]", SN_GROUP_ADVANCED, false},
        {"--target-shake", SN_OPTION_REAL, &a->target_inertia_gain, 0, SN_MAX_INERTIA_GAIN, "S",
         "maximum flesh displacement relative to a target's [sidecar, else 0.2]", SN_GROUP_ADVANCED, false},
        {"--units", SN_OPTION_STRING, &a->units, 0, 0, "keep|unit",
         "keep the coordinates, or scale the box diagonal to 1 [unit]", SN_GROUP_INPUT, false},
        {"--labels", SN_OPTION_STRING, &a->labels, 0, 0, "F.npy",
         "cluster of each tet, int32; these clusters are not split", SN_GROUP_ADVANCED, false},
        {"--tet-stiffness", SN_OPTION_STRING, &a->tet_stiffness, 0, 0, "F.npy",
         "factor on Young's modulus of each tet (flat bodies: triangle)", SN_GROUP_ADVANCED, false},
        {"--tet-density", SN_OPTION_STRING, &a->tet_density, 0, 0, "F.npy", "factor on the density of each tet",
         SN_GROUP_ADVANCED, false},
        {"--tet-poisson", SN_OPTION_STRING, &a->tet_poisson, 0, 0, "F.npy",
         "Poisson's ratio of each tet, 0 to 0.45; replaces all other settings", SN_GROUP_ADVANCED, false},
        {"--coupled", SN_OPTION_FLAG, &a->is_coupled, 0, 0, NULL, "cook only for sim --coupled: no modes, no clusters",
         SN_GROUP_SIMULATION, false},
        {"--layered", SN_OPTION_FLAG, &a->is_layered, 0, 0, NULL,
         "cook for layered flesh with bones inside: no modes, no clusters", SN_GROUP_SIMULATION, true},
        {"--soft", SN_OPTION_INT, &a->soft, 1, SN_SOFT_POINT_LIMIT, "N",
         "coupled: body without a rig, skinned by N points, for example 12", SN_GROUP_SIMULATION, false},
        {"--boundary", SN_OPTION_FLAG, &a->has_boundary, 0, 0, NULL,
         "render the boundary of a tet mesh, also if NAME_tex.obj is beside it", SN_GROUP_INPUT, false},
        {"--flat", SN_OPTION_FLAG, &a->is_flat, 0, 0, NULL,
         "2D body: IN lies in a plane z = const and its triangles are simulated", SN_GROUP_INPUT, false},
        {0},
    };
    _Static_assert(sizeof rows <= BODY_OPTION_LIMIT * sizeof *rows, "room for all");
    memcpy(options, rows, sizeof rows);
}

int sn_verb_cook(int argument_count, char **arguments)
{
    const sn_cook_desc defaults = sn_default_cook_desc();
    cook_arguments a = {.modes = defaults.mode_count,
                        .clusters = {defaults.cluster_count},
                        .young = defaults.young,
                        .poisson = defaults.poisson,
                        .target_modes = defaults.target_mode_count,
                        .target_inertia_gain = defaults.target_inertia_gain,
                        .density = defaults.density};
    sn_option of_body[BODY_OPTION_LIMIT];
    body_options(&a, of_body);
    const sn_option options[] = {
        {"-o", SN_OPTION_STRING, &a.output, 0, 0, "OUT.sinew", "the model file to write (required)", SN_GROUP_OUTPUT,
         true},
        {"--rig", SN_OPTION_STRING, &a.rig, 0, 0, "F",
         "rig: .json, .tgf or char_cfg.yaml [the input's, else one affine handle]", SN_GROUP_INPUT, true},
        {"--weights", SN_OPTION_STRING, &a.weights, 0, 0, "F.npy|F.dmat",
         "skinning weights of the handles [bounded biharmonic weights]", SN_GROUP_INPUT, false},
        {"--mask", SN_OPTION_STRING, &a.mask, 0, 0, "MASK.png",
         "bright pixels are the body of a drawing [opaque pixels]", SN_GROUP_INPUT, false},
        {"--vertices", SN_OPTION_INT, &a.vertices, 3, SN_PICTURE_VERTEX_LIMIT, "N",
         "approximate vertex count of the simulation mesh [10000; drawings 1500]", SN_GROUP_SIMULATION, true},
        {"--clip", SN_OPTION_LIST, &a.clips, 0, 0, "F", "animation to add: .json" SN_MOTION_FILES(" ") "; repeatable",
         SN_GROUP_INPUT, true},
        {"--no-generated-clips", SN_OPTION_FLAG, &a.is_without_generated_clips, 0, 0, NULL,
         "add no clips to a humanoid without any [idle, walk, jump, dance]", SN_GROUP_INPUT, false},
        {"--threads", SN_OPTION_INT, &a.threads, 1, 1024, "N",
         "threads; the model does not depend on it [one a processor]", SN_GROUP_ADVANCED, false},
        {"--dump", SN_OPTION_STRING, &a.dump, 0, 0, "DIR", "write intermediate arrays as .npy files", SN_GROUP_OUTPUT,
         false},
        {"--tets", SN_OPTION_STRING, &a.tets, 0, 0, "F.msh|F.mesh", "tet mesh of a surface [made by the mesher]",
         SN_GROUP_INPUT, false},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "print the report as JSON on stdout", SN_GROUP_OUTPUT, true},
        {0},
    };
    const sn_verb verb = {
        .usage = "cook IN [options] -o OUT.sinew",
        .summary = "Converts a character, surface, tet mesh or drawing to a .sinew model.",
        .details = "Characters: .glb .gltf .vrm .fbx with skin and clips. Surfaces: .obj .off .ply .stl.\nTet meshes: "
                   ".msh .mesh. Drawings: .png .jpg char_cfg.yaml NAME_ske.json. The sidecar\nNAME.sinew.json beside "
                   "IN states which parts are rigid, soft, stiff or pinned.",
        .examples = {"cook avatar.vrm -o avatar.sinew", "cook body.obj --rig bones.tgf --modes 24 -o body.sinew",
                     "cook drawing.png --vertices 800 -o drawing.sinew"},
        .options = options,
        .shared_options = of_body,
        .operands = &a.operands,
        .min_operands = 1,
        .max_operands = 1};
    int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status == SN_CONTINUE) {
        status = check_arguments(&a);
    }
    return status == SN_CONTINUE ? run(&a) : status;
}
