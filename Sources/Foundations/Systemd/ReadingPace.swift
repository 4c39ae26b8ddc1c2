/// Decides whether a peer reads fewer than ``least`` bytes within a ``window`` of waiting time.
///
/// Waiting time is only the time during which bytes are waiting to be read. This type performs no I/O.
public struct ReadingPace: Hashable, Sendable {
    /// The default length of a window, in nanoseconds (30 s).
    public static let window: UInt64 = 30_000_000_000
    /// The default minimum number of bytes that a peer must read per window (16 KiB per second).
    public static let least = 30 * 16 * 1024

    private let window: UInt64
    private let least: Int
    /// The waiting time so far in the current window, excluding the current wait.
    private var waited: UInt64 = 0
    /// The number of bytes that the peer read during the time in ``waited``.
    private var taken = 0
    private var waiting: Wait?

    private struct Wait: Hashable {
        let since: UInt64
        let taken: Int
    }

    /// Creates the initial state for a new connection.
    public init(window: UInt64 = ReadingPace.window, least: Int = ReadingPace.least) {
        self.window = window
        self.least = least
    }

    /// The time at which to call ``isTooSlow(at:taken:)``, or `nil` while no bytes are waiting.
    public var deadline: UInt64? {
        waiting.map { $0.since + (window - min(waited, window)) }
    }

    /// Records that bytes are waiting and that the peer has read `taken` bytes in total so far.
    public mutating func beginWaiting(at now: UInt64, taken: Int) {
        if waiting == nil { waiting = Wait(since: now, taken: taken) }
    }

    /// Records that no more bytes are waiting and that the peer has read `taken` bytes in total so far.
    public mutating func endWaiting(at now: UInt64, taken: Int) {
        guard let begun = waiting else { return }
        waiting = nil
        waited += now - begun.since
        self.taken += taken - begun.taken
    }

    /// Returns whether a peer that has read `taken` bytes in total is too slow, and restarts an elapsed window.
    public mutating func isTooSlow(at now: UInt64, taken: Int) -> Bool {
        guard waiting != nil else { return false }
        endWaiting(at: now, taken: taken)
        beginWaiting(at: now, taken: taken)
        guard waited >= window else { return false }
        defer { (waited, self.taken) = (0, 0) }
        return self.taken < least
    }
}
