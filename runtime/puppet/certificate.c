/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/certificate.h"

#include <stdio.h>
#include <string.h>

#include "author/io/source.h"

#define LINE_SIZE 128 /* longer than the 64 characters of a PEM line */

typedef struct pem {
    bool has_certificate, has_key, has_password;
} pem;

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* A certificate is at most a few kilobytes; sn_source_read accepts regular files only, and waits for none. */
static sn_result scan_file(const char *path, pem *contents)
{
    sn_arena arena = {0};
    sn_source source;
    *contents = (pem){0};
    const sn_result result = sn_source_read(path, &arena, &source);
    const char *line = result == SN_OK ? (const char *)source.bytes : NULL;
    while (line && *line) {
        char text[LINE_SIZE];
        const size_t size = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", size < LINE_SIZE ? (int)size : LINE_SIZE - 1, line);
        const bool is_head = begins(text, "-----BEGIN ");
        const bool is_key = is_head && strstr(text, "PRIVATE KEY-----");
        contents->has_certificate = contents->has_certificate || (is_head && strstr(text, "CERTIFICATE-----"));
        contents->has_key = contents->has_key || is_key;
        contents->has_password =
            contents->has_password || (is_key && strstr(text, " ENCRYPTED ")) || begins(text, "Proc-Type: 4,ENCRYPTED");
        line += size + (line[size] == '\n');
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_certificate_check(const char *certificate, const char *key)
{
    pem certificates, keys;
    SN_TRY(scan_file(certificate, &certificates));
    if (!certificates.has_certificate) {
        return sn_fail(SN_ERROR_FORMAT, "%s: no certificate; a PEM file with -----BEGIN CERTIFICATE----- is needed",
                       certificate);
    }
    SN_TRY(scan_file(key, &keys));
    if (!keys.has_key) {
        return sn_fail(SN_ERROR_FORMAT, "%s: no private key; a PEM file with -----BEGIN PRIVATE KEY----- is needed",
                       key);
    }
    if (keys.has_password) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the private key has a password; use a key without one", key);
    }
    return SN_OK;
}
