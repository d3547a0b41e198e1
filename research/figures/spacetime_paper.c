/* SPDX-License-Identifier: MIT */
#include "research/figures/papers.h"

static const sn_figure figures[] = {
    {"spacetime-tables", "Tables 1 and 2: times, iterations and files", sn_figure_spacetime_tables},
    {"spacetime-convergence", "Figure 13: convergence and regularisation", sn_figure_spacetime_convergence},
    {"interpolation", "Figures 2 and 9: against interpolated keys", sn_figure_interpolation},
    {"spacetime-secondary", "Figures 1 and 8: ears and a tail", sn_figure_spacetime_secondary},
    {"spacetime-timing", "Figures 10 and 11: when the keys come", sn_figure_spacetime_timing},
    {"spacetime-collision", "Figures 7 and 12: hits", sn_figure_spacetime_collision},
};

static const char introduction[] =
    "# Simulation on blendshapes by spacetime projective dynamics, reproduced\n"
    "\n"
    "The evaluation of \"BlendSim: Simulation on Parametric Blendshapes using Spacetime Projective Dynamics\" (Wu and\n"
    "Umetani), run with this code. `tools/figures` writes this page and its plots; what is computed, and how it\n"
    "departs from the paper, is in [spacetime.md](../design/spacetime.md). STRETCH and TWIST are the paper's. For the "
    "others\n"
    "materials, durations and samples are the paper's, meshes are made anew with about as many vertices, and keys\n"
    "are ours: a galloping horse for the dinosaur, six poses of Cheburashka in a jump, a swaying armadillo, a ball\n"
    "of radius 0.8, and Spot, who falls on his side.\n";

static const char ending[] =
    "\n## Not here\n"
    "\n"
    "Figures 3 and 6 are diagrams. Figure 4's starfish is not public; what it shows, keys that are far apart in\n"
    "rotation, TWIST has: half a turn between two keys. Figure 5 and the dragging of keys in figure 12 are an "
    "editor's:\n"
    "there is none for keys here, and `sinew spacetime` begins anew with each change, by the times of table 1. The\n"
    "paper's comparisons with earlier methods (cyclic animations frame by frame, linear subspaces) are made in words\n"
    "there, without numbers.\n";

const sn_paper sn_paper_spacetime = {"blendsim.md", introduction, ending, figures,
                                     (int)(sizeof(figures) / sizeof(figures[0]))};
