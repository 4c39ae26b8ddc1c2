// Parts of glibc that Swift cannot see: peer credentials and service notification.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The credentials of the process at the other end of a Unix socket, taken when it connected.
struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Reads SO_PEERCRED of `fd`; 0, or errno.
int clinux_peer_credentials(int fd, struct clinux_peer *peer);

/// Reads SO_PEERGROUPS of `fd`, the supplementary groups of the peer, taken when it connected: at most `capacity` into
/// `groups`, their number into `count`. 0, or errno: ERANGE if there are more, ENOPROTOOPT from kernels before 4.13.
int clinux_peer_groups(int fd, uint32_t *groups, size_t capacity, size_t *count);

/// Looks up the group `name`; 0 and its number in `gid`, ENOENT if there is none, or errno.
int clinux_group_id(const char *name, uint32_t *gid);

/// Sends `state` (for example "READY=1") to `path`, a Unix datagram socket; a leading '@' names an abstract one.
/// 0, or errno.
int clinux_notify(const char *path, const char *state);

/// The same, with the open descriptor `descriptor` beside it (SCM_RIGHTS).
int clinux_notify_with(const char *path, const char *state, int descriptor);

/// Makes memory that is a descriptor, holds `count` bytes and can never be changed again (memfd_create(2), F_ADD_SEALS);
/// children do not inherit it. 0 and the descriptor in `fd`, or errno.
int clinux_sealed_memory(const char *name, const void *bytes, size_t count, int *fd);

/// Reads what `clinux_sealed_memory` made, at most `capacity` bytes, their number into `count`. 0, or errno: EINVAL if it is
/// something else, EFBIG if it holds more.
int clinux_read_sealed_memory(int fd, void *bytes, size_t capacity, size_t *count);

/// Refuses core dumps and reading of this process's memory by others of the same uid; 0, or errno.
int clinux_deny_dumps(void);

/// Hands blocks of at least `size` bytes back to the kernel as soon as they are freed, and lets all threads share the
/// free rest; before there are threads.
void clinux_spare_memory(int size);

/// Takes memory from the kernel in steps of `size` bytes, also for each thread to come, and keeps it: for a program that ends
/// soon.
void clinux_grow_memory(int size);

/// Hands what is free back to the kernel.
void clinux_return_memory(void);

/// The first occurrence of the `size` bytes of `part` in the `length` bytes of `text`, NULL if there is none: memmem, whose time is
/// linear whatever the bytes are.
const void *clinux_find(const void *text, size_t length, const void *part, size_t size);

/// The kinds of files that are told apart.
enum clinux_kind { clinux_kind_other, clinux_kind_file, clinux_kind_directory, clinux_kind_socket };

/// The answer of `lstat`, in types that are the same however the program is linked.
struct clinux_file {
    enum clinux_kind kind;
    uint32_t owner;
    uint32_t mode;
    uint64_t device;
    uint64_t inode;
    int64_t changed_ns;
    int64_t size;
};

/// Looks at `path` without following a symbolic link; 0, or errno.
int clinux_file_status(const char *path, struct clinux_file *file);

/// Looks at what `fd` leads to; 0, or errno.
int clinux_descriptor_status(int fd, struct clinux_file *file);

/// Changes the permission bits of the file of this kind at `path`, without following a symbolic link; 0, or errno: ELOOP if the
/// file is of another kind.
int clinux_change_mode(const char *path, uint32_t mode, enum clinux_kind kind);

/// Locks `length` bytes of `fd` from `start` on for this open file alone, without waiting; 0, or errno.
int clinux_lock_bytes(int fd, int64_t start, int64_t length);

/// True if something keeps the machine's clock right, as the kernel knows it.
int clinux_clock_is_kept(void);

/// One end of a TCP connection: an address in network order, of 4 or 16 bytes by its family, and the port.
struct clinux_tcp_end {
    uint8_t address[16];
    uint16_t port;
};

/// The states of TCP sockets that are told apart, by the kernel's numbers.
enum clinux_tcp_state { clinux_tcp_established = 1, clinux_tcp_syn_received = 3, clinux_tcp_listening = 10 };

/// A TCP socket of this network namespace, as the kernel describes it.
struct clinux_tcp_socket {
    uint32_t uid;
    /// 0 if no process has the socket: it is closed, or its connection is not accepted yet.
    uint32_t inode;
    uint8_t state;
};

/// Asks the kernel (sock_diag(7)) for the socket between two ends of `family`, AF_INET or AF_INET6; a mapped address counts as
/// AF_INET. It may be one that only listens at `local`. 0, ENOENT if there is none, or the errno of a refusal.
int clinux_tcp_connection(int family, const struct clinux_tcp_end *local, const struct clinux_tcp_end *remote,
                          struct clinux_tcp_socket *found);

/// Asks the kernel for the sockets of `family` that listen at `port`: at most `capacity` into `found`, their number into `count`.
/// 0, EOVERFLOW if there are more, or the errno of a refusal.
int clinux_tcp_listeners(int family, uint16_t port, struct clinux_tcp_socket *found, size_t capacity, size_t *count);

#endif
