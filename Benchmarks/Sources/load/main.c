// A load on a Unix socket with a line protocol: closed loop, one connection and one thread per client.
//
//     load SOCKET REQUEST_FILE CLIENTS SECONDS EXPECTED
//
// Every reply must contain EXPECTED. Prints one JSON object: requests, errors, requests per second and percentiles of the
// time from a request to its complete reply, in microseconds.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_LINE = 1 << 20, WARM_UP = 50 };

struct client {
    pthread_t thread;
    double *times;
    size_t count, capacity, errors, bytes;
};

static const char *socket_path, *expected;
static char *request;
static size_t request_size;
static double seconds;
static pthread_barrier_t start;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return fd;
}

/// Sends the request and reads one line. Returns its length, or -1.
static ssize_t exchange(int fd, char *line) {
    if (write(fd, request, request_size) != (ssize_t)request_size) return -1;
    size_t size = 0;
    do {
        ssize_t count = read(fd, line + size, MAXIMUM_LINE - 1 - size);
        if (count <= 0) return -1;
        size += (size_t)count;
    } while (line[size - 1] != '\n' && size < MAXIMUM_LINE - 1);
    line[size] = 0;
    return (ssize_t)size;
}

static void *run(void *argument) {
    struct client *client = argument;
    char *line = malloc(MAXIMUM_LINE);
    int fd = connect_to(socket_path);
    for (int index = 0; index < WARM_UP && fd >= 0; index++) exchange(fd, line);
    pthread_barrier_wait(&start);
    double end = now() + seconds;
    while (fd >= 0) {
        double begin = now();
        if (begin >= end) break;
        ssize_t size = exchange(fd, line);
        double took = now() - begin;
        if (size < 0 || !strstr(line, expected)) {
            client->errors++;
            if (size < 0) break;
            continue;
        }
        if (client->count == client->capacity) {
            client->capacity = client->capacity ? client->capacity * 2 : 4096;
            client->times = realloc(client->times, client->capacity * sizeof *client->times);
        }
        client->times[client->count++] = took;
        client->bytes = (size_t)size;
    }
    if (fd < 0) client->errors++;
    close(fd);
    free(line);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: load SOCKET REQUEST_FILE CLIENTS SECONDS EXPECTED\n");
        return 64;
    }
    socket_path = arguments[1];
    FILE *file = fopen(arguments[2], "r");
    size_t capacity = 0;
    ssize_t size = file ? getline(&request, &capacity, file) : -1;
    if (size <= 0) {
        perror("load");
        return 1;
    }
    if (request[size - 1] != '\n') {
        request = realloc(request, (size_t)size + 2);
        request[size++] = '\n';
    }
    request_size = (size_t)size;
    size_t clients = strtoul(arguments[3], NULL, 10);
    seconds = strtod(arguments[4], NULL);
    expected = arguments[5];
    struct client *all = calloc(clients, sizeof *all);
    pthread_barrier_init(&start, NULL, (unsigned)clients + 1);
    for (size_t index = 0; index < clients; index++) pthread_create(&all[index].thread, NULL, run, &all[index]);
    pthread_barrier_wait(&start);
    double begin = now();
    size_t total = 0, errors = 0;
    for (size_t index = 0; index < clients; index++) {
        pthread_join(all[index].thread, NULL);
        total += all[index].count;
        errors += all[index].errors;
    }
    double wall = now() - begin, *times = malloc((total + 1) * sizeof *times);
    size_t filled = 0;
    for (size_t index = 0; index < clients; index++) {
        memcpy(times + filled, all[index].times, all[index].count * sizeof *times);
        filled += all[index].count;
    }
    qsort(times, total, sizeof *times, ascending);
#define PERCENTILE(part) (total ? times[(size_t)((double)(total - 1) * (part))] * 1e6 : 0)
    printf("{\"clients\":%zu,\"requests\":%zu,\"errors\":%zu,\"reply_bytes\":%zu,\"per_second\":%.0f,"
           "\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
           clients, total, errors, all[0].bytes, (double)total / wall, PERCENTILE(0.5), PERCENTILE(0.99),
           PERCENTILE(1));
    return total && !errors ? 0 : 1;
}
