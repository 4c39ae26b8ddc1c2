public import Moments
import Synchronization
public import Tokens

/// A key that an authority publishes, together with how long it may be used without fetching it again.
public struct PublishedKey: Sendable {
    /// The key that verifies signatures.
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

    /// Whether the key is fresh, and no fetch has shown that the authority has withdrawn any of its keys.
    public func isCurrent(at now: Moment) -> Bool {
        withdrawals.number == number && !freshUntil.hasPassed(at: now)
    }
}

/// Counts the fetches that showed that a key had been withdrawn.
final class Withdrawals: Sendable {
    private let count = Atomic(0)

    var number: Int { count.load(ordering: .acquiring) }

    func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
