import Crypto
import FlowModel
import HTTPServer
import HTTPTypes
import Moments
import OAuth
import Synchronization

/// The tokens that were revoked on this server before they expired, stored only in memory.
///
/// A token is identified by its signed part and not by its signature, because ECDSA accepts two signatures for the
/// same content (with `n - s` in place of `s`).
public final class EndedTokens: Sendable {
    /// The maximum total number of entries.
    static let most = 65_536
    /// The maximum number of entries for one user, beyond which all tokens issued to the user so far are revoked.
    static let mostOfPerson = 64
    /// The longest access token lifetime that an authority can configure (`tokens.accessTokenLifetimeSec`).
    static let longestLife: Duration = .seconds(86_400)

    private struct Entry {
        let owner: String
        let issuedAt: Int64
        let end: Deadline
    }

    /// A revocation of all tokens that were issued to a user no later than `issuedAt`, in seconds since 1970 UTC.
    private struct Watermark {
        let issuedAt: Int64
        let end: Deadline
    }

    private struct State {
        var entries: [SHA256Digest: Entry] = [:]
        var watermarks: [String: Watermark] = [:]

        var count: Int { entries.count + watermarks.count }

        mutating func forgetExpired(at now: Moment) {
            entries = entries.filter { !$0.value.end.isOver(at: now) }
            watermarks = watermarks.filter { !$0.value.end.isOver(at: now) }
        }

        /// Revokes all tokens issued to a user so far, and removes the user's entries for individual tokens.
        ///
        /// Tokens that were revoked individually stay revoked, even if the authority's clock is ahead and they were
        /// issued later than the current time of this server.
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

    /// Creates an empty list.
    public convenience init() { self.init(most: Self.most) }

    init(most: Int) { self.most = most }

    /// Returns whether a verified token was revoked, alone or with all of the user's earlier tokens.
    func has(_ token: Substring, of identity: BearerIdentity) -> Bool {
        let (isCovered, isEmpty) = state.withLock { state in
            let isCovered = state.watermarks[identity.owner].map { identity.issuedAt <= $0.issuedAt } ?? false
            return (isCovered, state.entries.isEmpty)
        }
        guard !isCovered, !isEmpty else { return isCovered }
        let name = Self.name(token)
        return state.withLock { $0.entries[name] != nil }
    }

    /// Revokes a verified token until it expires at `end`.
    ///
    /// - Throws: `HTTPProblem` 503 if the list is full of other users' tokens.
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

    /// Returns the digest of a token's signed part, which consists of the header and the claims (RFC 7515 §5.2).
    private static func name(_ token: Substring) -> SHA256Digest {
        VerifiedTokens.name(token.lastIndex(of: ".").map { token[..<$0] } ?? token)
    }
}

extension Deadline {
    /// Whether the deadline has passed on the monotonic and the wall clock, so that no clock change revives a token.
    fileprivate func isOver(at now: Moment) -> Bool { hasPassed(at: now) && now.wall >= wall }
}
