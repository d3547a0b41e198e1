/* SPDX-License-Identifier: MIT */
/* Figures 1 and 4 of the layered paper: which vertices bones carry, and what becomes of those around a joint. */
#include <math.h>
#include <stdio.h>

#include "author/cook/colliders/segment_tet.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "research/figures/limb.h"

#define PI 3.14159265358979323846
#define RADIUS SN_BENCH_LEG_RADIUS
#define TWO_BONES (-2)

typedef enum rule { ALL, RELEASED, RELEASED_WIDELY, RULE_COUNT } rule;
typedef enum motion { BEND, TWIST, MOTION_COUNT } motion;

static const char *const names[RULE_COUNT] = {"all carried", "released where bones meet", "and within .9 radii"};

static const double bones[2][2][3] = {{{0, 0, 0}, {0, SN_BENCH_LEG_LENGTH / 2, 0}},
                                      {{0, 0, 0}, {0, -SN_BENCH_LEG_LENGTH / 2, 0}}};

/* What is met by both bones is the first one's, or nobody's. */
static int carry(sn_limb *limb, rule by)
{
    int count = 0;
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        limb->bones[v] = -1;
    }
    for (int i = 0; i < 2 * limb->mesh.tet_count; ++i) {
        const int bone = i / limb->mesh.tet_count, t = i % limb->mesh.tet_count;
        if (sn_segment_intersects_tet(&limb->mesh, t, limb->gradients + 12 * (size_t)t, bones[bone][0],
                                      bones[bone][1])) {
            for (int k = 0; k < 4; ++k) {
                int32_t *of = &limb->bones[limb->mesh.tets[4 * (size_t)t + (size_t)k]];
                *of = *of == -1 || *of == bone ? bone : by == ALL ? *of : TWO_BONES;
            }
        }
    }
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        const bool is_near = sn_length3(limb->mesh.positions + 3 * v) < 0.9 * RADIUS;
        limb->bones[v] = limb->bones[v] < 0 || (by == RELEASED_WIDELY && is_near) ? -1 : limb->bones[v];
        count += limb->bones[v] >= 0;
    }
    return count;
}

typedef struct rigging {
    sn_limb limb;
    int carried[RULE_COUNT], inverted[RULE_COUNT][MOTION_COUNT];
    double volumes[RULE_COUNT][MOTION_COUNT], stretches[RULE_COUNT][MOTION_COUNT];
    sn_picture pictures[MOTION_COUNT * RULE_COUNT];
} rigging;

/* The longest an edge is, of what it is at rest. */
static double longest(const sn_limb *limb, const double *places)
{
    double most = 0;
    for (int i = 0; i < 16 * limb->mesh.tet_count; ++i) {
        const int32_t a = limb->mesh.tets[i / 16 * 4 + i / 4 % 4], b = limb->mesh.tets[i / 16 * 4 + i % 4];
        if (a < b) {
            const double rest = sn_distance3(limb->mesh.positions + 3 * a, limb->mesh.positions + 3 * b);
            most = fmax(most, sn_distance3(places + 3 * a, places + 3 * b) / rest);
        }
    }
    return most;
}

/* Cut open along the plane of the bend: tets, coloured by whether a bone carries them, some of their vertices or none.
 */
static sn_result draw(const sn_limb *limb, const double *places, motion m, sn_arena *arena, sn_picture *picture)
{
    int32_t *groups = SN_NEW(arena, int32_t, (size_t)limb->mesh.tet_count);
    sn_limb_view view = {.yaw = 1.5,
                         .radius = m == BEND ? 0.31 : 0.44,
                         .middle = {0, m == BEND ? 0.155 : 0, m == BEND ? -0.1 : 0},
                         .width = 260,
                         .height = 280};
    for (int t = 0; t < limb->mesh.tet_count && groups; ++t) {
        int carried = 0;
        for (int k = 0; k < 4; ++k) {
            carried += limb->bones[limb->mesh.tets[4 * t + k]] >= 0;
        }
        groups[t] = carried == 4 ? 0 : carried > 0 ? 1 : 4;
    }
    SN_TRY(groups ? sn_limb_cut(limb, groups, arena, &view) : SN_ERROR_MEMORY);
    return sn_limb_picture(limb, places, &view, arena, picture);
}

static sn_result measure(const sn_figures *f, rigging *r, sn_arena *arena)
{
    static const double angles[MOTION_COUNT] = {140 * PI / 180, 179.9 * PI / 180};
    const sn_layered_settings settings = sn_limb_damped_settings();
    sn_result result = sn_limb_leg(f->is_quick ? 4 : 10, f->is_quick ? 10 : 30, arena, &r->limb);
    double *places = result == SN_OK ? SN_NEW(arena, double, 3 * (size_t)r->limb.mesh.vertex_count) : NULL;
    if (result == SN_OK && !places) {
        result = SN_ERROR_MEMORY;
    }
    for (int i = 0; i < MOTION_COUNT * RULE_COUNT && result == SN_OK; ++i) {
        const motion m = (motion)(i / RULE_COUNT);
        const rule by = (rule)(i % RULE_COUNT);
        sn_limb_way way = {m == BEND ? angles[m] : 0, m == TWIST ? angles[m] : 0,
                           f->is_quick ? 5 : SN_LIMB_BEND_FRAMES};
        r->carried[by] = carry(&r->limb, by);
        result = sn_limb_play(&r->limb, &settings,
                              &(sn_limb_run){.frame_count = way.frame_count + (f->is_quick ? 2 : SN_LIMB_HOLD_FRAMES),
                                             .move = sn_limb_move,
                                             .user = &way,
                                             .last = places});
        if (result == SN_OK) {
            r->inverted[by][m] = sn_limb_inverted(&r->limb, places);
            r->volumes[by][m] = sn_limb_volume(&r->limb, places, 2 * RADIUS);
            r->stretches[by][m] = longest(&r->limb, places);
            result = draw(&r->limb, places, m, arena, &r->pictures[i]);
            snprintf(r->pictures[i].caption, sizeof r->pictures[i].caption, "%s", names[by]);
        }
    }
    return result;
}

static void judge(sn_figures *f, const rigging *r)
{
    const double all = r->stretches[ALL][BEND], released = r->stretches[RELEASED][BEND];
    const int less = r->inverted[RELEASED][TWIST] - r->inverted[RELEASED_WIDELY][TWIST];
    sn_figure_say(f,
                  "%s: in the bend an edge is %.1f times as long as at rest. The paper's rule\n"
                  "releases %d vertices and has %.1f there. The cook also releases all within .9 of the limb's\n"
                  "radius, which %s a twist: %d tets are inside out in place of %d.",
                  all > 1.5 * released ? "The outliers are there" : "No outliers are to be seen", all,
                  r->carried[ALL] - r->carried[RELEASED], released, less > 0 ? "helps" : "does not help",
                  r->inverted[RELEASED_WIDELY][TWIST], r->inverted[RELEASED][TWIST]);
}

static void say(sn_figures *f, const rigging *r)
{
    sn_figure_say(f,
                  "**Paper.** Tets that bones run through are carried, each by one bone, without weights. Where all\n"
                  "vertices of them are, those near joints leave outliers; released where more than one bone runs,\n"
                  "the flesh is right.");
    sn_figure_say(f, "**Here.** A leg of %d tets, cut open; what bones carry is dark.", r->limb.mesh.tet_count);
    fprintf(f->text,
            "\n| | carried vertices | inverted: bent by 140, twisted by 180 | longest edge, of its rest | volume "
            "|\n| --- | --- | --- | --- | --- |\n");
    for (int by = 0; by < RULE_COUNT; ++by) {
        fprintf(f->text, "| %s | %d | %d, %d | %.2f, %.2f | %.2f, %.2f |\n", names[by], r->carried[by],
                r->inverted[by][BEND], r->inverted[by][TWIST], r->stretches[by][BEND], r->stretches[by][TWIST],
                r->volumes[by][BEND], r->volumes[by][TWIST]);
    }
    judge(f, r);
}

sn_result sn_figure_layered_rigging(sn_figures *f)
{
    sn_arena arena = {0};
    rigging r = {.carried = {0}};
    char path[SN_FIGURE_PATH];
    sn_result result = measure(f, &r, &arena);
    if (result == SN_OK) {
        sn_figure_show(f, "layered-rigging", "A leg on two bones, bent and twisted, by what they carry", path);
        result = sn_pictures_write(path, r.pictures, MOTION_COUNT * RULE_COUNT, RULE_COUNT);
        say(f, &r);
    }
    sn_arena_finish(&arena);
    return result;
}
