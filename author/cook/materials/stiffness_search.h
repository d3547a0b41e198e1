/* SPDX-License-Identifier: MIT */
/* A stiffness at which flesh moves as far as it is to: displacement is nearly proportional to softness, so that a few
 * runs find it. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STIFFNESS_SEARCH_H
#define SN_AUTHOR_COOK_MATERIALS_STIFFNESS_SEARCH_H

/* Logarithms of a stiffness, and of how far the flesh is from what is aimed at: above 0 it is too soft. */
typedef struct sn_stiffness_try {
    double stiffness, miss;
} sn_stiffness_try;

/* Zeroed, but for last.stiffness, where it begins. */
typedef struct sn_stiffness_search {
    sn_stiffness_try soft, stiff; /* the stiffest that is too soft, the softest that is too stiff; miss 0: none yet */
    sn_stiffness_try before, last;
    int run_count;
} sn_stiffness_search;

/* After a run with last.stiffness: what it missed by, and the logarithm of the stiffness to go on with. */
double sn_stiffness_search_next(sn_stiffness_search *search, double miss);
/* Goes on with a stiffness, that or one nearby. */
void sn_stiffness_search_go(sn_stiffness_search *search, double stiffness);

#endif
