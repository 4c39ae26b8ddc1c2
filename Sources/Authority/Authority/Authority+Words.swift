import Attempts
public import FlowModel

extension Authority {
    /// Records an attempt to enter the two confirmation words of a link, and then calls `isRight` to compare them.
    ///
    /// `link` is the hash of the link's ticket, and `isRight` must take constant time.
    ///
    /// - Throws: `blocked`, without comparing the words, if the origin has failed too often.
    public func tryWords(of link: String, from origin: Origin, _ isRight: () -> Bool) async throws -> WordsVerdict {
        try await attempts.tryWords(of: link, from: origin, isRight)
    }
}
