/* SPDX-License-Identifier: MIT */
/* Fuzz target: expressions; whatever compiles has a finite value, and one that fails says where within the text. */
#include "scenes/script/expression.h"

#include <math.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_expression expression;
    sn_expression_error error = {0};
    if (!source.bytes) {
        return 0;
    }
    if (sn_expression_compile((const char *)source.bytes, &expression, &error)) {
        SN_ASSERT(expression.step_count > 0 && expression.step_count <= SN_EXPRESSION_STEP_LIMIT);
        for (int k = 0; k < 8; ++k) {
            SN_ASSERT(isfinite(sn_expression_value(&expression, 0.37 * k - 1, k, 8)));
        }
    } else {
        SN_ASSERT(error.message && error.at <= size && expression.step_count == 0);
        SN_ASSERT(sn_expression_value(&expression, 1, 0, 1) == 0);
    }
    sn_fuzz_finish(&source);
    return 0;
}
