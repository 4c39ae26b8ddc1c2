import FlowModel
import Foundation
import Moments
import OAuth
import TokenCache

/// The accounts and the newest tokens of a uid at one point in time, to be compared with a later snapshot.
struct TokenSnapshot: Sendable {
    /// The properties that a token shares with its replacement.
    struct Kind: Hashable, Sendable {
        let account: String
        let client: String
        let policy: String
        let resource: String
        let scopes: [String]
    }

    struct Token: Hashable, Sendable {
        let summary: TokenSummary
        let expires: Deadline
        /// How many milliseconds before its expiry the token is announced as expiring soon.
        let noticeMs: Int64
        /// A hash, valid only in this process, that distinguishes tokens that expire at the same time.
        let mark: Int

        func endsSoon(at now: Moment) -> Bool {
            !expires.hasEnded(at: now) && summary.expiresAt - now.wall <= noticeMs
        }
    }

    /// The usual value of ``Token/noticeMs``.
    ///
    /// If half of a token's lifetime is shorter than this, that half is used instead.
    static let noticeMs: Int64 = 120_000

    /// The ids of the accounts that belong to users, not to services.
    let accounts: Set<String>
    let tokens: [Kind: Token]

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

    /// Returns the changes since an earlier snapshot: first the changes to accounts, then the changes to tokens.
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

    /// Returns a hash of all bytes of a token, because `Data` hashes only the first 80 bytes, which tokens can share.
    private static func mark(_ token: Secret) -> Int {
        var hasher = Hasher()
        token.revealBytes().withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
