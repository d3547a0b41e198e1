/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over files, where libFuzzer is not at hand: each argument is a file or a folder of files. A folder
 * that is absent or empty is fine: not every target has seeds. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_file(FILE *file, size_t size)
{
    uint8_t *data = malloc(size > 0 ? size : 1); /* exact, so that a sanitizer sees a read behind the end */
    if (data && fread(data, 1, size, file) != size) {
        free(data);
        data = NULL;
    }
    return data;
}

/* The number of inputs that ran: 1, or 0 with a line on stderr. */
static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = file ? read_file(file, size) : NULL;
    if (file) {
        fclose(file);
    }
    if (!data) {
        fprintf(stderr, "%s: cannot read\n", path);
        return 0;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int run_folder(const char *path, int *failed)
{
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        char file[4096];
        struct stat status;
        const int length = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (length < (int)sizeof file && stat(file, &status) == 0 && S_ISREG(status.st_mode)) {
            const int ran = run_file(file, (size_t)status.st_size);
            count += ran;
            *failed += !ran;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

int main(int argument_count, char **arguments)
{
    int count = 0;
    int failed = 0;
    for (int i = 1; i < argument_count; i++) {
        struct stat status;
        if (stat(arguments[i], &status) != 0) {
            fprintf(stderr, "%s: no seeds\n", arguments[i]);
        } else if (S_ISDIR(status.st_mode)) {
            count += run_folder(arguments[i], &failed);
        } else {
            const int ran = run_file(arguments[i], (size_t)status.st_size);
            count += ran;
            failed += !ran;
        }
    }
    printf("%d inputs\n", count);
    return failed > 0;
}
