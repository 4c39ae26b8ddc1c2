import Crypto
import HTTPServer
import HTTPTypes
import Moments
import OAuth
import Synchronization

/// The tokens that were ended here before their time, by their hash, until they expire; in memory only.
///
/// A token is verified without its authority, so this API itself has to know.
public final class EndedTokens: Sendable {
    /// The greatest number of all.
    static let most = 65_536
    /// The greatest number of one person; beyond it, the one that expires first is forgotten.
    static let mostOfPerson = 64

    private struct Entry {
        let owner: String
        let end: Deadline
    }

    private let entries = Mutex<[SHA256Digest: Entry]>([:])
    private let most: Int

    /// Knows of no token yet.
    public convenience init() { self.init(most: Self.most) }

    init(most: Int) { self.most = most }

    /// True if the token with this hash was ended.
    func has(_ name: SHA256Digest) -> Bool { entries.withLock { !$0.isEmpty && $0[name] != nil } }

    /// Ends a token.
    ///
    /// - Parameters:
    ///   - name: The token's hash.
    ///   - owner: The person that it names.
    ///   - end: The end of its life.
    ///   - now: The current time.
    /// - Throws: 503 if others have ended as many as are remembered.
    func add(_ name: SHA256Digest, of owner: String, until end: Deadline, at now: Moment) throws(HTTPProblem) {
        let isKept = entries.withLock { entries in
            if entries.count >= most { entries = entries.filter { !$0.value.end.hasEnded(at: now) } }
            let own = entries.filter { $0.value.owner == owner }
            if own.count >= Self.mostOfPerson, let first = own.min(by: { $0.value.end.boot < $1.value.end.boot }) {
                entries[first.key] = nil
            }
            guard entries.count < most else { return false }
            entries[name] = Entry(owner: owner, end: end)
            return true
        }
        guard isKept else {
            throw HTTPProblem(
                .serviceUnavailable,
                code: OAuthError.Code.temporarilyUnavailable.rawValue,
                message: "too many tokens have just been ended; try again",
                headers: [.retryAfter: "60"]
            )
        }
    }
}
