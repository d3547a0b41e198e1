/* SPDX-License-Identifier: MIT */
/* What figures share: their text, and what else the machine did while they were timed. */
#include "research/figures/figures.h"

#include <math.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "host/platform/platform.h"

void sn_figure_say(sn_figures *figures, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputc('\n', figures->text);
    vfprintf(figures->text, format, arguments);
    fputc('\n', figures->text);
    va_end(arguments);
}

void sn_figure_show(sn_figures *figures, const char *name, const char *says, char path[SN_FIGURE_PATH])
{
    snprintf(path, SN_FIGURE_PATH, "%s/%s.svg", figures->folder, name);
    sn_figure_say(figures, "![%s](%s.svg)", says, name);
}

sn_result sn_figure_plot(sn_figures *figures, const char *name, const char *says, const sn_plot *panels,
                         int panel_count)
{
    char path[SN_FIGURE_PATH];
    sn_figure_show(figures, name, says, path);
    return sn_plot_write(path, panels, panel_count);
}

double sn_figure_bound(double value, int digits)
{
    const double unit = value > 0 ? pow(10, floor(log10(value)) - (digits - 1)) : 1;
    return unit * ceil(value / unit - 1e-9); /* what is round already stays */
}

/* Seconds that all processors were busy since the machine began; NAN where nobody says. */
static double read_busy_seconds(void)
{
    double user, nice, kernel;
    FILE *file = fopen("/proc/stat", "r");
    const bool is_read = file && fscanf(file, "cpu %lf %lf %lf", &user, &nice, &kernel) == 3;
    if (file) {
        fclose(file);
    }
    return is_read ? (user + nice + kernel) / (double)sysconf(_SC_CLK_TCK) : NAN;
}

double sn_figure_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void sn_figure_timing_begins(sn_figures *figures)
{
    figures->load_start[0] = sn_now();
    figures->load_start[1] = read_busy_seconds() - sn_figure_seconds();
}

void sn_figure_timing_ends(sn_figures *figures)
{
    const double others = (read_busy_seconds() - sn_figure_seconds() - figures->load_start[1]) /
                          fmax(1e-3, sn_now() - figures->load_start[0]);
    if (!(others > 0.1)) {
        sn_figure_say(figures, "*Processor time on %s, one thread, nothing else running.*", figures->machine);
    } else {
        sn_figure_say(figures,
                      "*Processor time on %s, one thread, **under load**: other programs kept %.1f cores busy.*",
                      figures->machine, others);
    }
}
