/* SPDX-License-Identifier: MIT */
#include "tools/reproduction/page.h"

#include <string.h>

#include "host/base/base.h"

#define PAGE "fast-complementary-dynamics.md"

static const char introduction[] =
    "# Fast complementary dynamics, reproduced\n"
    "\n"
    "The evaluation of \"Fast Complementary Dynamics via Skinning Eigenmodes\" (Benchekroun et al. 2023), run with\n"
    "this code. `tools/figures` writes this page and its plots; `tools/figures NAME...` renews single sections, whose\n"
    "names stand in brackets. Where a model of the paper is not public another one stands in for it, and the section\n"
    "says which. The paper's times are of an i9-12900HK, its modes by MATLAB. Comparison subspaces are in\n"
    "`author/baselines`. Sizes are fractions of the model's diagonal.\n";

static const char ending[] =
    "\n## Not here\n"
    "\n"
    "Figure 2 is part of *pareto*. Left out are scenes (figures 1 and 21 to 24), pictures of modes and clusters\n"
    "(6, 7 and 9), and localised modes (17), which this code does not have.\n";

static sn_result read_text(const char *path, sn_arena *arena, char **text)
{
    FILE *file = fopen(path, "rb");
    *text = NULL;
    if (!file) {
        return SN_OK;
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    *text = size >= 0 ? SN_NEW(arena, char, size + 1) : NULL;
    const bool is_read = *text && fread(*text, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    return is_read ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: cannot be read", path);
}

static void heading(const sn_figure *figure, char *line, size_t size)
{
    snprintf(line, size, "\n## %s [%s]\n", figure->title, figure->name);
}

static sn_result copy_section(sn_page *page, int index, const char *text, size_t length)
{
    page->sections[index] = SN_NEW(&page->arena, char, length + 1);
    if (!page->sections[index]) {
        return SN_ERROR_MEMORY;
    }
    memcpy(page->sections[index], text, length);
    return SN_OK;
}

/* From behind its heading up to the next heading of any kind. */
static sn_result take_section(sn_page *page, const char *text, int index)
{
    char line[256];
    snprintf(line, sizeof line, " [%s]\n", page->figures[index].name);
    const char *start = strstr(text, line);
    if (!start) {
        return SN_OK;
    }
    start += strlen(line);
    const char *end = strstr(start, "\n## ");
    const size_t length = end ? (size_t)(end - start) : strlen(start);
    return copy_section(page, index, start, length);
}

sn_result sn_page_open(sn_page *page, const char *folder, const sn_figure *figures, int figure_count)
{
    char *text = NULL;
    *page = (sn_page){.figures = figures, .figure_count = figure_count};
    page->sections = SN_NEW(&page->arena, char *, figure_count);
    snprintf(page->path, sizeof page->path, "%s/" PAGE, folder);
    sn_result result = page->sections ? read_text(page->path, &page->arena, &text) : SN_ERROR_MEMORY;
    for (int i = 0; i < figure_count && result == SN_OK && text; ++i) {
        result = take_section(page, text, i);
    }
    return result;
}

static sn_result write_page(const sn_page *page)
{
    char unfinished[SN_FIGURE_PATH + 8];
    snprintf(unfinished, sizeof unfinished, "%s.part", page->path);
    FILE *file = fopen(unfinished, "w");
    if (!file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written", unfinished);
    }
    fputs(introduction, file);
    for (int i = 0; i < page->figure_count; ++i) {
        if (page->sections[i]) {
            char line[256];
            heading(&page->figures[i], line, sizeof line);
            fprintf(file, "%s%s", line, page->sections[i]);
        }
    }
    fputs(ending, file);
    const bool is_written = !ferror(file);
    if (fclose(file) != 0 || !is_written || rename(unfinished, page->path) != 0) {
        remove(unfinished);
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written", page->path);
    }
    return SN_OK;
}

void sn_page_close(sn_page *page)
{
    sn_arena_finish(&page->arena);
}

sn_result sn_page_set_section(sn_page *page, int index, const char *text, size_t length)
{
    const sn_result result = copy_section(page, index, text, length);
    return result == SN_OK ? write_page(page) : result;
}
