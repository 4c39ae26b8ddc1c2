import Foundation
import TestSupport

/// A disk that can become read-only while a program has files open, like a network disk or a virtual machine's disk.
///
/// Linux does not make a file system read-only while files on it are open for writing, not even for root. Therefore a
/// library is loaded into the program and simulates such a disk. The library makes system calls fail with the kernel's
/// error numbers.
struct ReadOnlyDisk {
    /// The C compiler that Swift's own tools need is missing.
    struct Missing: Error {}

    let environment: [String: String]
    private let lock: String

    /// Creates a disk that contains all files whose paths begin with `folder`.
    init(_ folder: String, keptIn place: TemporaryFolder) throws {
        let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        let compilers = search.split(separator: ":").flatMap { path in ["clang", "cc", "gcc"].map { "\(path)/\($0)" } }
        guard let compiler = compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Missing()
        }
        let (source, library) = (place.path("disk.c"), place.path("disk.so"))
        try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
        let outcome = try BuiltProgram(path: compiler).run(["-shared", "-fPIC", "-o", library, source, "-ldl"])
        guard outcome.status == 0 else { throw NotReady(name: compiler, errors: outcome.errors) }
        lock = place.path("read-only")
        environment = ["LD_PRELOAD": library, "READ_ONLY_FOLDER": folder, "READ_ONLY_SWITCH": lock]
    }

    /// Returns a disk that contains the machine's token cache.
    static func ofCache(_ machine: Machine) throws -> Self {
        try Self(machine.state + "/cache.sqlite", keptIn: machine.folder)
    }

    func setReadOnly(_ isReadOnly: Bool) throws {
        if isReadOnly {
            try Data().write(to: URL(fileURLWithPath: lock))
        } else {
            try FileManager.default.removeItem(atPath: lock)
        }
    }

    private static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        static int refuses(const char *path) {
            const char *folder = getenv("READ_ONLY_FOLDER"), *lock = getenv("READ_ONLY_SWITCH");
            if (!folder || !lock || strncmp(path, folder, strlen(folder)) != 0) return 0;
            int before = errno;
            int is_locked = syscall(SYS_faccessat, AT_FDCWD, lock, F_OK) == 0;
            errno = is_locked ? EROFS : before;
            return is_locked;
        }

        static int refuses_fd(int fd) {
            char link[64], path[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t length = readlink(link, path, sizeof path - 1);
            if (length <= 0) return 0;
            path[length] = 0;
            return refuses(path);
        }

        #define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

        ssize_t write(int fd, const void *bytes, size_t count) {
            NEXT(write);
            return refuses_fd(fd) ? -1 : next(fd, bytes, count);
        }
        ssize_t pwrite(int fd, const void *bytes, size_t count, off_t place) {
            NEXT(pwrite);
            return refuses_fd(fd) ? -1 : next(fd, bytes, count, place);
        }
        ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t place) {
            NEXT(pwrite64);
            return refuses_fd(fd) ? -1 : next(fd, bytes, count, place);
        }
        int ftruncate(int fd, off_t size) { NEXT(ftruncate); return refuses_fd(fd) ? -1 : next(fd, size); }
        int ftruncate64(int fd, off64_t size) { NEXT(ftruncate64); return refuses_fd(fd) ? -1 : next(fd, size); }
        int unlink(const char *path) { NEXT(unlink); return refuses(path) ? -1 : next(path); }
        int rename(const char *from, const char *to) { NEXT(rename); return refuses(to) ? -1 : next(from, to); }
        int access(const char *path, int mode) {
            NEXT(access);
            return (mode & W_OK) && refuses(path) ? -1 : next(path, mode);
        }
        int open(const char *path, int flags, ...) {
            NEXT(open);
            va_list rest;
            va_start(rest, flags);
            mode_t mode = va_arg(rest, mode_t);
            va_end(rest);
            return (flags & (O_WRONLY | O_RDWR | O_CREAT)) && refuses(path) ? -1 : next(path, flags, mode);
        }
        int open64(const char *path, int flags, ...) {
            NEXT(open64);
            va_list rest;
            va_start(rest, flags);
            mode_t mode = va_arg(rest, mode_t);
            va_end(rest);
            return (flags & (O_WRONLY | O_RDWR | O_CREAT)) && refuses(path) ? -1 : next(path, flags, mode);
        }

        """#
}
