// Parts of glibc and of the kernel interface that Swift cannot import directly.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The credentials of a Unix socket's peer, recorded when the connection was made.
struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Reads SO_PEERCRED of `fd`.
///
/// Returns 0, or errno.
int clinux_peer_credentials(int fd, struct clinux_peer *peer);

/// Reads SO_PEERGROUPS of `fd`: the peer's supplementary groups, recorded when the connection was made.
///
/// Stores at most `capacity` groups in `groups` and their number in `count`. Returns 0, or errno: ERANGE if the
/// peer has more groups, ENOPROTOOPT on kernels before 4.13.
int clinux_peer_groups(int fd, uint32_t *groups, size_t capacity, size_t *count);

/// Looks up the group `name`.
///
/// Returns 0 and stores its id in `gid`. Returns ENOENT if the group does not exist, or another errno.
int clinux_group_id(const char *name, uint32_t *gid);

/// Sends `state` (for example "READY=1") to `path`, a Unix datagram socket.
///
/// A leading '@' selects an abstract socket. Returns 0, or errno.
int clinux_notify(const char *path, const char *state);

/// Sends `state` like `clinux_notify`, and also passes the open descriptor `descriptor` (SCM_RIGHTS).
int clinux_notify_with(const char *path, const char *state, int descriptor);

/// Creates a memory file with `count` bytes and seals it against any change (memfd_create(2), F_ADD_SEALS).
///
/// Child processes do not inherit the descriptor. Returns 0 and stores the descriptor in `fd`, or returns errno.
int clinux_sealed_memory(const char *name, const void *bytes, size_t count, int *fd);

/// Reads a memory file created by `clinux_sealed_memory`. Stores at most `capacity` bytes in `bytes` and their number
/// in `count`.
///
/// Returns 0, or errno: EINVAL if the file is not sealed memory, EFBIG if it is larger than `capacity`.
int clinux_read_sealed_memory(int fd, void *bytes, size_t capacity, size_t *count);

/// Disables core dumps and stops other processes of the same uid from reading this process's memory.
///
/// Returns 0, or errno.
int clinux_deny_dumps(void);

/// Makes malloc return blocks of at least `size` bytes to the kernel when they are freed, and use at most four arenas.
///
/// Call this function before the first thread starts.
void clinux_spare_memory(int size);

/// Makes malloc request memory from the kernel in steps of `size` bytes and never return it.
///
/// Applies to every arena that is created later. Intended for short-lived programs.
void clinux_grow_memory(int size);

/// Returns free memory to the kernel.
void clinux_return_memory(void);

/// Returns the first occurrence of `part` (`size` bytes) in `text` (`length` bytes), or NULL if there is none.
///
/// Uses memmem, which takes linear time for any input.
const void *clinux_find(const void *text, size_t length, const void *part, size_t size);

/// The kinds of files that callers distinguish.
enum clinux_kind { clinux_kind_other, clinux_kind_file, clinux_kind_directory, clinux_kind_socket };

/// The result of `lstat`, with the same types in static and dynamic builds.
struct clinux_file {
    enum clinux_kind kind;
    uint32_t owner;
    uint32_t mode;
    uint64_t device;
    uint64_t inode;
    int64_t changed_ns;
    int64_t size;
};

/// Reads the status of `path` without following a symbolic link.
///
/// Returns 0, or errno.
int clinux_file_status(const char *path, struct clinux_file *file);

/// Reads the status of the file that `fd` refers to.
///
/// Returns 0, or errno.
int clinux_descriptor_status(int fd, struct clinux_file *file);

/// Changes the permission bits of the file at `path` if the file is of kind `kind`.
///
/// Does not follow a symbolic link. Returns 0, or errno: ELOOP if the file is of another kind.
int clinux_change_mode(const char *path, uint32_t mode, enum clinux_kind kind);

/// Locks `length` bytes of `fd`, starting at `start`, without waiting.
///
/// The lock belongs to the open file description. Returns 0, or errno.
int clinux_lock_bytes(int fd, int64_t start, int64_t length);

/// Whether the kernel reports that the system clock is synchronized.
int clinux_clock_is_kept(void);

/// One end of a TCP connection: the port, and the address in network order (4 or 16 bytes, depending on the family).
struct clinux_tcp_end {
    uint8_t address[16];
    uint16_t port;
};

/// The states of TCP sockets that callers distinguish, with the kernel's numbers.
enum clinux_tcp_state { clinux_tcp_established = 1, clinux_tcp_syn_received = 3, clinux_tcp_listening = 10 };

/// A TCP socket in this network namespace, as the kernel reports it.
struct clinux_tcp_socket {
    uint32_t uid;
    /// The inode, or 0 if no process owns the socket because it is closed or the connection has not been accepted yet.
    uint32_t inode;
    uint8_t state;
};

/// Looks up the socket of a connection in the kernel (sock_diag(7)). `family` is AF_INET or AF_INET6.
///
/// An IPv4-mapped address counts as AF_INET. The result can be a socket that is only listening on `local`. Returns 0,
/// ENOENT if there is no such socket, or the errno of the request.
int clinux_tcp_connection(int family, const struct clinux_tcp_end *local, const struct clinux_tcp_end *remote,
                          struct clinux_tcp_socket *found);

/// Looks up the sockets of `family` that listen on `port`.
///
/// Stores at most `capacity` in `found` and their number in `count`. Returns 0, EOVERFLOW if there are more, or the
/// errno of the request.
int clinux_tcp_listeners(int family, uint16_t port, struct clinux_tcp_socket *found, size_t capacity, size_t *count);

#endif
