/* SPDX-License-Identifier: MIT */
/* Vertices of keys at a hit that lie on an obstacle: n . dx >= gap in the global step, by forces that push (the paper's
 * 3.5). */
#ifndef SN_AUTHOR_SPACETIME_CONTACT_H
#define SN_AUTHOR_SPACETIME_CONTACT_H

#include "author/spacetime/solver.h"

typedef struct sn_spacetime_contact {
    int32_t function, vertex; /* a position's */
    int32_t column;           /* of columns; -1: none yet */
    double normal[3];         /* unit, to the free side */
    double gap;               /* to go along the normal; below 0 where it is free */
    double force;             /* >= 0: the multiplier */
    bool is_active;
} sn_spacetime_contact;

typedef struct sn_spacetime_contacts {
    sn_spacetime_problem *problem;
    int count;                   /* of vertex and obstacle, at each hit */
    sn_spacetime_contact *items; /* (count) */
    int column_count, column_room;
    double *columns; /* (column_room x function_count x vertex_count): those of N^-1 */
} sn_spacetime_contacts;

/* Finds the hits; vertices that penetrate there go to the obstacle's surface. Everything lives in the arena but the
 * columns: finish it. */
sn_result sn_spacetime_contacts_begin(sn_spacetime_problem *problem, sn_arena *arena, sn_spacetime_contacts *contacts);
void sn_spacetime_contacts_finish(sn_spacetime_contacts *contacts);
/* To be called when the system has changed. */
void sn_spacetime_contacts_forget(sn_spacetime_contacts *contacts);
int sn_spacetime_contacts_active_count(const sn_spacetime_contacts *contacts);

/* step (3 x function_count x vertex_count) solves the system: it becomes the one that keeps the contacts. */
sn_result sn_spacetime_contacts_constrain(sn_spacetime_contacts *contacts, const sn_spacetime_solver *solver,
                                          double *step);

#endif
