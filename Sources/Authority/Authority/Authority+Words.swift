import Attempts
public import FlowModel

extension Authority {
    /// Records an attempt to enter a link's two words, and then compares the words by calling `isRight`.
    ///
    /// - Parameters:
    ///   - link: The hash of the link's ticket.
    ///   - origin: The browser's origin.
    ///   - isRight: Compares the words in constant time.
    /// - Returns: Whether the words are correct, and if not, how many attempts remain.
    /// - Throws: A `blocked` refusal with the time to wait. In that case, the words are not compared.
    public func tryWords(of link: String, from origin: Origin, _ isRight: () -> Bool) async throws -> WordsVerdict {
        try await attempts.tryWords(of: link, from: origin, isRight)
    }
}
