#include "CLinux.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// The sockets found so far: the array that stores them, its capacity, and their number.
struct answers {
    struct clinux_tcp_socket *found;
    size_t capacity;
    size_t count;
};

/// The index of the loopback device in every network namespace (LOOPBACK_IFINDEX in the kernel).
static const uint32_t loopback_device = 1;

static int size_of_address(int family) { return family == AF_INET ? 4 : 16; }

static void describe(const struct inet_diag_msg *socket, struct clinux_tcp_socket *found) {
    found->uid = socket->idiag_uid;
    found->inode = socket->idiag_inode;
    found->state = socket->idiag_state;
}

/// Reads the messages in one datagram.
///
/// Returns 0 if more datagrams follow, ENODATA at the end, or the kernel's errno.
static int read_messages(const char *bytes, ssize_t length, struct answers *answers) {
    const struct nlmsghdr *head = (const void *)bytes;
    for (; NLMSG_OK(head, (size_t)length); head = NLMSG_NEXT(head, length)) {
        if (head->nlmsg_type == NLMSG_ERROR || head->nlmsg_type == NLMSG_DONE) {
            // The payload of both message types begins with 0 or a negative errno.
            int code = 0;
            if (head->nlmsg_len >= NLMSG_LENGTH(sizeof code)) memcpy(&code, NLMSG_DATA(head), sizeof code);
            return code < 0 ? -code : ENODATA;
        }
        if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || head->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) {
            return EPROTO;
        }
        if (answers->count == answers->capacity) return EOVERFLOW;
        describe(NLMSG_DATA(head), &answers->found[answers->count++]);
        if ((head->nlmsg_flags & NLM_F_MULTI) == 0) return ENODATA;
    }
    return 0;
}

static int ask(const struct inet_diag_req_v2 *question, int flags, struct answers *answers) {
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 question;
    } message = {
        .head = {.nlmsg_len = sizeof message, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | flags},
        .question = *question,
    };
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return errno;
    int code = 0;
    if (sendto(fd, &message, sizeof message, 0, (const struct sockaddr *)&kernel, sizeof kernel) < 0) code = errno;
    // The kernel produces the first part of the reply during sendto and each later part during the previous recvfrom,
    // so no call blocks.
    _Alignas(struct nlmsghdr) char bytes[32768];
    while (code == 0) {
        struct sockaddr_nl sender = {0};
        socklen_t size = sizeof sender;
        ssize_t length = recvfrom(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&sender, &size);
        if (length < 0) {
            code = errno == EINTR ? 0 : errno;
        } else if ((size_t)length > sizeof bytes) {
            code = EOVERFLOW;
        } else if (sender.nl_pid == 0) {
            code = read_messages(bytes, length, answers);
        }
    }
    close(fd);
    return code == ENODATA ? 0 : code;
}

int clinux_tcp_connection(int family, const struct clinux_tcp_end *local, const struct clinux_tcp_end *remote,
                          struct clinux_tcp_socket *found) {
    struct inet_diag_req_v2 question = {
        .sdiag_family = (uint8_t)family,
        .sdiag_protocol = IPPROTO_TCP,
        .idiag_states = ~0U,
        .id = {.idiag_sport = htons(local->port),
               .idiag_dport = htons(remote->port),
               // Finds sockets that are bound to the loopback device (SO_BINDTODEVICE) and sockets that are bound to no
               // device.
               .idiag_if = loopback_device,
               .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
    };
    memcpy(question.id.idiag_src, local->address, size_of_address(family));
    memcpy(question.id.idiag_dst, remote->address, size_of_address(family));
    struct answers answers = {.found = found, .capacity = 1};
    int code = ask(&question, 0, &answers);
    return code != 0 ? code : answers.count == 1 ? 0 : EPROTO;
}

int clinux_tcp_listeners(int family, uint16_t port, struct clinux_tcp_socket *found, size_t capacity, size_t *count) {
    const struct inet_diag_req_v2 question = {
        .sdiag_family = (uint8_t)family,
        .sdiag_protocol = IPPROTO_TCP,
        .idiag_states = 1U << clinux_tcp_listening,
        .id = {.idiag_sport = htons(port)},
    };
    struct answers answers = {.found = found, .capacity = capacity};
    int code = ask(&question, NLM_F_DUMP, &answers);
    *count = answers.count;
    return code;
}
