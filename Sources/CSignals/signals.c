#define _GNU_SOURCE
#include "layout.h"
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { DEADLY_COUNT = sizeof deadly / sizeof *deadly, HANDLER_STACK = 64 << 10, FARTHEST_FRAME = 1 << 27, FEW_FRAMES = 6 };

static rb_crash_table *shared_table;
static int has_handlers;
static __thread int32_t thread_slot = -1;

// MARK: The table

static rb_crash_table *map(int descriptor, size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

rb_crash_table *rb_make_crash_table(uint32_t slot_count, int *descriptor) {
    size_t size = table_size(slot_count);
    *descriptor = memfd_create("redbarn-statements", 0);
    if (*descriptor < 0) return NULL;
    rb_crash_table *table = ftruncate(*descriptor, (off_t)size) == 0 ? map(*descriptor, size) : NULL;
    if (table == NULL) {
        close(*descriptor);
        return NULL;
    }
    table->size_bytes = size;
    table->slot_count = slot_count;
    return table;
}

rb_crash_table *rb_adopt_crash_table(int descriptor) {
    struct stat status;
    rb_crash_table *table = NULL;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size >= table_size(0)) {
        table = map(descriptor, (size_t)status.st_size);
    }
    close(descriptor);
    if (table == NULL) return NULL;
    size_t size = (size_t)status.st_size;
    if (table->size_bytes == size && table_size(table->slot_count) == size) return table;
    munmap(table, (size_t)status.st_size);
    return NULL;
}

void rb_clear_crash_table(rb_crash_table *table) {
    table->is_ready = 0;
    table->died = 0;
    table->signal = 0;
    table->slot = -1;
    table->address = 0;
    table->frame_count = 0;
    ((rb_layout *)table)->module_count = 0;
    // Pages that were never written stay that way.
    for (uint32_t index = 0; index < table->slot_count; index++) {
        rb_statement_slot *slot = rb_slot_at(table, index);
        if (slot->state != 0) slot->state = 0;
    }
}

rb_statement_slot *rb_slot_at(rb_crash_table *table, uint32_t index) {
    return (rb_statement_slot *)((char *)table + table_size(index));
}
uint8_t *rb_slot_name(rb_statement_slot *slot) { return (uint8_t *)(slot + 1); }
uint8_t *rb_slot_text(rb_statement_slot *slot) { return rb_slot_name(slot) + RB_SLOT_NAME; }

int32_t rb_take_slot(rb_crash_table *table) {
    for (uint32_t index = 0; index < table->slot_count; index++) {
        uint32_t expected = 0;
        if (__atomic_compare_exchange_n(
                &rb_slot_at(table, index)->state, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            return (int32_t)index;
        }
    }
    return -1;
}

void rb_set_slot_state(rb_statement_slot *slot, uint32_t state) {
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
}

// MARK: Threads

void rb_set_thread_slot(int32_t slot) { thread_slot = slot; }
int32_t rb_thread_slot(void) { return thread_slot; }

void *rb_begin_thread(void) {
    if (!has_handlers) return NULL;
    void *memory = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    stack_t stack = {.ss_sp = memory, .ss_size = HANDLER_STACK};
    if (sigaltstack(&stack, NULL) == 0) return memory;
    munmap(memory, HANDLER_STACK);
    return NULL;
}

void rb_end_thread(void *memory) {
    if (memory == NULL) return;
    stack_t stack = {.ss_flags = SS_DISABLE};
    sigaltstack(&stack, NULL);
    munmap(memory, HANDLER_STACK);
}

// MARK: Handlers

static void registers(const ucontext_t *context, uint64_t *place, uint64_t *frame, uint64_t *stack) {
#if defined(__x86_64__)
    *place = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    *frame = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
    *stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    *place = context->uc_mcontext.pc;
    *frame = context->uc_mcontext.regs[29];
    *stack = context->uc_mcontext.sp;
#else
    *place = *frame = *stack = 0;
#endif
}

/// Follows the frame pointers. Each frame is kept as soon as it is known: a wild pointer ends the process, no more.
static void walk(const ucontext_t *context, uint64_t *frames, uint32_t *count) {
    uint64_t place, frame, stack;
    registers(context, &place, &frame, &stack);
    frames[0] = place;
    *count = 1;
    uint64_t lowest = stack;
    while (*count < RB_FRAMES && frame >= lowest && frame - stack < FARTHEST_FRAME && frame % 8 == 0) {
        const uint64_t *record = (const uint64_t *)frame;
        uint64_t back = record[1];
        if (back < 4096) break;
        frames[*count] = back;
        __atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
        lowest = frame + 16;
        frame = record[0];
    }
}

/// The C library has no frame pointers: below it only its tables know the way. They may be locked by this very thread,
/// hence the alarm, and what the frame pointers told stays until they have answered.
static void walk_tables(uint64_t *frames, uint32_t *count) {
    signal(SIGALRM, SIG_DFL);
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(1);
    void *found[RB_FRAMES];
    int total = backtrace(found, RB_FRAMES);
    alarm(0);
    // The first ones are those of the handler.
    for (int first = 0; first < total; first++) {
        if ((uint64_t)found[first] != frames[0]) continue;
        if ((uint32_t)(total - first) <= *count) return;
        for (int index = first; index < total; index++) frames[index - first] = (uint64_t)found[index];
        __atomic_store_n(count, (uint32_t)(total - first), __ATOMIC_RELEASE);
        return;
    }
}

static void follow(const ucontext_t *context, uint64_t *frames, uint32_t *count) {
    walk(context, frames, count);
    if (*count < FEW_FRAMES) walk_tables(frames, count);
}

static size_t put(char *line, size_t end, const char *text) {
    while (*text && end < 2000) line[end++] = *text++;
    return end;
}

static size_t put_number(char *line, size_t end, uint64_t number, unsigned base) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0 && count < 24);
    while (count > 0 && end < 2000) line[end++] = digits[--count];
    return end;
}

static void announce(int number, uint64_t address, const uint64_t *frames, uint32_t count) {
    char line[2048];
    size_t end = put(line, 0, "redbarn: ended by signal ");
    end = put_number(line, end, (uint64_t)number, 10);
    end = put(line, end, ", address 0x");
    end = put_number(line, end, address, 16);
    end = put(line, end, ", stack");
    for (uint32_t index = 0; index < count; index++) {
        end = put(line, end, " 0x");
        end = put_number(line, end, frames[index], 16);
    }
    line[end++] = '\n';
    if (write(2, line, end) < 0) return;
}

static void on_deadly_signal(int number, siginfo_t *information, void *context) {
    // From here on any fault ends the process.
    for (int index = 0; index < DEADLY_COUNT; index++) signal(deadly[index], SIG_DFL);
    static uint32_t entered;
    if (__atomic_exchange_n(&entered, 1, __ATOMIC_ACQ_REL)) {
        for (;;) pause();
    }
    int is_fault = information->si_code > 0;
    uint64_t address = is_fault ? (uint64_t)information->si_addr : 0;
    if (shared_table != NULL) {
        shared_table->signal = number;
        shared_table->slot = thread_slot;
        shared_table->address = address;
        __atomic_store_n(&shared_table->died, 1, __ATOMIC_RELEASE);
        follow(context, ((rb_layout *)shared_table)->frames, &shared_table->frame_count);
    } else {
        uint64_t frames[RB_FRAMES];
        uint32_t count = 0;
        follow(context, frames, &count);
        announce(number, address, frames, count);
    }
    // A fault comes again when this returns; what was sent has to be sent again.
    if (!is_fault || number == SIGABRT) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

static int note_module(struct dl_phdr_info *information, size_t size, void *argument) {
    (void)size;
    rb_layout *table = argument;
    if (table->module_count >= RB_MODULES) return 1;
    rb_module *module = &table->modules[table->module_count];
    module->base = information->dlpi_addr;
    module->start = UINT64_MAX;
    module->end = 0;
    for (int index = 0; index < information->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &information->dlpi_phdr[index];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        uint64_t start = information->dlpi_addr + header->p_vaddr;
        if (start < module->start) module->start = start;
        if (start + header->p_memsz > module->end) module->end = start + header->p_memsz;
    }
    const char *path = table->module_count == 0 ? "/proc/self/exe" : information->dlpi_name;
    strncpy(module->path, path, RB_MODULE_PATH - 1);
    module->path[RB_MODULE_PATH - 1] = 0;
    table->module_count++;
    return 0;
}

void rb_note_deadly_signals(rb_crash_table *table) {
    if (table != NULL) dl_iterate_phdr(note_module, table);
    shared_table = table;
    has_handlers = 1;
    // The first call loads a library.
    void *first;
    backtrace(&first, 1);
    rb_begin_thread();
    struct sigaction action = {0};
    action.sa_sigaction = on_deadly_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int index = 0; index < DEADLY_COUNT; index++) sigaction(deadly[index], &action, NULL);
}

int rb_end_with_parent(int parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() != parent;
}

// MARK: Tests

static volatile int depth_limit = INT32_MAX;
__attribute__((noinline)) static int recurse(volatile char *above, int depth) {
    volatile char frame[4096];
    frame[0] = above ? above[0] : 0;
    if (depth >= depth_limit) return 0;
    return recurse(frame, depth + 1) + frame[0];
}

void rb_die(int kind) {
    switch (kind) {
    case 1: *(volatile int *)8 = 1; break;
    case 2: abort();
    case 3: recurse(NULL, 0); break;
    default: __builtin_trap();
    }
}
