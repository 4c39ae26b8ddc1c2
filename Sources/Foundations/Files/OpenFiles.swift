import CLinux
import Glibc

/// Copies the contents of one open file to another.
public enum FileCopy {
    private static let chunk = 1 << 20

    /// Copies all bytes of `source` to the beginning of `target`, syncs `target` to disk, and returns the byte count.
    @discardableResult
    public static func copy(from source: Int32, to target: Int32) throws(FileError) -> Int64 {
        var buffer = [UInt8](repeating: 0, count: chunk)
        var place: off_t = 0
        while true {
            let got = buffer.withUnsafeMutableBytes { pread(source, $0.baseAddress, $0.count, place) }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw FileError(errno: errno) }
            if got == 0 { break }
            var put = 0
            while put < got {
                let wrote = buffer.withUnsafeBytes {
                    pwrite(target, $0.baseAddress?.advanced(by: put), got - put, place + off_t(put))
                }
                if wrote < 0 && errno == EINTR { continue }
                guard wrote > 0 else { throw FileError(errno: errno) }
                put += wrote
            }
            place += off_t(got)
        }
        guard fsync(target) == 0 else { throw FileError(errno: errno) }
        return Int64(place)
    }
}

/// Locks byte ranges of open files against other processes and other descriptors of this process.
public enum FileLock {
    /// Locks `count` bytes from the offset `start` until the descriptor is closed, or returns `false` if any is locked.
    public static func take(_ descriptor: Int32, from start: Int64, count: Int64) -> Bool {
        clinux_lock_bytes(descriptor, start, count) == 0
    }
}
