/* SPDX-License-Identifier: MIT */
#include "research/figures/plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "host/base/base.h"
#include "research/figures/svg.h"

#define COLUMN_COUNT 2 /* the width of all pictures, so that letters are as large wherever a page scales them */
#define PANEL_WIDTH 420
#define PLOT_HEIGHT 270
#define LEFT 68
#define RIGHT 16
#define TOP 34
#define BELOW_PLOT 50 /* tick labels and the axis' name */
#define LEGEND_ROW 18
#define FONT 12
#define SWATCH 22

/* Okabe and Ito's, which colour-blind readers can tell apart. */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#555555", "#8C564B"};
#define PALETTE_SIZE ((int)(sizeof palette / sizeof palette[0]))

typedef struct axis {
    bool is_log;
    double low, high; /* of the values, or of their logarithms */
    double from, to;  /* pixels */
} axis;

typedef struct panel {
    sn_svg *svg;
    const sn_plot *plot;
    axis x, y;
    double left, top;
} panel;

static double place(const axis *a, double value)
{
    const double at = a->is_log ? log10(value) : value;
    return a->from + (at - a->low) / (a->high - a->low) * (a->to - a->from);
}

static bool is_drawn(const sn_plot *plot, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!plot->is_x_log || x > 0) &&
           (!plot->is_y_log || (y > 0 && y >= plot->y_least));
}

static void widen(axis *a, double value)
{
    const double at = a->is_log ? log10(value) : value;
    a->low = fmin(a->low, at);
    a->high = fmax(a->high, at);
}

static int tone_of(const sn_plot *plot, int series)
{
    const int said = plot->series[series].color;
    return (said > 0 ? said - 1 : series) % PALETTE_SIZE;
}

/* 1, 2 or 5 times a power of ten, at most seven to the range. */
static double tick_step(double range)
{
    const double power = pow(10, floor(log10(range / 7)));
    const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; ++i) {
        if (range <= 7 * steps[i] * power) {
            return steps[i] * power;
        }
    }
    return 10 * power;
}

static void measure_axes(panel *p)
{
    const sn_plot *plot = p->plot;
    p->x.is_log = plot->is_x_log;
    p->y.is_log = plot->is_y_log;
    p->x.low = p->y.low = DBL_MAX;
    p->x.high = p->y.high = -DBL_MAX;
    for (int s = 0; s < plot->series_count; ++s) {
        for (int i = 0; i < plot->series[s].count; ++i) {
            if (is_drawn(plot, plot->series[s].x[i], plot->series[s].y[i])) {
                widen(&p->x, plot->series[s].x[i]);
                widen(&p->y, plot->series[s].y[i]);
            }
        }
    }
    for (int r = 0; r < plot->rule_count; ++r) {
        widen(plot->rules[r].is_vertical ? &p->x : &p->y, plot->rules[r].at);
    }
    if (plot->has_zero) {
        widen(&p->y, 0);
    }
    axis *const axes[] = {&p->x, &p->y};
    for (int a = 0; a < 2; ++a) {
        const double least = axes[a]->is_log ? 0.3 : 1e-12;
        if (!(axes[a]->high - axes[a]->low > least)) {
            axes[a]->low -= 0.5;
            axes[a]->high += 0.5;
        }
        const double margin = 0.04 * (axes[a]->high - axes[a]->low);
        axes[a]->high += margin;
        axes[a]->low -= a == 1 && plot->has_zero && axes[a]->low == 0 ? 0 : margin;
    }
}

static void label_tick(panel *p, bool is_x, double at, const char *text)
{
    const sn_svg_text where = {.x = is_x ? at : p->x.from - 7,
                               .y = is_x ? p->y.from + 17 : at + 4,
                               .size = FONT,
                               .anchor = is_x ? SN_ANCHOR_MIDDLE : SN_ANCHOR_END};
    sn_svg_text_at(p->svg, &where, text);
}

static void draw_tick(panel *p, bool is_x, double value, bool is_labelled)
{
    const double at = place(is_x ? &p->x : &p->y, value);
    const char *style = is_labelled ? "stroke=\"#d8d8d8\"" : "stroke=\"#efefef\"";
    char text[32];
    if (is_x) {
        sn_svg_line(p->svg, at, p->y.from, at, p->y.to, style);
    } else {
        sn_svg_line(p->svg, p->x.from, at, p->x.to, at, style);
    }
    if (is_labelled) {
        const double size = fabs(value);
        snprintf(text, sizeof text, size >= 1e6 || (size > 0 && size < 1e-3) ? "%.0e" : "%.6g", value);
        label_tick(p, is_x, at, text);
    }
}

static void draw_linear_ticks(panel *p, bool is_x)
{
    const axis *a = is_x ? &p->x : &p->y;
    const double step = tick_step(a->high - a->low);
    for (double k = ceil(a->low / step); k * step <= a->high + 1e-9 * step; ++k) {
        draw_tick(p, is_x, k * step + 0.0, true); /* never -0 */
    }
}

static void draw_log_ticks(panel *p, bool is_x)
{
    const axis *a = is_x ? &p->x : &p->y;
    const double decades = a->high - a->low;
    const int stride = decades > 8 ? 2 : 1;
    for (int power = (int)floor(a->low); power <= (int)ceil(a->high); ++power) {
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * pow(10, power);
            const bool is_inside = log10(value) >= a->low && log10(value) <= a->high;
            const bool is_round = digit == 1 || decades < 0.9 || (decades < 2.2 && (digit == 2 || digit == 5));
            if (is_inside && (digit == 1 || decades < 5)) {
                draw_tick(p, is_x, value, is_round && power % stride == 0);
            }
        }
    }
}

static void draw_frame(panel *p)
{
    for (int is_x = 0; is_x < 2; ++is_x) {
        if ((is_x ? &p->x : &p->y)->is_log) {
            draw_log_ticks(p, is_x);
        } else {
            draw_linear_ticks(p, is_x);
        }
    }
    sn_svg_line(p->svg, p->x.from, p->y.from, p->x.to, p->y.from, "stroke=\"#444444\"");
    sn_svg_line(p->svg, p->x.from, p->y.from, p->x.from, p->y.to, "stroke=\"#444444\"");
    const double middle_x = 0.5 * (p->x.from + p->x.to), middle_y = 0.5 * (p->y.from + p->y.to);
    sn_svg_text_at(p->svg, &(sn_svg_text){.x = middle_x, .y = p->y.to - 13, .size = 14, .anchor = 1, .is_bold = true},
                   p->plot->title);
    sn_svg_text_at(p->svg, &(sn_svg_text){.x = middle_x, .y = p->y.from + 38, .size = 13, .anchor = 1},
                   p->plot->x_label);
    sn_svg_text_at(
        p->svg, &(sn_svg_text){.x = p->x.from - LEFT + 15, .y = middle_y, .size = 13, .anchor = 1, .is_upwards = true},
        p->plot->y_label);
}

static void draw_rules(panel *p)
{
    for (int r = 0; r < p->plot->rule_count; ++r) {
        const sn_plot_rule *rule = &p->plot->rules[r];
        const double at = place(rule->is_vertical ? &p->x : &p->y, rule->at);
        const char *style = "stroke=\"#888888\" stroke-dasharray=\"5 4\"";
        sn_svg_text where = {.size = 10, .color = "#555555", .anchor = SN_ANCHOR_END};
        if (rule->is_vertical) {
            sn_svg_line(p->svg, at, p->y.from, at, p->y.to, style);
            where.x = at - 4;
            where.y = p->y.to + 4;
            where.is_upwards = true;
        } else {
            sn_svg_line(p->svg, p->x.from, at, p->x.to, at, style);
            where.anchor = SN_ANCHOR_START;
            where.x = p->x.from + 4;
            where.y = at - 2;
        }
        sn_svg_text_at(p->svg, &where, rule->label);
    }
}

static void draw_mark(sn_svg *svg, int tone, double x, double y)
{
    static const double shapes[][8] = {{-4, -4, 4, -4, 4, 4, -4, 4},
                                       {0, -5, 5, 0, 0, 5, -5, 0},
                                       {-4.5, 3.5, 0, -5, 4.5, 3.5, 0, 3.5},
                                       {-4.5, -3.5, 0, 5, 4.5, -3.5, 0, -3.5}};
    const double *shape = shapes[tone % 4];
    char style[96];
    snprintf(style, sizeof style, "fill=\"%s\" stroke=\"white\" stroke-width=\"0.7\"", palette[tone]);
    sn_svg_path_begin(svg);
    for (int i = 0; i < 4; ++i) {
        sn_svg_path_point(svg, x + shape[2 * i], y + shape[2 * i + 1], i == 0);
    }
    sn_svg_path_end(svg, style);
}

static void stroke_style(const sn_plot_series *s, int tone, char *style, size_t size)
{
    snprintf(style, size, "fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s", palette[tone],
             s->style == SN_PLOT_DASHES ? " stroke-dasharray=\"6 4\"" : "");
}

static void draw_series(panel *p, int index)
{
    const sn_plot_series *s = &p->plot->series[index];
    const int tone = tone_of(p->plot, index);
    char style[128];
    bool is_first = true;
    stroke_style(s, tone, style, sizeof style);
    if (s->style != SN_PLOT_POINTS) {
        sn_svg_path_begin(p->svg);
        for (int i = 0; i < s->count; ++i) {
            if (is_drawn(p->plot, s->x[i], s->y[i])) {
                sn_svg_path_point(p->svg, place(&p->x, s->x[i]), place(&p->y, s->y[i]), is_first);
                is_first = false;
            }
        }
        sn_svg_path_end(p->svg, style);
    }
    for (int i = 0; i < s->count && s->style != SN_PLOT_LINE && s->style != SN_PLOT_DASHES; ++i) {
        if (is_drawn(p->plot, s->x[i], s->y[i])) {
            draw_mark(p->svg, tone, place(&p->x, s->x[i]), place(&p->y, s->y[i]));
        }
    }
}

/* Entries in rows below the axis; returns the number of rows. Without an SVG it only counts. */
static int draw_legend(const sn_plot *plot, sn_svg *svg, double left, double top)
{
    double x = 0;
    int row = 0;
    for (int i = 0; i < plot->series_count; ++i) {
        const sn_plot_series *s = &plot->series[i];
        const double width = s->label ? SWATCH + 6 + sn_svg_text_width(s->label, FONT) + 16 : 0;
        if (!s->label) {
            continue;
        }
        if (x > 0 && x + width > PANEL_WIDTH - 30) {
            x = 0;
            ++row;
        }
        const double y = top + row * LEGEND_ROW;
        if (svg) {
            char style[128];
            stroke_style(s, tone_of(plot, i), style, sizeof style);
            if (s->style != SN_PLOT_POINTS) {
                sn_svg_line(svg, left + x, y, left + x + SWATCH, y, style);
            }
            if (s->style == SN_PLOT_POINTS || s->style == SN_PLOT_CURVE) {
                draw_mark(svg, tone_of(plot, i), left + x + 0.5 * SWATCH, y);
            }
            sn_svg_text_at(svg, &(sn_svg_text){.x = left + x + SWATCH + 6, .y = y + 4, .size = FONT}, s->label);
        }
        x += width;
    }
    return x > 0 ? row + 1 : row;
}

static void draw_panel(panel *p)
{
    measure_axes(p);
    p->x.from = p->left + LEFT;
    p->x.to = p->left + PANEL_WIDTH - RIGHT;
    p->y.from = p->top + TOP + PLOT_HEIGHT;
    p->y.to = p->top + TOP;
    draw_frame(p);
    draw_rules(p);
    for (int s = 0; s < p->plot->series_count; ++s) {
        draw_series(p, s);
    }
    draw_legend(p->plot, p->svg, p->left + 20, p->y.from + BELOW_PLOT + 10);
}

/* Of the panels of a row: as many legends' rows as the longest has. */
static int row_height(const sn_plot *panels, int count)
{
    int rows = 0;
    for (int i = 0; i < count; ++i) {
        const int own = draw_legend(&panels[i], NULL, 0, 0);
        rows = own > rows ? own : rows;
    }
    return TOP + PLOT_HEIGHT + BELOW_PLOT + rows * LEGEND_ROW + 8;
}

static int panels_of_row(int first, int panel_count)
{
    return panel_count - first < COLUMN_COUNT ? panel_count - first : COLUMN_COUNT;
}

sn_result sn_plot_write(const char *path, const sn_plot *panels, int panel_count)
{
    SN_ASSERT(panel_count > 0 && panel_count <= SN_PLOT_PANEL_LIMIT);
    int height = 0, top = 0;
    for (int i = 0; i < panel_count; i += COLUMN_COUNT) {
        height += row_height(panels + i, panels_of_row(i, panel_count));
    }
    sn_svg svg;
    SN_TRY(sn_svg_open(&svg, path, COLUMN_COUNT * PANEL_WIDTH, height));
    for (int i = 0; i < panel_count; ++i) {
        const int first = i - i % COLUMN_COUNT, count = panels_of_row(first, panel_count);
        const double margin = 0.5 * (COLUMN_COUNT - count) * PANEL_WIDTH;
        panel p = {.svg = &svg, .plot = &panels[i], .left = margin + i % COLUMN_COUNT * PANEL_WIDTH, .top = top};
        draw_panel(&p);
        top += i % COLUMN_COUNT == count - 1 ? row_height(panels + first, count) : 0;
    }
    return sn_svg_close(&svg);
}
