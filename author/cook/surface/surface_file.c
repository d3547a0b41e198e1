/* SPDX-License-Identifier: MIT */
/* The rendered surface of a tet mesh file: NAME_tex.obj beside NAME.msh, with its texture, embedded in the tets. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/cook/surface/surface.h"
#include "author/import/read_character.h"
#include "host/mesh/embedding.h"

#define ENDING "_tex.obj"
#define OUTLIER_COORDINATE (-1.0) /* farther outside than about a tet's height */

sn_result sn_cook_context_find_surface_file(sn_cook_context *cook)
{
    struct stat status;
    sn_sidecar sidecar = {0};
    const char *dot = strrchr(cook->path, '.'), *slash = strrchr(cook->path, '/');
    if (cook->desc->has_boundary_surface) {
        return SN_OK;
    }
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - cook->path) : strlen(cook->path);
    char *path = SN_NEW(&cook->arena, char, stem + sizeof ENDING);
    if (!path) {
        return SN_ERROR_MEMORY;
    }
    memcpy(path, cook->path, stem);
    memcpy(path + stem, ENDING, sizeof ENDING);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return SN_OK;
    }
    cook->surface_path = path;
    return sn_character_read(path, &cook->arena, &sidecar, &cook->surface_file);
}

/* Embeds all vertices, in model units; vertices outside take the nearest tet. Counts those that are far outside. */
static sn_result embed(sn_cook_context *cook, int *outlier_count)
{
    const sn_character *c = &cook->surface_file;
    const size_t n = (size_t)c->vertex_count;
    double *points = SN_NEW(&cook->arena, double, 3 * n);
    cook->embedding_tets = SN_NEW(&cook->arena, int32_t, n);
    cook->embedding_weights = SN_NEW(&cook->arena, double, 4 * n);
    if (!points || !cook->embedding_tets || !cook->embedding_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        points[i] = (c->positions[i] - cook->origin[i % 3]) * cook->scale;
    }
    const sn_result result = sn_tet_locate(&cook->mesh, cook->boundary, cook->boundary_count, points, c->vertex_count,
                                           cook->embedding_tets, cook->embedding_weights);
    *outlier_count = 0;
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        double *w = cook->embedding_weights + 4 * v, sum = 0;
        *outlier_count += fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) < OUTLIER_COORDINATE;
        for (int k = 0; k < 4; ++k) {
            w[k] = fmax(w[k], 0);
            sum += w[k];
        }
        for (int k = 0; k < 4; ++k) {
            w[k] /= sum;
        }
    }
    return result;
}

sn_result sn_surface_from_file(sn_cook_context *cook, const double *mode_weights, sn_render_surface *s, sn_model *model)
{
    int outlier_count = 0;
    sn_result result = embed(cook, &outlier_count);
    if (result == SN_OK && outlier_count > cook->surface_file.vertex_count / 2) {
        sn_log(SN_LOG_WARNING, "%s: not drawn: %d of its %d vertices are far outside of %s", cook->surface_path,
               outlier_count, cook->surface_file.vertex_count, cook->path);
        return sn_surface_from_boundary(cook, mode_weights, s, model);
    }
    const sn_character none = cook->character; /* of a tet mesh */
    cook->character = cook->surface_file;
    result = result ? result : sn_surface_from_character(cook, mode_weights, s, model);
    cook->character = none;
    return result;
}
