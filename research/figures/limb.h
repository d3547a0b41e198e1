/* SPDX-License-Identifier: MIT */
/* Flesh on bones for the figures of layered strain-based dynamics: a leg of two bones, or any tet mesh on one; metres,
 * kilograms, pascals, 1000 kg/m^3. */
#ifndef SN_RESEARCH_FIGURES_LIMB_H
#define SN_RESEARCH_FIGURES_LIMB_H

#include "host/layered/layered.h"
#include "host/mesh/tri_mesh.h"
#include "research/figures/bodies.h"
#include "research/figures/pictures.h"
#include "tools/bench/mesh.h"

/* A surface in tets, in place of their boundary where there is one. */
typedef struct sn_limb_skin {
    int vertex_count, triangle_count;
    int32_t *tets, *triangles; /* (vertex_count), -1: nowhere; (triangle_count x 3) */
    double *weights;           /* (vertex_count x 4) at the tet's vertices */
} sn_limb_skin;

typedef struct sn_limb {
    sn_tet_mesh mesh;
    sn_layered_desc desc; /* of the arrays below; frames are null until they are wanted */
    double *masses, *stiffness, *frames, *gradients, *volumes;
    int32_t *bones;
    int32_t *boundary; /* triangles, outwards */
    int boundary_count;
    sn_limb_skin skin; /* no triangles: the boundary is drawn */
} sn_limb;

/* The mesh on so many bones that carry nothing so far; Young's modulus 1e5, Poisson's ratio .4. */
sn_result sn_limb_build(const sn_tet_mesh *mesh, int bone_count, sn_arena *arena, sn_limb *limb);
/* A round bar along y whose two bones meet at the origin, in cubes of six tets. They carry what lies within 27 mm of
 * the axis, but for .9 of the radius around the joint: the same of any mesh. */
sn_result sn_limb_leg(int across, int along, sn_arena *arena, sn_limb *limb);

/* The data's bunny, filled with tets of about so many vertices by the mesher and half a metre high, on one bone that
 * carries its feet; without data, or quick, a bar. */
sn_result sn_limb_bunny(const sn_figures *figures, int vertex_count, sn_arena *arena, sn_limb *limb, bool *is_bunny);

/* Stretch along axes 1, 2, 3 and shear 12, 13, 23, each times its factor (6; null: 1), and volume. */
void sn_limb_material(sn_limb *limb, double young, double poisson, const double *factors);
/* The same axes in all tets (9, by columns). */
void sn_limb_set_axes(sn_limb *limb, const double *axes);

/* Of a leg (2 x 12): both bones lifted, the lower one bent about x and twisted about y. */
void sn_limb_pose(double lift, double bend, double twist, double *pose);

/* Where a leg goes in so many frames; then it is held. */
typedef struct sn_limb_way {
    double bend, twist; /* radians */
    int frame_count;
} sn_limb_way;

/* The ways of the figures of joints: frames of the motion, and of rest after it. */
#define SN_LIMB_BEND_FRAMES 140
#define SN_LIMB_HOLD_FRAMES 30

/* As of sn_limb_run, with a way. */
void sn_limb_move(int frame, void *way, double *pose);
/* The defaults, with all motion damped by 6/s: what is held comes to rest. */
sn_layered_settings sn_limb_damped_settings(void);

typedef struct sn_limb_run {
    int frame_count;
    void (*move)(int frame, void *user, double *pose); /* after so many steps; null: at rest */
    void *user;
    bool is_let_go;       /* bones hold nothing, but layers begin at what they carried */
    const double *start;  /* (vertex_count x 3), or null: at rest */
    double *places;       /* (frame_count x vertex_count x 3) after each step, or null */
    double *last;         /* (vertex_count x 3) after the last one, or null */
    double *milliseconds; /* a step, median, or null */
} sn_limb_run;

/* SN_ERROR_NUMERIC where flesh blew up and was put back. */
sn_result sn_limb_play(const sn_limb *limb, const sn_layered_settings *settings, const sn_limb_run *run);

/* Root of the mean square distance of vertices that no bone carries, over frames (frame_count x vertex_count x 3). */
double sn_limb_distance(const sn_limb *limb, const double *a, const double *b, int frame_count);
/* Tets that are turned inside out. */
int sn_limb_inverted(const sn_limb *limb, double *places);
/* Over that at rest, of tets whose middle at rest is nearer than `reach` to the plane y = 0. */
double sn_limb_volume(const sn_limb *limb, double *places, double reach);

/* What is drawn of a limb: its skin, or the boundary; values (vertex_count of tets or null) become the mesh's. */
sn_result sn_limb_surface(const sn_limb *limb, const double *places, sn_arena *arena, sn_tri_mesh *mesh,
                          const double **values);

/* As of sn_raster_desc. */
typedef struct sn_limb_view {
    double yaw, pitch, radius;
    double middle[3]; /* of what is seen */
    int width, height;
    const double *values;
    const int32_t *groups;
    const int32_t *triangles; /* (triangle_count x 3) in place of the surface, or null */
    int triangle_count;
} sn_limb_view;
/* Cut open: the view's triangles and groups are the faces of all tets whose middle at rest is behind the plane x = 0,
 * each of its tet's group (tet_count). */
sn_result sn_limb_cut(const sn_limb *limb, const int32_t *tet_groups, sn_arena *arena, sn_limb_view *view);
sn_result sn_limb_picture(const sn_limb *limb, const double *places, const sn_limb_view *view, sn_arena *arena,
                          sn_picture *picture);

#endif
