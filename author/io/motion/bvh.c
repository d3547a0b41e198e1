/* SPDX-License-Identifier: MIT */
/* Grammar: HIERARCHY, ROOT and JOINT NAME { OFFSET, CHANNELS, joints and End Sites }, MOTION, "Frames:", "Frame Time:",
 * then one line per frame. Open braces are on an explicit stack, since the nesting depth comes from the file. */
#include "author/io/motion/bvh.h"

#include <string.h>
#include <strings.h>

#include "author/io/text.h"

#define MIN_FRAME_SECONDS 1e-6
#define MAX_FRAME_SECONDS 1e6
#define PRINTABLE_CHARS 40

enum { END_SITE = -1 }; /* marker on the stack */

typedef struct reader {
    sn_text text;
    sn_arena *arena;
    sn_bvh_file *file;
    int32_t *stack; /* open braces: joints, or END_SITE */
    int depth;
    bool *has_offset, *has_channels; /* (SN_BVH_JOINT_LIMIT) */
    bool has_end_offset;
} reader;

static bool is_word(sn_token token, const char *word)
{
    return token.size == strlen(word) && strncasecmp(token.text, word, token.size) == 0;
}

static sn_result expect(reader *r, const char *word)
{
    const sn_text before = r->text;
    if (is_word(sn_text_next(&r->text), word)) {
        return SN_OK;
    }
    r->text = before; /* sn_text_expect logs the message at this word */
    return sn_text_expect(&r->text, word);
}

static sn_result fail_joint(const reader *r, const sn_bvh_joint *joint, const char *cause)
{
    char printable[PRINTABLE_CHARS];
    return sn_text_fail(&r->text, "the joint '%s' %s",
                        sn_text_printable(joint->name, strlen(joint->name), printable, sizeof printable), cause);
}

/* Reads the remainder of the line up to a brace, without surrounding space; names may contain spaces. */
static sn_result read_name(reader *r, const char **name)
{
    const size_t line = r->text.line;
    const char *first = NULL, *last = NULL;
    for (;;) {
        const sn_text before = r->text;
        const sn_token token = sn_text_next(&r->text);
        if (token.size == 0 || r->text.item_line != line || sn_token_is(token, "{")) {
            r->text = before;
            break;
        }
        first = first ? first : token.text;
        last = token.text + token.size;
    }
    if (!first) {
        return sn_text_fail(&r->text, "a joint has no name");
    }
    char *copy = SN_NEW(r->arena, char, (size_t)(last - first) + 1);
    if (!copy) {
        return SN_ERROR_MEMORY;
    }
    memcpy(copy, first, (size_t)(last - first));
    *name = copy;
    return SN_OK;
}

static sn_result open_joint(reader *r)
{
    sn_bvh_file *file = r->file;
    if (file->joint_count == SN_BVH_JOINT_LIMIT) {
        return sn_text_fail(&r->text, "there are more than %d joints", SN_BVH_JOINT_LIMIT);
    }
    sn_bvh_joint *joint = &file->joints[file->joint_count];
    *joint = (sn_bvh_joint){.parent = r->depth > 0 ? r->stack[r->depth - 1] : -1, .first_channel = file->channel_count};
    const sn_result result = read_name(r, &joint->name);
    if (result != SN_OK) {
        return result;
    }
    r->stack[r->depth++] = file->joint_count++;
    return expect(r, "{");
}

static sn_result open_end(reader *r)
{
    SN_TRY(expect(r, "Site"));
    r->stack[r->depth++] = END_SITE;
    r->has_end_offset = false;
    return expect(r, "{");
}

static sn_result close_brace(reader *r)
{
    const int32_t open_joint_index = r->stack[r->depth - 1];
    if (open_joint_index == END_SITE && !r->has_end_offset) {
        return sn_text_fail(&r->text, "an End Site has no OFFSET");
    }
    if (open_joint_index >= 0 && !r->has_offset[open_joint_index]) {
        return fail_joint(r, &r->file->joints[open_joint_index], "has no OFFSET");
    }
    if (open_joint_index >= 0 && !r->has_channels[open_joint_index]) {
        return fail_joint(r, &r->file->joints[open_joint_index], "has no CHANNELS");
    }
    --r->depth;
    return SN_OK;
}

static sn_result read_offset(reader *r)
{
    const int32_t open_joint_index = r->stack[r->depth - 1];
    double offset_value[3] = {0};
    if (open_joint_index >= 0 ? r->has_offset[open_joint_index] : r->has_end_offset) {
        return sn_text_fail(&r->text, "there is a second OFFSET");
    }
    for (int d = 0; d < 3; ++d) {
        const sn_result result = sn_text_in_range(&r->text, "the offset", &offset_value[d]);
        if (result != SN_OK) {
            return result;
        }
    }
    sn_bvh_joint *joint = &r->file->joints[open_joint_index >= 0 ? open_joint_index : r->stack[r->depth - 2]];
    if (open_joint_index >= 0) {
        r->has_offset[open_joint_index] = true;
        memcpy(joint->offset, offset_value, sizeof offset_value);
    } else {
        r->has_end_offset = joint->has_end = true;
        memcpy(joint->end, offset_value, sizeof offset_value);
    }
    return SN_OK;
}

static sn_result read_channel(reader *r, sn_bvh_joint *joint)
{
    static const char *const names[SN_BVH_CHANNEL_TYPE_COUNT] = {"Xposition", "Yposition", "Zposition",
                                                                 "Xrotation", "Yrotation", "Zrotation"};
    sn_token token;
    char printable[PRINTABLE_CHARS];
    const sn_result result = sn_text_token(&r->text, "channel", &token);
    if (result != SN_OK) {
        return result;
    }
    int type = 0;
    while (type < SN_BVH_CHANNEL_TYPE_COUNT && !is_word(token, names[type])) {
        ++type;
    }
    if (type == SN_BVH_CHANNEL_TYPE_COUNT) {
        return sn_text_fail(&r->text, "'%s' is not a channel (Xposition ... Zrotation)",
                            sn_text_printable(token.text, token.size, printable, sizeof printable));
    }
    for (int i = 0; i < joint->channel_count; ++i) {
        if (joint->channels[i] == (sn_bvh_channel)type) {
            return sn_text_fail(&r->text, "the channel %s is defined twice", names[type]);
        }
    }
    joint->channels[joint->channel_count++] = (sn_bvh_channel)type;
    return SN_OK;
}

static sn_result read_channels(reader *r)
{
    const int32_t open_joint_index = r->stack[r->depth - 1];
    int64_t count = 0;
    if (open_joint_index == END_SITE || r->has_channels[open_joint_index]) {
        return sn_text_fail(&r->text, open_joint_index == END_SITE ? "an End Site cannot have CHANNELS"
                                                                   : "there is a second CHANNELS");
    }
    sn_bvh_joint *joint = &r->file->joints[open_joint_index];
    if (r->file->joint_count - 1 != open_joint_index) { /* values are in the order of the joints */
        return fail_joint(r, joint, "has its CHANNELS after another joint");
    }
    sn_result result = sn_text_integer(&r->text, "the count of channels", &count);
    if (result == SN_OK && (count < 0 || count > SN_BVH_CHANNEL_LIMIT)) {
        return sn_text_fail(&r->text, "%lld channels; a joint can have 0 to %d", (long long)count,
                            SN_BVH_CHANNEL_LIMIT);
    }
    r->has_channels[open_joint_index] = true;
    for (int64_t i = 0; i < count && result == SN_OK; ++i) {
        result = read_channel(r, joint);
    }
    r->file->channel_count += joint->channel_count;
    return result;
}

/* Reads one entry inside braces. */
static sn_result read_member(reader *r)
{
    sn_token token;
    char printable[PRINTABLE_CHARS];
    const sn_result result = sn_text_token(&r->text, "closing brace of a joint", &token);
    const bool is_end = r->stack[r->depth - 1] == END_SITE;
    if (result != SN_OK) {
        return result;
    }
    if (is_word(token, "OFFSET")) {
        return read_offset(r);
    }
    if (is_word(token, "CHANNELS")) {
        return read_channels(r);
    }
    if (is_word(token, "}")) {
        return close_brace(r);
    }
    if (!is_end && is_word(token, "JOINT")) {
        return open_joint(r);
    }
    if (!is_end && is_word(token, "End")) {
        return open_end(r);
    }
    return sn_text_fail(&r->text, "'%s' found where OFFSET, CHANNELS%s or } was expected",
                        sn_text_printable(token.text, token.size, printable, sizeof printable),
                        is_end ? "" : ", JOINT, End Site");
}

/* Reads up to and including the word MOTION. */
static sn_result read_hierarchy(reader *r)
{
    sn_result result = expect(r, "HIERARCHY");
    while (result == SN_OK) {
        sn_token token;
        result = sn_text_token(&r->text, r->file->joint_count > 0 ? "word MOTION" : "word ROOT", &token);
        if (result == SN_OK && r->file->joint_count > 0 && is_word(token, "MOTION")) {
            return SN_OK;
        }
        if (result == SN_OK && !is_word(token, "ROOT")) {
            char printable[PRINTABLE_CHARS];
            return sn_text_fail(&r->text, "'%s' found where %s was expected",
                                sn_text_printable(token.text, token.size, printable, sizeof printable),
                                r->file->joint_count > 0 ? "MOTION" : "ROOT");
        }
        result = result == SN_OK ? open_joint(r) : result;
        while (result == SN_OK && r->depth > 0) {
            result = read_member(r);
        }
    }
    return result;
}

static sn_result read_row(reader *r, int frame)
{
    const int count = r->file->channel_count;
    double *row = r->file->values + (size_t)frame * (size_t)count;
    size_t line = 0;
    for (int i = 0; i < count; ++i) {
        const sn_token next = sn_text_peek(&r->text);
        line = i == 0 ? r->text.item_line : line;
        if (next.size == 0 && i == 0) {
            return sn_text_fail(&r->text, "the file ends before frame %d of %d", frame + 1, r->file->frame_count);
        }
        if (next.size == 0 || r->text.item_line != line) {
            r->text.item_line = line;
            return sn_text_fail(&r->text, "frame %d has %d values for %d channels", frame + 1, i, count);
        }
        const sn_result result = sn_text_in_range(&r->text, "the value", &row[i]);
        if (result != SN_OK) {
            return result;
        }
    }
    const sn_text before = r->text;
    const sn_token next = sn_text_peek(&r->text);
    const bool is_last = frame + 1 == r->file->frame_count;
    if (next.size > 0 && r->text.item_line == line && !is_last) {
        return sn_text_fail(&r->text, "frame %d has more values than the %d channels", frame + 1, count);
    }
    r->text = before;
    return SN_OK;
}

static sn_result read_counts(reader *r)
{
    int64_t frames = 0;
    sn_result result = expect(r, "Frames:");
    result = result ? result : sn_text_integer(&r->text, "the count of frames", &frames);
    if (result == SN_OK && r->file->channel_count == 0) {
        return sn_text_fail(&r->text, "no joint has a channel");
    }
    if (result == SN_OK && (frames < 1 || frames > INT32_MAX)) {
        return sn_text_fail(&r->text, "the number of frames is %lld; it must be from 1 to %d", (long long)frames,
                            INT32_MAX);
    }
    result = result ? result : expect(r, "Frame");
    result = result ? result : expect(r, "Time:");
    result = result ? result : sn_text_double(&r->text, "the frame time", &r->file->frame_seconds);
    if (result == SN_OK &&
        !(r->file->frame_seconds >= MIN_FRAME_SECONDS && r->file->frame_seconds <= MAX_FRAME_SECONDS)) {
        return sn_text_fail(&r->text, "the frame time is %g s; it must be from %g to %g s", r->file->frame_seconds,
                            MIN_FRAME_SECONDS, MAX_FRAME_SECONDS);
    }
    r->file->frame_count = (int)frames;
    return result;
}

static sn_result read_motion(reader *r)
{
    sn_bvh_file *file = r->file;
    sn_result result = read_counts(r);
    if (result != SN_OK) {
        return result;
    }
    /* capacity for the rows that the remaining bytes can contain, with at least two bytes per value */
    const size_t possible = sn_text_remaining(&r->text) / (2 * (size_t)file->channel_count - 1) + 1;
    const size_t rows = possible < (size_t)file->frame_count ? possible : (size_t)file->frame_count;
    file->values = sn_arena_alloc(r->arena, rows, (size_t)file->channel_count * sizeof(double));
    result = file->values ? SN_OK : SN_ERROR_MEMORY;
    for (int frame = 0; frame < file->frame_count && result == SN_OK; ++frame) {
        result = read_row(r, frame);
    }
    if (result == SN_OK && sn_text_next(&r->text).size > 0) {
        sn_log(SN_LOG_WARNING, "%s: line %zu: the file continues after the %d frames that it declares; ignored",
               r->text.name, r->text.item_line, file->frame_count);
    }
    return result;
}

sn_result sn_bvh_read(const sn_source *source, sn_arena *arena, sn_bvh_file *file)
{
    reader r = {.text = sn_text_begin(source, 0), .arena = arena, .file = file};
    *file = (sn_bvh_file){0};
    const bool is_ok = (file->joints = SN_NEW(arena, sn_bvh_joint, SN_BVH_JOINT_LIMIT)) &&
                       (r.stack = SN_NEW(arena, int32_t, SN_BVH_JOINT_LIMIT + 1)) &&
                       (r.has_offset = SN_NEW(arena, bool, SN_BVH_JOINT_LIMIT)) &&
                       (r.has_channels = SN_NEW(arena, bool, SN_BVH_JOINT_LIMIT));
    SN_TRY(is_ok ? read_hierarchy(&r) : SN_ERROR_MEMORY);
    return read_motion(&r);
}
