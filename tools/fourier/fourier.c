/* SPDX-License-Identifier: MIT */
/* sinew fourier: exports key shapes and analytic secondary motion to glTF or USD. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/bake/shapes.h"
#include "author/io/gltf/gltf_write.h"
#include "author/io/usd/usd_write.h"
#include "host/math/vec3.h"
#include "host/platform/platform.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/model_file.h"
#include "tools/command/overwrite.h"
#include "tools/command/verbs.h"
#include "tools/fourier/key_pose.h"
#include "tools/fourier/sequence_json.h"
#include "tools/fourier/shape_file.h"

typedef struct fourier_arguments {
    sn_string_list operands;
    const char *output, *dump;
    bool is_json;
} fourier_arguments;

/* The files of a sequence, loaded. */
typedef struct sequence {
    const char *path;
    sn_sequence_file file;
    sn_scene_file scene;
    sn_shapes_desc desc;
    double seconds[3]; /* seconds to read, build and write */
} sequence;

static sn_result find_clip(const sequence *s, int key, int *clip)
{
    const char *name = s->file.keys[key].clip;
    for (*clip = 0; *clip < s->scene.clip_count; ++*clip) {
        if (strcmp(s->scene.clips[*clip].name, name) == 0) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_ARGUMENT, "%s: keys[%d].clip: '%.80s': %s has no clip of that name", s->path, key, name,
                   s->file.character);
}

static sn_result read_key(const sequence *s, int key, sn_arena *arena, sn_shape_key *to)
{
    const sn_sequence_key *from = &s->file.keys[key];
    *to = (sn_shape_key){.seconds = from->seconds, .clip = -1, .clip_seconds = from->clip_seconds};
    if (from->clip) {
        SN_TRY(find_clip(s, key, &to->clip));
    }
    if (from->has_pose) {
        SN_TRY(sn_key_pose_compute(from, &s->scene, arena, &to->pose));
    }
    if (from->shape) {
        SN_TRY(sn_shape_file_read(from->shape, &s->scene, s->file.character, arena, &to->shape));
    }
    return SN_OK;
}

static double find_diagonal(const sn_scene_file *scene)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < scene->primitive_count; ++i) {
        for (int k = 0; k < 3 * scene->primitives[i].vertex_count; ++k) {
            low[k % 3] = fmin(low[k % 3], (double)scene->primitives[i].positions[k]);
            high[k % 3] = fmax(high[k % 3], (double)scene->primitives[i].positions[k]);
        }
    }
    return sn_distance3(low, high);
}

static sn_result read_keys(sequence *s, sn_arena *arena)
{
    sn_shape_key *keys = SN_NEW(arena, sn_shape_key, s->file.key_count);
    sn_shape_check *checks = SN_NEW(arena, sn_shape_check, s->file.check_count);
    sn_result result = keys && checks ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < s->file.key_count && result == SN_OK; ++k) {
        result = read_key(s, k, arena, &keys[k]);
    }
    for (int i = 0; i < s->file.check_count && result == SN_OK; ++i) {
        checks[i].seconds = s->file.checks[i].seconds;
        result = sn_shape_file_read(s->file.checks[i].shape, &s->scene, s->file.character, arena, &checks[i].shape);
    }
    s->desc = (sn_shapes_desc){.scene = &s->scene,
                               .name = s->path,
                               .character = s->file.character,
                               .key_count = s->file.key_count,
                               .check_count = s->file.check_count,
                               .keys = keys,
                               .checks = checks,
                               .material = s->file.material,
                               .fit = s->file.fit,
                               .starts_at_rest = s->file.starts_at_rest,
                               .frame_rate = s->file.frame_rate,
                               .key_error = s->file.key_error * find_diagonal(&s->scene),
                               .clip_name = s->file.clip_name};
    if (!s->file.has_stretch) {
        s->desc.material.stretch = sn_shapes_default_material(&s->desc).stretch;
    }
    return result;
}

/* Lists every file that the sequence refers to, and the sequence itself. */
static sn_result check_output(const sequence *s, const char *output)
{
    const char *const files[] = {s->path, s->file.character};
    SN_TRY(sn_check_overwrite(output, files, 2));
    for (int k = 0; k < s->file.key_count; ++k) {
        SN_TRY(sn_check_overwrite(output, &s->file.keys[k].shape, 1));
    }
    for (int i = 0; i < s->file.check_count; ++i) {
        SN_TRY(sn_check_overwrite(output, &s->file.checks[i].shape, 1));
    }
    return SN_OK;
}

static sn_result read_sequence(const char *path, const char *output, sn_arena *arena, sequence *s)
{
    sn_source source;
    s->path = path;
    SN_TRY(sn_source_read(path, arena, &source));
    SN_TRY(sn_sequence_json_read(&source, arena, &s->file));
    SN_TRY(check_output(s, output));
    SN_TRY(sn_scene_file_read(s->file.character, arena, &s->scene));
    SN_TRY(sn_key_poses_open(path, &s->file, &s->scene));
    return read_keys(s, arena);
}

/* Reads the written file back and measures its error; a .usda has the same numbers as the scene in memory. */
static sn_result write_scene(const char *path, const sequence *s, const sn_scene_file *scene, sn_arena *arena,
                             sn_shapes_report *report)
{
    sn_scene_file written;
    if (sn_has_extension(path, ".usda")) {
        return sn_usd_write(path, scene, s->desc.frame_rate);
    }
    SN_TRY(sn_gltf_write(path, scene));
    SN_TRY(sn_scene_file_read(path, arena, &written));
    return sn_shapes_measure(&s->desc, &written, path, report);
}

/* One morph target of a mesh, with all of its primitives concatenated. */
static sn_result dump_target(const char *folder, const sn_scene_file *scene, const sn_scene_mesh *mesh, int target)
{
    sn_arena arena = {0};
    char name[32];
    size_t count = 0, at = 0;
    for (int k = 0; k < mesh->primitive_count; ++k) {
        count += (size_t)scene->primitives[mesh->first_primitive + k].vertex_count;
    }
    double *values = SN_NEW(&arena, double, 3 * count);
    for (int k = 0; k < mesh->primitive_count && values; ++k) {
        const sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
        for (int i = 0; i < 3 * p->vertex_count; ++i) {
            values[at++] = p->morph_positions[target] ? (double)p->morph_positions[target][i] : 0;
        }
    }
    snprintf(name, sizeof name, "target_%d", target);
    const sn_result result =
        values ? sn_array_write(folder, name, SN_NPY_F64, 2, (const size_t[]){count, 3}, values) : SN_ERROR_MEMORY;
    sn_arena_finish(&arena);
    return result;
}

/* The targets of the first visible mesh. */
static sn_result dump(const char *folder, const sn_scene_file *scene)
{
    int node = 0;
    while (scene->nodes[node].mesh < 0) {
        ++node;
    }
    const sn_scene_mesh *mesh = &scene->meshes[scene->nodes[node].mesh];
    SN_TRY(sn_folder_create(folder));
    for (int m = 0; m < mesh->morph_count; ++m) {
        SN_TRY(dump_target(folder, scene, mesh, m));
    }
    return SN_OK;
}

static json_t *checks_json(const sequence *s, const sn_shapes_report *r)
{
    json_t *list = json_array();
    for (int i = 0; i < s->desc.check_count; ++i) {
        const sn_shape_errors *e = &r->checks[i];
        json_t *entry = json_pack("{s:o,s:o,s:o,s:o}", "seconds", sn_json_real(s->desc.checks[i].seconds), "error",
                                  sn_json_real(e->fourier), "error_linear", sn_json_real(e->linear), "error_rig",
                                  sn_json_real(e->rig));
        if (e->dual >= 0) {
            json_object_set_new(entry, "error_dual_quaternions", sn_json_real(e->dual));
        }
        json_array_append_new(list, entry);
    }
    return list;
}

static void print_report(const fourier_arguments *a, const sequence *s, const sn_shapes_report *r)
{
    struct stat status;
    const double bytes = stat(a->output, &status) == 0 ? (double)status.st_size : 0;
    if (a->is_json) {
        json_t *json =
            json_pack("{s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:i,s:o}", "bytes", sn_json_real(bytes), "vertices",
                      r->vertex_count, "parts", r->part_count, "curves", r->curve_count, "targets", r->target_count,
                      "frames", r->frame_count, "keys", r->key_count, "diagonal", sn_json_real(r->diagonal),
                      "curve_error", sn_json_real(r->curve_error), "error_at_keys", sn_json_real(r->at_keys), "gain",
                      sn_json_real(r->gain), "flattened", r->flattened, "check", checks_json(s, r));
        json_object_set_new(
            json, "seconds",
            json_pack("{s:f,s:f,s:f}", "read", s->seconds[0], "fit", s->seconds[1], "write", s->seconds[2]));
        sn_print_json(json);
        return;
    }
    printf("%s: %d vertices, %d parts, %d curves, %d targets, %d keys, %.1f KiB; off by %.2g at keys\n", a->output,
           r->vertex_count, r->part_count, r->curve_count, r->target_count, r->key_count, bytes / 1024, r->at_keys);
    for (int i = 0; i < s->desc.check_count; ++i) {
        const sn_shape_errors *e = &r->checks[i];
        printf("at %g s: off by %.4g at most (linear %.4g, rig %.4g", s->desc.checks[i].seconds, e->fourier, e->linear,
               e->rig);
        printf(e->dual >= 0 ? ", dual quaternions %.4g)\n" : ")\n", e->dual);
    }
}

static void warn(const sequence *s, const sn_shapes_report *r)
{
    if (r->flattened > 0) {
        sn_log(SN_LOG_WARNING, "%s: the rig flattens %d vertices at some key: shapes cannot be met there", s->path,
               r->flattened);
    }
    if (r->bent_key > 0) {
        sn_log(SN_LOG_WARNING,
               "%s: keys[%d].seconds: weights swing faster than frames before it follow: off by %.2g between them; a "
               "larger fps or less time between keys holds them",
               s->path, r->bent_key, r->bend);
    }
    if (r->gain > 1) {
        sn_log(SN_LOG_WARNING,
               "%s: rates grow %.2g times from key to key: more damping or stiffness, or \"joins\": \"rest\", holds "
               "them",
               s->path, r->gain);
    }
}

static sn_result run(const fourier_arguments *a, sn_arena *arena)
{
    sequence s = {0};
    sn_scene_file scene;
    sn_shapes_report report = {0};
    double start = sn_now();
    sn_result result = read_sequence(a->operands.items[0], a->output, arena, &s);
    s.seconds[0] = sn_now() - start;
    start = sn_now();
    if (result == SN_OK) {
        result = sn_shapes_build(&s.desc, arena, &scene, &report);
    }
    s.seconds[1] = sn_now() - start;
    start = sn_now();
    if (result == SN_OK) {
        warn(&s, &report);
        result = write_scene(a->output, &s, &scene, arena, &report);
    }
    if (result == SN_OK && a->dump) {
        result = dump(a->dump, &scene);
    }
    s.seconds[2] = sn_now() - start;
    if (result == SN_OK) {
        print_report(a, &s, &report);
    }
    return result;
}

int sn_verb_fourier(int argument_count, char **arguments)
{
    fourier_arguments a = {0};
    const sn_option options[] = {
        {"-o", SN_OPTION_STRING, &a.output, 0, 0, "OUT", "the file to write: .glb, .gltf or .usda (required)",
         SN_GROUP_OUTPUT, true},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "print the report as JSON on stdout", SN_GROUP_OUTPUT, true},
        {"--dump", SN_OPTION_STRING, &a.dump, 0, 0, "DIR", "write the morph targets as .npy files", SN_GROUP_OUTPUT,
         true},
        {0},
    };
    const sn_verb verb = {
        .usage = "fourier SEQUENCE.json -o OUT.glb|OUT.gltf|OUT.usda [options]",
        .summary = "Exports key shapes with analytic secondary motion between them, as morph targets.",
        .details = "The weights of the targets have a closed form in time: see docs/design/fourier-skin.md.",
        .examples = {"fourier keys.json -o keys.glb", "fourier keys.json -o keys.usda --json",
                     "fourier keys.json -o keys.glb --dump targets"},
        .options = options,
        .operands = &a.operands,
        .min_operands = 1,
        .max_operands = 1};
    const int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status != SN_CONTINUE) {
        return status;
    }
    if (!a.output || !(sn_has_extension(a.output, ".glb") || sn_has_extension(a.output, ".gltf") ||
                       sn_has_extension(a.output, ".usda"))) {
        fprintf(stderr, "sinew: fourier: -o %s: must end in .glb, .gltf or .usda\n",
                a.output ? a.output : "is missing");
        return SN_EXIT_USAGE;
    }
    sn_arena arena = {0};
    sn_log_subject(a.operands.items[0]);
    const sn_result result = run(&a, &arena);
    sn_arena_finish(&arena);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
