import Glibc

/// The end of all the reads that one wait is made of, however often something comes that is not what is waited for.
struct ReadDeadline {
    private let end: ContinuousClock.Instant
    /// True for a look that does not wait.
    private let isLook: Bool

    init(within milliseconds: Int) {
        isLook = milliseconds <= 0
        end = ContinuousClock.now + .milliseconds(milliseconds)
    }

    /// Waits until `fd` can be read; false once the time is over, even if something can be read then.
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
