import Glibc

/// A deadline for a sequence of reads.
///
/// Data that arrives does not extend the deadline.
struct ReadDeadline {
    private let end: ContinuousClock.Instant
    /// Whether to check once without waiting.
    private let isLook: Bool

    init(within milliseconds: Int) {
        isLook = milliseconds <= 0
        end = ContinuousClock.now + .milliseconds(milliseconds)
    }

    /// Waits until `fd` is readable, and returns whether this happened before the deadline.
    ///
    /// After the deadline, the result is `false` even if data is available.
    func allowsReading(_ fd: Int32) -> Bool {
        var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        if isLook { return poll(&entry, 1, 0) > 0 }
        while case let rest = end - ContinuousClock.now, rest > .zero {
            let (seconds, attoseconds) = rest.components
            let count = poll(&entry, 1, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
        return false
    }
}
