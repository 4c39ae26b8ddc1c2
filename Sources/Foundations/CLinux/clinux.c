#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int clinux_peer_credentials(int fd, struct clinux_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return errno;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

int clinux_peer_groups(int fd, uint32_t *groups, size_t capacity, size_t *count) {
    socklen_t length = (socklen_t)(capacity * sizeof *groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return errno;
    *count = length / sizeof *groups;
    return 0;
}

int clinux_group_id(const char *name, uint32_t *gid) {
    // Grow the buffer for a group with many members, up to 1 MiB.
    for (size_t size = 4096; size <= 1048576; size *= 4) {
        char *buffer = malloc(size);
        if (buffer == NULL) return ENOMEM;
        struct group group;
        struct group *found = NULL;
        int code = getgrnam_r(name, &group, buffer, size, &found);
        if (found != NULL) *gid = group.gr_gid;
        free(buffer);
        if (code == ERANGE) continue;
        return found != NULL ? 0 : code != 0 ? code : ENOENT;
    }
    return ERANGE;
}

int clinux_notify(const char *path, const char *state) { return clinux_notify_with(path, state, -1); }

int clinux_notify_with(const char *path, const char *state, int descriptor) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
    struct iovec text = {.iov_base = (void *)state, .iov_len = strlen(state)};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length),
        .msg_iov = &text,
        .msg_iovlen = 1,
    };
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return errno;
    int result = sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? errno : 0;
    close(fd);
    return result;
}

static const int all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

int clinux_sealed_memory(const char *name, const void *bytes, size_t count, int *fd) {
    int memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 reject MFD_NOEXEC_SEAL.
    if (memory < 0 && errno == EINVAL) memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) return errno;
    ssize_t written = write(memory, bytes, count);
    int result = written < 0 ? errno : (size_t)written != count ? EIO : 0;
    if (result == 0 && fcntl(memory, F_ADD_SEALS, all_seals) != 0) result = errno;
    if (result != 0) {
        close(memory);
        return result;
    }
    *fd = memory;
    return 0;
}

int clinux_read_sealed_memory(int fd, void *bytes, size_t capacity, size_t *count) {
    // Only memory files have seals. All other files are rejected, so a pipe or a socket cannot block the reader.
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & all_seals) != all_seals) return EINVAL;
    struct stat status;
    if (fstat(fd, &status) != 0) return errno;
    if (status.st_size < 0 || (size_t)status.st_size > capacity) return EFBIG;
    ssize_t got = pread(fd, bytes, capacity, 0);
    if (got < 0) return errno;
    *count = (size_t)got;
    return 0;
}

int clinux_deny_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    return 0;
}

static void describe(const struct stat *status, struct clinux_file *file) {
    file->kind = S_ISREG(status->st_mode)    ? clinux_kind_file
                 : S_ISDIR(status->st_mode)  ? clinux_kind_directory
                 : S_ISSOCK(status->st_mode) ? clinux_kind_socket
                                             : clinux_kind_other;
    file->owner = status->st_uid;
    file->mode = status->st_mode & 07777;
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->size = status->st_size;
    file->changed_ns = (int64_t)status->st_ctim.tv_sec * 1000000000 + status->st_ctim.tv_nsec;
}

int clinux_file_status(const char *path, struct clinux_file *file) {
    struct stat status;
    if (lstat(path, &status) != 0) return errno;
    describe(&status, file);
    return 0;
}

int clinux_descriptor_status(int fd, struct clinux_file *file) {
    struct stat status;
    if (fstat(fd, &status) != 0) return errno;
    describe(&status, file);
    return 0;
}

int clinux_change_mode(const char *path, uint32_t mode, enum clinux_kind kind) {
    int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    struct clinux_file file;
    int code = clinux_descriptor_status(fd, &file);
    if (code == 0 && file.kind != kind) code = ELOOP;
    if (code == 0) {
        // fchmod fails on an O_PATH descriptor, and fchmodat2 needs kernel 6.6. The /proc path refers to the open file
        // itself.
        char name[32];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        if (chmod(name, mode) != 0) code = errno;
    }
    close(fd);
    return code;
}

int clinux_lock_bytes(int fd, int64_t start, int64_t length) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

int clinux_clock_is_kept(void) {
    struct timex state = {0};
    return adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

void clinux_spare_memory(int size) {
    // By default, freeing a block raises this threshold to the size of the block, up to 32 MiB. malloc then caches
    // freed blocks below the threshold.
    mallopt(M_MMAP_THRESHOLD, size);
    // By default malloc uses up to eight arenas per processor, and an arena's free memory is unavailable to the other
    // arenas. With a single arena, threads contend for every block of more than 1 KiB.
    mallopt(M_ARENA_MAX, 4);
}

void clinux_grow_memory(int size) {
    // By default malloc extends the main arena by 128 KiB at a time and any other arena by 4 KiB. The setting applies
    // only to arenas that are created later.
    mallopt(M_TOP_PAD, size);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

void clinux_return_memory(void) {
    malloc_trim(0);
}

const void *clinux_find(const void *text, size_t length, const void *part, size_t size) {
    return memmem(text, length, part, size);
}
