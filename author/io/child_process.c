/* SPDX-License-Identifier: MIT */
/* Implementation with posix_spawn and one socket pair as both standard input and output. Writing to a socket whose peer
 * has died returns an error (MSG_NOSIGNAL) instead of raising SIGPIPE in the whole program. posix_spawn is used since a
 * program with threads may call almost nothing between fork and exec. */
#include "author/io/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)1 << 16)
#define END_SECONDS 5 /* time between the end of the output and the end of the process */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int socket)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int code = posix_spawn_file_actions_adddup2(actions, socket, STDIN_FILENO);
    code = code ? code : posix_spawn_file_actions_adddup2(actions, socket, STDOUT_FILENO);
    code = code ? code : posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    code = code ? code : posix_spawnattr_setsigmask(attributes, &none);
    code = code ? code : posix_spawnattr_setsigdefault(attributes, &all);
    return code ? code : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Returns an errno, or 0. */
static int start(const sn_child_process *child, int socket, pid_t *process)
{
    static char *const no_environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        return code;
    }
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        code = set_up(&actions, &attributes, socket);
        /* posix_spawn does not modify the arguments; its type merely lacks const */
        code = code ? code
                    : posix_spawn(process, child->program, &actions, &attributes,
                                  (char *const *)(uintptr_t)child->arguments, no_environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static bool is_retried(ssize_t done)
{
    return done < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Sends as much of the input as possible; at its end, the child reads end-of-file. If the child has closed its end, the
 * remaining input is dropped. */
static void send_some(int socket, const sn_source *input, size_t *sent)
{
    const ssize_t done = send(socket, input->bytes + *sent, input->size - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!is_retried(done)) {
        *sent = done < 0 ? input->size : *sent + (size_t)done;
    }
    if (*sent == input->size) {
        shutdown(socket, SHUT_WR);
    }
}

/* Returns false at the end of the output. */
static bool receive_some(int socket, sn_list *output, sn_result *result)
{
    uint8_t bytes[CHUNK_BYTES];
    const ssize_t done = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (done <= 0) {
        return is_retried(done);
    }
    uint8_t *destination = SN_LIST_ADD(output, uint8_t, done);
    if (!destination) {
        *result = SN_ERROR_MEMORY;
        return false;
    }
    memcpy(destination, bytes, (size_t)done);
    return true;
}

static sn_result exchange(const sn_child_process *child, const sn_source *input, int socket, sn_list *output)
{
    const double end = now() + child->seconds;
    sn_result result = SN_OK;
    size_t sent = 0;
    if (input->size == 0) {
        shutdown(socket, SHUT_WR);
    }
    for (bool is_open = true; is_open && result == SN_OK;) {
        const double left = end - now();
        struct pollfd wait = {.fd = socket, .events = (short)(sent < input->size ? POLLIN | POLLOUT : POLLIN)};
        if (left <= 0) {
            return sn_fail(SN_ERROR_FORMAT, "%s: the reader process took longer than %.3g s and was terminated",
                           input->name, child->seconds);
        }
        poll(&wait, 1, (int)(left < 1 ? 1000 * left + 1 : 1000));
        if (wait.revents & POLLOUT) {
            send_some(socket, input, &sent);
        }
        if (wait.revents & (POLLIN | POLLHUP | POLLERR)) {
            is_open = receive_some(socket, output, &result);
        }
        if (output->count > child->max_bytes) {
            return sn_fail(SN_ERROR_FORMAT, "%s: unpacks to more than %zu MiB", input->name, child->max_bytes >> 20);
        }
    }
    return result;
}

/* Waits for a child that was killed or has closed its output, and kills it if it does not exit. Reports how it ended,
 * unless is_reported. */
static sn_result wait_for_exit(pid_t process, const char *name, bool is_reported)
{
    int status = 0;
    pid_t reaped = 0;
    for (const double end = now() + END_SECONDS; reaped == 0 && now() < end;) {
        reaped = waitpid(process, &status, WNOHANG);
        if (reaped == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
    if (reaped == 0) {
        kill(process, SIGKILL);
        while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (is_reported || reaped < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
        return SN_OK;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the reader process exceeded its limit of processor time", name);
    }
    return WIFSIGNALED(status)
               ? sn_fail(SN_ERROR_FORMAT, "%s: the reader process crashed with signal %d", name, WTERMSIG(status))
               : sn_fail(SN_ERROR_FORMAT, "%s: the reader process failed with exit code %d", name, WEXITSTATUS(status));
}

sn_result sn_child_process_run(const sn_child_process *child, const sn_source *input, sn_list *output)
{
    SN_ASSERT(child && input && output);
    int sockets[2];
    pid_t process = 0;
    char cause[128];
    int code = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : errno;
    if (code == 0) {
        code = start(child, sockets[1], &process);
        close(sockets[1]);
        if (code != 0) {
            close(sockets[0]);
        }
    }
    if (code != 0) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot start %s: %s", input->name, child->program,
                       strerror_r(code, cause, sizeof cause) == 0 ? cause : "unknown error");
    }
    const sn_result result = exchange(child, input, sockets[0], output);
    if (result != SN_OK) {
        kill(process, SIGKILL);
    }
    close(sockets[0]);
    const sn_result end = wait_for_exit(process, input->name, result != SN_OK);
    return result == SN_OK ? end : result;
}
