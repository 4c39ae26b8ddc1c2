import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// The maximum number of attempts to enter a link's two confirmation words.
    public static let wordsPerLink = 3
    /// The time for which an attempt counts against a link, which is longer than any link is valid.
    private static let linkPeriod: Duration = .seconds(3600)

    /// Charges one attempt to enter a link's two confirmation words, and then calls `isRight` to compare the words.
    ///
    /// The charge is on disk before the comparison, and the link's charge is never refunded. A wrong attempt also
    /// counts against `origin`. `link` is the hash of the link's ticket. `isRight` must take constant time.
    ///
    /// - Throws: A `blocked` refusal with the time to wait if `origin` has given too many wrong answers.
    public func tryWords(of link: String, from origin: Origin, _ isRight: () -> Bool) async throws -> WordsVerdict {
        let charges = [
            Charge(
                key: AttemptBudgets.name("words\u{1F}\(link)", lockKey),
                subject: nil,
                rule: .window(max: Self.wordsPerLink, period: Self.linkPeriod)
            ),
            Charge(
                key: AttemptBudgets.name("origin\u{1F}\(AttemptBudgets.place(origin))", lockKey),
                subject: nil,
                rule: .window(max: AttemptBudgets.most(origin), period: .seconds(600))
            ),
        ]
        switch try await taken(charges) {
        case .blocked(index: 0, _): return .usedUp
        case .blocked(_, let retryAfterMs): throw Self.blocked(retryAfterMs)
        case .charged(let keys, let used):
            guard isRight() else { return .wrong(left: max(0, Self.wordsPerLink - (used.first ?? 0))) }
            try await giveBack(Array(keys.dropFirst()))
            return .right
        }
    }
}
