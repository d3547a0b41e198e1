/* SPDX-License-Identifier: MIT */
#include "research/figures/sequences.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/io/source.h"
#include "author/spacetime/prism.h"
#include "research/figures/bodies.h"
#include "tools/spacetime/sequence.h"

#define BALL_CELLS 6
#define QUICK_FINENESS 0.4

const sn_sequence_paper sn_sequence_papers[SN_SEQUENCE_COUNT] = {
    {"STRETCH", 594, 2400, 3, 14, 0.18, 4, 0.009, 4, 0.023, 32.8, 2.4},
    {"TWIST", 594, 2400, 5, 40, 0.699, 10, 0.035, 9, 0.016, 41.5, 4.5},
    {"DINO", 439, 1192, 10, 90, 0.91, 1, 0.030, 3, 0.023, 64.3, 9.7},
    {"CHEB", 922, 3125, 10, 90, 3.771, 1, 0.080, 5, 0.205, 72.9, 12.6},
    {"ARMADILLO", 2598, 10024, 5, 40, 3.073, 4, 0.100, 5, 0.246, 45.6, 8.4},
    {"BALL", 316, 1070, 3, 40, 0.412, NAN, 0.112, 10, 0.009, 5.7, 1.1},
    {"SPOT", 823, 2288, 3, 24, 1.043, NAN, 0.263, 9, 0.012, 20.1, 2.3},
};

/* Sequences of files, as `sinew spacetime` takes them, in the units of the files; then lengths are scaled. */
typedef struct filed {
    const char *folder, *says, *text;
    double scale;
} filed;

static const char gallop[] =
    "{\"surface\": \"rest.obj\", \"vertices\": 439, \"material\": {\"volume\": 30, \"strain\": 60},"
    " \"duration\": 0.35, \"samples\": 10, \"hold\": {\"not\": {\"box\": [[-1, 0.3, -2], [1, 1.12, -0.66]]}},"
    " \"keys\": [{\"shape\": \"0001.obj\", \"hold\": true}, {\"shape\": \"0004.obj\"}, {\"shape\": \"0007.obj\"},"
    " {\"shape\": \"0010.obj\"}, {\"shape\": \"0013.obj\"}, {\"shape\": \"0016.obj\"}, {\"shape\": \"0019.obj\"},"
    " {\"shape\": \"0022.obj\"}, {\"shape\": \"0001.obj\"}, {\"shape\": \"0004.obj\", \"hold\": true}]}";

/* A jump, whose middle is high. */
static const char jump[] =
    "{\"surface\": \"rest.obj\", \"vertices\": 922, \"material\": {\"volume\": 470, \"strain\": 470},"
    " \"duration\": 0.3, \"samples\": 10, \"gravity\": [0, -9.81, 0],"
    " \"hold\": {\"not\": [{\"box\": [[-1, 0.5, -1], [0.29, 1, 2]]}, {\"box\": [[0.71, 0.5, -1], [2, 1, 2]]}]},"
    " \"keys\": [{\"shape\": \"rest.obj\"}, {\"shape\": \"06.obj\"},"
    " {\"shape\": \"01.obj\", \"move\": [{\"translate\": [0, 0.2, 0]}]},"
    " {\"shape\": \"02.obj\", \"move\": [{\"translate\": [0, 0.4, 0]}]},"
    " {\"shape\": \"03.obj\", \"move\": [{\"translate\": [0, 0.2, 0]}]},"
    " {\"shape\": \"rest.obj\"}, {\"shape\": \"04.obj\"}, {\"shape\": \"05.obj\"}, {\"shape\": \"06.obj\"},"
    " {\"shape\": \"rest.obj\"}]}";

/* It sways, keys of the tets themselves being bent by `sway`. */
static const char dance[] = "{\"surface\": \"armadillo.obj\", \"vertices\": 2598, \"material\": {\"volume\": 100,"
                            " \"strain\": 100}, \"duration\": 0.6, \"samples\": 10, \"keys\": [{}, {}, {}, {}, {}]}";

static const char fall[] =
    "{\"surface\": \"spot.obj\", \"vertices\": 823, \"material\": {\"volume\": 300, \"strain\": 300},"
    " \"duration\": 0.5, \"samples\": 12, \"gravity\": [0, -9.81, 0], \"regularisation\": 0.0166667,"
    " \"obstacles\": [{\"plane\": {\"point\": [0, 0, 0], \"normal\": [0, 1, 0]}}],"
    " \"keys\": [{\"move\": [{\"translate\": [1.875, 1.875, 0]}]},"
    " {\"move\": [{\"rotate\": [0, 0, -45], \"translate\": [3.75, 0.5, 0]}], \"hold\": false, \"duration\": 0}, "
    " {\"hold\": false}, {\"move\": [{\"rotate\": [0, 0, -90], \"translate\": [5.625, 1.25, 0]}]}]}";

#define HOP_KEY(scale, height)                                                                                         \
    "{\"shape\": \"rest.obj\", \"move\": [{\"scale\": " scale ", \"pivot\": [0.5, 0.08, 0.5],"                         \
    " \"translate\": [0, " height ", 0]}]}"
#define HOP_LOW "[1.06, 0.88, 1.06]"
static const char hops[] =
    "{\"surface\": \"rest.obj\", \"vertices\": 922, \"material\": {\"volume\": 470, \"strain\": 470},"
    " \"duration\": 0.3, \"samples\": 10, \"gravity\": [0, -9.81, 0],"
    " \"hold\": {\"not\": [{\"box\": [[-1, 0.5, -1], [0.29, 1, 2]]}, {\"box\": [[0.71, 0.5, -1], [2, 1, 2]]}]},"
    " \"keys\": [" HOP_KEY("1", "0") ", " HOP_KEY(HOP_LOW, "0") ", " HOP_KEY("1", "0.2") ", " HOP_KEY(
        "1", "0.4") ", " HOP_KEY("1",
                                 "0.2") ", " HOP_KEY(HOP_LOW,
                                                     "0") ", " HOP_KEY("1",
                                                                       "0.1") ", " HOP_KEY(HOP_LOW,
                                                                                           "0") ", " HOP_KEY("1",
                                                                                                             "0") "]}";

static const filed files[SN_SEQUENCE_COUNT + 1] = {
    [SN_SEQUENCE_DINO] = {"blendsim/horse_gallop", "a galloping horse, tail free", gallop, 1},
    [SN_SEQUENCE_CHEB] = {"blendsim/cheburashka", "Cheburashka, other poses, ears free", jump, 10},
    [SN_SEQUENCE_ARMADILLO] = {"surface", "the armadillo, other keys", dance, 1},
    [SN_SEQUENCE_SPOT] = {"surface", "Spot", fall, 1.6},
    [SN_SEQUENCE_HOPS] = {"blendsim/cheburashka", "Cheburashka, who hops", hops, 10},
};

/* Keys with positions (key_count x vertex_count x 3) of the sequence's own. */
static double *own_keys(sn_arena *arena, sn_sequence *s)
{
    const size_t keys = (size_t)s->input.key_count, width = 3 * (size_t)s->mesh.vertex_count;
    sn_spacetime_key *copies = SN_NEW(arena, sn_spacetime_key, keys);
    double *positions = SN_NEW(arena, double, keys *width);
    if (!copies || !positions) {
        return NULL;
    }
    for (size_t i = 0; i < keys; ++i) {
        copies[i] = s->input.keys[i];
        memcpy(positions + i * width, copies[i].positions, width * sizeof *positions);
        copies[i].positions = positions + i * width;
    }
    s->input.keys = copies;
    return positions;
}

static void scale_all(double scale, int count, double *positions)
{
    for (int i = 0; i < 3 * count; ++i) {
        positions[i] *= scale;
    }
}

/* Lengths of the mesh, and of what keys have of their own. */
static sn_result scale_sequence(double scale, sn_arena *arena, sn_sequence *s)
{
    double *positions = own_keys(arena, s);
    sn_result result = positions ? SN_OK : SN_ERROR_MEMORY;
    if (positions) {
        scale_all(scale, s->input.key_count * s->mesh.vertex_count, positions);
        scale_all(scale, s->mesh.vertex_count, s->mesh.positions);
    }
    for (int k = 0; k < s->input.key_count && s->surface->offsets && result == SN_OK; ++k) {
        const size_t size = 3 * (size_t)s->surface->vertex_count;
        double *offsets = s->surface->offsets[k] ? SN_NEW(arena, double, size) : NULL;
        result = offsets || !s->surface->offsets[k] ? SN_OK : SN_ERROR_MEMORY;
        for (size_t i = 0; i < size && offsets; ++i) {
            offsets[i] = scale * s->surface->offsets[k][i];
        }
        s->surface->offsets[k] = offsets;
    }
    return result;
}

/* Leans to one side and turns, more with the height; key 2 stands tall. */
static void sway(int key, double low, double height, double *x)
{
    const double share = (x[1] - low) / height, side = key % 2 == 1 ? 2 - key : 0;
    const double lean = 0.5 * side * share, turn = 0.6 * side * share;
    const double c = cos(turn), s = sin(turn), turned[2] = {c * x[0] + s * x[2], c * x[2] - s * x[0]};
    const double up = (x[1] - low) * (key == 2 ? 1.12 : 1);
    x[0] = turned[0] * (key == 2 ? 0.95 : 1) + sin(lean) * up;
    x[1] = low + cos(lean) * up;
    x[2] = turned[1] * (key == 2 ? 0.95 : 1);
}

static sn_result sway_keys(sn_arena *arena, sn_sequence *s)
{
    double low[3], high[3], *positions = own_keys(arena, s);
    sn_tet_mesh_box(&s->mesh, low, high);
    for (int i = 0; positions && i < s->input.key_count * s->mesh.vertex_count; ++i) {
        sway(i / s->mesh.vertex_count, low[1], high[1] - low[1], positions + 3 * (size_t)i);
    }
    return positions ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result surface_of_mesh(sn_arena *arena, sn_sequence *s)
{
    s->surface = SN_NEW(arena, sn_spacetime_surface, 1);
    return s->surface ? sn_spacetime_surface_of_mesh(&s->mesh, arena, s->surface) : SN_ERROR_MEMORY;
}

static sn_result open_file(const sn_figures *f, const filed *file, sn_arena *arena, sn_sequence *s)
{
    char *name = SN_NEW(arena, char, SN_FIGURE_PATH);
    sn_spacetime_file sequence;
    sn_spacetime_body body;
    if (!name) {
        return SN_ERROR_MEMORY;
    }
    snprintf(name, SN_FIGURE_PATH, "%s/%s/sequence.json", f->data, file->folder);
    const sn_source source = {name, (const uint8_t *)file->text, strlen(file->text)};
    sn_result result = sn_spacetime_file_read(&source, arena, &sequence);
    if (result == SN_OK) {
        result = sn_spacetime_file_open(&sequence, name, arena, &body);
    }
    if (result != SN_OK) {
        return result;
    }
    s->says = file->says;
    s->mesh = body.mesh;
    s->input = body.input;
    s->surface = body.surface;
    s->source = body.source;
    s->desc = sequence.desc;
    return file->scale != 1 ? scale_sequence(file->scale, arena, s) : SN_OK;
}

static bool has_file(const sn_figures *f, const filed *file)
{
    char path[SN_FIGURE_PATH];
    snprintf(path, sizeof path, "%s/%s", f->data, file->folder);
    return !f->is_quick && access(path, R_OK) == 0;
}

static sn_result build_prism(const sn_figures *f, sn_spacetime_prism which, sn_arena *arena, sn_sequence *s)
{
    const sn_result result = sn_spacetime_prism_build(which, f->is_quick ? QUICK_FINENESS : 1, arena, &s->input);
    if (result != SN_OK) {
        return result;
    }
    s->says = "the paper's";
    s->mesh = *s->input.mesh;
    return surface_of_mesh(arena, s);
}

/* Stands in for what is not there: a bar whose upper half is free, with as many keys. */
static sn_result build_bar(const sn_figures *f, sn_sequence_kind kind, sn_arena *arena, sn_sequence *s)
{
    const sn_sequence_paper *paper = &sn_sequence_papers[kind == SN_SEQUENCE_HOPS ? SN_SEQUENCE_CHEB : kind];
    const int cells = f->is_quick ? 2 : (int)lround(cbrt(paper->vertices / 4.0)) - 1;
    sn_result result = sn_bar_build((const int[]){cells, 4 * cells, cells}, 1.0 / (4 * cells), arena, &s->mesh);
    const size_t n = result == SN_OK ? (size_t)s->mesh.vertex_count : 0;
    sn_spacetime_key *keys = SN_NEW(arena, sn_spacetime_key, paper->keys);
    bool *is_fixed = SN_NEW(arena, bool, n);
    if (result != SN_OK || !keys || !is_fixed) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    for (size_t v = 0; v < n; ++v) {
        is_fixed[v] = s->mesh.positions[3 * v + 1] < 0 || kind == SN_SEQUENCE_ARMADILLO;
    }
    for (int i = 0; i < paper->keys; ++i) {
        keys[i] = (sn_spacetime_key){.positions = s->mesh.positions,
                                     .is_fixed = is_fixed,
                                     .duration = 0.35,
                                     .sample_count = paper->samples / (paper->keys - 1)};
    }
    s->says = "a bar";
    s->input = (sn_spacetime_input){
        .material = {.volume = 30, .strain = 60, .density = 1}, .damping = 0.1, .key_count = paper->keys, .keys = keys};
    result = surface_of_mesh(arena, s);
    return result == SN_OK ? sway_keys(arena, s) : result;
}

/* A cube of cells blown up to a ball of radius 0.8. */
static sn_result build_ball_mesh(int cells, sn_arena *arena, sn_tet_mesh *mesh)
{
    SN_TRY(sn_bar_build((const int[]){cells, cells, cells}, 1.6 / cells, arena, mesh));
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *x = mesh->positions + 3 * (size_t)v;
        const double most = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
        const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int d = 0; d < 3 && length > 0; ++d) {
            x[d] *= most / length;
        }
    }
    return SN_OK;
}

/* From the left, a hit on the floor, and away to the right. */
static sn_result build_ball(const sn_figures *f, sn_arena *arena, sn_sequence *s)
{
    static const double places[4][3] = {{0, 6, 0}, {6, 0.4, 0}, {6, 0.4, 0}, {12, 4, 0}};
    static const sn_spacetime_obstacle ground = {.normal = {0, 1, 0}};
    sn_result result = build_ball_mesh(f->is_quick ? 3 : BALL_CELLS, arena, &s->mesh);
    const size_t n = result == SN_OK ? (size_t)s->mesh.vertex_count : 0;
    sn_spacetime_key *keys = SN_NEW(arena, sn_spacetime_key, 4);
    double *positions = SN_NEW(arena, double, 12 * n);
    bool *is_fixed = SN_NEW(arena, bool, n);
    if (result != SN_OK || !keys || !positions || !is_fixed) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    memset(is_fixed, 1, n * sizeof *is_fixed);
    for (size_t i = 0; i < 12 * n; ++i) {
        positions[i] = s->mesh.positions[i % (3 * n)] + places[i / (3 * n)][i % 3];
    }
    for (size_t k = 0; k < 4; ++k) {
        keys[k] = (sn_spacetime_key){.positions = positions + 3 * n * k,
                                     .is_fixed = k % 3 == 0 ? is_fixed : NULL,
                                     .duration = k == 1 ? 0 : 0.3,
                                     .sample_count = f->is_quick ? 6 : 20};
    }
    s->says = "a ball";
    s->input = (sn_spacetime_input){.material = {.volume = 60, .strain = 60, .density = 1},
                                    .damping = 0.1,
                                    .gravity = {0, -9.81, 0},
                                    .key_count = 4,
                                    .keys = keys,
                                    .obstacle_count = 1,
                                    .obstacles = &ground};
    return surface_of_mesh(arena, s);
}

sn_result sn_sequence_build(const sn_figures *f, sn_sequence_kind kind, sn_arena *arena, sn_sequence *s)
{
    const filed *file = &files[kind];
    sn_result result;
    *s = (sn_sequence){.desc = sn_default_spacetime_desc()};
    if (kind == SN_SEQUENCE_STRETCH || kind == SN_SEQUENCE_TWIST) {
        result = build_prism(f, kind == SN_SEQUENCE_TWIST ? SN_SPACETIME_TWIST : SN_SPACETIME_STRETCH, arena, s);
    } else if (kind == SN_SEQUENCE_BALL || (kind == SN_SEQUENCE_SPOT && !has_file(f, file))) {
        result = build_ball(f, arena, s);
    } else if (!has_file(f, file)) {
        result = build_bar(f, kind, arena, s);
    } else {
        result = open_file(f, file, arena, s);
        if (result == SN_OK && kind == SN_SEQUENCE_ARMADILLO) {
            result = sway_keys(arena, s);
        }
    }
    s->input.mesh = &s->mesh;
    return result;
}

sn_result sn_sequence_run(const sn_sequence *s, sn_arena *arena, sn_spacetime_motion *motion,
                          sn_spacetime_report *report)
{
    return sn_spacetime_optimise(&s->input, &s->desc, arena, motion, report);
}

sn_result sn_sequence_go_on(const sn_sequence *from, const sn_spacetime_motion *motion, sn_arena *arena,
                            sn_sequence *sequence)
{
    const size_t width = 3 * (size_t)motion->vertex_count;
    sn_spacetime_key *keys = SN_NEW(arena, sn_spacetime_key, motion->key_count);
    *sequence = *from;
    for (int i = 0; keys && i < motion->key_count; ++i) {
        keys[i] = from->input.keys[i];
        keys[i].positions = motion->positions + (size_t)i * width;
        keys[i].velocities = motion->velocities + (size_t)i * width;
        keys[i].duration = i + 1 < motion->key_count ? motion->durations[i] : 0;
    }
    sequence->input.keys = keys;
    return keys ? SN_OK : SN_ERROR_MEMORY;
}

double sn_sequence_seconds(const sn_spacetime_motion *motion)
{
    double seconds = 0;
    for (int i = 0; i + 1 < motion->key_count; ++i) {
        seconds += motion->durations[i];
    }
    return seconds;
}

double sn_sequence_volume(const sn_sequence *s, double *positions)
{
    sn_tet_mesh moved = s->mesh;
    double volume = 0, rest = 0;
    moved.positions = positions;
    for (int t = 0; t < s->mesh.tet_count; ++t) {
        volume += sn_tet_volume(&moved, t);
        rest += sn_tet_volume(&s->mesh, t);
    }
    return volume / rest;
}
