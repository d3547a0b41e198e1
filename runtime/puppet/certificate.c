/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/certificate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/base/base.h"

#define LINE_SIZE 128 /* longer than the 64 characters of a PEM line */

typedef struct pem {
    bool has_certificate, has_key, has_password;
} pem;

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static sn_result scan_file(const char *path, pem *contents)
{
    char line[LINE_SIZE];
    FILE *file = fopen(path, "rb");
    *contents = (pem){0};
    if (!file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    }
    while (fgets(line, sizeof line, file)) {
        const bool is_head = begins(line, "-----BEGIN ");
        const bool is_key = is_head && strstr(line, "PRIVATE KEY-----");
        contents->has_certificate = contents->has_certificate || (is_head && strstr(line, "CERTIFICATE-----"));
        contents->has_key = contents->has_key || is_key;
        contents->has_password =
            contents->has_password || (is_key && strstr(line, " ENCRYPTED ")) || begins(line, "Proc-Type: 4,ENCRYPTED");
    }
    const int cause = ferror(file) ? errno : 0;
    fclose(file);
    return cause == 0 ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: cannot read: %s", path, strerror(cause));
}

sn_result sn_certificate_check(const char *certificate, const char *key)
{
    pem certificates, keys;
    sn_result result = scan_file(certificate, &certificates);
    if (result == SN_OK && !certificates.has_certificate) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: no certificate; a PEM file with -----BEGIN CERTIFICATE----- is needed",
                         certificate);
    }
    result = result ? result : scan_file(key, &keys);
    if (result == SN_OK && !keys.has_key) {
        result =
            sn_fail(SN_ERROR_FORMAT, "%s: no private key; a PEM file with -----BEGIN PRIVATE KEY----- is needed", key);
    }
    if (result == SN_OK && keys.has_password) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: the private key has a password; use a key without one", key);
    }
    return result;
}
