/* SPDX-License-Identifier: MIT */
/* Text into addresses to listen on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/puppet/address.h"
#include "tests/support/log.h"

static void test_addresses(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *where;
        int family;
        bool is_local, is_any;
    } cases[] = {{NULL, "127.0.0.1:39539", AF_INET, true, false},
                 {"8", "127.0.0.1:8", AF_INET, true, false},
                 {"localhost", "127.0.0.1:39539", AF_INET, true, false},
                 {"127.1.2.3:4", "127.1.2.3:4", AF_INET, true, false},
                 {"192.0.2.1", "192.0.2.1:39539", AF_INET, false, false},
                 {"0.0.0.0:5", "0.0.0.0:5", AF_INET, false, true},
                 {"[::1]:6", "[::1]:6", AF_INET6, true, false},
                 {"[::]", "[::]:39539", AF_INET6, false, true},
                 {"[::ffff:127.0.0.1]:7", "127.0.0.1:7", AF_INET, true, false},
                 {"[::ffff:7f00:1]", "127.0.0.1:39539", AF_INET, true, false},
                 {"[::ffff:192.0.2.1]:7", "192.0.2.1:7", AF_INET, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_address address;
        socklen_t size;
        char where[SN_ADDRESS_SIZE];
        assert_int_equal(sn_address_parse(cases[i].text, 39539, &address, &size), SN_OK);
        sn_address_describe(&address, where);
        assert_string_equal(where, cases[i].where);
        assert_int_equal(address.any.sa_family, cases[i].family);
        assert_int_equal(size, cases[i].family == AF_INET ? sizeof address.v4 : sizeof address.v6);
        assert_int_equal(sn_address_is_local(&address), cases[i].is_local);
        assert_int_equal(sn_address_is_wildcard(&address), cases[i].is_any);
    }
}

static void test_no_addresses(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"::ffff:127.0.0.1", "[::ffff:127.0.0.256]:8", "[::ffff:127.0.0.1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        sn_address address;
        socklen_t size;
        begin_log();
        assert_int_equal(sn_address_parse(texts[i], 39539, &address, &size), SN_ERROR_ARGUMENT);
        assert_one_error("not an address to listen on");
    }
    sn_set_log(NULL, NULL);
}

int test_address(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_no_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
