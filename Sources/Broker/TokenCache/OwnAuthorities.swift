import DurableSQLite
import Foundation
import GRDB
public import OAuth
public import Storage

/// An external authority that a user has added for one uid.
public struct OwnAuthorityRow: Hashable, Sendable {
    /// The authority's name, which callers use in place of a policy name.
    public let name: String
    /// The authority's display name.
    public let displayName: String
    /// The issuer URL of the authority.
    public var issuer: String
    /// The name of the preset that the authority is based on, or `nil` for a generic OpenID provider.
    public let preset: String?
    /// The `client_id` to use at the authority.
    public let clientID: String
    /// The client secret to use at the authority, or `nil` for a public client.
    public let clientSecret: Secret?
    /// The scopes that are requested if a token request does not specify any scopes.
    public let scopes: [String]
    /// Additional scopes that are requested whenever the user must be prompted.
    public let additionalScopes: [String]
    /// Additional parameters to include in authorization requests.
    public let parameters: [String: String]
    /// The origins (`https://host[:port]`) to which tokens from the authority may be sent.
    public let origins: [String]

    /// Creates a description of an external authority.
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
    /// The external authorities that users have added, each encrypted with the same key as its uid's other rows.
    public struct OwnAuthorities: Sendable {
        let core: CacheCore

        /// The maximum number of authorities per uid.
        public static let perUID: Int64 = 16
        static let body = SealedColumn("own_authorities", "body")

        /// Returns a uid's authorities, sorted by name.
        public func list(uid: UInt32) throws(StoreError) -> [OwnAuthorityRow] {
            try core.rows(of: uid, opened) { db in
                try db.rows("SELECT * FROM own_authorities WHERE uid = :uid", ["uid": uid])
            }.sorted { $0.name < $1.name }
        }

        /// Returns a uid's authority with the given name, or `nil` if the uid has no authority with this name.
        public func get(uid: UInt32, name: String) throws(StoreError) -> OwnAuthorityRow? {
            try core.rows(of: uid, opened) { db in
                try db.rows(
                    "SELECT * FROM own_authorities WHERE id = :id AND uid = :uid",
                    ["id": Self.id(uid, name), "uid": uid]
                )
            }.first
        }

        /// Adds an authority, or returns `false` if the uid already has an authority with this name.
        ///
        /// - Throws: `locked` if the uid is locked, or `limitExceeded` if the uid already has ``perUID`` authorities.
        public func add(uid: UInt32, _ row: OwnAuthorityRow) async throws(StoreError) -> Bool {
            try await core.setDamagedAside()
            let id = Self.id(uid, row.name)
            let isAdded = try await core.database.write { db in
                let count = try db.number("SELECT count(*) FROM own_authorities WHERE uid = :uid", ["uid": uid])
                guard try db.number("SELECT count(*) FROM own_authorities WHERE id = :id", ["id": id]) == 0 else {
                    return false
                }
                guard count < Self.perUID else {
                    throw StoreError(.limitExceeded, "this uid already has \(Self.perUID) external authorities")
                }
                let body = try core.sealing(of: uid).seal(Body(row), as: Self.body, row: id)
                try db.insert(into: "own_authorities", ["id": id, "uid": uid, "body": body])
                return true
            }
            core.memory.raise(uid)
            return isAdded
        }

        /// Removes a uid's authority with the given name, or returns `false` if no authority has this name.
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

    /// The external authorities that users have added.
    public var ownAuthorities: OwnAuthorities { OwnAuthorities(core: core) }
}

/// The encrypted content of an authority's row, which is the only copy of the client secret.
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
