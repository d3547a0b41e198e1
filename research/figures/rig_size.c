/* SPDX-License-Identifier: MIT */
/* Section 9.13: seconds of ten modes against the number of the rig's parameters. */
#include "research/figures/bodies.h"

#define MODE_COUNT 10
#define REPEAT_COUNT 8
#define POINT_LIMIT 8

sn_result sn_figure_rig_size(sn_figures *f)
{
    static const int bones[POINT_LIMIT] = {1, 2, 4, 8, 16, 24, 32, 48};
    double parameters[POINT_LIMIT], seconds[POINT_LIMIT];
    char says[64];
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_subject subject;
    const int count = f->is_quick ? 2 : POINT_LIMIT;
    sn_result result = sn_figure_body(f, &arena, &mesh, says);
    if (result == SN_OK) {
        result = sn_subject_build(&mesh, &arena, &subject);
    }
    if (result == SN_OK) { /* the first run also pays for what was never touched */
        result = sn_subject_add_bones(&subject, bones[0], &arena);
        result = result ? result : sn_subject_time_modes(&subject, MODE_COUNT, 1, &seconds[0]);
    }
    sn_figure_timing_begins(f);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        parameters[i] = 12 * bones[i];
        result = sn_subject_add_bones(&subject, bones[i], &arena);
        if (result == SN_OK) {
            result = sn_subject_time_modes(&subject, MODE_COUNT, REPEAT_COUNT, &seconds[i]);
        }
    }
    if (result == SN_OK) {
        const sn_plot panel = {.title = "Time of ten modes",
                               .x_label = "parameters of the rig (12 a bone)",
                               .y_label = "seconds",
                               .has_zero = true,
                               .series_count = 1,
                               .series = {{"constraint and modes", parameters, seconds, count, SN_PLOT_CURVE, 0}}};
        result = sn_figure_plot(f, "rig-size", "Time of modes against the size of the rig", &panel, 1);
        sn_figure_say(f, "**Paper.** Ten modes of the elephant take longer the more parameters the rig has.");
        sn_figure_say(
            f,
            "**Here.** Ten modes of %s (%d vertices) take %.2f s with one bone and %.2f s with %d, whose weights\n"
            "are bumps that overlap: longer with every bone up to some sixteen, as the paper says, and hardly longer\n"
            "beyond. A bone brings ten rows of the constraint; beyond %d bones they are taken in groups.",
            says, mesh.vertex_count, seconds[0], seconds[count - 1], bones[count - 1], SN_CONSTRAINT_GROUP_CAP);
        sn_figure_timing_ends(f);
    }
    sn_arena_finish(&arena);
    return result;
}
