// A load on an HTTP server of this machine: closed loop, keep-alive, one thread for all connections.
//
//     http-load PORT REQUESTS_FILE CONNECTIONS SECONDS STATUS
//
// The file contains complete requests, each followed by a NUL. Connection i of n sends the requests i, i + n, i + 2n ...
// and starts again after the last one. With fewer than n requests, several connections send the same one. Every response
// must have that status and a Content-Length. Prints one JSON object: requests (all with a response, including the
// warm-up), errors, requests per second and percentiles of the time from a request to its complete response, in
// microseconds.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_ANSWER = 1 << 20, WARM_UP = 50, PATIENCE_MS = 20000 };

struct request {
    const char *text;
    size_t size;
};

struct connection {
    int fd;
    size_t next;
    char *answer;
    size_t filled, length;
    double begin;
};

static struct request *requests;
static size_t request_count, connection_count, all_answers, wrong_answers, body_bytes;
static double *times, measured_from, measured_until;
static size_t time_count, time_capacity;
static const char *status;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void read_requests(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    char *text = NULL;
    size_t capacity = 0;
    for (ssize_t size; (size = getdelim(&text, &capacity, 0, file)) > 0; text = NULL, capacity = 0) {
        if (text[size - 1] == 0) size--;
        requests = realloc(requests, (request_count + 1) * sizeof *requests);
        requests[request_count++] = (struct request){text, (size_t)size};
    }
    fclose(file);
    if (request_count == 0) fail("no requests");
}

static int connect_to(unsigned port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void ask(struct connection *connection) {
    const struct request *request = &requests[connection->next % request_count];
    connection->next += connection_count;
    if (connection->next >= request_count + connection_count) connection->next %= connection_count;
    connection->filled = connection->length = 0;
    connection->begin = now();
    for (size_t sent = 0; sent < request->size;) {
        ssize_t count = write(connection->fd, request->text + sent, request->size - sent);
        if (count <= 0) fail("write");
        sent += (size_t)count;
    }
}

/// Reads the available bytes. Returns 1 if the response is complete.
static int hear(struct connection *connection) {
    ssize_t count = read(connection->fd, connection->answer + connection->filled, MAXIMUM_ANSWER - connection->filled - 1);
    if (count <= 0) fail("the server closed the connection");
    connection->filled += (size_t)count;
    connection->answer[connection->filled] = 0;
    if (connection->length == 0) {
        char *end = strstr(connection->answer, "\r\n\r\n");
        if (!end) return 0;
        *end = 0;
        char *field = strcasestr(connection->answer, "\r\ncontent-length:");
        if (!field) {
            fprintf(stderr, "http-load: a response without Content-Length:\n%s\n", connection->answer);
            exit(1);
        }
        body_bytes = strtoul(field + 17, NULL, 10);
        connection->length = (size_t)(end - connection->answer) + 4 + body_bytes;
        if (strncmp(connection->answer + 9, status, 3) != 0 && wrong_answers++ == 0) {
            fprintf(stderr, "http-load: %s\n%s\n", connection->answer, end + 4);
        }
        if (connection->length >= MAXIMUM_ANSWER) fail("the response is too long");
    }
    return connection->filled >= connection->length;
}

static void note(double begin, double end) {
    all_answers++;
    if (begin < measured_from || end > measured_until) return;
    if (time_count == time_capacity) {
        time_capacity = time_capacity ? time_capacity * 2 : 65536;
        times = realloc(times, time_capacity * sizeof *times);
        if (!times) fail("memory");
    }
    times[time_count++] = end - begin;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: http-load PORT REQUESTS_FILE CONNECTIONS SECONDS STATUS\n");
        return 64;
    }
    read_requests(arguments[2]);
    connection_count = strtoul(arguments[3], NULL, 10);
    double seconds = strtod(arguments[4], NULL);
    status = arguments[5];
    struct connection *all = calloc(connection_count, sizeof *all);
    struct epoll_event event = {.events = EPOLLIN}, events[64];
    int poll = epoll_create1(EPOLL_CLOEXEC);
    measured_from = measured_until = now() + 1e9;
    for (size_t index = 0; index < connection_count; index++) {
        all[index].fd = connect_to((unsigned)strtoul(arguments[1], NULL, 10));
        all[index].next = index;
        all[index].answer = malloc(MAXIMUM_ANSWER);
        event.data.ptr = &all[index];
        epoll_ctl(poll, EPOLL_CTL_ADD, all[index].fd, &event);
        ask(&all[index]);
    }
    size_t open = connection_count;
    while (open > 0) {
        int ready = epoll_wait(poll, events, 64, PATIENCE_MS);
        if (ready <= 0) fail("the server does not respond");
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!hear(connection)) continue;
            double end = now();
            note(connection->begin, end);
            if (all_answers == WARM_UP * connection_count) {
                measured_from = end;
                measured_until = end + seconds;
            }
            if (end < measured_until) {
                ask(connection);
            } else {
                close(connection->fd);
                open--;
            }
        }
    }
    qsort(times, time_count, sizeof *times, ascending);
#define PERCENTILE(part) (time_count ? times[(size_t)((double)(time_count - 1) * (part))] * 1e6 : 0)
    printf("{\"connections\":%zu,\"requests\":%zu,\"errors\":%zu,\"body_bytes\":%zu,\"per_second\":%.0f,"
           "\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
           connection_count, all_answers, wrong_answers, body_bytes, (double)time_count / seconds, PERCENTILE(0.5),
           PERCENTILE(0.99), PERCENTILE(1));
    return time_count && !wrong_answers ? 0 : 1;
}
