import FlowModel
import Foundation
import Moments
import OAuth
import TokenCache

/// The accounts of a uid and the newest token of each kind, at one time; a value that is compared with a later one.
struct TokenSnapshot: Sendable {
    /// The properties that a token and its successor share.
    struct Kind: Hashable, Sendable {
        let account: String
        let client: String
        let policy: String
        let resource: String
        let scopes: [String]
    }

    /// A token with the time at which its end is announced.
    struct Token: Hashable, Sendable {
        let summary: TokenSummary
        let expires: Deadline
        /// Milliseconds before its end at which it is announced.
        let noticeMs: Int64
        /// Tells it from another one that ends at the same time; says nothing of it outside of this process.
        let mark: Int

        /// True if it ends within its notice.
        func endsSoon(at now: Moment) -> Bool {
            !expires.hasEnded(at: now) && summary.expiresAt - now.wall <= noticeMs
        }
    }

    /// Milliseconds before its end at which a token is announced, or half of its life if that is less.
    static let noticeMs: Int64 = 120_000

    /// People's accounts: a service's tokens are nobody's.
    let accounts: Set<String>
    let tokens: [Kind: Token]

    /// Sorts the rows of one uid.
    init(accounts: [AccountRow], tokens: [TokenRow]) {
        self.accounts = Set(accounts.filter { !$0.isService }.map(\.account))
        var newest: [Kind: Token] = [:]
        for row in tokens {
            let token = Token(row)
            let kind = Kind(row)
            if let other = newest[kind], other.summary.expiresAt >= token.summary.expiresAt { continue }
            newest[kind] = token
        }
        self.tokens = newest
    }

    /// The differences from an earlier time to this one, accounts before tokens.
    func changes(since before: TokenSnapshot, at now: Moment) -> [TokenEvent] {
        let dropped = before.tokens.filter { kind, token in
            tokens[kind] == nil && !token.expires.hasEnded(at: now) && accounts.contains(kind.account)
        }
        let changes: [(account: String, TokenEvent.SessionChange)] =
            accounts.subtracting(before.accounts).sorted().map { ($0, .signedIn) }
            + before.accounts.subtracting(accounts).sorted().map { ($0, .signedOut) }
            + Set(dropped.keys.map(\.account)).sorted().map { ($0, .changed) }
        let stored = tokens.filter { kind, token in before.tokens[kind] != token && !token.expires.hasEnded(at: now) }
        return changes.map { .sessionChanged(account: $0.account, $0.1) }
            + stored.values.map(\.summary).sorted { $0.expiresAt < $1.expiresAt }.map { .rotated($0) }
    }

    /// The tokens that end soon.
    func endingSoon(at now: Moment) -> Set<Token> { Set(tokens.values.filter { $0.endsSoon(at: now) }) }
}

extension TokenSnapshot.Kind {
    fileprivate init(_ row: TokenRow) {
        self.init(
            account: row.account,
            client: row.client,
            policy: row.policy,
            resource: row.resource,
            scopes: row.scopes
        )
    }
}

extension TokenSnapshot.Token {
    fileprivate init(_ row: TokenRow) {
        let life = row.issuedAt.map { max(0, row.expiresAt - $0) }
        self.init(
            summary: TokenSummary(row),
            expires: row.expires,
            noticeMs: min(TokenSnapshot.noticeMs, (life ?? .max) / 2),
            mark: Self.mark(row.accessToken)
        )
    }

    /// A hash of every byte; that of `Data` is one of the first 80, which tokens of one issuer share.
    private static func mark(_ token: Secret) -> Int {
        var hasher = Hasher()
        token.revealBytes().withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
