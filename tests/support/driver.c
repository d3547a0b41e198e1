/* SPDX-License-Identifier: MIT */
/* The main function of a folder's test program: `tests_NAME TEST` runs one test file, `tests_NAME` runs all of them.
 * Each file test_x.c defines `int test_x(void)`, which returns the number of failed tests. The build lists them in
 * SN_TEST_LIST as SN_TEST(test_x). */
#include <stdio.h>
#include <string.h>

#define SN_TEST(name) int name(void);
#include SN_TEST_LIST
#undef SN_TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define SN_TEST(name) {#name, name},
#include SN_TEST_LIST
};

int main(int argc, char **argv)
{
    const size_t count = sizeof tests / sizeof *tests;
    int failures = 0, runs = 0;
    for (size_t i = 0; i < count; ++i) {
        if (argc < 2 || strcmp(argv[1], tests[i].name) == 0) {
            failures += tests[i].run();
            ++runs;
        }
    }
    if (runs == 0) {
        fprintf(stderr, "%s: there is no test %s; it has:\n", argv[0], argv[1]);
        for (size_t i = 0; i < count; ++i) {
            fprintf(stderr, "  %s\n", tests[i].name);
        }
        return 2;
    }
    return failures == 0 ? 0 : 1;
}
