// A preloaded library (LD_PRELOAD) that measures the time that a program spends in the password hash.
//
//     HASH_TIMES   a file whose first 16 bytes are the nanoseconds spent in argon2id_ctx, and the number of calls
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct {
    _Atomic uint64_t nanoseconds, calls;
} *times;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("HASH_TIMES");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *times)) return;
    void *map = mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) times = map;
    close(file);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int argon2id_ctx(void *context) {
    int (*next)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "argon2id_ctx");
    uint64_t began = now();
    int status = next(context);
    if (times) {
        atomic_fetch_add(&times->nanoseconds, now() - began);
        atomic_fetch_add(&times->calls, 1);
    }
    return status;
}
