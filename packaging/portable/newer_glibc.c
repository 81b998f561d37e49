// What g++ 12's static runtime in Debian 12 asks of a glibc newer than 2.31, in terms of 2.31, so
// that the portable file runs with either (D-313). Hidden: a newer glibc keeps its own for its own
// libraries.
//
// Thread rule: any thread. scripts/package portable links it; the usual build does not.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32. False: reference counts are atomic always.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.35, <dlfcn.h>.
struct dl_find_object {
  unsigned long long int dlfo_flags;
  void* dlfo_map_start;
  void* dlfo_map_end;
  struct link_map* dlfo_link_map;
  void* dlfo_eh_frame;
  unsigned long long int reserved[7];
};

struct search {
  uintptr_t address;
  void* frames;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  void* frames = NULL;
  int is_inside = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->address - start < part->p_memsz) is_inside = 1;
    if (part->p_type == PT_GNU_EH_FRAME) frames = (void*)start;
  }
  if (is_inside) search->frames = frames;
  return is_inside;
}

// Called for each frame that an exception passes; libgcc reads dlfo_eh_frame and nothing else. Ours
// is the first object that is looked into.
HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(uintptr_t)address, NULL};
  dl_iterate_phdr(look_into, &search);
  found->dlfo_eh_frame = search.frames;
  return search.frames == NULL ? -1 : 0;
}

// glibc 2.36, of std::random_device.
HIDDEN uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
  return number;
}
