/// Decides whether a peer reads its responses too slowly.
///
/// A peer is too slow if it reads fewer than ``least`` bytes within a ``window`` of waiting time.
///
/// This type performs no I/O. Waiting time is the time during which bytes are waiting to be read, so a peer gains
/// nothing by reading a little and stopping before the window ends.
public struct ReadingPace: Hashable, Sendable {
    /// The length of the window, in nanoseconds: 30 s.
    public static let window: UInt64 = 30_000_000_000
    /// The minimum number of bytes per window: 16 KiB per second.
    public static let least = 30 * 16 * 1024

    private let window: UInt64
    private let least: Int
    /// The accumulated waiting time, excluding the current wait.
    private var waited: UInt64 = 0
    /// The number of bytes that the peer read during ``waited``.
    private var taken = 0
    /// The start of the current wait, and the number of bytes read before the wait.
    private var waiting: Wait?

    private struct Wait: Hashable {
        let since: UInt64
        let taken: Int
    }

    /// Creates the state for a new connection.
    public init(window: UInt64 = ReadingPace.window, least: Int = ReadingPace.least) {
        self.window = window
        self.least = least
    }

    /// The time at which to evaluate the pace, or `nil` while no bytes are waiting.
    public var deadline: UInt64? {
        waiting.map { $0.since + (window - min(waited, window)) }
    }

    /// Records that bytes are waiting.
    ///
    /// The peer has read `taken` bytes in total so far.
    public mutating func beginWaiting(at now: UInt64, taken: Int) {
        if waiting == nil { waiting = Wait(since: now, taken: taken) }
    }

    /// Records that no more bytes are waiting.
    public mutating func endWaiting(at now: UInt64, taken: Int) {
        guard let begun = waiting else { return }
        waiting = nil
        waited += now - begun.since
        self.taken += taken - begun.taken
    }

    /// Returns whether the peer is too slow.
    ///
    /// If the current window has elapsed, starts a new one.
    public mutating func isTooSlow(at now: UInt64, taken: Int) -> Bool {
        guard waiting != nil else { return false }
        endWaiting(at: now, taken: taken)
        beginWaiting(at: now, taken: taken)
        guard waited >= window else { return false }
        defer { (waited, self.taken) = (0, 0) }
        return self.taken < least
    }
}
