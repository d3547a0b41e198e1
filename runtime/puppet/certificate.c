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

static sn_result look(const char *path, pem *found)
{
    char line[LINE_SIZE];
    FILE *file = fopen(path, "rb");
    *found = (pem){0};
    if (!file) {
        return sn_fail(SN_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    }
    while (fgets(line, sizeof line, file)) {
        const bool is_head = begins(line, "-----BEGIN ");
        const bool is_key = is_head && strstr(line, "PRIVATE KEY-----");
        found->has_certificate = found->has_certificate || (is_head && strstr(line, "CERTIFICATE-----"));
        found->has_key = found->has_key || is_key;
        found->has_password =
            found->has_password || (is_key && strstr(line, " ENCRYPTED ")) || begins(line, "Proc-Type: 4,ENCRYPTED");
    }
    const int cause = ferror(file) ? errno : 0;
    fclose(file);
    return cause == 0 ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: cannot read: %s", path, strerror(cause));
}

sn_result sn_certificate_check(const char *certificate, const char *key)
{
    pem certificates, keys;
    sn_result result = look(certificate, &certificates);
    if (result == SN_OK && !certificates.has_certificate) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: no certificate; a PEM file with -----BEGIN CERTIFICATE----- is needed",
                         certificate);
    }
    result = result ? result : look(key, &keys);
    if (result == SN_OK && !keys.has_key) {
        result =
            sn_fail(SN_ERROR_FORMAT, "%s: no private key; a PEM file with -----BEGIN PRIVATE KEY----- is needed", key);
    }
    if (result == SN_OK && keys.has_password) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: the private key has a password; use a key without one", key);
    }
    return result;
}
