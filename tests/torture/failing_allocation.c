/* Loaded before a program (LD_PRELOAD), makes its FAIL_AT-th allocation fail, and FAIL_COUNT in all (1 without it), counted
 * from the start of main. ALLOCATIONS names a file that gets the number of allocations of a whole run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static int counting;
static long count, first = -1, last = -1;
static int (*program)(int, char**, char**);

static int fails(void) {
  if (!counting) return 0;
  const long k = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (k < first || k > last) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void* calloc(size_t n, size_t bytes) { return fails() ? NULL : __libc_calloc(n, bytes); }
void* realloc(void* old, size_t bytes) { return fails() ? NULL : __libc_realloc(old, bytes); }

static int counted_main(int argc, char** argv, char** environment) {
  const char *at = getenv("FAIL_AT"), *times = getenv("FAIL_COUNT"), *log = getenv("ALLOCATIONS");
  if (at) {
    first = atol(at);
    last = first + (times ? atol(times) : 1) - 1;
  }
  counting = 1;
  const int status = program(argc, argv, environment);
  counting = 0;
  FILE* file = log ? fopen(log, "w") : NULL;
  if (file) {
    fprintf(file, "%ld\n", count);
    fclose(file);
  }
  return status;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
