/* SPDX-License-Identifier: MIT */
/* The papers that are reproduced, each with its figures in the order of its page. */
#ifndef SN_RESEARCH_FIGURES_PAPERS_H
#define SN_RESEARCH_FIGURES_PAPERS_H

#include "research/figures/page.h"

extern const sn_paper sn_paper_eigenmodes; /* "Fast complementary dynamics via skinning eigenmodes" */
extern const sn_paper sn_paper_two_way;    /* "Two-way coupling of skinning transformations and PBD" */
extern const sn_paper sn_paper_layered;    /* "Layered strain-based PBD for skeletal characters" */
extern const sn_paper sn_paper_spacetime;  /* "BlendSim: simulation on parametric blendshapes" */
extern const sn_paper sn_paper_fourier;    /* "... analytical physics-based skin deformation" */

#endif
