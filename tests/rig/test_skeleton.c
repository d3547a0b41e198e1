/* SPDX-License-Identifier: MIT */
/* What is above what in a forest of joints, whose parents may come after them: against walks up it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "author/retarget/skeleton.h"
#include "host/base/random.h"

enum { MOST = 200 };

/* 0 .. count - 1 */
static int32_t any(uint64_t *random, int32_t count)
{
    return (int32_t)(count * sn_random_unit(random));
}

typedef struct forest {
    int32_t parents[MOST];
    sn_rig_skeleton skeleton;
} forest;

static bool walk_is_above(const forest *f, int32_t above, int32_t joint)
{
    for (int32_t at = f->parents[joint]; at >= 0; at = f->parents[at]) {
        if (at == above) {
            return true;
        }
    }
    return false;
}

static void check_tree(const forest *f)
{
    const int32_t n = f->skeleton.joint_count;
    sn_arena arena = {0};
    sn_rig_tree tree;
    assert_int_equal(sn_rig_tree_init(&f->skeleton, &arena, &tree), SN_OK);
    for (int32_t i = 0; i < n; ++i) {
        int32_t depth = 0, children = 0;
        for (int32_t j = 0; j < n; ++j) {
            const bool is_above = walk_is_above(f, j, i);
            assert_int_equal(sn_rig_is_above(&tree, j, i), is_above);
            depth += is_above;
            children += f->parents[j] == i;
        }
        assert_int_equal(tree.depths[i], depth);
        assert_int_equal(tree.child_counts[i], children);
        if (i > 0) {
            const int32_t a = tree.order[i - 1], b = tree.order[i];
            assert_true(tree.depths[a] < tree.depths[b] || (tree.depths[a] == tree.depths[b] && a < b));
        }
        assert_false(sn_rig_is_above(&tree, -1, i));
        assert_false(sn_rig_is_above(&tree, i, -1));
        const int32_t common = sn_rig_common_ancestor(&tree, 0, i);
        assert_true(common < 0 ||
                    ((common == 0 || walk_is_above(f, common, 0)) && (common == i || walk_is_above(f, common, i))));
    }
    sn_arena_finish(&arena);
}

/* Roots are few and ways long, or many and short. */
static void trees_are_what_walks_say(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 60; ++round) {
        forest f = {.skeleton.joint_count = 1 + any(&random, MOST)};
        const int32_t n = f.skeleton.joint_count;
        int32_t order[MOST] = {0};
        for (int32_t i = 0; i < n; ++i) { /* in any order */
            const int32_t at = any(&random, i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        for (int32_t i = 0; i < n; ++i) {
            const int32_t reach = round % 3 == 0 ? 2 : i + 1;
            const int32_t back = 1 + any(&random, reach);
            f.parents[order[i]] = i < back ? -1 : order[i - back];
        }
        f.skeleton.parents = f.parents;
        check_tree(&f);
    }
}

int test_skeleton(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_are_what_walks_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
