/* SPDX-License-Identifier: MIT */
/* Everything that a game needs; author.h is apart. */
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/model.h"
#include "sinew/record.h"
#include "sinew/surface.h"
#include "sinew/types.h"
#include "sinew/world.h"

#endif
