/* SPDX-License-Identifier: MIT */
#include "research/figures/page.h"

#include <string.h>

#include "host/base/base.h"

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

/* From behind its heading up to the next heading of any kind, or to the page's ending. */
static sn_result take_section(sn_page *page, const char *text, int index)
{
    char line[256];
    snprintf(line, sizeof line, " [%s]\n", page->paper->figures[index].name);
    const char *start = strstr(text, line);
    if (!start) {
        return SN_OK;
    }
    start += strlen(line);
    const char *end = strstr(start, "\n## ");
    const size_t ending = strlen(page->paper->ending);
    size_t length = end ? (size_t)(end - start) : strlen(start);
    if (!end && length >= ending && strcmp(start + length - ending, page->paper->ending) == 0) {
        length -= ending;
    }
    return copy_section(page, index, start, length);
}

sn_result sn_page_open(sn_page *page, const char *folder, const sn_paper *paper)
{
    char *text = NULL;
    *page = (sn_page){.paper = paper};
    page->sections = SN_NEW(&page->arena, char *, paper->figure_count);
    snprintf(page->path, sizeof page->path, "%s/%s", folder, paper->page);
    SN_TRY(page->sections ? read_text(page->path, &page->arena, &text) : SN_ERROR_MEMORY);
    for (int i = 0; i < paper->figure_count && text; ++i) {
        SN_TRY(take_section(page, text, i));
    }
    return SN_OK;
}

static sn_result write_page(const sn_page *page)
{
    char unfinished[SN_FIGURE_PATH + 8];
    snprintf(unfinished, sizeof unfinished, "%s.part", page->path);
    FILE *file = fopen(unfinished, "w");
    if (!file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot be written", unfinished);
    }
    fputs(page->paper->introduction, file);
    for (int i = 0; i < page->paper->figure_count; ++i) {
        if (page->sections[i]) {
            char line[256];
            heading(&page->paper->figures[i], line, sizeof line);
            fprintf(file, "%s%s", line, page->sections[i]);
        }
    }
    fputs(page->paper->ending, file);
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
    SN_TRY(copy_section(page, index, text, length));
    return write_page(page);
}
