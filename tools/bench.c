/* SPDX-License-Identifier: MIT */
int sn_verb_bench(int argument_count, char **arguments);
int sn_verb_bench(int argument_count, char **arguments)
{
    (void)argument_count;
    (void)arguments;
    return 1;
}
