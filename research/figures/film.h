/* SPDX-License-Identifier: MIT */
/* A scene that runs without a window, some of its moments drawn by the renderer. */
#ifndef SN_RESEARCH_FIGURES_FILM_H
#define SN_RESEARCH_FIGURES_FILM_H

#include "research/figures/figures.h"
#include "research/figures/pictures.h"
#include "scenes/script/scene.h"

typedef struct sn_film {
    const char *name; /* for messages */
    const sn_scene_script *script;
    const double *seconds; /* (shot_count) when, later and later */
    int shot_count;
    int width, height;                                /* of a picture */
    void (*before_step)(sn_scene *scene, void *user); /* or null */
    void (*after_step)(sn_scene *scene, void *user);  /* or null */
    void *user;
} sn_film;

typedef struct sn_film_report {
    double step_ms; /* of all bodies, median */
    int step_count, recovery_count;
} sn_film_report;

/* pictures (shot_count) without captions; their pixels are in the arena. No shot, no renderer: the scene runs for all
 * of its seconds. */
sn_result sn_film_shoot(const sn_film *film, sn_arena *arena, sn_picture *pictures, sn_film_report *report);

/* A model of a file of the data, or of the mascot where the path is null, as NAME.part.sinew in the figures' folder,
 * which the caller removes. path (SN_FIGURE_PATH) is empty where the data is not there. */
sn_result sn_film_model(const sn_figures *figures, const char *source, int mode_count, char *path);
/* The same by a desc, in the input's units, with fewer tets where figures are quick. */
sn_result sn_film_cook(const sn_figures *figures, const char *source, const sn_cook_desc *desc, char *path);

/* Of a body, at the vertices of its tets, (vertex_count x 3): with its flesh, and the rig alone. Either may be null. */
void sn_film_positions(sn_body_id body, double *whole, double *rig, sn_arena *scratch);

#endif
