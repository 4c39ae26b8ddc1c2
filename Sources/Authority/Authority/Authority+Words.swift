import Attempts
public import FlowModel

extension Authority {
    /// Records an attempt to enter the two confirmation words of a link, and then compares the words by calling
    /// `isRight`.
    ///
    /// - Parameters:
    ///   - link: The hash of the link's ticket.
    ///   - origin: The browser's origin.
    ///   - isRight: Compares the words. The comparison must take constant time.
    /// - Returns: Whether the words are correct. If they are not, the result includes the number of remaining attempts.
    /// - Throws: `blocked`, with the time to wait, if the origin has failed too often. The words are not compared in
    ///   this case.
    public func tryWords(of link: String, from origin: Origin, _ isRight: () -> Bool) async throws -> WordsVerdict {
        try await attempts.tryWords(of: link, from: origin, isRight)
    }
}
