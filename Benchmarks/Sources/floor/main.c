// The floor: the best performance of a Unix socket on this machine, with a constant response.
//
//     floor SOCKET BYTES
//
// One thread, epoll, keep-alive connections. The response to each line is a line of BYTES bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAXIMUM_EVENTS = 64, MAXIMUM_LINE = 65536 };

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 512) != 0) return -1;
    return fd;
}

static int answer(int fd, const char *reply, size_t size) {
    static char line[MAXIMUM_LINE];
    ssize_t count = read(fd, line, sizeof line);
    if (count <= 0) return -1;
    // The load sends a line at a time and waits, so a read that ends with a newline is one request.
    if (line[count - 1] != '\n') return 0;
    for (size_t sent = 0; sent < size;) {
        ssize_t written = write(fd, reply + sent, size - sent);
        if (written <= 0) return -1;
        sent += (size_t)written;
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: floor SOCKET BYTES\n");
        return 64;
    }
    size_t size = strtoul(arguments[2], NULL, 10);
    char *reply = malloc(size);
    int listener = listen_at(arguments[1]);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    if (size < 2 || !reply || listener < 0 || poll < 0) {
        perror("floor");
        return 1;
    }
    memset(reply, 'x', size);
    reply[size - 1] = '\n';
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[MAXIMUM_EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, MAXIMUM_EVENTS, -1);
        if (ready < 0 && errno != EINTR) return 1;
        for (int index = 0; index < ready; index++) {
            int fd = events[index].data.fd;
            if (fd == listener) {
                event.data.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
                if (event.data.fd >= 0) epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event);
            } else if (answer(fd, reply, size) != 0) {
                close(fd);
            }
        }
    }
}
