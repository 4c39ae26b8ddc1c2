import Foundation
public import RemoteKeys

/// An authority whose tokens are believed, and for what.
public struct Trust: Hashable, Sendable {
    /// Where its keys are fetched.
    public let origin: KeyOrigin
    /// `{base}` of its issuers.
    public let base: String
    /// `{tenant}` of its issuers.
    public let tenant: String
    /// The policies whose tokens are believed; nil for all of them.
    public var policies: Set<String>?
    /// Whom the tokens must be for; one of these stands in `aud`.
    public let audiences: [String]
    /// Whether a token must have the scope of what is asked for.
    public var requiresScopes = true

    /// Trust in an authority's tokens for `audiences`.
    public init(origin: KeyOrigin, base: String, tenant: String, audiences: [String]) {
        self.origin = origin
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.tenant = tenant
        self.audiences = audiences
    }

    /// What the owners of this authority's rows are prefixed with, so that no other authority can name them.
    var realm: String { "\(base)/\(tenant)" }

    /// The policy whose issuer this is, if its tokens are believed.
    func policy(ofIssuer issuer: String) -> String? {
        let prefix = realm + "/"
        let suffix = "/v2.0"
        guard issuer.hasPrefix(prefix), issuer.hasSuffix(suffix), issuer.count > prefix.count + suffix.count else {
            return nil
        }
        let policy = String(issuer.dropFirst(prefix.count).dropLast(suffix.count))
        // The policy becomes part of a path, and comes from a token that nobody has verified yet.
        guard policy.utf8.count <= 64, policy.utf8.allSatisfy(Self.isPolicyByte) else { return nil }
        return policies?.contains(policy) ?? true ? policy : nil
    }

    private static func isPolicyByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
    }
}
