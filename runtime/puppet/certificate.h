/* SPDX-License-Identifier: MIT */
/* Checks the files of a server's certificate and private key, so that errors are clearer than libwebsockets' own. */
#ifndef SN_RUNTIME_PUPPET_CERTIFICATE_H
#define SN_RUNTIME_PUPPET_CERTIFICATE_H

#include "sinew/types.h"

/* Checks two PEM files. Errors: SN_ERROR_FILE (cannot be read), SN_ERROR_FORMAT (no certificate, no private key, or a
 * key with a password). */
sn_result sn_certificate_check(const char *certificate, const char *key);

#endif
