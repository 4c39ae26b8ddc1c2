// The floor of durable writes: the best performance of the disk, with constant records.
//
//     sync-floor FILE BYTES RECORDS SECONDS
//
// Appends RECORDS records of BYTES bytes each and waits for the disk, repeatedly. Prints one JSON object: records and
// waits per second.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: sync-floor FILE BYTES RECORDS SECONDS\n");
        return 64;
    }
    size_t size = strtoul(arguments[2], NULL, 10), records = strtoul(arguments[3], NULL, 10), syncs = 0;
    double seconds = strtod(arguments[4], NULL);
    char *record = malloc(size);
    int fd = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!record || fd < 0) {
        perror("sync-floor");
        return 1;
    }
    memset(record, 'x', size);
    double begin = now(), end = begin + seconds;
    while (now() < end) {
        for (size_t index = 0; index < records; index++) {
            if (write(fd, record, size) != (ssize_t)size) {
                perror("sync-floor");
                return 1;
            }
        }
        if (fdatasync(fd) != 0) {
            perror("sync-floor");
            return 1;
        }
        syncs++;
    }
    double wall = now() - begin;
    printf("{\"per_second\":%.0f,\"syncs_per_second\":%.0f}\n", (double)(syncs * records) / wall, (double)syncs / wall);
    return 0;
}
