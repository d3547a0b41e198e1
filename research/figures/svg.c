/* SPDX-License-Identifier: MIT */
#include "research/figures/svg.h"

#include <string.h>

#include "host/base/base.h"

/* Of a sans-serif letter's height, on average. */
#define LETTER_WIDTH 0.55

sn_result sn_svg_open(sn_svg *svg, const char *path, int width, int height)
{
    snprintf(svg->path, sizeof svg->path, "%s", path);
    snprintf(svg->unfinished, sizeof svg->unfinished, "%s.part", path);
    svg->file = fopen(svg->unfinished, "w");
    if (!svg->file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written", svg->unfinished);
    }
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    return SN_OK;
}

sn_result sn_svg_close(sn_svg *svg)
{
    fputs("</svg>\n", svg->file);
    const bool is_written = !ferror(svg->file);
    if (fclose(svg->file) != 0 || !is_written || rename(svg->unfinished, svg->path) != 0) {
        remove(svg->unfinished);
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written", svg->path);
    }
    return SN_OK;
}

static void put_escaped(FILE *file, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

void sn_svg_text_at(sn_svg *svg, const sn_svg_text *where, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(svg->file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\"%s", where->x,
            where->y, where->size, anchors[where->anchor], where->color ? where->color : "#222222",
            where->is_bold ? " font-weight=\"bold\"" : "");
    if (where->is_upwards) {
        fprintf(svg->file, " transform=\"rotate(-90 %.1f %.1f)\"", where->x, where->y);
    }
    fputs(">", svg->file);
    put_escaped(svg->file, text);
    fputs("</text>\n", svg->file);
}

void sn_svg_line(sn_svg *svg, double x0, double y0, double x1, double y1, const char *style)
{
    fprintf(svg->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1, style);
}

void sn_svg_circle(sn_svg *svg, double x, double y, double radius, const char *style)
{
    fprintf(svg->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\" %s/>\n", x, y, radius, style);
}

void sn_svg_path_begin(sn_svg *svg)
{
    fputs("<path d=\"", svg->file);
}

void sn_svg_path_point(sn_svg *svg, double x, double y, bool is_first)
{
    fprintf(svg->file, "%c%.1f %.1f", is_first ? 'M' : 'L', x, y);
}

void sn_svg_path_end(sn_svg *svg, const char *style)
{
    fprintf(svg->file, "\" %s/>\n", style);
}

void sn_svg_group_begin(sn_svg *svg, const char *style)
{
    fprintf(svg->file, "<g %s>\n", style);
}

void sn_svg_group_end(sn_svg *svg)
{
    fputs("</g>\n", svg->file);
}

double sn_svg_text_width(const char *text, int size)
{
    double letters = 0;
    for (; *text; ++text) {
        letters += (*text & 0xC0) != 0x80; /* bytes that go on with a letter of UTF-8 do not count */
    }
    return LETTER_WIDTH * size * letters;
}
