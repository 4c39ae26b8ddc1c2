/// Decides if a peer takes what is written to it too slowly: less than ``least`` bytes in ``window`` during which bytes waited.
///
/// A value without I/O. Time in which nothing waits does not count, so a peer that takes a little at a time, and stops before
/// the time is over, gains nothing.
public struct ReadingPace: Hashable, Sendable {
    /// The time that is judged at once, in nanoseconds: 30 s.
    public static let window: UInt64 = 30_000_000_000
    /// The least bytes that a peer takes in this time: 16 KiB a second.
    public static let least = 30 * 16 * 1024

    private let window: UInt64
    private let least: Int
    /// The time for which bytes have waited, without the wait that is under way.
    private var waited: UInt64 = 0
    /// The bytes that were taken in that time.
    private var taken = 0
    /// The beginning of the wait that is under way, and the bytes that had been taken before.
    private var waiting: Wait?

    private struct Wait: Hashable {
        let since: UInt64
        let taken: Int
    }

    /// Creates the pace of a new connection.
    public init(window: UInt64 = ReadingPace.window, least: Int = ReadingPace.least) {
        self.window = window
        self.least = least
    }

    /// The time at which the pace must be judged; `nil` while nothing waits.
    public var deadline: UInt64? {
        waiting.map { $0.since + (window - min(waited, window)) }
    }

    /// Records that bytes wait from now on; `taken` is the number of bytes that the peer has taken of all.
    public mutating func beginWaiting(at now: UInt64, taken: Int) {
        if waiting == nil { waiting = Wait(since: now, taken: taken) }
    }

    /// Records that nothing waits any more.
    public mutating func endWaiting(at now: UInt64, taken: Int) {
        guard let begun = waiting else { return }
        waiting = nil
        waited += now - begun.since
        self.taken += taken - begun.taken
    }

    /// Judges the peer.
    ///
    /// - Returns: Whether it is too slow.
    public mutating func isTooSlow(at now: UInt64, taken: Int) -> Bool {
        guard waiting != nil else { return false }
        endWaiting(at: now, taken: taken)
        beginWaiting(at: now, taken: taken)
        guard waited >= window else { return false }
        defer { (waited, self.taken) = (0, 0) }
        return self.taken < least
    }
}
