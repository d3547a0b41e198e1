/* SPDX-License-Identifier: MIT */
#include "research/figures/papers.h"

static const sn_figure figures[] = {
    {"closed-form", "Equation 24 and appendix A: the closed form", sn_figure_closed_form},
    {"skin-parts", "Figures 3 to 6 and table 2: parts and curves", sn_figure_skin_parts},
    {"skin-curves", "Figures 8 and 16: series of curves", sn_figure_skin_curves},
    {"skin-material", "Figures 10 and 11: what the material does", sn_figure_skin_material},
    {"skin-accuracy", "Figures 12 to 14: accuracy between two shapes", sn_figure_skin_accuracy},
    {"skin-defaults", "Section 6.1: which material", sn_figure_skin_defaults},
    {"skin-sequence", "Figure 15: sequences of shapes", sn_figure_skin_sequence},
    {"skin-speed", "Tables 1 and 3: frames a second", sn_figure_skin_speed},
};

static const char introduction[] =
    "# Analytic physics-based skin, reproduced\n"
    "\n"
    "The evaluation of \"Efficient and realistic character animation through analytical physics-based skin\n"
    "deformation\" (Bian et al. 2019), run with this code ([fourier-skin.md](../design/fourier-skin.md)). "
    "`tools/figures` writes this "
    "page\n"
    "and its plots. Of the paper's models none is public; limbs whose true shapes are formulas stand in for its "
    "scanned\n"
    "arm, and the horse, cat and cheburashka of the data, where it is there, for its animals.\n";

static const char ending[] =
    "\n## Not here\n"
    "\n"
    "Figures 1, 2, 7 and 9 are pictures of the method, of vibrations in general and of the paper's characters. The "
    "curves\n"
    "of You et al. (figure 13, table 1) have no public code; their numbers are the paper's. Maya's tools are not "
    "used:\n"
    "linear blend skinning, dual quaternions and pose-space deformation are formulas (figures 13 and 14). Figure 17\n"
    "compares a model with ABAQUS' shells, which are not to be had, without numbers; the equation itself is held "
    "against\n"
    "an integration above. The skeleton of the paper's horse is not public, so the gallop here has none. Times of "
    "pose-space\n"
    "subspace dynamics (section 6.5) are its authors'.\n";

const sn_paper sn_paper_fourier = {"analytic-fourier-skin.md", introduction, ending, figures,
                                   (int)(sizeof(figures) / sizeof(figures[0]))};
