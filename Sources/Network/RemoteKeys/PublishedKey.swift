public import Moments
import Synchronization
public import Tokens

/// A key that an authority publishes, and the time for which it may be used without fetching it again.
public struct PublishedKey: Sendable {
    /// The key.
    public let key: VerificationKey
    private let freshUntil: Deadline
    private let withdrawals: Withdrawals
    private let number: Int

    init(_ key: VerificationKey, freshUntil: Deadline, _ withdrawals: Withdrawals) {
        self.key = key
        self.freshUntil = freshUntil
        self.withdrawals = withdrawals
        number = withdrawals.number
    }

    /// True while the key need not be fetched again: the authority is not known to have withdrawn a key since, and the
    /// freshness that it gave has not passed.
    ///
    /// Costs next to nothing.
    public func isCurrent(at now: Moment) -> Bool {
        withdrawals.number == number && !freshUntil.hasPassed(at: now)
    }
}

/// A counter of the fetches that found a key withdrawn.
final class Withdrawals: Sendable {
    private let count = Atomic(0)

    var number: Int { count.load(ordering: .acquiring) }

    func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
