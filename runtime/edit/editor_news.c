/* SPDX-License-Identifier: MIT */
/* Messages of the editor. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/edit/editor_state.h"

void sn_editor_tell(sn_editor *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->news, sizeof e->news, format, arguments);
    va_end(arguments);
    e->has_news = true;
}

const char *sn_editor_news(sn_editor *e)
{
    const bool has_news = e->has_news;
    e->has_news = false;
    return has_news ? e->news : NULL;
}
