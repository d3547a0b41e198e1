/* SPDX-License-Identifier: MIT */
/* Figures 3 to 6 and table 2: surfaces cut into parts and curves, and how many numbers these take. */
#include <stdio.h>

#include "author/fourier/fourier_fit.h"
#include "research/figures/skin.h"

#define WIDTH 330
#define HEIGHT 260
#define FEW 3
#define MANY 9
#define PART_LIMIT 4096

static void place_of(const sn_tri_mesh *mesh, const sn_fourier_point *point, double *place)
{
    for (size_t d = 0; d < 3; ++d) {
        place[d] = (1 - point->ratio) * mesh->positions[3 * (size_t)point->vertices[0] + d] +
                   point->ratio * mesh->positions[3 * (size_t)point->vertices[1] + d];
    }
}

/* Every chord of every curve: (*count x 2 x 3). */
static double *list_lines(const sn_fourier_curves *c, sn_arena *arena, int *count)
{
    double *lines = SN_NEW(arena, double, 6 * (size_t)c->point_count);
    *count = 0;
    for (int i = 0; i < c->curve_count && lines; ++i) {
        const sn_fourier_curve *curve = &c->curves[i];
        for (int k = 0; k + !curve->is_closed < curve->point_count; ++k) {
            place_of(&c->mesh, &c->points[curve->first_point + k], lines + 6 * (size_t)*count);
            place_of(&c->mesh, &c->points[curve->first_point + (k + 1) % curve->point_count],
                     lines + 6 * (size_t)(*count)++ + 3);
        }
    }
    return lines;
}

/* Series' terms, as vectors: of closed curves 2N + 1, of open ones their ends and N. */
static int count_terms(const sn_fourier_curves *c, int harmonic_count)
{
    int count = 0;
    for (int i = 0; i < c->curve_count; ++i) {
        const int n = c->curves[i].harmonic_count < harmonic_count ? c->curves[i].harmonic_count : harmonic_count;
        count += c->curves[i].is_closed ? 2 * n + 1 : n + 2;
    }
    return count;
}

static int count_closed(const sn_fourier_curves *c)
{
    int count = 0;
    for (int i = 0; i < c->curve_count; ++i) {
        count += c->curves[i].is_closed;
    }
    return count;
}

static sn_result add_subject(sn_figures *f, const sn_figure_skin *skin, sn_arena *arena, sn_picture *pictures)
{
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    sn_fourier_curves curves;
    int line_count;
    sn_result result = sn_fourier_curves_build(&skin->mesh, &desc, arena, &curves);
    double *lines = result == SN_OK ? list_lines(&curves, arena, &line_count) : NULL;
    if (!lines) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    const sn_skin_picture picture = {.mesh = &skin->mesh,
                                     .yaw = skin->yaw,
                                     .pitch = skin->pitch,
                                     .width = WIDTH,
                                     .height = HEIGHT,
                                     .groups = curves.parts,
                                     .lines = lines,
                                     .line_count = line_count};
    result = sn_skin_draw(&picture, arena, pictures);
    snprintf(pictures->caption, sizeof pictures->caption, "%s: %d parts, %d curves", skin->name, curves.part_count,
             curves.curve_count);
    fprintf(f->text, "| %s | %d | %d | %d | %d | %d | %d |\n", skin->name, skin->mesh.vertex_count, curves.part_count,
            count_closed(&curves), curves.curve_count - count_closed(&curves), count_terms(&curves, FEW),
            count_terms(&curves, MANY));
    return result;
}

sn_result sn_figure_skin_parts(sn_figures *f)
{
    sn_arena arena = {0};
    sn_figure_skin skins[SN_FIGURE_SKIN_LIMIT];
    sn_picture pictures[SN_FIGURE_SKIN_LIMIT];
    char path[SN_FIGURE_PATH];
    int count = 0;
    sn_result result = sn_figure_skins(f, &arena, skins, &count);
    sn_figure_show(f, "skin-parts", "Surfaces in parts, and the curves on them", path);
    fprintf(f->text,
            "\n| surface | vertices | parts | closed curves | open curves | vectors, N = %d | N = %d |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n",
            FEW, MANY);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = add_subject(f, &skins[i], &arena, &pictures[i]);
    }
    if (result == SN_OK) {
        result = sn_pictures_write(path, pictures, count, count < 2 ? 1 : 2);
    }
    if (result == SN_OK) {
        sn_figure_say(f,
                      "**Paper.** Random walks cut a surface into parts of one, two or more seams, planes cut these\n"
                      "into curves. Series of these take fewer vectors than the mesh has vertices: of its arm of 3840\n"
                      "vertices 448 with N = 3 and 1216 with N = 9, of its cat of 7207 1681 and 4563, of its horse of\n"
                      "10128 2363 and 6414.");
        sn_figure_say(
            f,
            "**Here.** Parts by the same method, from seeds that are found far apart and then merged by how\n"
            "little their boundary is creased; curves three mean edges apart (`spacing`). Few vertices of a\n"
            "small curve tell fewer harmonics than nine. Vectors are fewer than the paper's, whose curves are closer.\n"
            "What is between curves they do not hold: it goes with mode 0, so that shapes are met exactly.");
    }
    sn_arena_finish(&arena);
    return result;
}
