/* SPDX-License-Identifier: MIT */
/* Programs that answer, crash, hang, flood and do not listen. */
#include "author/io/child_process.h"
#include "tests/io/io_test.h"

#include <signal.h>

#define MEBIBYTE ((size_t)1 << 20)

static sn_result run(const char *script, double seconds, size_t input_size, sn_list *answer)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const sn_child_process child = {
        .program = "/bin/sh", .arguments = arguments, .seconds = seconds, .max_bytes = 4 * MEBIBYTE};
    uint8_t *sent = malloc(input_size + 1);
    assert_non_null(sent);
    for (size_t i = 0; i < input_size; ++i) {
        sent[i] = (uint8_t)(i * 31 + i / 251);
    }
    const sn_source input = {.name = "input", .bytes = sent, .size = input_size};
    *answer = (sn_list){0};
    begin_log();
    const sn_result result = sn_child_process_run(&child, &input, answer);
    for (size_t i = 0; strcmp(script, "exec cat") == 0 && i < answer->count; ++i) {
        assert_int_equal(((uint8_t *)answer->items)[i], sent[i]);
    }
    free(sent);
    return result;
}

static void check_answer(const char *script, size_t input_size, size_t answer_size)
{
    sn_list answer;
    assert_int_equal(run(script, 60, input_size, &answer), SN_OK);
    assert_int_equal(answer.count, answer_size);
    assert_int_equal(logged.lines, 0);
    sn_list_finish(&answer);
}

static void test_answers(void **state)
{
    (void)state;
    check_answer("exec cat", 0, 0);
    check_answer("exec cat", 1, 1);
    check_answer("exec cat", 3 * MEBIBYTE + 17, 3 * MEBIBYTE + 17);
    check_answer("echo hello", 3 * MEBIBYTE, 6); /* it does not listen */
    check_answer("echo no >&2; echo yes", 0, 4); /* nobody hears its complaints */
    assert_int_equal(setenv("SINEW_SECRET", "secret", 1), 0);
    check_answer("echo x$SINEW_SECRET", 0, 2); /* its environment is empty */
    unsetenv("SINEW_SECRET");
    check_answer("exec 0<&-; echo hello", MEBIBYTE, 6); /* its ears are shut */
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void check_failure(const char *script, double seconds, sn_result expected, const char *cause)
{
    sn_list answer;
    const sn_result result = run(script, seconds, MEBIBYTE, &answer);
    sn_list_finish(&answer);
    assert_int_equal(result, expected);
    assert_one_error(cause);
    assert_ptr_equal(strstr(logged.last_error, "input: "), logged.last_error);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_failures(void **state)
{
    (void)state;
    check_failure("kill -SEGV $$", 60, SN_ERROR_FORMAT, "crashed with signal 11");
    check_failure("echo half; kill -ABRT $$", 60, SN_ERROR_FORMAT, "crashed with signal 6");
    check_failure("ulimit -S -t 1; while :; do :; done", 60, SN_ERROR_FORMAT, "exceeded its limit of processor time");
    check_failure("exit 3", 60, SN_ERROR_FORMAT, "exit code 3");
    check_failure("exec sleep 1000", 0.2, SN_ERROR_FORMAT, "took longer than 0.2 s");
    check_failure("exec cat /dev/zero", 60, SN_ERROR_FORMAT, "unpacks to more than 4 MiB");
}

static void test_absent_program(void **state)
{
    (void)state;
    const char *const arguments[] = {"absent", NULL};
    const sn_child_process child = {
        .program = "/no/such/program", .arguments = arguments, .seconds = 60, .max_bytes = 1};
    const sn_source input = {.name = "input", .bytes = (const uint8_t *)"", .size = 0};
    sn_list answer = {0};
    begin_log();
    assert_int_equal(sn_child_process_run(&child, &input, &answer), SN_ERROR_FILE);
    assert_one_error("input: cannot start /no/such/program: No such file or directory");
    sn_list_finish(&answer);
}

/* A program that wants to know nothing of its children: the answer arrives all the same. */
static void test_reaped_elsewhere(void **state)
{
    (void)state;
    void (*const before)(int) = signal(SIGCHLD, SIG_IGN);
    check_answer("exec cat", 100000, 100000);
    signal(SIGCHLD, before);
}

/* It starts with every signal as usual, whatever this program does with them. */
static void test_signals(void **state)
{
    (void)state;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    void (*const ignored)(int) = signal(SIGTERM, SIG_IGN);
    check_failure("kill -TERM $$; echo lived", 60, SN_ERROR_FORMAT, "crashed with signal 15");
    signal(SIGTERM, ignored);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int test_child_process(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),          cmocka_unit_test(test_failures), cmocka_unit_test(test_absent_program),
        cmocka_unit_test(test_reaped_elsewhere), cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
