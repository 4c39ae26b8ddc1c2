public import AuthorityStore
import Crypto
import FlowModel
public import Foundation
import Moments
public import OAuth
public import Policies
import StoreRefusals
import Tokens

/// A logout token and the address to send it to.
public struct LogoutNotice: Sendable {
    /// The address that the client registered (`backchannel_logout_uri`).
    public let uri: String
    /// The logout token, which grants no access, but must be sent only to the client.
    public let token: Secret
}

/// Signs logout notices to clients and requests to custom identity providers.
public struct SignedNotices: Sendable {
    let authority: Authority

    /// The lifetime of a logout token, in seconds.
    static let logoutTokenLife: Int64 = 120

    /// Creates the token that tells a client of the end of a session (OpenID Connect Back-Channel Logout §2.4).
    ///
    /// Returns `nil` if the client no longer has a back-channel logout URI or the policy no longer exists.
    ///
    /// - Throws: `Refusal` if there is no key to sign with.
    public func logoutNotice(_ logout: QueuedLogout) async throws -> LogoutNotice? {
        try await Authority.rows.storing {
            let snapshot = try await authority.memory.snapshot()
            guard let client = snapshot.clients[logout.client], let uri = client.backchannelLogoutURI,
                let policy = try? PolicyID(logout.policy), authority.catalogue()[policy] != nil
            else { return nil }
            guard let key = snapshot.ring.signer(client.idTokenAlgorithm) else {
                throw Refusal(.storageFailed, Text("refusal.noSigningKey")).because("no active signing key")
            }
            let now = authority.clock.now.seconds
            let claims: [(String, JSONValue)] = [
                ("iss", .string(authority.settings().issuer(of: policy))),
                ("sub", .string(logout.user.oid)),
                ("aud", .string(client.id)),
                ("iat", .int(now)),
                ("exp", .int(now + Self.logoutTokenLife)),
                ("jti", .string(CorrelationID.random().description)),
                ("sid", .string(SessionClaim.sid(of: logout.session, client: client.id))),
                ("events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
            ]
            return LogoutNotice(uri: uri, token: try TokenMinter.mint(typ: .logoutToken, claims: claims, with: key))
        }
    }

    /// Returns the policy's issuer and token endpoint, the audiences that an assertion may have (RFC 7523 §3).
    public func assertionAudiences(_ policy: PolicyID) -> [String] {
        let settings = authority.settings()
        return [settings.issuer(of: policy), settings.root(of: policy) + AuthorityEndpoint.token.path]
    }

    /// The lifetime of a token that authenticates a request to a custom identity provider, in seconds.
    static let realmRequestLife: Int64 = 60

    /// Returns a token for a custom identity provider, with audience `address` and the SHA-256 hash of `body`.
    ///
    /// - Throws: `Refusal` if there is no key to sign with.
    public func realmRequest(to address: String, body: Data) async throws -> Secret {
        try await Authority.rows.storing {
            guard let key = try await authority.memory.snapshot().ring.signer(.es256) else {
                throw Refusal(.storageFailed, Text("refusal.noSigningKey")).because("no active signing key")
            }
            let now = authority.clock.now.seconds
            let claims: [(String, JSONValue)] = [
                ("iss", .string("\(authority.settings().base)/\(authority.settings().tenant)")),
                ("aud", .string(address)),
                ("iat", .int(now)),
                ("exp", .int(now + Self.realmRequestLife)), ("jti", .string(CorrelationID.random().description)),
                ("body_sha256", .string(Base64URL.encode(Data(SHA256.hash(data: body))))),
            ]
            return try TokenMinter.mint(typ: .realmRequest, claims: claims, with: key)
        }
    }
}

/// The claim that identifies one of the authority's sessions to a client (OpenID Connect Back-Channel Logout §2.1).
enum SessionClaim {
    /// Returns a session's `sid` claim, which is different for each client.
    static func sid(of session: String, client: String) -> String {
        let digest = SHA256.hash(data: Data("sid\u{1F}\(session)\u{1F}\(client)".utf8))
        return Base64URL.encode(Data(digest).prefix(16))
    }
}
