/* SPDX-License-Identifier: MIT */
/* Includes every header that a game needs. Cooking (author.h) and Vulkan (vulkan.h) are separate. */
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/model.h"
#include "sinew/record.h"
#include "sinew/surface.h"
#include "sinew/types.h"
#include "sinew/world.h"

#endif
