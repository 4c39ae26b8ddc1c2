import Crypto
import FlowModel
import HTTPServer
import HTTPTypes
import Moments
import OAuth
import Synchronization

/// The tokens that were ended here before their time, until they expire; in memory only.
///
/// A token is verified without its authority, so this API itself has to know. It goes by what the signature covers: the
/// signature itself can be spelled in two ways by whoever has one (ECDSA takes `n - s` for `s`).
public final class EndedTokens: Sendable {
    /// The greatest number of all.
    static let most = 65_536
    /// The greatest number of live ones of one person; beyond it, all of the person's tokens up to now are ended.
    static let mostOfPerson = 64
    /// The longest life of an access token at an authority of this kind (`tokens.accessTokenLifetimeSec`).
    static let longestLife: Duration = .seconds(86_400)

    private struct Entry {
        let owner: String
        let issuedAt: Int64
        let end: Deadline
    }

    /// A person's tokens that were issued until a time, in seconds since 1970 UTC.
    private struct Watermark {
        let issuedAt: Int64
        let end: Deadline
    }

    private struct State {
        var entries: [SHA256Digest: Entry] = [:]
        var watermarks: [String: Watermark] = [:]

        var count: Int { entries.count + watermarks.count }

        /// Forgets what concerns expired tokens only.
        mutating func forgetExpired(at now: Moment) {
            entries = entries.filter { !$0.value.end.isOver(at: now) }
            watermarks = watermarks.filter { !$0.value.end.isOver(at: now) }
        }

        /// Ends all tokens of a person up to now, in place of those that are ended one by one.
        ///
        /// An authority's clock may be ahead of ours, so what was ended before is covered whatever its time.
        mutating func end(_ last: Entry, andAll own: [SHA256Digest: Entry], at now: Moment) {
            var all = Array(own.values)
            all.append(last)
            let before = watermarks[last.owner]
            let times = all.map(\.issuedAt) + [now.wall / 1000, before?.issuedAt ?? 0]
            let ends =
                all.map(\.end) + [Deadline(EndedTokens.longestLife, after: now)] + (before.map { [$0.end] } ?? [])
            for name in own.keys { entries[name] = nil }
            watermarks[last.owner] = Watermark(
                issuedAt: times.max() ?? last.issuedAt,
                end: ends.max { $0.boot < $1.boot } ?? last.end
            )
        }
    }

    private let state = Mutex(State())
    private let most: Int

    /// Knows of no token yet.
    public convenience init() { self.init(most: Self.most) }

    init(most: Int) { self.most = most }

    /// True if a token was ended.
    ///
    /// - Parameters:
    ///   - token: The token, which was verified.
    ///   - identity: The person and the claims that it names.
    /// - Returns: True for a token that was ended, and for all that were issued to a person who ended too many.
    func has(_ token: Substring, of identity: BearerIdentity) -> Bool {
        let (isCovered, isEmpty) = state.withLock { state in
            let isCovered = state.watermarks[identity.owner].map { identity.issuedAt <= $0.issuedAt } ?? false
            return (isCovered, state.entries.isEmpty)
        }
        guard !isCovered, !isEmpty else { return isCovered }
        let name = Self.name(token)
        return state.withLock { $0.entries[name] != nil }
    }

    /// Ends a token.
    ///
    /// - Parameters:
    ///   - token: The token, which was verified.
    ///   - identity: The person and the claims that it names.
    ///   - end: The end of its life.
    ///   - now: The current time.
    /// - Throws: 503 if others have ended as many as are remembered.
    func add(
        _ token: Substring,
        of identity: BearerIdentity,
        until end: Deadline,
        at now: Moment
    ) throws(HTTPProblem) {
        let name = Self.name(token)
        let entry = Entry(owner: identity.owner, issuedAt: identity.issuedAt, end: end)
        let isKept = state.withLock { state in
            if state.count >= most { state.forgetExpired(at: now) }
            let own = state.entries.filter { $0.value.owner == entry.owner && !$0.value.end.isOver(at: now) }
            guard own.count < Self.mostOfPerson else {
                state.end(entry, andAll: own, at: now)
                return true
            }
            guard state.count < most else { return false }
            state.entries[name] = entry
            return true
        }
        guard isKept else {
            throw HTTPProblem(
                .serviceUnavailable,
                code: OAuthError.Code.temporarilyUnavailable.rawValue,
                Text("tables.tooManyEnded"),
                headers: [.retryAfter: "60"]
            )
        }
    }

    /// The digest of what a token's signature covers: its header and its claims (RFC 7515 §5.2).
    private static func name(_ token: Substring) -> SHA256Digest {
        VerifiedTokens.name(token.lastIndex(of: ".").map { token[..<$0] } ?? token)
    }
}

extension Deadline {
    /// True if the time has come by both clocks: one that is set forward and back again revives no token.
    fileprivate func isOver(at now: Moment) -> Bool { hasPassed(at: now) && now.wall >= wall }
}
