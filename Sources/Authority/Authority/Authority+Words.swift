import Attempts
public import FlowModel

extension Authority {
    /// Records another attempt to enter a link's two words, and only then compares the words.
    ///
    /// - Parameters:
    ///   - link: The hash of the link's ticket.
    ///   - origin: The origin of the browser.
    ///   - isRight: Compares the words in constant time.
    /// - Returns: The verdict.
    /// - Throws: `Refusal` `blocked` with the time to wait. In that case, the words are not compared.
    public func tryWords(of link: String, from origin: Origin, _ isRight: () -> Bool) async throws -> WordsVerdict {
        try await attempts.tryWords(of: link, from: origin, isRight)
    }
}
