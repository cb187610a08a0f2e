// What only C can do about the death of a process: signal handlers, memory that a dying process and its parent share,
// and the names of machine addresses. Everything a handler touches is made before.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { RB_SLOT_TEXT = 2000, RB_SLOT_NAME = 128, RB_FRAMES = 64 };

/// What one session runs. Written by the session's thread, read when the process has died. Its texts stand behind it.
typedef struct {
    uint32_t state;  // 0 free, 1 taken by a session, 2 a statement runs
    int32_t session;
    int64_t user;
    int64_t query;
    uint64_t hash;
    int64_t start_microseconds;
    uint32_t text_length;
    uint32_t name_length;
} rb_statement_slot;

/// The beginning of the shared memory: facts of the serving process. The stack, the mapped files and the slots follow.
typedef struct {
    uint64_t size_bytes;
    uint32_t slot_count;
    uint32_t is_ready;
    int32_t port;
    int32_t http_port;
    uint32_t died;  // a handler has begun to write what follows
    int32_t signal;
    int32_t slot;  // what the thread worked for; -1 nothing
    uint32_t frame_count;
    uint64_t address;
} rb_crash_table;

/// Memory that a child process can have too; its descriptor is inherited. NULL on failure.
rb_crash_table *_Nullable rb_make_crash_table(uint32_t slot_count, int *_Nonnull descriptor);
/// The parent's table; closes the descriptor. NULL when it is none of this program's.
rb_crash_table *_Nullable rb_adopt_crash_table(int descriptor);
/// Forgets the last life; ports stay.
void rb_clear_crash_table(rb_crash_table *_Nonnull table);
rb_statement_slot *_Nonnull rb_slot_at(rb_crash_table *_Nonnull table, uint32_t index);
uint8_t *_Nonnull rb_slot_name(rb_statement_slot *_Nonnull slot);
uint8_t *_Nonnull rb_slot_text(rb_statement_slot *_Nonnull slot);
/// A free slot, -1 when there is none.
int32_t rb_take_slot(rb_crash_table *_Nonnull table);
void rb_set_slot_state(rb_statement_slot *_Nonnull slot, uint32_t state);

/// Deadly signals are noted in the table, or in a line on standard error without one, and end the process at once. In
/// place of the Swift runtime's handlers, which write for many seconds.
void rb_note_deadly_signals(rb_crash_table *_Nullable table);
/// A stack for the handlers, so that they can tell of an overflow of the thread's own. NULL where there are no handlers.
void *_Nullable rb_begin_thread(void);
void rb_end_thread(void *_Nullable stack);
/// For which slot this thread works; -1 for none.
void rb_set_thread_slot(int32_t slot);
int32_t rb_thread_slot(void);

/// Ends this process when its parent ends; nonzero when that is not the given one any more.
int rb_end_with_parent(int parent);
/// What a frame of the stack was: `function + distance`, or `file + distance`, or the bare address. Names are demangled.
void rb_describe_frame(const rb_crash_table *_Nonnull table, uint32_t index, char *_Nonnull text, size_t capacity);

/// For tests: 0 a trap, 1 a bad address, 2 abort, 3 an endless recursion.
void rb_die(int kind);
