/* SPDX-License-Identifier: MIT */
/* Contacts of vertices with obstacles at hits: n . dx >= gap in the global step, by forces that only push (the paper's
 * 3.5). */
#ifndef SN_AUTHOR_SPACETIME_CONTACT_H
#define SN_AUTHOR_SPACETIME_CONTACT_H

#include "author/spacetime/solver.h"

typedef struct sn_spacetime_contact {
    int32_t function, vertex; /* position function and vertex */
    int32_t column;           /* index in `columns`; -1: not computed */
    double normal[3];         /* unit, towards the free side */
    double gap;               /* distance to move along the normal; negative if separated */
    double force;             /* Lagrange multiplier, >= 0 */
    bool is_active;
} sn_spacetime_contact;

typedef struct sn_spacetime_contacts {
    sn_spacetime_problem *problem;
    int count;                   /* pairs of vertex and obstacle, at each hit */
    sn_spacetime_contact *items; /* (count) */
    int column_count, column_capacity;
    double *columns; /* (column_capacity x function_count x vertex_count) columns of N^-1 */
} sn_spacetime_contacts;

/* Lists the contacts and moves penetrating vertices to the obstacle's surface. Only the columns are allocated outside
 * the arena; free them with sn_spacetime_contacts_finish. */
sn_result sn_spacetime_contacts_init(sn_spacetime_problem *problem, sn_arena *arena, sn_spacetime_contacts *contacts);
void sn_spacetime_contacts_finish(sn_spacetime_contacts *contacts);
/* Invalidates the columns. Call it when the system has changed. */
void sn_spacetime_contacts_invalidate(sn_spacetime_contacts *contacts);
int sn_spacetime_contacts_active_count(const sn_spacetime_contacts *contacts);

/* Changes the step (3 x function_count x vertex_count), which solves the unconstrained system, so that it satisfies the
 * contacts. */
sn_result sn_spacetime_contacts_constrain(sn_spacetime_contacts *contacts, const sn_spacetime_solver *solver,
                                          double *step);

#endif
