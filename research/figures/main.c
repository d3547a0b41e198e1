/* SPDX-License-Identifier: MIT */
/* sinew-figures [NAME...]: makes the figures that are named, or all, and their sections of the page. tools/figures
 * calls it. */
#include <stdlib.h>
#include <string.h>

#include "host/platform/platform.h"
#include "research/figures/papers.h"

static const sn_paper *const papers[] = {&sn_paper_eigenmodes, &sn_paper_two_way, &sn_paper_layered,
                                         &sn_paper_spacetime, &sn_paper_fourier};
#define PAPER_COUNT ((int)(sizeof(papers) / sizeof(papers[0])))
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
        printf(" FOLDER/%s\n", papers[p]->page);
        for (int i = 0; i < papers[p]->figure_count; ++i) {
            printf("  %-17s %s\n", papers[p]->figures[i].name, papers[p]->figures[i].title);
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
    if (result == SN_OK && size > 0) {
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
        for (int i = 0; i < papers[p]->figure_count; ++i) {
            if (strcmp(name, papers[p]->figures[i].name) == 0) {
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
    sn_result result = sn_page_open(&page, a->figures.folder, papers[paper]);
    for (int i = 0; i < papers[paper]->figure_count && result == SN_OK; ++i) {
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
