/* How the shared memory is laid out; only C needs to know. */
#define _GNU_SOURCE
#include "signals.h"

enum { RB_MODULES = 32, RB_MODULE_PATH = 256 };

/* A file that is mapped with code. */
typedef struct {
    uint64_t base;
    uint64_t start;
    uint64_t end;
    char path[RB_MODULE_PATH];
} rb_module;

typedef struct {
    rb_crash_table head;
    uint64_t frames[RB_FRAMES];
    uint64_t module_count;
    rb_module modules[RB_MODULES];
} rb_layout;

enum { SLOT_SIZE = sizeof(rb_statement_slot) + RB_SLOT_NAME + RB_SLOT_TEXT };
_Static_assert(SLOT_SIZE % 8 == 0 && sizeof(rb_layout) % 8 == 0, "slots must be aligned");

static inline size_t table_size(uint32_t slots) { return sizeof(rb_layout) + (size_t)slots * SLOT_SIZE; }
