import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// The maximum number of attempts to enter the two confirmation words of one link.
    public static let wordsPerLink = 3
    /// The period during which attempts are counted against a link.
    ///
    /// This is longer than any link is valid.
    private static let linkPeriod: Duration = .seconds(3600)

    /// Durably charges one attempt to enter the two confirmation words of a link, then compares them.
    ///
    /// A wrong attempt also counts as a wrong answer from its origin. The charge against the link is never refunded.
    ///
    /// - Parameters:
    ///   - link: The hash of the ticket in the link.
    ///   - origin: The origin of the browser.
    ///   - isRight: Compares the words in constant time.
    /// - Returns: The verdict.
    /// - Throws: `Refusal`: `blocked` with the time to wait if the origin has given too many wrong answers. In that
    ///   case, nothing was compared.
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
