/* SPDX-License-Identifier: MIT */
/* Plots of curves and points as SVG: panels in rows of two, each with axes, units, grid and legend. */
#ifndef SN_RESEARCH_FIGURES_PLOT_H
#define SN_RESEARCH_FIGURES_PLOT_H

#include "sinew/types.h"

#define SN_PLOT_SERIES_LIMIT 12
#define SN_PLOT_RULE_LIMIT 6
#define SN_PLOT_PANEL_LIMIT 4

typedef enum sn_plot_style { SN_PLOT_CURVE, SN_PLOT_LINE, SN_PLOT_POINTS, SN_PLOT_DASHES } sn_plot_style;

/* Points that are not finite, or not positive on a logarithmic axis, are left out. */
typedef struct sn_plot_series {
    const char *label; /* null: not in the legend */
    const double *x, *y;
    int count;
    sn_plot_style style; /* SN_PLOT_CURVE: a line with marks */
    int color;           /* 1 .. of the palette; 0: the series' own place */
} sn_plot_series;

/* A line across the panel. */
typedef struct sn_plot_rule {
    bool is_vertical;
    double at;
    const char *label;
} sn_plot_rule;

typedef struct sn_plot {
    const char *title, *x_label, *y_label;
    bool is_x_log, is_y_log;
    bool has_zero;  /* a linear y axis begins at 0 */
    double y_least; /* of a logarithmic y axis: smaller values are left out; 0: none */
    int series_count, rule_count;
    sn_plot_series series[SN_PLOT_SERIES_LIMIT];
    sn_plot_rule rules[SN_PLOT_RULE_LIMIT];
} sn_plot;

sn_result sn_plot_write(const char *path, const sn_plot *panels, int panel_count);

#endif
