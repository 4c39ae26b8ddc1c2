public import Moments
import Synchronization
public import Tokens

/// A key that an issuer publishes, and how long it may be believed without asking.
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

    /// Whether it need not be asked for again: the issuer has withdrawn no key since, as far as is known, and was asked
    /// less than ``RemoteKeys/freshness`` ago.
    ///
    /// Costs next to nothing.
    public func isCurrent(at now: Moment) -> Bool {
        withdrawals.number == number && !freshUntil.hasPassed(at: now)
    }
}

/// Counts how often an issuer withdrew keys.
final class Withdrawals: Sendable {
    private let count = Atomic(0)

    var number: Int { count.load(ordering: .acquiring) }

    func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
