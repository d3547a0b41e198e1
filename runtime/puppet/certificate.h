/* SPDX-License-Identifier: MIT */
/* The files of a server's certificate and its private key, looked at before a library that says little does. */
#ifndef SN_RUNTIME_PUPPET_CERTIFICATE_H
#define SN_RUNTIME_PUPPET_CERTIFICATE_H

#include "sinew/types.h"

/* PEM files. Errors (one line that names the file): SN_ERROR_FILE where one cannot be read; SN_ERROR_FORMAT where there
 * is no certificate, or no private key, or one that wants a password. */
sn_result sn_certificate_check(const char *certificate, const char *key);

#endif
