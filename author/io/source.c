/* SPDX-License-Identifier: MIT */
/* Reads and writes complete files. The size is taken from the opened file, so replacing the file between check and read
 * has no effect. Writing never leaves a partial file under the final name. */
#include "author/io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "author/io/list.h"

#define MAX_FILE_BYTES ((size_t)1 << 31)
#define CHUNK_BYTES ((size_t)1 << 30) /* below the maximum count of one read or write on all systems */
#define TEMP_SUFFIX_BYTES 64
#define TEMP_ATTEMPTS 100
#define BUFFER_BYTES ((size_t)1 << 16)

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

/* ---- inputs ---- */

typedef struct file_id {
    dev_t device;
    ino_t number;
} file_id;

static struct {
    pthread_mutex_t mutex;
    bool is_enabled;
    sn_list files; /* (file_id) */
} inputs = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void sn_source_protect_inputs(void)
{
    inputs.is_enabled = true;
}

static bool find_input(const struct stat *status)
{
    const file_id *files = inputs.files.items;
    for (size_t i = 0; i < inputs.files.count; ++i) {
        if (files[i].device == status->st_dev && files[i].number == status->st_ino) {
            return true;
        }
    }
    return false;
}

static sn_result add_input(const struct stat *status)
{
    if (!inputs.is_enabled) {
        return SN_OK;
    }
    pthread_mutex_lock(&inputs.mutex);
    bool is_added = find_input(status);
    if (!is_added) {
        file_id *id = SN_LIST_ADD(&inputs.files, file_id, 1);
        is_added = id;
        if (id) {
            *id = (file_id){status->st_dev, status->st_ino};
        }
    }
    pthread_mutex_unlock(&inputs.mutex);
    return is_added ? SN_OK : SN_ERROR_MEMORY;
}

/* Renaming would also replace a device or pipe by a file. */
static sn_result check_output(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return SN_OK;
    }
    if (!S_ISREG(status.st_mode)) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot write: %s", path,
                       S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
    }
    pthread_mutex_lock(&inputs.mutex);
    const bool is_input = find_input(&status);
    pthread_mutex_unlock(&inputs.mutex);
    return is_input ? sn_fail(SN_ERROR_ARGUMENT, "%s: was read as an input, which writing would replace", path) : SN_OK;
}

/* ---- reading ---- */

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

static sn_result read_open_file(const char *path, int file, bool is_input, sn_arena *arena, sn_source *source)
{
    struct stat status;
    if (fstat(file, &status) != 0) {
        return fail_errno(path, "read", errno);
    }
    sn_result result = check_regular(path, &status);
    if (result == SN_OK && is_input) {
        result = add_input(&status);
    }
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

static sn_result read_path(const char *path, bool is_input, sn_arena *arena, sn_source *source)
{
    SN_ASSERT(path && arena && source);
    /* without O_NONBLOCK, opening a pipe without a writer blocks */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return fail_errno(path, "open", errno);
    }
    const sn_result result = read_open_file(path, file, is_input, arena, source);
    close(file);
    return result;
}

sn_result sn_source_read(const char *path, sn_arena *arena, sn_source *source)
{
    return read_path(path, true, arena, source);
}

sn_result sn_source_read_output(const char *path, sn_arena *arena, sn_source *source)
{
    return read_path(path, false, arena, source);
}

/* ---- writing ---- */

struct sn_file_output {
    char *path, *temp; /* path (path_size), and that of the temporary file (path_size + TEMP_SUFFIX_BYTES) */
    size_t path_size;
    uint8_t buffer[BUFFER_BYTES];
    size_t buffered;
    int file;
    int cause; /* errno of the first failure, or 0 */
};

/* O_EXCL opens neither an existing file nor what a symbolic link names, and never waits for a pipe. Unlike mkstemp,
 * this creates the file with the mode of the user's umask. */
static int create_temp_file(sn_file_output *o)
{
    for (unsigned attempt = 0; attempt < TEMP_ATTEMPTS; attempt++) {
        snprintf(o->temp, o->path_size + TEMP_SUFFIX_BYTES, "%s.%ld.%u.tmp", o->path, (long)getpid(), attempt);
        const int file = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

static void write_bytes(sn_file_output *o, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size && o->cause == 0;) {
        const size_t left = size - done;
        const ssize_t written_count = write(o->file, bytes + done, left < CHUNK_BYTES ? left : CHUNK_BYTES);
        if (written_count < 0 && errno != EINTR) {
            o->cause = errno;
        }
        done += written_count > 0 ? (size_t)written_count : 0;
    }
}

static void free_output(sn_file_output *o)
{
    sn_free(o->path, o->path ? 2 * o->path_size + TEMP_SUFFIX_BYTES : 0, 1);
    sn_free(o, 1, sizeof *o);
}

sn_result sn_file_output_open(const char *path, sn_file_output **output)
{
    SN_ASSERT(path && output);
    *output = NULL;
    sn_result result = check_output(path);
    if (result != SN_OK) {
        return result;
    }
    sn_file_output *o = sn_alloc(1, sizeof *o);
    if (!o) {
        return SN_ERROR_MEMORY;
    }
    o->path_size = strlen(path) + 1;
    o->path = sn_alloc(2 * o->path_size + TEMP_SUFFIX_BYTES, 1);
    if (!o->path) {
        free_output(o);
        return SN_ERROR_MEMORY;
    }
    o->temp = o->path + o->path_size;
    memcpy(o->path, path, o->path_size);
    o->file = create_temp_file(o);
    if (o->file < 0) {
        result = fail_errno(path, "write", errno);
        free_output(o);
        return result;
    }
    *output = o;
    return SN_OK;
}

bool sn_file_output_write(sn_file_output *o, const void *bytes, size_t size)
{
    if (size > BUFFER_BYTES - o->buffered) {
        write_bytes(o, o->buffer, o->buffered);
        o->buffered = 0;
    }
    if (size > BUFFER_BYTES) {
        write_bytes(o, bytes, size);
    } else if (size > 0) {
        memcpy(o->buffer + o->buffered, bytes, size);
        o->buffered += size;
    }
    errno = o->cause;
    return o->cause == 0;
}

sn_result sn_file_output_close(sn_file_output **output, bool keep)
{
    sn_file_output *o = *output;
    sn_result result = SN_OK;
    *output = NULL;
    if (!o) {
        return SN_OK;
    }
    if (keep) {
        write_bytes(o, o->buffer, o->buffered);
        o->cause = o->cause == 0 && fsync(o->file) != 0 ? errno : o->cause;
    }
    if (close(o->file) != 0 && o->cause == 0) {
        o->cause = errno;
    }
    if (keep && o->cause == 0) {
        result = check_output(o->path); /* it may have been read since */
    }
    if (keep && result == SN_OK && o->cause == 0 && rename(o->temp, o->path) != 0) {
        o->cause = errno;
    }
    if (keep && o->cause != 0) {
        result = fail_errno(o->path, "write", o->cause);
    }
    if (!keep || result != SN_OK) {
        unlink(o->temp);
    }
    free_output(o);
    return result;
}

sn_result sn_file_write(const char *path, const void *bytes, size_t size)
{
    SN_ASSERT(path && (bytes || size == 0));
    sn_file_output *output;
    SN_TRY(sn_file_output_open(path, &output));
    sn_file_output_write(output, bytes, size);
    return sn_file_output_close(&output, true);
}
