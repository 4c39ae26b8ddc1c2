import Crypto
import Foundation
import HTTPTypes
public import OAuth

/// The sender of a request: a person with a token, a program with a key, both, or an anonymous sender.
public struct RequestIdentity: Sendable {
    /// The identity named by the request's token; nil without a token.
    public let identity: BearerIdentity?
    /// True if the request carries the application key.
    public let hasApplicationKey: Bool
    /// True if the request carries the master key.
    public let hasMasterKey: Bool
    /// The keys that are configured.
    let keys: AccessKeys
}

/// The two keys that open tables to programs; only their hashes are kept, and they are compared in constant time.
public struct AccessKeys: Hashable, Sendable {
    private let application: Secret?
    private let master: Secret?

    /// Makes the keys from their texts; a missing one opens nothing.
    public init(application: Secret? = nil, master: Secret? = nil) {
        self.application = application.map(Self.digest)
        self.master = master.map(Self.digest)
    }

    /// True if an application key is configured.
    var opensApplication: Bool { application != nil }

    /// True if a master key is configured.
    var opensAdministration: Bool { master != nil }

    /// True if `X-ZUMO-APPLICATION` is the application key.
    func hasApplicationKey(_ fields: HTTPFields) -> Bool { Self.has(application, "X-ZUMO-APPLICATION", fields) }

    /// True if `X-ZUMO-MASTER` is the master key.
    func hasMasterKey(_ fields: HTTPFields) -> Bool { Self.has(master, "X-ZUMO-MASTER", fields) }

    private static func has(_ key: Secret?, _ name: String, _ fields: HTTPFields) -> Bool {
        guard let key, let value = HTTPField.Name(name).flatMap({ fields[$0] }) else { return false }
        return key == digest(Secret(value))
    }

    /// Hashes a key: hashes have one length, so that comparing them reveals nothing of the key's.
    private static func digest(_ secret: Secret) -> Secret { Secret(bytes: SHA256.hash(data: secret.revealBytes())) }
}

/// The person that a verified access token names.
public struct BearerIdentity: Hashable, Sendable {
    /// The person's id (`oid`).
    public let oid: String
    /// The owner of the person's rows: the authority and the person's id.
    public let owner: String
    /// The scopes that the token grants.
    public let scopes: Set<Scope>
    /// True if a missing scope is refused; false if scopes are not looked at.
    public let requiresScopes: Bool
    /// All claims of the token.
    public var claims: [String: JSONValue] = [:]

    /// The time at which the token was made (`iat`, which every one has), in seconds since 1970 UTC.
    var issuedAt: Int64 { claims["iat"]?.numericDate ?? 0 }

    /// True if the person is in the group `admins`, whose members need no key.
    public var isAdministrator: Bool {
        guard let groups = claims["groups"] else { return false }
        return (groups.strings ?? groups.string.map { [$0] } ?? []).contains("admins")
    }

    /// True if the token grants `scope`, or if no scope is required.
    public func may(_ scope: String?) -> Bool {
        guard requiresScopes, let scope else { return true }
        return scopes.contains { $0.name == scope }
    }
}
