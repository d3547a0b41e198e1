/* SPDX-License-Identifier: MIT */
/* Messages of the editor. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/edit/editor_state.h"

void sn_editor_set_message(sn_editor *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->message, sizeof e->message, format, arguments);
    va_end(arguments);
    e->has_message = true;
}

const char *sn_editor_message(sn_editor *e)
{
    const bool has_message = e->has_message;
    e->has_message = false;
    return has_message ? e->message : NULL;
}
