import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// The greatest number of times that the two words of one link may be typed.
    public static let wordsPerLink = 3
    /// The period of that number: longer than a link lives.
    private static let linkPeriod: Duration = .seconds(3600)

    /// Charges one try at the two words of a link, durably, and compares them then.
    ///
    /// A wrong try counts as a wrong answer of its origin. The charge of the link is never given back.
    ///
    /// - Parameters:
    ///   - link: The hash of the link's ticket.
    ///   - origin: The origin of the browser.
    ///   - isRight: Compares the words, in constant time.
    /// - Returns: The verdict.
    /// - Throws: `Refusal`: `blocked` with the time to wait if the origin has given too many wrong answers; nothing was
    ///   compared then.
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
