import Attempts
public import FlowModel

extension Authority {
    /// Charges one try at the two words of a link, durably, and compares them then.
    ///
    /// - Parameters:
    ///   - link: The hash of the link's ticket.
    ///   - origin: The origin of the browser.
    ///   - isRight: Compares the words, in constant time.
    /// - Returns: The verdict.
    /// - Throws: `Refusal`: `blocked` with the time to wait; nothing was compared then.
    public func tryWords(of link: String, from origin: Origin, _ isRight: () -> Bool) async throws -> WordsVerdict {
        try await attempts.tryWords(of: link, from: origin, isRight)
    }
}
