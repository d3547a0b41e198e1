/* SPDX-License-Identifier: MIT */
#include "tools/command/json.h"

#include <math.h>
#include <stdio.h>

#include "host/base/base.h"

json_t *sn_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void sn_print_json(json_t *json)
{
    SN_ASSERT(json);
    json_dumpf(json, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(json);
}
