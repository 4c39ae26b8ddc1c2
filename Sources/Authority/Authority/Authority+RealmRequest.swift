import Crypto
import FlowModel
public import Foundation
import Moments
public import OAuth
public import Policies
import StoreRefusals
import Tokens

extension Authority {
    /// The names of this authority in statements of others about people who use a policy: its issuer, and the address of its
    /// token endpoint (RFC 7523 §3).
    public func assertionAudiences(_ policy: PolicyID) -> [String] {
        let settings = settings()
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
        try await Self.rows.storing {
            guard let key = try await memory.snapshot().ring.signer(.es256) else {
                throw Refusal(.storageFailed, "there is no key to sign with").because("no active signing key")
            }
            let now = clock.now.seconds
            let claims: [(String, JSONValue)] = [
                ("iss", .string("\(settings().base)/\(settings().tenant)")), ("aud", .string(address)),
                ("iat", .int(now)),
                ("exp", .int(now + Self.realmRequestLife)), ("jti", .string(CorrelationID.random().description)),
                ("body_sha256", .string(Base64URL.encode(Data(SHA256.hash(data: body))))),
            ]
            return try TokenMinter.mint(typ: .realmRequest, claims: claims, with: key)
        }
    }
}
