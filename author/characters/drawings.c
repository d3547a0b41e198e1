/* SPDX-License-Identifier: MIT */
#include "author/characters/drawings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "author/characters/canvas.h"

#define PI 3.14159265358979323846
#define RIG_BYTES 8192
#define INK 0x2b2440

typedef struct sketch {
    sn_canvas canvas;
    char *rig; /* (RIG_BYTES) */
    size_t size;
    int handle_count;
} sketch;

/* ---- the rig ---- */

__attribute__((format(printf, 2, 3))) static void write_rig(sketch *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(s->rig + s->size, RIG_BYTES - s->size, format, arguments);
    va_end(arguments);
    SN_ASSERT(length > 0 && (size_t)length < RIG_BYTES - s->size);
    s->size += (size_t)length;
}

static void begin_handle(sketch *s, const char *name, const char *parent)
{
    write_rig(s, "%s  {\"name\": \"%s\", ", s->handle_count++ > 0 ? ",\n" : "", name);
    if (parent) {
        write_rig(s, "\"parent\": \"%s\", ", parent);
    }
}

/* Writes whole pixels, which no locale formats differently. */
static void add_point(sketch *s, const char *name, const char *parent, double x, double y)
{
    begin_handle(s, name, parent);
    write_rig(s, "\"point\": [%ld, %ld]}", lrint(x), lrint(y));
}

static void add_bone(sketch *s, const char *name, const char *parent, const double *head, const double *tail)
{
    begin_handle(s, name, parent);
    write_rig(s, "\"bone\": [[%ld, %ld], [%ld, %ld]]}", lrint(head[0]), lrint(head[1]), lrint(tail[0]), lrint(tail[1]));
}

/* ---- shared parts ---- */

static void paint(sketch *s, unsigned top, unsigned bottom, double outline_width, double blend, double shade)
{
    const sn_canvas_style style = {top, bottom, INK, outline_width, blend, shade, false};
    sn_canvas_paint(&s->canvas, &style);
}

/* Paints the shape in one colour, clipped to existing pixels. */
static void paint_clipped(sketch *s, unsigned color)
{
    const sn_canvas_style style = {.top = color, .bottom = color, .is_clipped = true};
    sn_canvas_paint(&s->canvas, &style);
}

/* Draws an eye that looks in the direction (dx, dy). */
static void draw_eye(sketch *s, double x, double y, double size, double dx, double dy)
{
    sn_canvas_ellipse(&s->canvas, x, y, size, 1.12 * size);
    paint(s, 0xffffff, 0xf1f1f8, 0.16 * size, 0, 0);
    sn_canvas_ellipse(&s->canvas, x + 0.3 * size * dx, y + 0.3 * size * dy, 0.5 * size, 0.58 * size);
    paint_clipped(s, INK);
    sn_canvas_ellipse(&s->canvas, x + 0.3 * size * dx - 0.16 * size, y + 0.3 * size * dy - 0.22 * size, 0.17 * size,
                      0.17 * size);
    paint_clipped(s, 0xffffff);
}

/* Draws a curve from (x - half, y) down to its center and up again. */
static void draw_smile(sketch *s, double x, double y, double half, double depth, double width)
{
    const double points[] = {x - half, y,         width, x - 0.6 * half, y + 0.75 * depth, width,
                             x,        y + depth, width, x + 0.6 * half, y + 0.75 * depth, width,
                             x + half, y,         width};
    sn_canvas_curve(&s->canvas, points, 5);
    paint_clipped(s, INK);
}

/* ---- fish ---- */

static sn_result draw_fish(sketch *s, sn_arena *arena)
{
    const sn_result result = sn_canvas_start(arena, 960, 600, &s->canvas);
    if (result != SN_OK) {
        return result;
    }
    sn_canvas *c = &s->canvas;
    /* fins behind the body */
    static const double upper[] = {330, 190, 30, 430, 95, 34, 560, 78, 16},
                        lower[] = {400, 420, 26, 480, 505, 24, 565, 530, 8};
    sn_canvas_curve(c, upper, 3);
    paint(s, 0xffb347, 0xf28a2e, 8, 8, 0.15);
    sn_canvas_curve(c, lower, 3);
    paint(s, 0xffb347, 0xf28a2e, 8, 8, 0.15);
    /* body and tail */
    static const double spine[] = {225, 305, 118, 330, 300, 148, 470, 302, 116, 600, 305, 62, 700, 302, 36};
    static const double tail_up[] = {700, 302, 34, 790, 215, 40, 880, 110, 18};
    static const double tail_down[] = {700, 302, 34, 790, 385, 40, 880, 495, 18};
    sn_canvas_curve(c, spine, 5);
    sn_canvas_curve(c, tail_up, 3);
    sn_canvas_curve(c, tail_down, 3);
    paint(s, 0xff9d5c, 0xf4645f, 9, 26, 0.25);
    for (int i = 0; i < 3; ++i) {
        const double x = 400 + 100 * i, bend = 26 - 5 * i, half = 112 - 32 * i;
        const double stripe[] = {x, 302 - half, 13, x + bend, 302, 17 - 2 * i, x, 302 + half, 13};
        sn_canvas_curve(c, stripe, 3);
        paint_clipped(s, 0xfff1dc);
    }
    static const double fin[] = {385, 345, 30, 450, 385, 32, 505, 395, 12};
    sn_canvas_curve(c, fin, 3);
    paint(s, 0xffb347, 0xf28a2e, 7, 8, 0.15);
    draw_eye(s, 215, 265, 42, -0.8, 0);
    draw_smile(s, 180, 352, 36, 18, 5);
    static const double joints[5][2] = {{200, 305}, {330, 302}, {480, 302}, {610, 304}, {715, 302}};
    add_bone(s, "head", "body", joints[1], joints[0]);
    add_bone(s, "body", NULL, joints[1], joints[2]);
    add_bone(s, "waist", "body", joints[2], joints[3]);
    add_bone(s, "tail", "waist", joints[3], joints[4]);
    add_point(s, "tail_upper", "tail", 855, 140);
    add_point(s, "tail_lower", "tail", 855, 465);
    add_point(s, "fin", "body", 490, 393);
    return SN_OK;
}

/* ---- octopus ---- */

#define ARM_COUNT 8

/* Arms extend below the head; the outer ones are curled. */
static void octopus_arm(int arm, double points[5][3])
{
    static const double radii[5] = {34, 30, 25, 19, 10};
    const double side = (arm - (ARM_COUNT - 1) / 2.0) / ((ARM_COUNT - 1) / 2.0); /* -1 to 1 */
    for (int i = 0; i < 5; ++i) {
        const double t = i / 4.0;
        points[i][0] = 450 + side * (150 + 225 * t) + 16 * sin(2 * PI * t + arm);
        points[i][1] = 430 + (380 - 190 * side * side) * t + (1 - fabs(side)) * 30 * t + 14 * sin(PI * t) * fabs(side);
        points[i][2] = radii[i];
    }
    points[4][0] += (side < 0 ? -1 : 1) * 20;
    points[4][1] -= 55 * fabs(side);
}

static sn_result draw_octopus(sketch *s, sn_arena *arena)
{
    const sn_result result = sn_canvas_start(arena, 900, 900, &s->canvas);
    if (result != SN_OK) {
        return result;
    }
    sn_canvas *c = &s->canvas;
    sn_canvas_ellipse(c, 450, 250, 190, 205);
    static const double neck[] = {320, 400, 66, 450, 420, 90, 580, 400, 66};
    sn_canvas_curve(c, neck, 3);
    for (int arm = 0; arm < ARM_COUNT; ++arm) {
        double points[5][3];
        octopus_arm(arm, points);
        sn_canvas_curve(c, points[0], 5);
    }
    paint(s, 0xc58bff, 0x8158d8, 9, 14, 0.22);
    for (int i = 0; i < 5; ++i) {
        sn_canvas_ellipse(c, 345 + 52 * i, 120 + 34 * (i % 2), 16 - i, 13 - i);
        paint_clipped(s, 0xe2c4ff);
    }
    for (int arm = 0; arm < ARM_COUNT; ++arm) {
        double points[5][3];
        octopus_arm(arm, points);
        for (int i = 1; i < 4; ++i) {
            sn_canvas_ellipse(c, points[i][0], points[i][1], 0.34 * points[i][2], 0.34 * points[i][2]);
            paint_clipped(s, 0xf3d9ff);
        }
    }
    draw_eye(s, 375, 300, 48, 0.4, 0.3);
    draw_eye(s, 525, 300, 48, -0.4, 0.3);
    draw_smile(s, 450, 390, 46, 24, 6);
    add_point(s, "head", NULL, 450, 230);
    for (int arm = 0; arm < ARM_COUNT; ++arm) {
        double points[5][3];
        char names[2][16];
        octopus_arm(arm, points);
        snprintf(names[0], sizeof names[0], "arm%d", arm + 1);
        snprintf(names[1], sizeof names[1], "tip%d", arm + 1);
        add_bone(s, names[0], "head", points[1], points[2]);
        add_bone(s, names[1], names[0], points[2], points[4]);
    }
    return SN_OK;
}

/* ---- worm ---- */

static sn_result draw_worm(sketch *s, sn_arena *arena)
{
    enum { JOINTS = 9 };
    const sn_result result = sn_canvas_start(arena, 1100, 420, &s->canvas);
    double spine[JOINTS][3];
    if (result != SN_OK) {
        return result;
    }
    sn_canvas *c = &s->canvas;
    for (int i = 0; i < JOINTS; ++i) {
        const double t = (double)i / (JOINTS - 1);
        spine[i][0] = 120 + 860 * t;
        spine[i][1] = 225 + 62 * sin(2.2 * PI * t);
        spine[i][2] = 62 - 26 * t;
    }
    sn_canvas_curve(c, spine[0], JOINTS);
    sn_canvas_ellipse(c, 120, 222, 84, 82);
    paint(s, 0xb6e36a, 0x5fb54a, 8, 20, 0.25);
    for (int i = 2; i < JOINTS; ++i) {
        const double tilt = 12 * cos(2.2 * PI * i / (JOINTS - 1));
        sn_canvas_stroke(c, spine[i][0] + tilt, spine[i][1] - spine[i][2], 4, spine[i][0] - tilt,
                         spine[i][1] + spine[i][2], 4);
        paint_clipped(s, 0x4a9a44);
    }
    draw_eye(s, 92, 190, 27, -0.5, 0.2);
    draw_eye(s, 150, 190, 27, -0.5, 0.2);
    draw_smile(s, 112, 248, 34, 20, 5);
    for (int i = 0; i + 2 < JOINTS; i += 2) {
        char names[2][16];
        snprintf(names[0], sizeof names[0], "ring%d", i / 2);
        snprintf(names[1], sizeof names[1], "ring%d", i / 2 + 1);
        add_bone(s, names[1], i > 0 ? names[0] : NULL, spine[i], spine[i + 2]);
    }
    return SN_OK;
}

/* ---- ghost ---- */

static sn_result draw_ghost(sketch *s, sn_arena *arena)
{
    enum { FOLDS = 5 };
    const sn_result result = sn_canvas_start(arena, 700, 860, &s->canvas);
    if (result != SN_OK) {
        return result;
    }
    sn_canvas *c = &s->canvas;
    sn_canvas_stroke(c, 350, 250, 185, 350, 520, 205);
    for (int i = 0; i < FOLDS; ++i) {
        const double x = 175 + 87.5 * i;
        sn_canvas_stroke(c, x, 560, 46, x + 12 * (i - 2), 730 + 32 * (i % 2), 28);
    }
    static const double arms[2][9] = {{190, 430, 46, 110, 400, 38, 62, 330, 30},
                                      {510, 430, 46, 590, 400, 38, 638, 330, 30}};
    sn_canvas_curve(c, arms[0], 3);
    sn_canvas_curve(c, arms[1], 3);
    paint(s, 0xffffff, 0xc9d6f5, 9, 24, 0.12);
    sn_canvas_ellipse(c, 280, 265, 34, 52);
    sn_canvas_ellipse(c, 420, 265, 34, 52);
    paint_clipped(s, INK);
    sn_canvas_ellipse(c, 270, 245, 11, 15);
    sn_canvas_ellipse(c, 410, 245, 11, 15);
    paint_clipped(s, 0xffffff);
    sn_canvas_ellipse(c, 350, 375, 30, 42);
    paint_clipped(s, 0x6b4a6e);
    sn_canvas_ellipse(c, 222, 340, 30, 16);
    sn_canvas_ellipse(c, 478, 340, 30, 16);
    paint_clipped(s, 0xffc4d4);
    add_bone(s, "body", NULL, (const double[]){350, 480}, (const double[]){350, 200});
    add_point(s, "left_hand", "body", 64, 334);
    add_point(s, "right_hand", "body", 636, 334);
    for (int i = 0; i < FOLDS; ++i) {
        char name[16];
        snprintf(name, sizeof name, "fold%d", i + 1);
        add_point(s, name, "body", 175 + 87.5 * i + 12 * (i - 2), 725 + 32 * (i % 2));
    }
    return SN_OK;
}

/* ---- mushroom ---- */

static sn_result draw_mushroom(sketch *s, sn_arena *arena)
{
    const sn_result result = sn_canvas_start(arena, 800, 800, &s->canvas);
    if (result != SN_OK) {
        return result;
    }
    sn_canvas *c = &s->canvas;
    static const double stem[] = {400, 330, 82, 398, 500, 96, 402, 660, 122};
    sn_canvas_curve(c, stem, 3);
    paint(s, 0xfff3dd, 0xe8cfa6, 9, 10, 0.12);
    static const double cap[] = {120, 370, 44, 240, 230, 104, 400, 180, 128, 560, 230, 104, 680, 370, 44};
    sn_canvas_curve(c, cap, 5);
    sn_canvas_stroke(c, 130, 372, 40, 670, 372, 40);
    sn_canvas_ellipse(c, 400, 300, 200, 90);
    paint(s, 0xf0564f, 0xc3323f, 9, 30, 0.18);
    static const double spots[5][3] = {{400, 130, 50}, {255, 225, 40}, {545, 225, 40}, {160, 350, 26}, {645, 345, 28}};
    for (int i = 0; i < 5; ++i) {
        sn_canvas_ellipse(c, spots[i][0], spots[i][1], spots[i][2], 0.86 * spots[i][2]);
        paint_clipped(s, 0xfff6ea);
    }
    draw_eye(s, 352, 500, 30, 0.3, 0);
    draw_eye(s, 448, 500, 30, -0.3, 0);
    draw_smile(s, 400, 572, 38, 22, 5);
    add_bone(s, "stem", NULL, (const double[]){400, 700}, (const double[]){400, 470});
    add_bone(s, "neck", "stem", (const double[]){400, 470}, (const double[]){400, 300});
    add_point(s, "cap", "neck", 400, 150);
    add_point(s, "left", "cap", 150, 365);
    add_point(s, "right", "cap", 650, 365);
    return SN_OK;
}

/* ---- starfish ---- */

static sn_result draw_starfish(sketch *s, sn_arena *arena)
{
    enum { ARMS = 5 };
    const double center[2] = {430, 450};
    const sn_result result = sn_canvas_start(arena, 860, 860, &s->canvas);
    double tips[ARMS][2], knees[ARMS][2];
    if (result != SN_OK) {
        return result;
    }
    sn_canvas *c = &s->canvas;
    for (int i = 0; i < ARMS; ++i) {
        const double angle = -PI / 2 + 2 * PI * i / ARMS, bend = angle + 0.12;
        knees[i][0] = center[0] + 190 * cos(angle);
        knees[i][1] = center[1] + 190 * sin(angle);
        tips[i][0] = center[0] + 345 * cos(bend);
        tips[i][1] = center[1] + 345 * sin(bend);
        const double arm[] = {center[0], center[1], 108, knees[i][0], knees[i][1], 72, tips[i][0], tips[i][1], 34};
        sn_canvas_curve(c, arm, 3);
    }
    paint(s, 0xffc85a, 0xf38b3c, 9, 34, 0.2);
    for (int i = 0; i < ARMS; ++i) {
        for (int k = 1; k < 4; ++k) {
            const double t = 0.35 + 0.2 * k;
            const double x = knees[i][0] + (tips[i][0] - knees[i][0]) * (2 * t - 1),
                         y = knees[i][1] + (tips[i][1] - knees[i][1]) * (2 * t - 1);
            sn_canvas_ellipse(c, x, y, 15 - 2.5 * k, 15 - 2.5 * k);
            paint_clipped(s, 0xfff0c4);
        }
    }
    draw_eye(s, 388, 430, 34, 0.3, 0.2);
    draw_eye(s, 472, 430, 34, -0.3, 0.2);
    draw_smile(s, 430, 500, 40, 24, 6);
    add_point(s, "middle", NULL, center[0], center[1]);
    for (int i = 0; i < ARMS; ++i) {
        char names[2][16];
        const double root[2] = {center[0] + 0.45 * (knees[i][0] - center[0]),
                                center[1] + 0.45 * (knees[i][1] - center[1])};
        snprintf(names[0], sizeof names[0], "arm%d", i + 1);
        snprintf(names[1], sizeof names[1], "tip%d", i + 1);
        add_bone(s, names[0], "middle", root, knees[i]);
        add_bone(s, names[1], names[0], knees[i], tips[i]);
    }
    return SN_OK;
}

static const struct {
    const char *name;
    sn_result (*draw)(sketch *s, sn_arena *arena);
} drawings[SN_BUILTIN_DRAWING_COUNT] = {{"fish", draw_fish},         {"octopus", draw_octopus},
                                        {"worm", draw_worm},         {"ghost", draw_ghost},
                                        {"mushroom", draw_mushroom}, {"starfish", draw_starfish}};

const char *sn_builtin_drawing_name(int index)
{
    SN_ASSERT(index >= 0 && index < SN_BUILTIN_DRAWING_COUNT);
    return drawings[index].name;
}

sn_result sn_builtin_drawing_build(int index, sn_arena *arena, sn_builtin_drawing *drawing)
{
    SN_ASSERT(index >= 0 && index < SN_BUILTIN_DRAWING_COUNT);
    sketch *s = SN_NEW(arena, sketch, 1);
    char *rig = SN_NEW(arena, char, RIG_BYTES);
    if (!s || !rig) {
        return SN_ERROR_MEMORY;
    }
    s->rig = rig;
    write_rig(s, "{\"handles\": [\n");
    SN_TRY(drawings[index].draw(s, arena));
    write_rig(s, "\n]}\n");
    *drawing = (sn_builtin_drawing){drawings[index].name, s->canvas.image, s->rig};
    return SN_OK;
}
