/* SPDX-License-Identifier: MIT */
#include "tools/reproduction/papers.h"

static const sn_figure figures[] = {
    {"layered-rigging", "Figures 1 and 4: what bones carry", sn_figure_layered_rigging},
    {"layered-joints", "Figure 5: bent and twisted joints", sn_figure_layered_joints},
    {"layered-convergence", "Figure 6: iterations in layers and in no order", sn_figure_layered_convergence},
    {"layered-resolution", "Figures 2 and 7: layers of a fine and of a coarse leg", sn_figure_layered_resolution},
    {"layered-momentum", "Section 3.5: heavier masses and momentum", sn_figure_layered_momentum},
    {"layered-volume", "Section 3.4: the volume constraint", sn_figure_layered_volume},
    {"layered-moduli", "Sections 3.3 and 3.6: stretch, shear and fibres", sn_figure_layered_moduli},
    {"layered-fibres", "Figures 3 and 8: curves, frames and anisotropic flesh", sn_figure_layered_fibres},
    {"layered-motion", "Figures 9 and 10: characters on recorded motion", sn_figure_layered_motion},
    {"layered-time", "Table 2: time", sn_figure_layered_time},
};

static const char introduction[] = "# Layered\n";

static const char ending[] = "\n## Not here\n"
                             "\n";

const sn_paper sn_paper_layered = {"layered-strain-pbd.md", introduction, ending, figures,
                                   (int)(sizeof(figures) / sizeof(figures[0]))};
