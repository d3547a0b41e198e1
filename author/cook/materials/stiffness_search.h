/* SPDX-License-Identifier: MIT */
/* One-dimensional search for the stiffness at which flesh moves by a target amount. Displacement is nearly proportional
 * to 1 / stiffness, so a few runs suffice. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STIFFNESS_SEARCH_H
#define SN_AUTHOR_COOK_MATERIALS_STIFFNESS_SEARCH_H

/* Logarithms of a stiffness and of the ratio of displacement to target; log_error > 0: too soft. */
typedef struct sn_stiffness_sample {
    double stiffness, log_error;
} sn_stiffness_sample;

/* Zero all of it except last.stiffness, the start value. */
typedef struct sn_stiffness_search {
    sn_stiffness_sample too_soft, too_stiff; /* the bracket: the stiffest that is too soft, the softest that is too
                                                stiff; log_error 0: none yet */
    sn_stiffness_sample previous, last;
    int run_count;
} sn_stiffness_search;

/* Records the error of a run with last.stiffness; returns the logarithm of the next stiffness. */
double sn_stiffness_search_next(sn_stiffness_search *search, double log_error);
/* Continues with a stiffness, usually the one that sn_stiffness_search_next returned. */
void sn_stiffness_search_continue(sn_stiffness_search *search, double stiffness);

#endif
