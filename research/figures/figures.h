/* SPDX-License-Identifier: MIT */
/* The papers' evaluations on this machine: one function a figure, each of which writes its plots and its section of the
 * paper's page (papers.h). */
#ifndef SN_RESEARCH_FIGURES_FIGURES_H
#define SN_RESEARCH_FIGURES_FIGURES_H

#include <stdio.h>

#include "research/figures/drawing.h"
#include "research/figures/plot.h"

typedef struct sn_figures {
    const char *folder; /* of the page and its pictures */
    const char *data;   /* where models are, or not */
    const char *machine;
    bool is_quick; /* tiny bodies, few points: whether it works, not what it says */
    FILE *text;    /* the section at hand */
    double load_start[2];
} sn_figures;

typedef struct sn_figure {
    const char *name, *title;               /* file names begin with the name */
    sn_result (*make)(sn_figures *figures); /* what writes nothing is left out: its section stays as it was */
} sn_figure;

/* "Fast complementary dynamics via skinning eigenmodes" */
sn_result sn_figure_modes_time(sn_figures *figures);
sn_result sn_figure_ablation(sn_figures *figures);
sn_result sn_figure_pareto(sn_figures *figures);
sn_result sn_figure_rig_size(sn_figures *figures);
sn_result sn_figure_rotation(sn_figures *figures);
sn_result sn_figure_equivariance(sn_figures *figures);
sn_result sn_figure_equilibrium(sn_figures *figures);
sn_result sn_figure_material(sn_figures *figures);
sn_result sn_figure_volume(sn_figures *figures);
sn_result sn_figure_leak(sn_figures *figures);
sn_result sn_figure_twist(sn_figures *figures);
sn_result sn_figure_rotation_strain(sn_figures *figures);
sn_result sn_figure_coarse(sn_figures *figures);
sn_result sn_figure_covariance(sn_figures *figures);
sn_result sn_figure_wave(sn_figures *figures);
sn_result sn_figure_constraint(sn_figures *figures);
sn_result sn_figure_coordinates(sn_figures *figures);
sn_result sn_figure_weights(sn_figures *figures);
sn_result sn_figure_school(sn_figures *figures);
sn_result sn_figure_bowling(sn_figures *figures);
sn_result sn_figure_character(sn_figures *figures);
sn_result sn_figure_face(sn_figures *figures);
sn_result sn_figure_tracked(sn_figures *figures);
sn_result sn_figure_dual_quaternions(sn_figures *figures);

/* "Two-way coupling of skinning transformations and position based dynamics" */
sn_result sn_figure_comparison(sn_figures *figures);
sn_result sn_figure_swing(sn_figures *figures);
sn_result sn_figure_compliance(sn_figures *figures);
sn_result sn_figure_two_way_material(sn_figures *figures);
sn_result sn_figure_forces(sn_figures *figures);

/* "Layered strain-based PBD for skeletal characters" */
sn_result sn_figure_layered_rigging(sn_figures *figures);
sn_result sn_figure_layered_convergence(sn_figures *figures);
sn_result sn_figure_layered_resolution(sn_figures *figures);
sn_result sn_figure_layered_joints(sn_figures *figures);
sn_result sn_figure_layered_volume(sn_figures *figures);
sn_result sn_figure_layered_momentum(sn_figures *figures);
sn_result sn_figure_layered_moduli(sn_figures *figures);
sn_result sn_figure_layered_fibres(sn_figures *figures);
sn_result sn_figure_layered_motion(sn_figures *figures);
sn_result sn_figure_layered_time(sn_figures *figures);

/* "BlendSim: simulation on parametric blendshapes using spacetime projective dynamics" */
sn_result sn_figure_spacetime_tables(sn_figures *figures);
sn_result sn_figure_spacetime_convergence(sn_figures *figures);
sn_result sn_figure_interpolation(sn_figures *figures);
sn_result sn_figure_spacetime_secondary(sn_figures *figures);
sn_result sn_figure_spacetime_timing(sn_figures *figures);
sn_result sn_figure_spacetime_collision(sn_figures *figures);

/* "Efficient and realistic character animation through analytical physics-based skin deformation" */
sn_result sn_figure_closed_form(sn_figures *figures);
sn_result sn_figure_skin_material(sn_figures *figures);
sn_result sn_figure_skin_parts(sn_figures *figures);
sn_result sn_figure_skin_curves(sn_figures *figures);
sn_result sn_figure_skin_accuracy(sn_figures *figures);
sn_result sn_figure_skin_defaults(sn_figures *figures);
sn_result sn_figure_skin_sequence(sn_figures *figures);
sn_result sn_figure_skin_speed(sn_figures *figures);

/* A paragraph. */
void sn_figure_say(sn_figures *figures, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* FOLDER/NAME.svg, after a line of the section that shows it. */
#define SN_FIGURE_PATH 1024
void sn_figure_show(sn_figures *figures, const char *name, const char *says, char path[SN_FIGURE_PATH]);
sn_result sn_figure_plot(sn_figures *figures, const char *name, const char *says, const sn_plot *panels,
                         int panel_count);

/* Rounded up to so many significant digits: what "at most" and "within" print with as many is true. */
double sn_figure_bound(double value, int digits);

/* Seconds of processor time that this program has taken: what else runs adds less to them than to a clock's. */
double sn_figure_seconds(void);
/* Around what is timed: says on which machine, and what other programs took of it meanwhile. */
void sn_figure_timing_begins(sn_figures *figures);
void sn_figure_timing_ends(sn_figures *figures);

#endif
