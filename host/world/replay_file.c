/* SPDX-License-Identifier: MIT */
#include "host/world/replay_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/hash.h"

#define END_BYTES 24

typedef struct record_end {
    uint32_t type, size;
    uint64_t step_count, hash;
} record_end;
_Static_assert(sizeof(record_end) == END_BYTES, "the end is three words");

static sn_result check_head(const sn_replay_file *f)
{
    sn_record_head head;
    if (f->size < sizeof head || memcmp(f->bytes, SN_RECORD_MAGIC, sizeof head.magic) != 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 0: not a recording of `sinew play --record`%s", f->name,
                       f->size < sizeof head ? ", or truncated" : "");
    }
    memcpy(&head, f->bytes, sizeof head);
    if (head.version != SN_RECORD_VERSION) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: byte 8: format version %u, this program knows version %d", f->name,
                       head.version, SN_RECORD_VERSION);
    }
    return SN_OK;
}

static sn_result check_end(const sn_replay_file *f)
{
    record_end end = {0};
    if (f->size % 8 == 0 && f->size >= sizeof(sn_record_head) + END_BYTES) {
        memcpy(&end, f->bytes + f->size - END_BYTES, sizeof end);
    }
    if (end.type != SN_RECORD_END || end.size != END_BYTES - 8) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: the recording has no end; the file is truncated or damaged",
                       f->name, f->size);
    }
    if (end.hash != sn_hash(SN_HASH_SEED, f->bytes, f->size - sizeof end.hash)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: checksum mismatch; the file is damaged", f->name,
                       f->size - sizeof end.hash);
    }
    return SN_OK;
}

/* Returns false if there is no complete record of a known type. */
static bool read_record(const sn_replay_file *f, size_t *offset, sn_record_call *call)
{
    const size_t end = f->size - END_BYTES;
    uint32_t head[2];
    if (end - *offset < sizeof head) {
        return false;
    }
    memcpy(head, f->bytes + *offset, sizeof head);
    const size_t left = end - *offset - sizeof head, padded = ((size_t)head[1] + 7) / 8 * 8;
    if (head[0] >= SN_RECORD_END || padded > left) {
        return false;
    }
    sn_record_coder coder = {
        .bytes = (uint8_t *)(uintptr_t)f->bytes + *offset + sizeof head, .capacity = head[1], .is_reading = true};
    *call = (sn_record_call){.type = (sn_record_type)head[0]};
    *offset += sizeof head + padded;
    return sn_record_code(&coder, call);
}

bool sn_replay_file_next(const sn_replay_file *f, size_t *offset, sn_record_call *call)
{
    return *offset < f->size - END_BYTES && read_record(f, offset, call);
}

static void count_record(sn_replay_file *f, const sn_record_call *call)
{
    int *const counts[] = {
        [SN_RECORD_MODEL] = &f->model_count, [SN_RECORD_GRID] = &f->grid_count, [SN_RECORD_STEP] = &f->step_count};
    if (call->type < sizeof counts / sizeof counts[0] && counts[call->type]) {
        ++*counts[call->type];
    }
    if (call->type == SN_RECORD_STEP && call->scalar > 0 && isfinite(call->scalar)) {
        f->seconds += call->scalar;
    }
    if (call->type == SN_RECORD_NOTE) {
        f->note = call->text;
    }
}

static sn_result scan_records(sn_replay_file *f)
{
    const size_t end = f->size - END_BYTES;
    size_t offset = SN_REPLAY_FIRST;
    record_end last;
    while (offset < end) {
        const size_t start = offset;
        sn_record_call call;
        if (!read_record(f, &offset, &call)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: unreadable record; the file is damaged", f->name, start);
        }
        count_record(f, &call);
    }
    memcpy(&last, f->bytes + end, sizeof last);
    if (last.step_count != (uint64_t)f->step_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: %llu steps expected, %d found; the file is damaged", f->name,
                       end, (unsigned long long)last.step_count, f->step_count);
    }
    return SN_OK;
}

sn_result sn_replay_file_open(const char *name, const void *bytes, size_t size, sn_replay_file *file)
{
    *file = (sn_replay_file){.bytes = bytes, .size = size, .note = ""};
    snprintf(file->name, sizeof file->name, "%s", name);
    SN_ASSERT(((uintptr_t)bytes & 7) == 0);
    SN_TRY(check_head(file));
    SN_TRY(check_end(file));
    memcpy(file->library, file->bytes + offsetof(sn_record_head, library), 16);
    return scan_records(file);
}
