/* SPDX-License-Identifier: MIT */
#include "tools/reproduction/film.h"
sn_result sn_figure_layered_motion(sn_figures *f)
{
    (void)f;
    return SN_OK;
}
