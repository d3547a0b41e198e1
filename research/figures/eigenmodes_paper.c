/* SPDX-License-Identifier: MIT */
#include "research/figures/papers.h"

static const sn_figure figures[] = {
    {"table1", "Table 1: time of the modes", sn_figure_modes_time},
    {"ablation", "Section 9.10: modes and clusters against the full space", sn_figure_ablation},
    {"pareto", "Section 9.12 and figure 2: what a step costs, and what it buys", sn_figure_pareto},
    {"rig-size", "Section 9.13: time of the modes against the size of the rig", sn_figure_rig_size},
    {"rotation", "Figure 13: rotations of the input", sn_figure_rotation},
    {"equivariance", "Figures 4, 5 and 11: the same motion in another orientation", sn_figure_equivariance},
    {"equilibrium", "Figure 14: equilibrium in every orientation", sn_figure_equilibrium},
    {"material", "Figure 10: flesh of several materials", sn_figure_material},
    {"volume", "Figures 19 and 20: volume under Poisson's ratio", sn_figure_volume},
    {"leak", "Section 8.1: the momentum leak", sn_figure_leak},
    {"constraint", "Section 9.9 and figure 18: the constraint in the weights, or at run time", sn_figure_constraint},
    {"coordinates", "Beyond the paper: the constraint on coordinates", sn_figure_coordinates},
    {"twist", "Figures 12 and 15: a twist", sn_figure_twist},
    {"rotation-strain", "Figure 16: rotation-strain coordinates", sn_figure_rotation_strain},
    {"coarse", "Figure 3: a coarse mesh around a fine one", sn_figure_coarse},
    {"covariance", "Figure 8: which affine entries count", sn_figure_covariance},
    {"wave", "Section 9.6: high frequencies, where the method is weak", sn_figure_wave},
    {"weights", "Figures 6, 7, 9 and 17: weights, their motions, clusters", sn_figure_weights},
    {"school", "Figure 1: a large scene", sn_figure_school},
    {"bowling", "Figure 21: rigid bodies", sn_figure_bowling},
    {"character", "Figure 22: a rigged character", sn_figure_character},
    {"face", "Figure 23: a face that is tracked", sn_figure_face},
    {"tracked", "Figure 24: a body that is tracked", sn_figure_tracked},
    {"dual-quaternions", "Future work: a rig that is not linear", sn_figure_dual_quaternions},
};

static const char introduction[] =
    "# Fast complementary dynamics, reproduced\n"
    "\n"
    "The evaluation of \"Fast Complementary Dynamics via Skinning Eigenmodes\" (Benchekroun et al. 2023), run with\n"
    "this code. `tools/figures` writes this page and its plots; `tools/figures NAME...` renews single sections, whose\n"
    "names stand in brackets. Where a model of the paper is not public another one stands in for it, and the section\n"
    "says which. The paper's times are of an i9-12900HK, its modes by MATLAB. Comparison subspaces are in\n"
    "`author/baselines`. Sizes are fractions of the model's diagonal.\n";

static const char ending[] = "\n"
                             "Figure 2 of the paper is part of *pareto*.\n";

const sn_paper sn_paper_eigenmodes = {"fast-complementary-dynamics.md", introduction, ending, figures,
                                      (int)(sizeof(figures) / sizeof(figures[0]))};
