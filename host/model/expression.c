/* SPDX-License-Identifier: MIT */
#include "host/model/expression.h"

#include <math.h>

static float round_binary(const sn_expression *e, float value)
{
    return e->is_binary ? (value > 0.5F ? 1.0F : 0.0F) : value;
}

void sn_expressions_find_shares(const sn_expression *expressions, int count, const float *values,
                                float shares[SN_EXPRESSION_GROUP_COUNT])
{
    for (int g = 0; g < SN_EXPRESSION_GROUP_COUNT; ++g) {
        shares[g] = 1;
        for (int i = 0; i < count; ++i) {
            const sn_expression *e = &expressions[i];
            const float value = round_binary(e, values[i]);
            if (e->blocked_groups >> g & 1) {
                shares[g] = value > 0 ? 0 : shares[g];
            } else if (e->blended_groups >> g & 1) {
                shares[g] = fmaxf(shares[g] - value, 0);
            }
        }
    }
}

float sn_expression_effect(const sn_expression *expression, float value, const float shares[SN_EXPRESSION_GROUP_COUNT])
{
    float effect = round_binary(expression, value);
    for (int g = 0; g < SN_EXPRESSION_GROUP_COUNT; ++g) {
        effect *= expression->group >> g & 1 ? shares[g] : 1;
    }
    return expression->is_binary && effect < 1 ? 0 : effect;
}
