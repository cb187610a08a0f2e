#include "layout.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The Swift runtime's; a caller without it gets mangled names. */
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags)
    __attribute__((weak));

typedef struct {
    const char *bytes;
    size_t size;
} file_bytes;

static int reaches(file_bytes file, uint64_t offset, uint64_t length) {
    return offset <= file.size && length <= file.size - offset;
}

static void copy_name(const char *found, size_t length, char *name, size_t capacity) {
    char *plain = swift_demangle ? swift_demangle(found, length, NULL, NULL, 0) : NULL;
    const char *source = plain ? plain : found;
    size_t count = plain ? strlen(plain) : length;
    if (count >= capacity) count = capacity - 1;
    memcpy(name, source, count);
    name[count] = 0;
    free(plain);
}

/* The last function that begins at or before the address in one table of symbols. */
static int search(file_bytes file, const ElfW(Shdr) *symbols, const ElfW(Shdr) *names, uint64_t address, char *name,
                  size_t capacity, uint64_t *distance) {
    if (!reaches(file, symbols->sh_offset, symbols->sh_size) || !reaches(file, names->sh_offset, names->sh_size)) return 0;
    const ElfW(Sym) *table = (const ElfW(Sym) *)(file.bytes + symbols->sh_offset);
    size_t count = symbols->sh_size / sizeof *table;
    const ElfW(Sym) *best = NULL;
    for (size_t index = 0; index < count; index++) {
        const ElfW(Sym) *symbol = &table[index];
        if ((symbol->st_info & 15) != STT_FUNC || symbol->st_shndx == SHN_UNDEF || symbol->st_value > address) continue;
        if (best == NULL || symbol->st_value > best->st_value) best = symbol;
    }
    if (best == NULL || best->st_name >= names->sh_size) return 0;
    if (best->st_size != 0 && address >= best->st_value + best->st_size) return 0;
    const char *found = file.bytes + names->sh_offset + best->st_name;
    copy_name(found, strnlen(found, names->sh_size - best->st_name), name, capacity);
    *distance = address - best->st_value;
    return 1;
}

static int find(file_bytes file, uint64_t address, char *name, size_t capacity, uint64_t *distance) {
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)file.bytes;
    if (file.size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return 0;
    if (head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff % 8 != 0) return 0;
    if (!reaches(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr)))) return 0;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file.bytes + head->e_shoff);
    const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (int kind = 0; kind < 2; kind++) {
        for (int index = 0; index < head->e_shnum; index++) {
            const ElfW(Shdr) *section = &sections[index];
            if (section->sh_type != kinds[kind] || section->sh_link >= head->e_shnum) continue;
            if (search(file, section, &sections[section->sh_link], address, name, capacity, distance)) return 1;
        }
    }
    return 0;
}

static int function_name(const char *path, uint64_t address, char *name, size_t capacity, uint64_t *distance) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    struct stat status;
    int found = 0;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            found = find((file_bytes){bytes, size}, address, name, capacity, distance);
            munmap(bytes, size);
        }
    }
    close(descriptor);
    return found;
}

void rb_describe_frame(const rb_crash_table *table, uint32_t index, char *text, size_t capacity) {
    const rb_layout *layout = (const rb_layout *)table;
    uint64_t address = index < RB_FRAMES ? layout->frames[index] : 0;
    /* A return address belongs to the call before it, which may be the last thing of its function. */
    uint64_t place = index == 0 || address == 0 ? address : address - 1;
    uint64_t count = layout->module_count < RB_MODULES ? layout->module_count : RB_MODULES;
    for (uint64_t number = 0; number < count; number++) {
        const rb_module *module = &layout->modules[number];
        if (place < module->start || place >= module->end) continue;
        char name[512];
        uint64_t distance = 0;
        if (function_name(module->path, place - module->base, name, sizeof name, &distance)) {
            snprintf(text, capacity, "%s + %llu", name, (unsigned long long)distance);
        } else {
            const char *slash = strrchr(module->path, '/');
            snprintf(text, capacity, "%s + 0x%llx", slash ? slash + 1 : module->path,
                     (unsigned long long)(address - module->base));
        }
        return;
    }
    snprintf(text, capacity, "0x%llx", (unsigned long long)address);
}
