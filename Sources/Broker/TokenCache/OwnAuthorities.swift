import DurableSQLite
import Foundation
import GRDB
public import OAuth
public import Storage

/// An outside authority that a uid has added for itself.
public struct OwnAuthorityRow: Hashable, Sendable {
    /// Its name, which stands where a policy is named.
    public let name: String
    /// The name that people see.
    public let displayName: String
    /// The issuer.
    public var issuer: String
    /// The word of the preset that it was added by; nil for any OpenID authority.
    public let preset: String?
    /// The uid's client id there.
    public let clientID: String
    /// The uid's secret there; nil for a public client.
    public let clientSecret: Secret?
    /// The scopes of a token that is asked for without any.
    public let scopes: [String]
    /// Scopes to ask consent for, too.
    public let additionalScopes: [String]
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// The origins that its tokens may be sent to, as `https://host[:port]`.
    public let origins: [String]

    /// Describes an authority.
    public init(
        name: String,
        displayName: String,
        issuer: String,
        preset: String?,
        clientID: String,
        clientSecret: Secret?,
        scopes: [String],
        additionalScopes: [String],
        parameters: [String: String],
        origins: [String] = []
    ) {
        self.name = name
        self.displayName = displayName
        self.issuer = issuer
        self.preset = preset
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.additionalScopes = additionalScopes
        self.parameters = parameters
        self.origins = origins
    }
}

extension TokenCache {
    /// The outside authorities that each uid has added for itself, sealed like every row of the uid.
    public struct OwnAuthorities: Sendable {
        let core: CacheCore

        /// The greatest number of authorities of one uid.
        public static let perUID: Int64 = 16
        static let body = SealedColumn("own_authorities", "body")

        /// The authorities of a uid, by name.
        public func list(uid: UInt32) throws(StoreError) -> [OwnAuthorityRow] {
            try core.rows(of: uid, opened) { db in
                try db.rows("SELECT * FROM own_authorities WHERE uid = :uid", ["uid": uid])
            }.sorted { $0.name < $1.name }
        }

        /// The authority of a name; nil if the uid has none.
        public func get(uid: UInt32, name: String) throws(StoreError) -> OwnAuthorityRow? {
            try core.rows(of: uid, opened) { db in
                try db.rows(
                    "SELECT * FROM own_authorities WHERE id = :id AND uid = :uid",
                    ["id": Self.id(uid, name), "uid": uid]
                )
            }.first
        }

        /// Adds an authority.
        ///
        /// - Returns: False if the uid has one of this name already.
        /// - Throws: `locked`, or `limitExceeded` for one too many.
        public func add(uid: UInt32, _ row: OwnAuthorityRow) async throws(StoreError) -> Bool {
            try await core.setDamagedAside()
            let id = Self.id(uid, row.name)
            let isAdded = try await core.database.write { db in
                let count = try db.number("SELECT count(*) FROM own_authorities WHERE uid = :uid", ["uid": uid])
                guard try db.number("SELECT count(*) FROM own_authorities WHERE id = :id", ["id": id]) == 0 else {
                    return false
                }
                guard count < Self.perUID else {
                    throw StoreError(.limitExceeded, "this uid has \(Self.perUID) outside authorities of its own")
                }
                let body = try core.sealing(of: uid).seal(Body(row), as: Self.body, row: id)
                try db.insert(into: "own_authorities", ["id": id, "uid": uid, "body": body])
                return true
            }
            core.memory.raise(uid)
            return isAdded
        }

        /// Removes the authority of a name.
        ///
        /// - Returns: False if the uid has none.
        public func remove(uid: UInt32, name: String) async throws(StoreError) -> Bool {
            _ = try core.sealing(of: uid)
            let id = Self.id(uid, name)
            let count = try await core.database.write { db in
                try db.run("DELETE FROM own_authorities WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
            }
            core.memory.raise(uid)
            return count > 0
        }

        private static func id(_ uid: UInt32, _ name: String) -> String { CacheCore.rowID(["\(uid)", name]) }

        private func opened(_ row: Row) throws -> OwnAuthorityRow {
            OwnAuthorityRow(try core.sealing(of: try row.get("uid")).decode(Self.body, of: row))
        }
    }

    /// The outside authorities that each uid has added for itself.
    public var ownAuthorities: OwnAuthorities { OwnAuthorities(core: core) }
}

/// The sealed part of a row; the only place where the secret is written.
private struct Body: Codable {
    let name: String
    let displayName: String
    let issuer: String
    let preset: String?
    let clientID: String
    let clientSecret: String?
    let scopes: [String]
    let additionalScopes: [String]
    let parameters: [String: String]
    let origins: [String]

    init(_ row: OwnAuthorityRow) {
        name = row.name
        displayName = row.displayName
        issuer = row.issuer
        preset = row.preset
        clientID = row.clientID
        clientSecret = row.clientSecret?.reveal()
        scopes = row.scopes
        additionalScopes = row.additionalScopes
        parameters = row.parameters
        origins = row.origins
    }
}

extension OwnAuthorityRow {
    fileprivate init(_ body: Body) {
        self.init(
            name: body.name,
            displayName: body.displayName,
            issuer: body.issuer,
            preset: body.preset,
            clientID: body.clientID,
            clientSecret: body.clientSecret.map { Secret($0) },
            scopes: body.scopes,
            additionalScopes: body.additionalScopes,
            parameters: body.parameters,
            origins: body.origins
        )
    }
}
