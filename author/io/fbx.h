/* SPDX-License-Identifier: MIT */
/* Private to the reader of FBX files, and to the tests of it. Between it and sinew-read-fbx, its child, goes an answer:
 *     warning TEXT\n      any number of times
 *     error TEXT\n        and nothing behind it, or
 *     glb SIZE\n          and SIZE bytes of a .glb, and nothing behind them */
#ifndef SN_AUTHOR_IO_FBX_H
#define SN_AUTHOR_IO_FBX_H

#include "author/io/scene_file.h"

#define SN_FBX_MOST_LINE 512    /* characters of a line of an answer */
#define SN_FBX_MOST_WARNINGS 16 /* lines: what is more is not sent */
#define SN_FBX_PROGRAM "sinew-read-fbx"

/* Reads an answer; its name is that of the FBX file, for messages and for pictures beside it. */
sn_result sn_fbx_answer_read(const sn_source *answer, sn_arena *arena, sn_scene_file *scene);

#endif
