/* SPDX-License-Identifier: MIT */
#include "runtime/edit/text.h"

#include <stddef.h>
#include <string.h>

#define GRID_UNIT 1.5F /* units */
#define ADVANCE 6      /* grid units from character to character */
#define THICKNESS 0.62F
#define DOT_RADIUS 0.9F /* radius; larger than half a stroke, to be visible */
#define PADDING 9.0F
#define PAPER SN_MARKER_COLOR(246, 248, 252, 255)
#define PANEL SN_MARKER_COLOR(18, 22, 30, 238)

/* Strokes of each character on a grid 4 wide and 6 high: y points down from the cap height (0) to the baseline (6);
 * descenders reach 8. A point is two digits, x and y; a space ends a polyline. */
static const char *const letters[128] = {
    ['!'] = "2024 2626",
    ['"'] = "1012 3032",
    ['#'] = "1016 3036 0242 0444",
    ['$'] = "413010010213334445361605 2027",
    ['%'] = "0640 0010110100 3545463635",
    ['&'] = "4611102031220405162644",
    ['\''] = "2022",
    ['('] = "30212536",
    [')'] = "10212516",
    ['*'] = "2125 0244 0442",
    ['+'] = "2125 0343",
    [','] = "252617",
    ['-'] = "0343",
    ['.'] = "2626",
    ['/'] = "0640",
    ['0'] = "103041453616050110 1432",
    ['1'] = "112026 1636",
    ['2'] = "01103041420646",
    ['3'] = "01103041423313 334445361605",
    ['4'] = "36300444",
    ['5'] = "400002324345361605",
    ['6'] = "4130100105163645433303",
    ['7'] = "00404216",
    ['8'] = "103041423313020110 133344453616050413",
    ['9'] = "1636454130100102133343",
    [':'] = "2222 2525",
    [';'] = "2222 252617",
    ['<'] = "410345",
    ['='] = "0242 0444",
    ['>'] = "014305",
    ['?'] = "01103041422324 2626",
    ['@'] = "4530100104163646 4142332334",
    ['A'] = "062046 1434",
    ['B'] = "000636454433030030414233",
    ['C'] = "4130100105163645",
    ['D'] = "00063645413000",
    ['E'] = "40000646 0333",
    ['F'] = "400006 0333",
    ['G'] = "41301001051636454323",
    ['H'] = "0006 4046 0343",
    ['I'] = "1030 2026 1636",
    ['J'] = "4045361605",
    ['K'] = "0006 400346",
    ['L'] = "000646",
    ['M'] = "0600234046",
    ['N'] = "06004640",
    ['O'] = "103041453616050110",
    ['P'] = "06003041423303",
    ['Q'] = "103041453616050110 2446",
    ['R'] = "06003041423303 2346",
    ['S'] = "413010010213334445361605",
    ['T'] = "0040 2026",
    ['U'] = "000516364540",
    ['V'] = "002640",
    ['W'] = "0016233640",
    ['X'] = "0046 0640",
    ['Y'] = "002340 2326",
    ['Z'] = "00400646",
    ['['] = "30101636",
    ['\\'] = "0046",
    [']'] = "10303616",
    ['^'] = "022042",
    ['_'] = "0747",
    ['`'] = "1021",
    ['a'] = "12324346 441405163645",
    ['b'] = "0006 0312324345361605",
    ['c'] = "4332120305163645",
    ['d'] = "4046 4332120305163645",
    ['e'] = "044443321203051636",
    ['f'] = "40302126 1232",
    ['g'] = "4248 4332120305163645 48371807",
    ['h'] = "0006 03123243 4346",
    ['i'] = "2020 122226 1636",
    ['j'] = "3030 32371808",
    ['k'] = "0006 420446 ",
    ['l'] = "10202536",
    ['m'] = "0206 03122326 23324346",
    ['n'] = "0206 0312324346",
    ['o'] = "123243453616050312",
    ['p'] = "0208 0312324345361605",
    ['q'] = "4248 4332120305163645",
    ['r'] = "0206 04223243",
    ['s'] = "43321203143445361605",
    ['t'] = "20253645 0232",
    ['u'] = "0205163645 4246",
    ['v'] = "022642",
    ['w'] = "0216243642",
    ['x'] = "0246 0642",
    ['y'] = "0226 4218",
    ['z'] = "02420646",
    ['{'] = "30212213242536",
    ['|'] = "2027",
    ['}'] = "10212233242516",
    ['~'] = "0312233443",
};

float sn_text_width(const char *text)
{
    return GRID_UNIT * (float)(ADVANCE * strlen(text));
}

static void add_stroke(sn_marker_list *list, const float from[2], const float to[2], bool is_from_bottom,
                       uint32_t color)
{
    sn_marker_add(list, &(sn_render_marker){.from = {from[0], from[1], is_from_bottom ? 1 : 0},
                                            .to = {to[0], to[1], 0},
                                            .size = memcmp(from, to, 2 * sizeof *from) == 0 ? DOT_RADIUS : THICKNESS,
                                            .shape = SN_MARKER_LINE | SN_MARKER_ON_SCREEN,
                                            .fill = color});
}

static void add_letter(sn_marker_list *list, unsigned char letter, float x, float y, bool is_from_bottom,
                       uint32_t color)
{
    const char *strokes = letter < 128 ? letters[letter] : "0006464000";
    float previous[2] = {0, 0};
    bool is_drawing = false;
    for (const char *c = strokes ? strokes : ""; *c; c += *c == ' ' ? 1 : 2) {
        if (*c == ' ') {
            is_drawing = false;
            continue;
        }
        const float at[2] = {x + GRID_UNIT * (float)(c[0] - '0'), y + GRID_UNIT * (float)(c[1] - '0')};
        const bool is_end = c[2] == ' ' || c[2] == '\0';
        if (is_drawing) {
            add_stroke(list, previous, at, is_from_bottom, color);
        } else if (is_end) { /* a single point */
            add_stroke(list, at, at, is_from_bottom, color);
        }
        memcpy(previous, at, sizeof previous);
        is_drawing = true;
    }
}

void sn_marker_add_text(sn_marker_list *list, const char *text, sn_text_position position, uint32_t color)
{
    const float y = position.is_from_bottom ? -position.y : position.y;
    for (size_t i = 0; text[i]; ++i) {
        add_letter(list, (unsigned char)text[i], position.x + GRID_UNIT * (float)(ADVANCE * i), y,
                   position.is_from_bottom, color);
    }
}

void sn_marker_add_lines(sn_marker_list *list, const char *const *lines, int count, sn_text_position position)
{
    float width = 0;
    const float height = SN_TEXT_HEIGHT * (float)count;
    for (int i = 0; i < count; ++i) {
        const float own = sn_text_width(lines[i]);
        width = own > width ? own : width;
    }
    const float top = position.is_from_bottom ? -position.y : position.y,
                center = top + 0.5F * height - 0.5F * PADDING + 2;
    sn_marker_add(list, &(sn_render_marker){.from = {position.x - PADDING, center, position.is_from_bottom ? 1 : 0},
                                            .to = {position.x + width + PADDING, center, 0},
                                            .size = 0.5F * height + 0.5F * PADDING,
                                            .shape = SN_MARKER_PANEL | SN_MARKER_ON_SCREEN,
                                            .fill = PANEL});
    for (int i = 0; i < count; ++i) {
        const float down = SN_TEXT_HEIGHT * (float)i;
        const sn_text_position at = {position.x, position.is_from_bottom ? position.y - down : position.y + down,
                                     position.is_from_bottom};
        sn_marker_add_text(list, lines[i], at, PAPER);
    }
}
