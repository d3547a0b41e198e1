/* SPDX-License-Identifier: MIT */
/* Reads and writes complete files. The size is taken from the opened file, so replacing the file between check and read
 * has no effect. Writing never leaves a partial file under the final name. */
#include "author/io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES ((size_t)1 << 31)
#define CHUNK_BYTES ((size_t)1 << 30) /* below the maximum count of one read or write on all systems */
#define TEMP_SUFFIX_BYTES 64
#define TEMP_ATTEMPTS 100

bool sn_has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), size = strlen(extension);
    return length > size && strcasecmp(path + length - size, extension) == 0;
}

static sn_result fail_errno(const char *path, const char *action, int code)
{
    char text[128];
    if (strerror_r(code, text, sizeof text) != 0) {
        snprintf(text, sizeof text, "error %d", code);
    }
    return sn_fail(SN_ERROR_FILE, "%s: cannot %s: %s", path, action, text);
}

static sn_result check_regular(const char *path, const struct stat *status)
{
    if (S_ISDIR(status->st_mode)) {
        return fail_errno(path, "read", EISDIR);
    }
    if (!S_ISREG(status->st_mode)) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot read: not a regular file", path);
    }
    if (status->st_size < 0 || (uint64_t)status->st_size > MAX_FILE_BYTES) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot read: larger than 2 GiB", path);
    }
    return SN_OK;
}

static sn_result read_all(const char *path, int file, uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const size_t left = size - done;
        const ssize_t read_count = read(file, bytes + done, left < CHUNK_BYTES ? left : CHUNK_BYTES);
        if (read_count < 0 && errno != EINTR) {
            return fail_errno(path, "read", errno);
        }
        if (read_count == 0) {
            return sn_fail(SN_ERROR_FILE, "%s: cannot read: the file shrank while it was read", path);
        }
        done += read_count > 0 ? (size_t)read_count : 0;
    }
    return SN_OK;
}

static sn_result read_open_file(const char *path, int file, sn_arena *arena, sn_source *source)
{
    struct stat status;
    if (fstat(file, &status) != 0) {
        return fail_errno(path, "read", errno);
    }
    sn_result result = check_regular(path, &status);
    if (result != SN_OK) {
        return result;
    }
    const size_t size = (size_t)status.st_size;
    uint8_t *bytes = SN_NEW(arena, uint8_t, size + 1); /* zero-filled, so the text is null-terminated */
    if (!bytes) {
        return SN_ERROR_MEMORY;
    }
    result = read_all(path, file, bytes, size);
    if (result == SN_OK) {
        *source = (sn_source){.name = path, .bytes = bytes, .size = size};
    }
    return result;
}

sn_result sn_source_read(const char *path, sn_arena *arena, sn_source *source)
{
    SN_ASSERT(path && arena && source);
    /* without O_NONBLOCK, opening a pipe without a writer blocks */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return fail_errno(path, "open", errno);
    }
    const sn_result result = read_open_file(path, file, arena, source);
    close(file);
    return result;
}

static sn_result write_all(const char *path, int file, const uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const size_t left = size - done;
        const ssize_t written_count = write(file, bytes + done, left < CHUNK_BYTES ? left : CHUNK_BYTES);
        if (written_count < 0 && errno != EINTR) {
            return fail_errno(path, "write", errno);
        }
        done += written_count > 0 ? (size_t)written_count : 0;
    }
    return fsync(file) == 0 ? SN_OK : fail_errno(path, "write", errno);
}

/* Unlike mkstemp, creates the file with the mode of the user's umask. */
static int create_temp_file(const char *path, char *temp, size_t temp_size)
{
    for (unsigned attempt = 0; attempt < TEMP_ATTEMPTS; attempt++) {
        snprintf(temp, temp_size, "%s.%ld.%u.tmp", path, (long)getpid(), attempt);
        const int file = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

static sn_result write_and_rename(const char *path, char *temp, size_t temp_size, const void *bytes, size_t size)
{
    const int file = create_temp_file(path, temp, temp_size);
    if (file < 0) {
        return fail_errno(path, "write", errno);
    }
    sn_result result = write_all(path, file, bytes, size);
    if (close(file) != 0 && result == SN_OK) {
        result = fail_errno(path, "write", errno);
    }
    if (result == SN_OK && rename(temp, path) != 0) {
        result = fail_errno(path, "write", errno);
    }
    if (result != SN_OK) {
        unlink(temp);
    }
    return result;
}

sn_result sn_file_write(const char *path, const void *bytes, size_t size)
{
    SN_ASSERT(path && (bytes || size == 0));
    struct stat status;
    /* renaming would replace a device or pipe by a file */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot write: %s", path,
                       S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
    }
    sn_arena scratch = {0};
    const size_t temp_size = strlen(path) + TEMP_SUFFIX_BYTES;
    char *temp = SN_NEW(&scratch, char, temp_size);
    const sn_result result = temp ? write_and_rename(path, temp, temp_size, bytes, size) : SN_ERROR_MEMORY;
    sn_arena_finish(&scratch);
    return result;
}
