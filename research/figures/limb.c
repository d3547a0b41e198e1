/* SPDX-License-Identifier: MIT */
#include "research/figures/limb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "tools/command/median.h"

#define DENSITY 1000.0
#define BUNNY_HEIGHT 0.5
#define FEET 0.12 /* of the height */
#define CARRIED_RADIUS 0.0272
#define RELEASED (0.9 * SN_BENCH_LEG_RADIUS)

/* ---- bodies ---- */

static bool allocate(sn_limb *limb, sn_arena *arena)
{
    const size_t n = (size_t)limb->mesh.vertex_count, tets = (size_t)limb->mesh.tet_count;
    limb->masses = SN_NEW(arena, double, n);
    limb->bones = SN_NEW(arena, int32_t, n);
    limb->stiffness = SN_NEW(arena, double, 7 * tets);
    limb->frames = SN_NEW(arena, double, 9 * tets);
    limb->gradients = SN_NEW(arena, double, 12 * tets);
    limb->volumes = SN_NEW(arena, double, tets);
    return limb->masses && limb->bones && limb->stiffness && limb->frames && limb->gradients && limb->volumes;
}

static sn_result find_boundary(sn_limb *limb, sn_arena *arena)
{
    sn_arena scratch = {0};
    int32_t *neighbours = SN_NEW(&scratch, int32_t, 4 * (size_t)limb->mesh.tet_count);
    sn_result result = neighbours ? sn_tet_neighbours(&limb->mesh, &scratch, neighbours) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_tet_boundary(&limb->mesh, neighbours, arena, &limb->boundary, &limb->boundary_count);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_limb_build(const sn_tet_mesh *mesh, int bone_count, sn_arena *arena, sn_limb *limb)
{
    *limb = (sn_limb){.mesh = *mesh};
    if (!allocate(limb, arena)) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(mesh, limb->gradients, limb->volumes);
    sn_tet_lumped_mass(mesh, limb->volumes, NULL, limb->masses);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        limb->masses[v] *= DENSITY;
        limb->bones[v] = -1;
    }
    limb->desc = (sn_layered_desc){.vertex_count = mesh->vertex_count,
                                   .positions = mesh->positions,
                                   .masses = limb->masses,
                                   .tet_count = mesh->tet_count,
                                   .tets = mesh->tets,
                                   .stiffness = limb->stiffness,
                                   .bone_count = bone_count,
                                   .bones = limb->bones};
    sn_limb_material(limb, 1e5, 0.4, NULL);
    return find_boundary(limb, arena);
}

sn_result sn_limb_leg(int across, int along, sn_arena *arena, sn_limb *limb)
{
    sn_tet_mesh mesh;
    SN_TRY(sn_bench_leg(across, along, arena, &mesh));
    SN_TRY(sn_limb_build(&mesh, 2, arena, limb));
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double *x = mesh.positions + 3 * v;
        if (hypot(x[0], x[2]) < CARRIED_RADIUS && fabs(x[1]) > RELEASED) {
            limb->bones[v] = x[1] > 0 ? 0 : 1;
        }
    }
    return SN_OK;
}

static sn_result copy_tets(const sn_model *model, sn_arena *arena, sn_tet_mesh *mesh)
{
    const size_t n = (size_t)model->counts.vertex_count, tets = (size_t)model->counts.tet_count;
    mesh->positions = SN_NEW(arena, double, 3 * n);
    mesh->tets = SN_NEW(arena, int32_t, 4 * tets);
    if (!mesh->positions || !mesh->tets) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        mesh->positions[i] = (double)model->rest_positions[i];
    }
    memcpy(mesh->tets, model->tets, 4 * tets * sizeof *mesh->tets);
    mesh->vertex_count = (int)n;
    mesh->tet_count = (int)tets;
    return SN_OK;
}

static sn_result copy_skin(const sn_model *model, sn_arena *arena, sn_limb_skin *skin)
{
    const size_t n = (size_t)model->counts.surface_vertex_count,
                 triangles = (size_t)model->counts.surface_triangle_count;
    skin->tets = SN_NEW(arena, int32_t, n);
    skin->triangles = SN_NEW(arena, int32_t, 3 * triangles);
    skin->weights = SN_NEW(arena, double, 4 * n);
    if (!skin->tets || !skin->triangles || !skin->weights) {
        return SN_ERROR_MEMORY;
    }
    memcpy(skin->tets, model->surface_tets, n * sizeof *skin->tets);
    memcpy(skin->triangles, model->surface_triangles, 3 * triangles * sizeof *skin->triangles);
    for (size_t i = 0; i < 4 * n; ++i) {
        skin->weights[i] = (double)model->surface_barycentric[i];
    }
    skin->vertex_count = (int)n;
    skin->triangle_count = (int)triangles;
    return SN_OK;
}

/* No tets where there is no data. */
static sn_result fill_bunny(const sn_figures *f, int vertex_count, sn_arena *arena, sn_tet_mesh *mesh,
                            sn_limb_skin *skin)
{
    char path[SN_FIGURE_PATH];
    sn_cook_desc desc = sn_default_cook_desc();
    sn_blob blob = {0};
    sn_model *model = NULL;
    snprintf(path, sizeof path, "%s/surface/bunny.off", f->data);
    *mesh = (sn_tet_mesh){.tet_count = 0};
    if (f->is_quick || access(path, R_OK) != 0) {
        return SN_OK;
    }
    desc.is_layered = true;
    desc.tet_vertex_count = vertex_count;
    sn_result result = sn_cook(path, &desc, &blob, NULL);
    if (result == SN_OK) {
        result = sn_model_load(blob.bytes, blob.size, &model);
    }
    if (result == SN_OK) {
        result = copy_tets(model, arena, mesh);
    }
    if (result == SN_OK) {
        result = copy_skin(model, arena, skin);
    }
    sn_model_release(model);
    sn_blob_release(&blob);
    return result;
}

sn_result sn_limb_bunny(const sn_figures *f, int vertex_count, sn_arena *arena, sn_limb *limb, bool *is_bunny)
{
    const int across = f->is_quick ? 3 : 9;
    sn_tet_mesh mesh;
    sn_limb_skin skin = {.triangle_count = 0};
    double low[3], high[3];
    sn_result result = fill_bunny(f, vertex_count, arena, &mesh, &skin);
    *is_bunny = result == SN_OK && mesh.tet_count > 0;
    if (result == SN_OK && !*is_bunny) {
        result = sn_bar_build((const int[]){across, 2 * across, across}, 1, arena, &mesh);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_tet_mesh_box(&mesh, low, high);
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        mesh.positions[i] = BUNNY_HEIGHT * (mesh.positions[i] - low[i % 3]) / (high[1] - low[1]);
    }
    result = sn_limb_build(&mesh, 1, arena, limb);
    limb->skin = skin;
    for (int v = 0; v < mesh.vertex_count && result == SN_OK; ++v) {
        limb->bones[v] = mesh.positions[3 * v + 1] < FEET * BUNNY_HEIGHT ? 0 : -1;
    }
    return result;
}

void sn_limb_material(sn_limb *limb, double young, double poisson, const double *factors)
{
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    for (int i = 0; i < 7 * limb->desc.tet_count; ++i) {
        const int k = i % 7;
        limb->stiffness[i] = k == 6 ? lambda : (k < 3 ? 2 * mu : mu) * (factors ? factors[k] : 1);
    }
}

void sn_limb_set_axes(sn_limb *limb, const double *axes)
{
    for (int i = 0; i < 9 * limb->desc.tet_count; ++i) {
        limb->frames[i] = axes[i % 9];
    }
    limb->desc.frames = limb->frames;
}

void sn_limb_pose(double lift, double bend, double twist, double *pose)
{
    const double c = cos(bend), s = sin(bend), ct = cos(twist), st = sin(twist);
    const double bent[12] = {1, 0, 0, 0, 0, c, -s, lift, 0, s, c, 0};
    const double twisted[12] = {ct, 0, st, 0, 0, 1, 0, 0, -st, 0, ct, 0};
    sn_affine_identity(pose);
    pose[7] = lift;
    sn_affine_multiply(bent, twisted, pose + 12);
}

void sn_limb_move(int frame, void *way, double *pose)
{
    const sn_limb_way *w = way;
    const double share = fmin(1, (double)frame / w->frame_count);
    sn_limb_pose(0, share * w->bend, share * w->twist, pose);
}

/* ---- runs ---- */

sn_layered_settings sn_limb_damped_settings(void)
{
    sn_layered_settings settings = sn_default_layered_settings();
    settings.damping = 6;
    settings.is_rigid_damped = true;
    return settings;
}

static sn_result step_all(const sn_limb *limb, sn_layered_body *body, const sn_limb_run *run)
{
    const size_t size = 3 * (size_t)limb->mesh.vertex_count;
    sn_arena scratch = {0};
    double *pose = SN_NEW(&scratch, double, 12 * limb->desc.bone_count);
    double *times = SN_NEW(&scratch, double, run->frame_count);
    sn_result result = pose && times ? SN_OK : SN_ERROR_MEMORY;
    for (int bone = 0; bone < limb->desc.bone_count && result == SN_OK; ++bone) {
        sn_affine_identity(pose + 12 * bone);
    }
    for (int frame = 0; frame < run->frame_count && result == SN_OK; ++frame) {
        if (run->move) {
            run->move(frame + 1, run->user, pose);
        }
        const double start = sn_figure_seconds();
        const sn_layered_report report = sn_layered_body_step(body, pose, NULL);
        times[frame] = 1e3 * (sn_figure_seconds() - start);
        if (run->places) {
            sn_layered_body_positions(body, run->places + size * (size_t)frame);
        }
        if (report.is_recovered) {
            result = sn_fail(SN_ERROR_NUMERIC, "flesh of %d tets blew up in step %d", limb->mesh.tet_count, frame + 1);
        }
    }
    if (result == SN_OK && run->last) {
        sn_layered_body_positions(body, run->last);
    }
    if (result == SN_OK && run->milliseconds) {
        *run->milliseconds = sn_median(times, run->frame_count);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Pins that pull with next to nothing. */
static sn_result let_go(const sn_limb *limb, sn_layered_body *body)
{
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        if (limb->bones[v] >= 0) {
            SN_TRY(sn_xpbd_body_pin(sn_layered_body_flesh(body), v, 1e-9));
        }
    }
    return SN_OK;
}

sn_result sn_limb_play(const sn_limb *limb, const sn_layered_settings *settings, const sn_limb_run *run)
{
    sn_layered_model *model = NULL;
    sn_layered_body *body = NULL;
    sn_result result = sn_layered_model_create(&limb->desc, &model);
    if (result == SN_OK) {
        result = sn_layered_body_create(model, settings, NULL, &body);
    }
    if (result == SN_OK && run->is_let_go) {
        result = let_go(limb, body);
    }
    if (result == SN_OK && run->start) {
        sn_layered_body_set_positions(body, run->start);
    }
    if (result == SN_OK) {
        result = step_all(limb, body, run);
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    return result;
}

/* ---- measures ---- */

double sn_limb_distance(const sn_limb *limb, const double *a, const double *b, int frame_count)
{
    const size_t n = (size_t)limb->mesh.vertex_count;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < n * (size_t)frame_count; ++i) {
        if (limb->bones[i % n] < 0) {
            const double distance = sn_distance3(a + 3 * i, b + 3 * i);
            sum += distance * distance;
            ++count;
        }
    }
    return sqrt(sum / (double)count);
}

static double moved_volume(const sn_limb *limb, double *places, int tet)
{
    sn_tet_mesh mesh = limb->mesh;
    mesh.positions = places;
    return sn_tet_volume(&mesh, tet);
}

int sn_limb_inverted(const sn_limb *limb, double *places)
{
    int count = 0;
    for (int t = 0; t < limb->mesh.tet_count; ++t) {
        count += moved_volume(limb, places, t) <= 0;
    }
    return count;
}

double sn_limb_volume(const sn_limb *limb, double *places, double reach)
{
    double now = 0, rest = 0;
    for (int t = 0; t < limb->mesh.tet_count; ++t) {
        const int32_t *tet = limb->mesh.tets + 4 * (size_t)t;
        double middle = 0;
        for (int k = 0; k < 4; ++k) {
            middle += limb->mesh.positions[3 * tet[k] + 1] / 4;
        }
        if (fabs(middle) < reach) {
            now += moved_volume(limb, places, t);
            rest += limb->volumes[t];
        }
    }
    return now / rest;
}

/* ---- pictures ---- */

/* (vertex_count x width) at the skin's vertices, of what there is at those of tets. */
static double *embed(const sn_limb *limb, const double *values, int width, sn_arena *arena)
{
    double *result = SN_NEW(arena, double, (size_t)width *(size_t)limb->skin.vertex_count);
    for (int i = 0; i < 4 * limb->skin.vertex_count && result; ++i) {
        const int v = i / 4, tet = limb->skin.tets[v];
        for (int d = 0; d < width && tet >= 0; ++d) {
            result[width * v + d] += limb->skin.weights[i] * values[width * limb->mesh.tets[4 * tet + i % 4] + d];
        }
    }
    return result;
}

sn_result sn_limb_surface(const sn_limb *limb, const double *places, sn_arena *arena, sn_tri_mesh *mesh,
                          const double **values)
{
    const sn_limb_skin *skin = &limb->skin;
    if (skin->triangle_count == 0) {
        *mesh = (sn_tri_mesh){limb->mesh.vertex_count, limb->boundary_count, places, limb->boundary};
        return SN_OK;
    }
    const double *on_skin = *values ? embed(limb, *values, 1, arena) : NULL;
    *mesh = (sn_tri_mesh){skin->vertex_count, skin->triangle_count, embed(limb, places, 3, arena), skin->triangles};
    if (!mesh->positions || (*values && !on_skin)) {
        return SN_ERROR_MEMORY;
    }
    *values = on_skin;
    return SN_OK;
}

sn_result sn_limb_cut(const sn_limb *limb, const int32_t *tet_groups, sn_arena *arena, sn_limb_view *view)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int32_t *triangles = SN_NEW(arena, int32_t, 12 * (size_t)limb->mesh.tet_count);
    int32_t *groups = SN_NEW(arena, int32_t, 4 * (size_t)limb->mesh.tet_count);
    int count = 0;
    if (!triangles || !groups) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < 4 * limb->mesh.tet_count; ++i) { /* faces inside are hidden by those before them */
        const int32_t *tet = limb->mesh.tets + i / 4 * 4;
        double middle = 0;
        for (int k = 0; k < 4; ++k) {
            middle += limb->mesh.positions[3 * tet[k]];
        }
        for (int k = 0; k < 3 && middle < 0; ++k) {
            triangles[3 * count + k] = tet[faces[i % 4][k]];
        }
        groups[count] = tet_groups[i / 4];
        count += middle < 0;
    }
    view->triangles = triangles;
    view->triangle_count = count;
    view->groups = groups;
    return SN_OK;
}

sn_result sn_limb_picture(const sn_limb *limb, const double *places, const sn_limb_view *view, sn_arena *arena,
                          sn_picture *picture)
{
    sn_arena scratch = {0};
    const double *values = view->values;
    sn_tri_mesh mesh = {limb->mesh.vertex_count, view->triangle_count, places, view->triangles};
    sn_result result = view->triangles ? SN_OK : sn_limb_surface(limb, places, &scratch, &mesh, &values);
    double *centred = result == SN_OK ? SN_NEW(&scratch, double, 3 * (size_t)mesh.vertex_count) : NULL;
    result = result == SN_OK && !centred ? SN_ERROR_MEMORY : result;
    for (int i = 0; i < 3 * mesh.vertex_count && result == SN_OK; ++i) {
        centred[i] = mesh.positions[i] - view->middle[i % 3];
    }
    if (result == SN_OK) {
        const sn_raster_desc desc = {.positions = centred,
                                     .triangles = mesh.triangles,
                                     .vertex_count = mesh.vertex_count,
                                     .triangle_count = mesh.triangle_count,
                                     .values = values,
                                     .groups = view->groups,
                                     .yaw = view->yaw,
                                     .pitch = view->pitch,
                                     .radius = view->radius,
                                     .width = view->width,
                                     .height = view->height};
        result = sn_raster_draw(&desc, arena, picture);
    }
    sn_arena_finish(&scratch);
    return result;
}
