/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for syscall, MAP_ANONYMOUS */
#include "tools/read_fbx/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIN_MEMORY ((rlim_t)2 << 30)
#define MEMORY_FACTOR 64
#define MIN_SECONDS 60
#define BYTES_PER_SECOND 500000 /* about 1% of the usual reading speed */

#ifdef SN_SANITIZED
/* The process starts without an environment, so sanitizer options are set here. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}
#endif

void fbx_close_descriptors(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1U, ~0U, 0U) == 0) {
        return;
    }
#endif
    for (long descriptor = sysconf(_SC_OPEN_MAX) - 1; descriptor > STDERR_FILENO; --descriptor) {
        close((int)descriptor);
    }
}

/* ---- resources ---- */

static bool set_limit(int what, rlim_t max_value)
{
    struct rlimit now;
    if (getrlimit((unsigned)what, &now) != 0) {
        return false;
    }
    const rlim_t value = now.rlim_max == RLIM_INFINITY || max_value < now.rlim_max ? max_value : now.rlim_max;
    /* the hard limit is 1 s later, so that SIGXCPU is raised first */
    const struct rlimit set = {.rlim_cur = value, .rlim_max = what == RLIMIT_CPU ? value + 1 : value};
    return setrlimit((unsigned)what, &set) == 0;
}

static bool set_limits(size_t input_size)
{
    bool is_limited = set_limit(RLIMIT_CPU, MIN_SECONDS + (rlim_t)(input_size / BYTES_PER_SECOND));
#ifndef SN_SANITIZED
    is_limited = is_limited && set_limit(RLIMIT_AS, MIN_MEMORY + MEMORY_FACTOR * (rlim_t)input_size);
#endif
    return is_limited && set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_NPROC, 0) && set_limit(RLIMIT_NOFILE, 0);
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && !defined(SN_SANITIZED)

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), RETURN(SECCOMP_RET_ALLOW)
/* Memory of programs: allowed if its protection, the third argument, contains no PROT_EXEC. The argument replaces the
 * number of the call, so both outcomes end here. */
#define ALLOW_DATA(number)                                                                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4), LOAD(args[2]),                                            \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), RETURN(SECCOMP_RET_ERRNO | EPERM),                      \
        RETURN(SECCOMP_RET_ALLOW)

/* Everything else fails with EPERM. A call of another architecture has other numbers and ends the process. */
static struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    ALLOW(read),
    ALLOW(write),
    ALLOW(brk),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(futex),
    ALLOW(newfstatat), /* whether a texture exists */
    ALLOW(fstat),
    ALLOW(statx),
    ALLOW(lseek),
    ALLOW(clock_gettime),
    ALLOW(getrandom), /* the allocator's */
    ALLOW(getpid),    /* this and the following: abort() and crashes */
    ALLOW(gettid),
    ALLOW(tgkill),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(restart_syscall),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW_DATA(mmap),
    ALLOW_DATA(mprotect),
    RETURN(SECCOMP_RET_ERRNO | EPERM),
};

static bool filter_calls(void)
{
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

static bool filter_calls(void)
{
    return true;
}

#endif

bool fbx_enter_sandbox(size_t input_size)
{
    return set_limits(input_size) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls();
}

/* ---- the test ---- */

static void report(const char *what, bool is_allowed)
{
    char line[64];
    const int size = snprintf(line, sizeof line, "%s %s\n", what, is_allowed ? "allowed" : "denied");
    if (write(STDOUT_FILENO, line, (size_t)size) != size) {
        _exit(1);
    }
}

void fbx_test_sandbox(void)
{
    char program[] = "/bin/true", *const arguments[] = {program, NULL}, *const no_environment[] = {NULL};
    /* only the filter fails with EPERM; the limit of descriptors would be EMFILE */
    report("open", open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM);
    report("create", open("/tmp/sinew-read-fbx", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EPERM);
    report("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM);
    report("unlink", unlink("/nowhere/file") == 0 || errno != EPERM);
    report("exec", execve(program, arguments, no_environment) == 0 || errno != EPERM);
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    report("fork", child >= 0 || errno != EPERM);
    report("code", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    report("memory", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}
