/* SPDX-License-Identifier: MIT */
/* sinew-figures [NAME...]: makes the figures that are named, or all, and their sections of the page. tools/figures
 * calls it. */
#include <stdlib.h>
#include <string.h>

#include "host/base/clock.h"
#include "tools/reproduction/page.h"

static const sn_figure eigenmodes_figures[] = {
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
static const sn_figure two_way_figures[] = {
    {"comparison", "Figures 1, 7 and 8: ARAP, FAST and the coupled rig", sn_figure_comparison},
    {"swing", "Figure 5: a swinging fish", sn_figure_swing},
    {"compliance", "Figure 9: compliance of the complementary constraint", sn_figure_compliance},
    {"two-way-material", "Figure 10: materials and damping", sn_figure_two_way_material},
    {"forces", "Figure 11: weight and collisions", sn_figure_forces},
};

static const char eigenmodes_introduction[] =
    "# Fast complementary dynamics, reproduced\n"
    "\n"
    "The evaluation of \"Fast Complementary Dynamics via Skinning Eigenmodes\" (Benchekroun et al. 2023), run with\n"
    "this code. `tools/figures` writes this page and its plots; `tools/figures NAME...` renews single sections, whose\n"
    "names stand in brackets. Where a model of the paper is not public another one stands in for it, and the section\n"
    "says which. The paper's times are of an i9-12900HK, its modes by MATLAB. Comparison subspaces are in\n"
    "`author/baselines`. Sizes are fractions of the model's diagonal.\n";

static const char eigenmodes_ending[] = "\n"
                                        "Figure 2 of the paper is part of *pareto*.\n";

static const char two_way_introduction[] =
    "# Two-way coupling of skinning and position-based dynamics, reproduced\n"
    "\n"
    "The evaluation of \"Two-Way Coupling of Skinning Transformations and Position Based Dynamics\" (Wu and Umetani\n"
    "2023), run with this code. `tools/figures` writes this page and its plots. The paper's drawings are not public;\n"
    "outlines of ours, meshed with about as many vertices and handles, stand in for them. Bodies are about one unit\n"
    "wide with density 1; a frame of 1/60 s has 15 substeps of one sweep. What is shown is the rigged mesh.\n";

static const char two_way_ending[] =
    "\n## Not here\n"
    "\n"
    "Figures 2 and 3 are the editor's ([rendering.md](../rendering.md)); table 1 is `sinew bench coupled`; figure 4 is "
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

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const sn_paper papers[] = {
    {"fast-complementary-dynamics.md", eigenmodes_introduction, eigenmodes_ending, eigenmodes_figures,
     COUNT(eigenmodes_figures)},
    {"two-way-coupling.md", two_way_introduction, two_way_ending, two_way_figures, COUNT(two_way_figures)},
};
#define PAPER_COUNT COUNT(papers)
#define FIGURE_LIMIT 64 /* of a paper */

static void print_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != SN_LOG_INFO) {
        fprintf(stderr, "sinew-figures: %s%s\n", level == SN_LOG_WARNING ? "warning: " : "", message);
    }
}

static void print_usage(void)
{
    puts("usage: sinew-figures --out FOLDER [--data FOLDER] [--machine TEXT] [--quick] [NAME...]\n"
         "Makes the figures that are named, or all, and their sections of the papers' pages:");
    for (int p = 0; p < PAPER_COUNT; ++p) {
        printf(" FOLDER/%s\n", papers[p].page);
        for (int i = 0; i < papers[p].figure_count; ++i) {
            printf("  %-14s %s\n", papers[p].figures[i].name, papers[p].figures[i].title);
        }
    }
}

static sn_result make_figure(sn_figures *figures, sn_page *page, int index)
{
    const sn_figure *figure = &page->paper->figures[index];
    size_t size = 0;
    char *text = NULL;
    figures->text = open_memstream(&text, &size);
    if (!figures->text) {
        return SN_ERROR_MEMORY;
    }
    const double start = sn_now();
    printf("%s: %s", figure->name, figure->title);
    fflush(stdout);
    sn_result result = figure->make(figures);
    fclose(figures->text);
    printf(" (%.1f s)\n", sn_now() - start);
    if (result == SN_OK) {
        result = sn_page_set_section(page, index, text, size);
    }
    free(text);
    return result;
}

typedef struct arguments {
    sn_figures figures;
    bool is_wanted[PAPER_COUNT][FIGURE_LIMIT];
    int wanted_count;
} arguments;

static bool want_figure(arguments *a, const char *name)
{
    for (int p = 0; p < PAPER_COUNT; ++p) {
        for (int i = 0; i < papers[p].figure_count; ++i) {
            if (strcmp(name, papers[p].figures[i].name) == 0) {
                a->is_wanted[p][i] = true;
                ++a->wanted_count;
                return true;
            }
        }
    }
    return false;
}

/* False after a line on stderr. */
static bool parse(int count, char **texts, arguments *a)
{
    for (int i = 1; i < count; ++i) {
        const char *text = texts[i];
        const char **value = strcmp(text, "--out") == 0       ? &a->figures.folder
                             : strcmp(text, "--data") == 0    ? &a->figures.data
                             : strcmp(text, "--machine") == 0 ? &a->figures.machine
                                                              : NULL;
        if (value && i + 1 < count) {
            *value = texts[++i];
        } else if (strcmp(text, "--quick") == 0) {
            a->figures.is_quick = true;
        } else if (!want_figure(a, text)) {
            fprintf(stderr, "sinew-figures: %s: not an option with its value, nor a figure (sinew-figures --help)\n",
                    text);
            return false;
        }
    }
    if (!a->figures.folder) {
        fprintf(stderr, "sinew-figures: --out FOLDER is missing\n");
    }
    return a->figures.folder != NULL;
}

static sn_result make_paper(arguments *a, int paper)
{
    sn_page page;
    sn_result result = sn_page_open(&page, a->figures.folder, &papers[paper]);
    for (int i = 0; i < papers[paper].figure_count && result == SN_OK; ++i) {
        if (a->wanted_count == 0 || a->is_wanted[paper][i]) {
            result = make_figure(&a->figures, &page, i);
        }
    }
    sn_page_close(&page);
    return result;
}

int main(int argument_count, char **texts)
{
    arguments a = {.figures = {.data = "", .machine = "this machine"}};
    if (argument_count > 1 && strcmp(texts[1], "--help") == 0) {
        print_usage();
        return 0;
    }
    if (!parse(argument_count, texts, &a)) {
        return 2;
    }
    sn_set_log(print_log, NULL);
    sn_result result = SN_OK;
    for (int paper = 0; paper < PAPER_COUNT && result == SN_OK; ++paper) {
        result = make_paper(&a, paper);
    }
    return result == SN_OK ? 0 : 1;
}
