public import AuthorityStore
import Crypto
import FlowModel
public import Foundation
import Moments
public import OAuth
public import Policies
import StoreRefusals
import Tokens

/// A logout token, and the address it is sent to.
public struct LogoutNotice: Sendable {
    /// The address that the client registered.
    public let uri: String
    /// The token; it says nothing that opens anything, but is for the client only.
    public let token: Secret
}

/// What the authority signs for others beside tokens: notices of sign-outs, and requests to custom identity providers.
public struct SignedNotices: Sendable {
    let authority: Authority

    /// The seconds for which a logout token is good.
    static let logoutTokenLife: Int64 = 120

    /// Makes the logout token of a session that has ended (OpenID Connect Back-Channel Logout §2.4).
    ///
    /// - Parameter logout: The sign-out.
    /// - Returns: The token and its address; nil if the client is not told any more, or its policy is gone.
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

    /// The names of this authority in statements of others about people who use a policy: its issuer, and the address of its
    /// token endpoint (RFC 7523 §3).
    public func assertionAudiences(_ policy: PolicyID) -> [String] {
        let settings = authority.settings()
        return [settings.issuer(of: policy), settings.root(of: policy) + AuthorityEndpoint.token.path]
    }

    /// The seconds for which the proof of a request is good.
    static let realmRequestLife: Int64 = 60

    /// Signs a request to a custom identity provider: for its address and its body, and for a minute.
    ///
    /// - Parameters:
    ///   - address: The address of the request, the token's audience.
    ///   - body: The body, whose SHA-256 the token holds.
    /// - Returns: The token; the authority's published keys verify it.
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

/// The claim by which a client knows a session of the authority (OpenID Connect Back-Channel Logout §2.1).
enum SessionClaim {
    /// The `sid` of a session, a different one for each client.
    static func sid(of session: String, client: String) -> String {
        let digest = SHA256.hash(data: Data("sid\u{1F}\(session)\u{1F}\(client)".utf8))
        return Base64URL.encode(Data(digest).prefix(16))
    }
}
