import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// The accounts of a uid, the one used last first.
    public func accounts(uid: UInt32) throws(StoreError) -> [AccountRow] {
        _ = try sealing(of: uid)
        return try database.readNow { db in
            try opened(
                db.rows("SELECT * FROM accounts WHERE uid = :uid ORDER BY last_used DESC, id", ["uid": uid]),
                account
            )
        }
    }

    /// One account of a uid.
    public func account(uid: UInt32, id: String) throws(StoreError) -> AccountRow? {
        _ = try sealing(of: uid)
        return try database.readNow { db in try account(db, uid: uid, id: id) }
    }

    /// The tokens that the query selects, the one that ends last first; ended ones too.
    public func find(_ query: TokenQuery) throws(StoreError) -> [TokenRow] {
        _ = try sealing(of: query.uid)
        let wanted = Set(query.scopes)
        return try database.readNow { db in
            let rows =
                if let account = query.account {
                    try db.rows(
                        """
                        SELECT * FROM tokens WHERE account = :account AND client = :client AND uid = :uid
                        ORDER BY expires_wall DESC
                        """,
                        ["account": account, "client": query.client, "uid": query.uid]
                    )
                } else {
                    try db.rows(
                        "SELECT * FROM tokens WHERE uid = :uid AND client = :client ORDER BY expires_wall DESC",
                        ["client": query.client, "uid": query.uid]
                    )
                }
            // Columns in clear text are compared first; only matching rows are opened.
            let fitting = try rows.filter { row in
                guard try row.get("authority") == query.authority else { return false }
                if let policy = query.policy, try row.get("policy") != policy { return false }
                if let resource = query.resource, try row.get("resource") != resource { return false }
                return wanted.isSubset(of: try scopes(row))
            }
            return try opened(fitting, token)
        }
    }

    /// All tokens of a uid, or of one account.
    public func tokens(uid: UInt32, account: String? = nil) throws(StoreError) -> [TokenRow] {
        _ = try sealing(of: uid)
        return try database.readNow { db in
            let rows =
                if let account {
                    try db.rows(
                        "SELECT * FROM tokens WHERE account = :account AND uid = :uid ORDER BY expires_wall DESC",
                        ["account": account, "uid": uid]
                    )
                } else {
                    try db.rows("SELECT * FROM tokens WHERE uid = :uid ORDER BY expires_wall DESC", ["uid": uid])
                }
            return try opened(rows, token)
        }
    }

    /// Counts a uid's accounts, and its tokens that have not ended, without opening a row.
    public func counts(uid: UInt32) throws(StoreError) -> (accounts: Int64, tokens: Int64) {
        let now = clock.now
        return try database.readNow { db in
            let accounts = try db.number("SELECT count(*) FROM accounts WHERE uid = :uid", ["uid": uid])
            let tokens = try db.number(
                """
                SELECT count(*) FROM tokens WHERE uid = :uid AND expires_wall > :wall
                    AND NOT (expires_boot_id = :boot_id AND expires_boot <= :boot)
                """,
                ["uid": uid, "wall": now.wall, "boot": now.boot, "boot_id": now.bootID]
            )
            return (accounts, tokens)
        }
    }

    /// The newest refresh token of an account for a client and policy.
    public func refreshToken(
        uid: UInt32,
        account: String,
        client: String,
        policy: String
    ) throws(StoreError) -> RefreshTokenRow? {
        _ = try sealing(of: uid)
        let id = Self.rowID([account, client, policy])
        return try database.readNow { db in
            try opened(
                db.rows("SELECT * FROM refresh_tokens WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
            ) { row in
                RefreshTokenRow(
                    client: try row.get("client"),
                    policy: try row.get("policy"),
                    token: Secret(
                        bytes: try sealing(of: uid).open(try row.get("token"), Self.refreshToken, row: id)
                    ),
                    expires: try row.deadline("expires")
                )
            }.first
        }
    }

    /// The number of the uid's newest sign-out.
    ///
    /// It is read before a renewal, and compared with the account's when the new tokens are stored.
    public func signOutGeneration(uid: UInt32) throws(StoreError) -> Int64 {
        try database.readNow { db in try Self.signOutGeneration(db, uid) }
    }

    /// True if an account, or everybody of the uid, was signed out after ``signOutGeneration(uid:)`` was `generation`.
    public func isSignedOut(uid: UInt32, account: String, since generation: Int64) throws(StoreError) -> Bool {
        try database.readNow { db in try Self.isSignedOut(db, uid, account, since: generation) }
    }

    /// The sign-outs that authorities have yet to do, oldest first.
    public func pendingSignOuts() throws(StoreError) -> [SignOutTicket] {
        try database.readNow { db in
            try opened(
                db.rows("SELECT * FROM pending_sign_outs ORDER BY at LIMIT 10000"),
                ticket
            )
        }
    }

    /// The sign-outs of one uid that authorities have yet to do.
    public func pendingSignOuts(uid: UInt32) throws(StoreError) -> [SignOutTicket] {
        try database.readNow { db in
            try opened(
                db.rows("SELECT * FROM pending_sign_outs WHERE uid = :uid ORDER BY at", ["uid": uid]),
                ticket
            )
        }
    }

    static let accountBody = SealedColumn("accounts", "body")
    static let tokenBody = SealedColumn("tokens", "body")
    static let refreshToken = SealedColumn("refresh_tokens", "token")
    static let targets = SealedColumn("pending_sign_outs", "targets")

    static func signOutGeneration(_ db: Database, _ uid: UInt32) throws -> Int64 {
        try db.number("SELECT max(generation) FROM sign_outs WHERE uid = :uid", ["uid": uid])
    }

    static func isSignedOut(
        _ db: Database,
        _ uid: UInt32,
        _ account: String,
        since generation: Int64
    ) throws -> Bool {
        try db.number(
            "SELECT max(generation) FROM sign_outs WHERE uid = :uid AND account IN (:all, :account)",
            ["uid": uid, "all": everybody, "account": account]
        ) > generation
    }

    /// The account id under which sign-outs of everybody of a uid are stored.
    static let everybody = ""

    func account(_ db: Database, uid: UInt32, id: String) throws -> AccountRow? {
        try opened(
            db.rows("SELECT * FROM accounts WHERE id = :id AND uid = :uid", ["id": id, "uid": uid]),
            account
        ).first
    }

    /// The persons to sign out with these accounts.
    func targets(_ rows: [Row], _ sealing: RowSealing) throws -> [SignOutTicket.Target] {
        try opened(rows) { row in
            let account = try account(row, sealing)
            return SignOutTicket.Target(
                account: account.account,
                authority: account.authority,
                subject: account.subject
            )
        }
    }

    /// True if a row that did not open still does not; false while it is locked, since that cannot be decided then.
    func isDamaged(_ damage: DamagedRow) -> Bool {
        let column = damage.column
        let opens = try? database.readNow { db in
            guard
                let row = try db.row(
                    "SELECT uid, \(column.column) FROM \(column.table) WHERE \(column.key) = :row",
                    ["row": damage.row]
                )
            else { return true }
            let sealed: Data = try row.get(column.column)
            if column == Self.targets { return (try? sealing.open(sealed, column, row: damage.row)) != nil }
            guard let own = try? sealing(of: try row.get("uid")) else { return true }
            return (try? own.open(sealed, column, row: damage.row)) != nil
        }
        return opens == false
    }

    /// The rows that open; the others are treated as absent and are set aside by the next write.
    private func opened<T>(_ rows: [Row], _ open: (Row) throws -> T) throws -> [T] {
        try rows.compactMap { row in
            do {
                return try open(row)
            } catch let damage as DamagedRow {
                memory.remember(damage)
                return nil
            }
        }
    }

    private func account(_ row: Row) throws -> AccountRow {
        try account(row, try sealing(of: try row.get("uid")))
    }

    private func account(_ row: Row, _ sealing: RowSealing) throws -> AccountRow {
        let id: String = try row.get("id")
        let body = try sealing.open(AccountBody.self, try row.get("body"), as: Self.accountBody, row: id)
        return AccountRow(
            account: id,
            uid: try row.get("uid"),
            authority: try row.get("authority"),
            subject: body.subject,
            username: body.username,
            displayName: body.displayName,
            policies: body.policies,
            lastPolicy: body.lastPolicy,
            lastUsed: try row.get("last_used"),
            createdAt: try row.get("created_at"),
            isDefault: try row.get("is_default")
        )
    }

    private func token(_ row: Row) throws -> TokenRow {
        let id: String = try row.get("id")
        let sealing = try sealing(of: try row.get("uid"))
        let body = try sealing.open(TokenBody.self, try row.get("body"), as: Self.tokenBody, row: id)
        return TokenRow(
            uid: try row.get("uid"),
            account: try row.get("account"),
            client: try row.get("client"),
            authority: try row.get("authority"),
            policy: try row.get("policy"),
            resource: try row.get("resource"),
            scopes: try scopes(row),
            accessToken: Secret(body.accessToken),
            idToken: body.idToken.map { Secret($0) },
            expires: try row.deadline("expires"),
            expiresAt: body.expiresAt,
            acr: body.acr,
            amr: body.amr,
            authTime: body.authTime,
            claims: body.claims,
            username: body.username
        )
    }

    func ticket(_ row: Row) throws -> SignOutTicket {
        let id: String = try row.get("id")
        return SignOutTicket(
            id: id,
            uid: try row.get("uid"),
            isAll: try row.get("is_all"),
            targets: try sealing.open(
                [SignOutTicket.Target].self,
                try row.get("targets"),
                as: Self.targets,
                row: id
            ),
            at: try row.get("at")
        )
    }

    private func scopes(_ row: Row) throws -> [String] {
        let text: String = try row.get("scopes")
        return text.isEmpty ? [] : text.split(separator: " ").map(String.init)
    }
}

/// The sealed part of an account's row.
struct AccountBody: Codable {
    let subject: String
    let username: String
    let displayName: String?
    let policies: [String]
    let lastPolicy: String
}

/// The sealed part of an access token's row.
struct TokenBody: Codable {
    let accessToken: String
    let idToken: String?
    let expiresAt: Int64
    let acr: String
    let amr: [String]
    let authTime: Int64
    let claims: Data
    let username: String

    init(_ token: TokenRow) {
        accessToken = token.accessToken.reveal()
        idToken = token.idToken?.reveal()
        expiresAt = token.expiresAt
        acr = token.acr
        amr = token.amr
        authTime = token.authTime
        claims = token.claims
        username = token.username
    }
}
