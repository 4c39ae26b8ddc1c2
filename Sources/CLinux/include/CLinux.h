// What glibc has and Swift cannot see: peer credentials and service notification.
#ifndef CLINUX_H
#define CLINUX_H

#include <sys/types.h>

/// The credentials of the process at the other end of a Unix socket, taken when it connected.
struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Reads SO_PEERCRED of `fd`; 0, or errno.
int clinux_peer_credentials(int fd, struct clinux_peer *peer);

/// Sends `state` (for example "READY=1") to `path`, a Unix datagram socket; a leading '@' names an abstract one.
/// 0, or errno.
int clinux_notify(const char *path, const char *state);

/// Refuses core dumps and reading of this process's memory by others of the same uid; 0, or errno.
int clinux_deny_dumps(void);

#endif
