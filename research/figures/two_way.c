/* SPDX-License-Identifier: MIT */
#include "research/figures/two_way.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "research/baselines/spokes_rims.h"

#define FRAME (1.0 / 60)
#define HELD_REACH 0.045 /* vertices as near to a driven handle are held by ARAP, that its rotation be felt */
#define STATIC_ITERATIONS 200
#define STATIC_TOLERANCE 1e-5
#define FAST_CLUSTERS 30

sn_drive_desc sn_default_drive_desc(const sn_drive *drives, int drive_count, int frame_count)
{
    return (sn_drive_desc){.drives = drives,
                           .drive_count = drive_count,
                           .frame_count = frame_count,
                           .young = 1000,
                           .poisson = 0.4,
                           .damping = 1.5,
                           .compliance = 3e-4};
}

static const double *frame_of(const double *frames, int frame, int count)
{
    return frames + 3 * (size_t)frame * (size_t)count;
}

/* Handles are where their transforms put the pivots. */
static void place_handles(const sn_flat_subject *s, const double *transforms, double *places)
{
    for (int k = 0; k < s->handle_count; ++k) {
        sn_affine_apply(transforms + 12 * k, s->pivots + 3 * k, places + 3 * k);
    }
}

static void skin(const sn_flat_subject *s, const double *transforms, double *positions)
{
    for (int v = 0; v < s->body.mesh.vertex_count; ++v) {
        double sum[3] = {0};
        for (int k = 0; k < s->handle_count; ++k) {
            double at[3];
            sn_affine_apply(transforms + 12 * k, s->body.mesh.positions + 3 * v, at);
            for (int d = 0; d < 3; ++d) {
                sum[d] += s->weights[v * s->handle_count + k] * at[d];
            }
        }
        memcpy(positions + 3 * v, sum, sizeof sum);
    }
}

/* ---- as rigid as possible ---- */

static int nearest_vertex(const sn_flat_subject *s, const double *place)
{
    int nearest = 0;
    double least = DBL_MAX;
    for (int v = 0; v < s->body.mesh.vertex_count; ++v) {
        const double away = sn_distance3(s->body.mesh.positions + 3 * v, place);
        nearest = away < least ? v : nearest;
        least = fmin(least, away);
    }
    return nearest;
}

typedef struct held {
    int count;
    int32_t *vertices;
    int *drives; /* whose */
} held;

static sn_result find_held(const sn_flat_subject *s, const sn_drive_desc *desc, sn_arena *arena, held *h)
{
    const int n = s->body.mesh.vertex_count;
    *h = (held){.vertices = SN_NEW(arena, int32_t, n), .drives = SN_NEW(arena, int, n)};
    for (int v = 0; v < n && h->vertices && h->drives; ++v) {
        for (int i = 0; i < desc->drive_count; ++i) {
            const double *pivot = s->pivots + 3 * desc->drives[i].handle;
            if (v == nearest_vertex(s, pivot) ||
                sn_distance3(s->body.mesh.positions + 3 * v, pivot) < HELD_REACH) { /* a cage's are outside */
                h->vertices[h->count] = v;
                h->drives[h->count++] = i;
                break;
            }
        }
    }
    return h->vertices && h->drives ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result run_arap(const sn_flat_subject *s, const sn_drive_desc *desc, sn_arena *arena, sn_drive_run *run)
{
    const size_t n = (size_t)run->vertex_count;
    held h;
    sn_arap *arap = NULL;
    sn_result result = find_held(s, desc, arena, &h);
    double *targets = SN_NEW(arena, double, 3 * n);
    if (result == SN_OK) {
        result = targets ? sn_arap_create(&s->body, h.vertices, h.count, &arap) : SN_ERROR_MEMORY;
    }
    for (int frame = 0; frame <= run->frame_count && result == SN_OK; ++frame) {
        double *now = run->positions + 3 * n * (size_t)frame;
        memcpy(now, frame > 0 ? now - 3 * n : s->body.mesh.positions, 3 * n * sizeof *now);
        for (int i = 0; i < h.count; ++i) {
            const sn_drive *drive = &desc->drives[h.drives[i]];
            double transform[12];
            drive->move(frame * FRAME, s->pivots + 3 * drive->handle, transform);
            sn_affine_apply(transform, s->body.mesh.positions + 3 * (size_t)h.vertices[i], targets + 3 * i);
        }
        if (sn_arap_solve(arap, targets, STATIC_ITERATIONS, STATIC_TOLERANCE, now) < 0) {
            result = SN_ERROR_MEMORY;
        }
        for (int k = 0; k < s->handle_count; ++k) {
            memcpy(run->handles + 3 * ((size_t)frame * (size_t)s->handle_count + (size_t)k),
                   now + 3 * (size_t)nearest_vertex(s, s->pivots + 3 * k), 3 * sizeof *now);
        }
    }
    sn_arap_destroy(&arap);
    return result;
}

/* ---- FAST ---- */

static sn_result run_fast(const sn_flat_subject *s, const sn_drive_desc *desc, sn_arena *arena, sn_drive_run *run)
{
    const size_t n = (size_t)run->vertex_count, handles = (size_t)s->handle_count;
    bool *places = SN_NEW(arena, bool, handles), *linear = SN_NEW(arena, bool, handles);
    double *transforms = SN_NEW(arena, double, 12 * handles);
    sn_fast *fast = NULL;
    if (!places || !linear || !transforms) {
        return SN_ERROR_MEMORY;
    }
    for (size_t k = 0; k < handles; ++k) {
        sn_affine_identity(transforms + 12 * k);
        linear[k] = s->is_cage;
    }
    for (int i = 0; i < desc->drive_count; ++i) {
        places[desc->drives[i].handle] = (desc->drives[i].locks & SN_LOCK_TRANSLATION) != 0;
        linear[desc->drives[i].handle] |= (desc->drives[i].locks & SN_LOCK_ROTATION) != 0;
    }
    sn_result result =
        sn_fast_create(&(sn_fast_desc){&s->body, s->handle_count, s->weights, s->pivots, FAST_CLUSTERS}, &fast);
    if (result == SN_OK) {
        result = sn_fast_fix(fast, places, linear);
    }
    for (int frame = 0; frame <= run->frame_count && result == SN_OK; ++frame) {
        for (int i = 0; i < desc->drive_count; ++i) {
            /* what is not held of it begins there, too */
            const sn_drive *drive = &desc->drives[i];
            double *transform = transforms + 12 * drive->handle;
            double target[12], place[3], now[3];
            drive->move(frame * FRAME, s->pivots + 3 * drive->handle, target);
            for (int j = 0; j < 12 && linear[drive->handle]; ++j) {
                transform[j] = target[j];
            }
            sn_affine_apply(target, s->pivots + 3 * drive->handle, place);
            sn_affine_apply(transform, s->pivots + 3 * drive->handle, now);
            for (int d = 0; d < 3; ++d) {
                transform[4 * d + 3] += place[d] - now[d];
            }
        }
        sn_fast_solve(fast, STATIC_ITERATIONS, STATIC_TOLERANCE, transforms);
        skin(s, transforms, run->positions + 3 * n * (size_t)frame);
        place_handles(s, transforms, run->handles + 3 * handles * (size_t)frame);
    }
    sn_fast_destroy(&fast);
    return result;
}

/* ---- two-way coupling ---- */

typedef struct coupled {
    sn_xpbd_model *model;
    sn_coupled_rig *rig;
    sn_coupled_body *body;
} coupled;

static void finish_coupled(coupled *c)
{
    sn_coupled_body_destroy(&c->body);
    sn_coupled_rig_destroy(&c->rig);
    sn_xpbd_model_destroy(&c->model);
}

static sn_result make_model(const sn_flat_subject *s, const sn_drive_desc *desc, sn_arena *arena, coupled *c)
{
    const size_t triangles = (size_t)s->body.mesh.tet_count;
    double *lambda = SN_NEW(arena, double, triangles), *mu = SN_NEW(arena, double, triangles);
    double *density = SN_NEW(arena, double, triangles);
    if (!lambda || !mu || !density) {
        return SN_ERROR_MEMORY;
    }
    for (size_t t = 0; t < triangles; ++t) {
        mu[t] = desc->young / (2 * (1 + desc->poisson));
        lambda[t] = desc->young * desc->poisson / ((1 + desc->poisson) * (1 - 2 * desc->poisson));
        density[t] = 1;
    }
    return sn_xpbd_model_create(&(sn_xpbd_desc){.vertex_count = s->body.mesh.vertex_count,
                                                .positions = s->body.mesh.positions,
                                                .element_count = s->body.mesh.tet_count,
                                                .element_corners = 3,
                                                .elements = s->triangles,
                                                .lambda = lambda,
                                                .mu = mu,
                                                .density = density},
                                &c->model);
}

static sn_result make_coupled(const sn_flat_subject *s, const sn_drive_desc *desc, sn_arena *arena, coupled *c)
{
    sn_coupled_handle *handles = SN_NEW(arena, sn_coupled_handle, s->handle_count);
    *c = (coupled){.model = NULL};
    for (int k = 0; k < s->handle_count && handles; ++k) {
        handles[k] = (sn_coupled_handle){.type = s->is_cage ? SN_HANDLE_TRANSLATION : SN_HANDLE_RIGID, .parent = -1};
        memcpy(handles[k].pivot, s->pivots + 3 * k, sizeof handles[k].pivot);
    }
    SN_TRY(handles ? make_model(s, desc, arena, c) : SN_ERROR_MEMORY);
    SN_TRY(sn_coupled_rig_create(
        &(sn_coupled_rig_desc){
            .model = c->model, .handle_count = s->handle_count, .handles = handles, .weights = s->weights},
        &c->rig));
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.time_step = FRAME;
    settings.xpbd.damping = desc->damping;
    settings.xpbd.gravity[1] = -desc->gravity;
    settings.compliance = desc->compliance;
    SN_TRY(sn_coupled_body_create(c->rig, &settings, &c->body));
    for (int i = 0; i < desc->drive_count; ++i) {
        sn_coupled_body_set_locks(c->body, desc->drives[i].handle, desc->drives[i].locks);
    }
    return SN_OK;
}

static sn_result run_coupled(const sn_flat_subject *s, const sn_drive_desc *desc, sn_arena *arena, sn_drive_run *run)
{
    const size_t n = (size_t)run->vertex_count, handles = (size_t)s->handle_count;
    sn_collider floor = {.shape = SN_COLLIDER_PLANE, .friction = 0.5};
    sn_surroundings surroundings = {.collider_count = desc->has_floor, .colliders = &floor};
    double *transforms = SN_NEW(arena, double, 12 * handles);
    coupled c;
    sn_result result = make_coupled(s, desc, arena, &c);
    if (!transforms) {
        result = SN_ERROR_MEMORY;
    }
    sn_affine_identity(floor.transform);
    floor.transform[7] = desc->floor;
    memcpy(floor.transform_before, floor.transform, sizeof floor.transform);
    for (int frame = 0; frame <= run->frame_count && result == SN_OK; ++frame) {
        for (int i = 0; i < desc->drive_count; ++i) {
            const sn_drive *drive = &desc->drives[i];
            double target[12];
            drive->move(frame * FRAME, s->pivots + 3 * drive->handle, target);
            sn_coupled_body_set_target(c.body, drive->handle, target);
        }
        if (frame > 0) {
            sn_coupled_body_step(c.body, &surroundings);
        }
        sn_coupled_body_transforms(c.body, transforms);
        sn_coupled_body_rig_positions(c.body, run->positions + 3 * n * (size_t)frame);
        place_handles(s, transforms, run->handles + 3 * handles * (size_t)frame);
    }
    finish_coupled(&c);
    return result;
}

/* ---- all three ---- */

sn_result sn_drive_run_make(const sn_flat_subject *subject, const sn_drive_desc *desc, sn_deformer deformer,
                            sn_arena *arena, sn_drive_run *run)
{
    static sn_result (*const runs[SN_DEFORMER_COUNT])(const sn_flat_subject *, const sn_drive_desc *, sn_arena *,
                                                      sn_drive_run *) = {run_arap, run_fast, run_coupled};
    const size_t frames = (size_t)desc->frame_count + 1;
    *run = (sn_drive_run){.frame_count = desc->frame_count,
                          .vertex_count = subject->body.mesh.vertex_count,
                          .handle_count = subject->handle_count};
    run->positions = SN_NEW(arena, double, 3 * frames * (size_t)run->vertex_count);
    run->handles = SN_NEW(arena, double, 3 * frames * (size_t)run->handle_count);
    return run->positions && run->handles ? runs[deformer](subject, desc, arena, run) : SN_ERROR_MEMORY;
}

int sn_drive_inverted(const sn_flat_subject *subject, const double *positions)
{
    int count = 0;
    for (int t = 0; t < subject->body.mesh.tet_count; ++t) {
        const int32_t *corners = subject->triangles + 3 * t;
        double a[3], b[3];
        sn_subtract3(positions + 3 * corners[1], positions + 3 * corners[0], a);
        sn_subtract3(positions + 3 * corners[2], positions + 3 * corners[0], b);
        count += a[0] * b[1] - a[1] * b[0] <= 0;
    }
    return count;
}

sn_result sn_drive_draw(const sn_flat_subject *subject, const sn_drive_desc *desc, const sn_drive_run *run, int frame,
                        const char *caption, sn_arena *scratch, sn_drawn_shape *shape)
{
    bool *is_filled = SN_NEW(scratch, bool, subject->handle_count);
    if (!is_filled) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < desc->drive_count; ++i) {
        is_filled[desc->drives[i].handle] = true;
    }
    *shape = (sn_drawn_shape){.caption = caption,
                              .positions = frame_of(run->positions, frame, run->vertex_count),
                              .triangles = subject->triangles,
                              .triangle_count = subject->body.mesh.tet_count,
                              .outline = subject->outline,
                              .outline_count = subject->outline_count,
                              .marks = frame_of(run->handles, frame, run->handle_count),
                              .is_filled = is_filled,
                              .mark_count = run->handle_count};
    return SN_OK;
}
