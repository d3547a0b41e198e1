/* SPDX-License-Identifier: MIT */
/* Figures 1, 7 and 8 of the two-way paper: the same handles driven in the same way, by three deformers. */
#include <math.h>

#include "host/math/affine.h"
#include "research/figures/two_way.h"

#define SHOWN_COUNT 4
#define STILL 1e-3 /* of the width, a frame: less is no motion */

typedef struct comparison {
    const char *name, *says;
    sn_outline_name outline;
    int vertex_count; /* 0: the paper's */
    const sn_drive *drives;
    int drive_count;
    double end; /* seconds: driven handles stand from then on */
    int shown[SHOWN_COUNT];
} comparison;

static double ramp(double seconds, double end)
{
    const double t = fmin(seconds / end, 1);
    return t * t * (3 - 2 * t);
}

/* x -> R (x - centre) + centre + shift */
static void turn_about(double angle, const double *centre, const double *shift, double *transform)
{
    const double c = cos(angle), s = sin(angle);
    sn_affine_identity(transform);
    transform[0] = transform[5] = c;
    transform[1] = -s;
    transform[4] = s;
    transform[3] = centre[0] - c * centre[0] + s * centre[1] + shift[0];
    transform[7] = centre[1] - s * centre[0] - c * centre[1] + shift[1];
}

#define SWING_SECONDS 1.0

static void swing(double seconds, const double *pivot, double *transform)
{
    (void)pivot;
    turn_about(1.4 * ramp(seconds, SWING_SECONDS), (const double[]){0, -0.3}, (const double[]){0, 0}, transform);
}

static void stay(double seconds, const double *pivot, double *transform)
{
    (void)seconds;
    (void)pivot;
    sn_affine_identity(transform);
}

static void lean(double seconds, const double *pivot, double *transform)
{
    (void)pivot;
    turn_about(0, pivot, (const double[]){0.35 * ramp(seconds, SWING_SECONDS), -0.12 * ramp(seconds, SWING_SECONDS)},
               transform);
}

static void bow(double seconds, const double *pivot, double *transform)
{
    turn_about(-1.1 * ramp(seconds, SWING_SECONDS), pivot,
               (const double[]){0.3 * ramp(seconds, SWING_SECONDS), -0.15 * ramp(seconds, SWING_SECONDS)}, transform);
}

static const sn_drive bunny_drives[] = {{0, SN_LOCK_TRANSLATION, swing}, {1, SN_LOCK_TRANSLATION, swing}};
static const sn_drive ghost_drives[] = {
    {0, SN_LOCK_TRANSLATION, lean}, {5, SN_LOCK_TRANSLATION, stay}, {6, SN_LOCK_TRANSLATION, stay}};
static const sn_drive mushroom_drives[] = {{0, SN_LOCK_TRANSLATION | SN_LOCK_ROTATION, stay},
                                           {2, SN_LOCK_TRANSLATION | SN_LOCK_ROTATION, bow}};

static const comparison comparisons[] = {
    {"teaser",
     "A mushroom: foot held, middle of the cap driven and turned",
     SN_OUTLINE_MUSHROOM,
     0,
     mushroom_drives,
     2,
     SWING_SECONDS,
     {24, 42, 66, 110}},
    {"cage",
     "A ghost in a cage: one vertex dragged, two held",
     SN_OUTLINE_GHOST,
     0,
     ghost_drives,
     3,
     SWING_SECONDS,
     {24, 42, 66, 110}},
    {"two-points",
     "A rabbit's head: two points turn about their middle",
     SN_OUTLINE_BUNNY,
     0,
     bunny_drives,
     2,
     SWING_SECONDS,
     {24, 42, 66, 110}},
};

typedef struct outcome {
    int inverted;   /* the most triangles that are turned over in a frame */
    double after;   /* how far the farthest free handle still comes once the driven ones stand */
    double seconds; /* until none moves by more than STILL a frame, from then */
} outcome;

static void judge(const sn_flat_subject *s, const comparison *c, const sn_drive_run *run, outcome *o)
{
    const int stand = (int)ceil(60 * c->end), handles = run->handle_count;
    *o = (outcome){.inverted = 0};
    for (int frame = 0; frame <= run->frame_count; ++frame) {
        const double *now = run->handles + 3 * frame * handles;
        const int inverted = sn_drive_inverted(s, run->positions + 3 * (size_t)frame * (size_t)run->vertex_count);
        o->inverted = inverted > o->inverted ? inverted : o->inverted;
        for (int k = 0; k < handles && frame > stand; ++k) {
            const double *then = run->handles + 3 * (stand * handles + k), *last = now - 3 * handles + 3 * k;
            o->after = fmax(o->after, hypot(now[3 * k] - then[0], now[3 * k + 1] - then[1]));
            if (hypot(now[3 * k] - last[0], now[3 * k + 1] - last[1]) > STILL) {
                o->seconds = frame / 60.0 - c->end;
            }
        }
    }
}

static const char *const names[SN_DEFORMER_COUNT] = {"ARAP", "FAST", "two-way"};

static sn_result compare(sn_figures *f, const comparison *c, outcome *outcomes)
{
    sn_arena arena = {0};
    sn_flat_subject subject;
    sn_drive_run runs[SN_DEFORMER_COUNT];
    sn_drawn_shape shapes[SN_DEFORMER_COUNT * SHOWN_COUNT];
    char captions[SN_DEFORMER_COUNT * SHOWN_COUNT][48], path[SN_FIGURE_PATH];
    const sn_drive_desc desc = sn_default_drive_desc(c->drives, c->drive_count, 180);
    sn_result result = sn_flat_subject_build(c->outline, f->is_quick ? 200 : c->vertex_count, &arena, &subject);
    for (int k = 0; k < SN_DEFORMER_COUNT && result == SN_OK; ++k) {
        result = sn_drive_run_make(&subject, &desc, (sn_deformer)k, &arena, &runs[k]);
        if (result == SN_OK) {
            judge(&subject, c, &runs[k], &outcomes[k]);
        }
        for (int i = 0; i < SHOWN_COUNT && result == SN_OK; ++i) {
            const int at = k * SHOWN_COUNT + i;
            snprintf(captions[at], sizeof captions[at], "%s, %.2f s", names[k], c->shown[i] / 60.0);
            result = sn_drive_draw(&subject, &desc, &runs[k], c->shown[i], captions[at], &arena, &shapes[at]);
        }
    }
    if (result == SN_OK) {
        sn_figure_show(f, c->name, c->says, path);
        result = sn_drawing_write(
            path, &(sn_drawn_view){.column_count = SHOWN_COUNT, .column_width = 200, .is_place_shared = true}, shapes,
            SN_DEFORMER_COUNT * SHOWN_COUNT);
    }
    if (result == SN_OK) {
        const outcome *coupled = &outcomes[SN_DEFORM_COUPLED];
        char rest[64] = "move up to the end of the run";
        if (coupled->seconds < desc.frame_count / 60.0 - c->end - 0.02) {
            snprintf(rest, sizeof rest, "come to rest after %.1f s", coupled->seconds);
        }
        sn_figure_say(
            f,
            "%s: %d vertices, %d handles. Triangles turned over, at most: ARAP %d,\n"
            "FAST %d, two-way %d. Once the driven handles stand, free ones still move by %.3f, %.3f and %.3f of\n"
            "the width; those of the coupled rig %s.",
            c->says, subject.body.mesh.vertex_count, subject.handle_count, outcomes[SN_DEFORM_ARAP].inverted,
            outcomes[SN_DEFORM_FAST].inverted, coupled->inverted, outcomes[SN_DEFORM_ARAP].after,
            outcomes[SN_DEFORM_FAST].after, coupled->after, rest);
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_figure_comparison(sn_figures *f)
{
    enum { COUNT = (int)(sizeof comparisons / sizeof comparisons[0]) };
    outcome outcomes[COUNT][SN_DEFORMER_COUNT];
    for (int i = 0; i < COUNT; ++i) {
        SN_TRY(compare(f, &comparisons[i], outcomes[i]));
    }
    sn_figure_say(f, "**Paper.** ARAP turns the whole character without deforming it, and flips triangles near the\n"
                     "handles of cages; FAST is smooth but has no dynamics; the coupled rig moves on its own.");
    sn_figure_say(f,
                  "**Here.** Both static deformers minimise the energy of spokes and rims from where the last\n"
                  "frame ended; ARAP holds the vertices within .045 of a driven handle, FAST has %d rotations.\n"
                  "Filled dots are driven.",
                  30);
    return SN_OK;
}
