/* SPDX-License-Identifier: MIT */
/* A paper's page: sections in the order of the figures, those that are not made anew kept as they were. */
#ifndef SN_RESEARCH_FIGURES_PAGE_H
#define SN_RESEARCH_FIGURES_PAGE_H

#include "host/base/arena.h"
#include "research/figures/figures.h"

typedef struct sn_paper {
    const char *page; /* file name */
    const char *introduction, *ending;
    const sn_figure *figures; /* (figure_count) their names are no other paper's */
    int figure_count;
} sn_paper;

typedef struct sn_page {
    char path[SN_FIGURE_PATH];
    const sn_paper *paper;
    char **sections; /* (figure_count) text, null: none */
    sn_arena arena;
} sn_page;

/* Takes the sections of the page in the folder, if there is one. */
sn_result sn_page_open(sn_page *page, const char *folder, const sn_paper *paper);
void sn_page_close(sn_page *page);
/* A copy of the text is the section from now on; the page is written. */
sn_result sn_page_set_section(sn_page *page, int index, const char *text, size_t length);

#endif
