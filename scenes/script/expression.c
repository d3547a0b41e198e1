/* SPDX-License-Identifier: MIT */
#include "scenes/script/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum operation {
    CONSTANT,
    TIME,
    COPY,
    COPIES,
    NEGATE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    SIN,
    COS,
    TAN,
    EXP,
    SQRT,
    ABS,
    FLOOR,
    RANDOM,
    MIN,
    MAX,
    MOD,
    STEP,
    SMOOTH,
    CLAMP
} operation;

static const struct {
    const char *name;
    operation operation_code;
    int argument_count;
} functions[] = {{"sin", SIN, 1}, {"cos", COS, 1},     {"tan", TAN, 1},       {"exp", EXP, 1},    {"sqrt", SQRT, 1},
                 {"abs", ABS, 1}, {"floor", FLOOR, 1}, {"random", RANDOM, 1}, {"min", MIN, 2},    {"max", MAX, 2},
                 {"mod", MOD, 2}, {"step", STEP, 2},   {"smooth", SMOOTH, 3}, {"clamp", CLAMP, 3}};

static const struct {
    const char *name;
    operation operation_code;
    double value;
} variables[] = {{"t", TIME, 0}, {"i", COPY, 0}, {"n", COPIES, 0}, {"pi", CONSTANT, 3.14159265358979323846}};

/* ---- parser ---- */

typedef struct parser {
    const char *text, *next;
    sn_expression *expression;
    sn_expression_error *error;
    int height; /* of the stack after the steps so far */
    int depth;
    bool is_failed;
} parser;

static void parse_sum(parser *p);

static void fail(parser *p, const char *message)
{
    if (!p->is_failed) {
        p->is_failed = true;
        *p->error = (sn_expression_error){.at = (size_t)(p->next - p->text), .message = message};
    }
}

/* Appends a step that pops `pop_count` values and pushes one. */
static void emit(parser *p, operation operation_code, int pop_count, double value)
{
    sn_expression *e = p->expression;
    p->height += 1 - pop_count;
    if (e->step_count == SN_EXPRESSION_STEP_LIMIT || p->height > SN_EXPRESSION_STACK_LIMIT) {
        fail(p, "the expression is too long");
    }
    if (!p->is_failed) {
        e->steps[e->step_count++] = (struct sn_expression_step){(int32_t)operation_code, pop_count, value};
    }
}

static void skip_space(parser *p)
{
    while (*p->next == ' ' || *p->next == '\t') {
        ++p->next;
    }
}

static bool accept(parser *p, char character)
{
    skip_space(p);
    const bool is_there = !p->is_failed && *p->next == character;
    p->next += is_there;
    return is_there;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void parse_arguments(parser *p, operation operation_code, int count)
{
    if (!accept(p, '(')) {
        fail(p, "'(' is missing after the function");
    }
    for (int i = 0; i < count && !p->is_failed; ++i) {
        if (i > 0 && !accept(p, ',')) {
            fail(p, "the function has too few arguments");
        }
        parse_sum(p);
    }
    if (!accept(p, ')')) {
        fail(p, *p->next == ',' ? "the function has too many arguments" : "a ')' is missing");
    }
    emit(p, operation_code, count, 0);
}

static void parse_name(parser *p)
{
    const char *name = p->next;
    size_t length = 0;
    while (is_letter(name[length])) {
        ++length;
    }
    for (size_t k = 0; k < sizeof variables / sizeof variables[0]; ++k) {
        if (strlen(variables[k].name) == length && memcmp(name, variables[k].name, length) == 0) {
            p->next += length;
            emit(p, variables[k].operation_code, 0, variables[k].value);
            return;
        }
    }
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; ++k) {
        if (strlen(functions[k].name) == length && memcmp(name, functions[k].name, length) == 0) {
            p->next += length;
            parse_arguments(p, functions[k].operation_code, functions[k].argument_count);
            return;
        }
    }
    fail(p, "unknown name; the variables are t, i, n, pi");
}

/* Accepts only digits, a point and an exponent; strtod would also accept names and hexadecimal numbers. */
static void parse_number(parser *p)
{
    const char *end = p->next;
    char digits[64] = "";
    end += strspn(end, "0123456789");
    end += *end == '.';
    end += strspn(end, "0123456789");
    if ((*end == 'e' || *end == 'E') && strspn(end + 1 + (end[1] == '-' || end[1] == '+'), "0123456789") > 0) {
        end += 1 + (end[1] == '-' || end[1] == '+');
        end += strspn(end, "0123456789");
    }
    const size_t length = (size_t)(end - p->next);
    if (length == 0 || length >= sizeof digits || (length == 1 && *p->next == '.')) {
        fail(p, length >= sizeof digits ? "the number is too long" : "a number, a name or '(' is missing");
        return;
    }
    memcpy(digits, p->next, length);
    const double value = strtod(digits, NULL);
    if (!isfinite(value)) {
        fail(p, "the number is too large");
    }
    p->next = end;
    emit(p, CONSTANT, 0, value);
}

static void parse_atom(parser *p)
{
    skip_space(p);
    if (accept(p, '(')) {
        parse_sum(p);
        if (!accept(p, ')')) {
            fail(p, "a ')' is missing");
        }
    } else if (is_letter(*p->next)) {
        parse_name(p);
    } else {
        parse_number(p);
    }
}

static void parse_signed(parser *p)
{
    if (++p->depth > SN_EXPRESSION_DEPTH_LIMIT) {
        fail(p, "too many parentheses or signs");
    }
    if (p->is_failed) {
        return;
    }
    if (accept(p, '-')) {
        parse_signed(p);
        emit(p, NEGATE, 1, 0);
    } else {
        parse_atom(p);
        if (accept(p, '^')) {
            parse_signed(p);
            emit(p, POWER, 2, 0);
        }
    }
    --p->depth;
}

static void parse_product(parser *p)
{
    parse_signed(p);
    while (!p->is_failed) {
        const bool is_product = accept(p, '*');
        if (!is_product && !accept(p, '/')) {
            return;
        }
        parse_signed(p);
        emit(p, is_product ? MULTIPLY : DIVIDE, 2, 0);
    }
}

static void parse_sum(parser *p)
{
    parse_product(p);
    while (!p->is_failed) {
        const bool is_sum = accept(p, '+');
        if (!is_sum && !accept(p, '-')) {
            return;
        }
        parse_product(p);
        emit(p, is_sum ? ADD : SUBTRACT, 2, 0);
    }
}

bool sn_expression_compile(const char *text, sn_expression *expression, sn_expression_error *error)
{
    parser p = {.text = text, .next = text, .expression = expression, .error = error};
    expression->step_count = 0;
    parse_sum(&p);
    skip_space(&p);
    if (*p.next != '\0') {
        fail(&p, "an operator is missing");
    }
    if (p.is_failed) {
        expression->step_count = 0;
    }
    return !p.is_failed;
}

/* ---- evaluation ---- */

/* Hash of the number's bits to [0, 1) by splitmix64. */
static double random_of(double number)
{
    uint64_t z = 0;
    memcpy(&z, &number, sizeof z);
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

static double smooth(double from, double to, double x)
{
    const double u = fmin(fmax((x - from) / (to - from), 0), 1);
    return u * u * (3 - 2 * u);
}

/* Applies a function or operator to its arguments. */
static double apply(operation operation_code, const double *a)
{
    switch (operation_code) {
    case NEGATE:
        return -a[0];
    case ADD:
        return a[0] + a[1];
    case SUBTRACT:
        return a[0] - a[1];
    case MULTIPLY:
        return a[0] * a[1];
    case DIVIDE:
        return a[0] / a[1];
    case POWER:
        return pow(a[0], a[1]);
    case SIN:
        return sin(a[0]);
    case COS:
        return cos(a[0]);
    case TAN:
        return tan(a[0]);
    case EXP:
        return exp(a[0]);
    case SQRT:
        return sqrt(a[0]);
    case ABS:
        return fabs(a[0]);
    case FLOOR:
        return floor(a[0]);
    case RANDOM:
        return random_of(a[0]);
    case MIN:
        return fmin(a[0], a[1]);
    case MAX:
        return fmax(a[0], a[1]);
    case MOD:
        return a[0] - a[1] * floor(a[0] / a[1]);
    case STEP:
        return a[1] >= a[0];
    case SMOOTH:
        return smooth(a[0], a[1], a[2]);
    case CLAMP:
        return fmin(fmax(a[0], a[1]), a[2]);
    default:
        return 0;
    }
}

double sn_expression_value(const sn_expression *expression, double t, int i, int n)
{
    double stack[SN_EXPRESSION_STACK_LIMIT + 1] = {0};
    int height = 0;
    for (int k = 0; k < expression->step_count; ++k) {
        const operation operation_code = (operation)expression->steps[k].operation;
        if (operation_code <= COPIES) {
            stack[height++] = operation_code == CONSTANT ? expression->steps[k].value
                              : operation_code == TIME   ? t
                              : operation_code == COPY   ? i
                                                         : n;
        } else {
            height -= expression->steps[k].pop_count;
            stack[height] = apply(operation_code, stack + height);
            ++height;
        }
    }
    return isfinite(stack[0]) ? stack[0] : 0;
}
