import CLinux

/// A lock of bytes of an open file, against other processes and other descriptors of this one.
public enum FileLock {
    /// Locks `count` bytes from `start` on without waiting; the lock ends when the descriptor is closed.
    ///
    /// - Returns: Whether nobody else had a part of them.
    public static func take(_ descriptor: Int32, from start: Int64, count: Int64) -> Bool {
        clinux_lock_bytes(descriptor, start, count) == 0
    }
}
