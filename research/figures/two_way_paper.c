/* SPDX-License-Identifier: MIT */
#include "research/figures/papers.h"

static const sn_figure figures[] = {
    {"comparison", "Figures 1, 7 and 8: ARAP, FAST and the coupled rig", sn_figure_comparison},
    {"swing", "Figure 5: a swinging fish", sn_figure_swing},
    {"compliance", "Figure 9: compliance of the complementary constraint", sn_figure_compliance},
    {"two-way-material", "Figure 10: materials and damping", sn_figure_two_way_material},
    {"forces", "Figure 11: weight and collisions", sn_figure_forces},
};

static const char introduction[] =
    "# Two-way coupling of skinning and position-based dynamics, reproduced\n"
    "\n"
    "The evaluation of \"Two-Way Coupling of Skinning Transformations and Position Based Dynamics\" (Wu and Umetani\n"
    "2023), run with this code. `tools/figures` writes this page and its plots. The paper's drawings are not public;\n"
    "outlines of ours, meshed with about as many vertices and handles, stand in for them. Bodies are about one unit\n"
    "wide with density 1; a frame of 1/60 s has 15 substeps of one sweep. What is shown is the rigged mesh.\n";

static const char ending[] =
    "\n## Not here\n"
    "\n"
    "Figures 2 and 3 are the editor's ([edit-handles.md](../how-to/edit-handles.md)); table 1 is `sinew bench "
    "coupled`; figure 4 is "
    "a\n"
    "diagram, and figure 6, a finer mesh for display, is what every cooked character has.\n"
    "\n"
    "Of what the paper leaves to the future, these work: only vertices that feel a handle are visited, several steps "
    "of\n"
    "Newton's method, affine handles (the scene `fish_comp_affine`), solid bodies (`spot_tet`, `tug`), graph colours, "
    "and\n"
    "devices. Projective handles are left out: skinning matrices, which are what leaves here for other programs and "
    "what\n"
    "is drawn, cannot hold them; their poles, where a denominator vanishes, can be dragged into the flesh; and the "
    "sums\n"
    "over vertices that are constants here would have to be taken in each substep.\n";

const sn_paper sn_paper_two_way = {"two-way-coupling.md", introduction, ending, figures,
                                   (int)(sizeof(figures) / sizeof(figures[0]))};
