import Crypto
import Foundation
import HTTPTypes
public import OAuth

/// The sender of a request: a user with a token, a program with an access key, both, or neither.
public struct RequestIdentity: Sendable {
    /// The user named by the request's token, or `nil` if the request has no token.
    public let identity: BearerIdentity?
    /// Whether the request contains the application key.
    public let hasApplicationKey: Bool
    /// Whether the request contains the master key.
    public let hasMasterKey: Bool
    let keys: AccessKeys
}

/// The two access keys with which programs can access tables, stored as hashes and compared in constant time.
public struct AccessKeys: Hashable, Sendable {
    private let application: Secret?
    private let master: Secret?

    /// Creates the configured access keys, where `nil` disables a key.
    public init(application: Secret? = nil, master: Secret? = nil) {
        self.application = application.map(Self.digest)
        self.master = master.map(Self.digest)
    }

    var opensApplication: Bool { application != nil }

    var opensAdministration: Bool { master != nil }

    func hasApplicationKey(_ fields: HTTPFields) -> Bool { Self.has(application, "X-ZUMO-APPLICATION", fields) }

    func hasMasterKey(_ fields: HTTPFields) -> Bool { Self.has(master, "X-ZUMO-MASTER", fields) }

    private static func has(_ key: Secret?, _ name: String, _ fields: HTTPFields) -> Bool {
        guard let key, let value = HTTPField.Name(name).flatMap({ fields[$0] }) else { return false }
        return key == digest(Secret(value))
    }

    /// Returns the hash of a key, so that a comparison does not reveal the key's length.
    private static func digest(_ secret: Secret) -> Secret { Secret(bytes: SHA256.hash(data: secret.revealBytes())) }
}

/// The user named by a verified access token.
public struct BearerIdentity: Hashable, Sendable {
    /// The user's id (`oid`).
    public let oid: String
    /// The owner of the user's rows, composed of the authority and the user's id.
    public let owner: String
    /// The scopes that the token grants.
    public let scopes: Set<Scope>
    /// Whether a request is rejected if the token lacks a required scope.
    public let requiresScopes: Bool
    /// All claims of the token.
    public var claims: [String: JSONValue] = [:]

    /// The time at which the token was issued (`iat`, a required claim), in seconds since 1970 UTC.
    var issuedAt: Int64 { claims["iat"]?.numericDate ?? 0 }

    /// Whether the user is in the group `admins`, whose members do not need the master key.
    public var isAdministrator: Bool {
        guard let groups = claims["groups"] else { return false }
        return (groups.strings ?? groups.string.map { [$0] } ?? []).contains("admins")
    }

    /// Returns `true` if the token grants `scope`, if `scope` is `nil`, or if ``requiresScopes`` is `false`.
    public func may(_ scope: String?) -> Bool {
        guard requiresScopes, let scope else { return true }
        return scopes.contains { $0.name == scope }
    }
}
