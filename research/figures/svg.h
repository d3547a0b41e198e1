/* SPDX-License-Identifier: MIT */
/* A small writer of SVG pictures: shapes and text in pixels, on white. */
#ifndef SN_RESEARCH_FIGURES_SVG_H
#define SN_RESEARCH_FIGURES_SVG_H

#include <stdio.h>

#include "sinew/types.h"

typedef struct sn_svg {
    FILE *file;
    char path[1024], unfinished[1040];
} sn_svg;

typedef enum sn_svg_anchor { SN_ANCHOR_START, SN_ANCHOR_MIDDLE, SN_ANCHOR_END } sn_svg_anchor;

typedef struct sn_svg_text {
    double x, y;
    int size;
    sn_svg_anchor anchor;
    const char *color;
    bool is_bold, is_upwards;
} sn_svg_text;

/* The file takes its name when it is whole. */
sn_result sn_svg_open(sn_svg *svg, const char *path, int width, int height);
sn_result sn_svg_close(sn_svg *svg);

void sn_svg_text_at(sn_svg *svg, const sn_svg_text *where, const char *text);
void sn_svg_line(sn_svg *svg, double x0, double y0, double x1, double y1, const char *style);
void sn_svg_circle(sn_svg *svg, double x, double y, double radius, const char *style);
void sn_svg_path_begin(sn_svg *svg);
void sn_svg_path_point(sn_svg *svg, double x, double y, bool is_first);
void sn_svg_path_end(sn_svg *svg, const char *style);

/* What follows has this style, up to the end of the group. */
void sn_svg_group_begin(sn_svg *svg, const char *style);
void sn_svg_group_end(sn_svg *svg);

/* Pixels that a text is wide, about. */
double sn_svg_text_width(const char *text, int size);

#endif
