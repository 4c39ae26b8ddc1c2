// A preloaded library (LD_PRELOAD) that counts a program's waits for the disk, and delays each.
//
//     SYNC_COUNT   a file whose first eight bytes are the count
//     SYNC_DELAY   the delay of each wait in microseconds; 0 by default
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t *count;
static useconds_t delay;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SYNC_COUNT"), *slow = getenv("SYNC_DELAY");
    delay = slow ? (useconds_t)atoi(slow) : 0;
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *count)) return;
    void *map = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) count = map;
    close(file);
}

static int waited(const char *name, int file) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (count) atomic_fetch_add(count, 1);
    if (delay) usleep(delay);
    return next(file);
}

int fdatasync(int file) { return waited("fdatasync", file); }
int fsync(int file) { return waited("fsync", file); }
