import Foundation
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@testable import Authority

/// The authority signs its requests to custom identity providers.
@Suite(.timeLimit(.minutes(1)))
struct RealmRequestTests {
    private let address = "https://idp.example/base/apps/guid/corp/startAuthorization"

    @Test("a request is signed by a published key for its address, body and one minute, and is no other kind of token")
    func signed() async throws {
        let scene = try await Scene()
        let proof = try await scene.authority.notices.realmRequest(to: address, body: Data("abc".utf8)).reveal()
        let keys = try JWKSet.parse(try await scene.authority.issuers.jwks())
        func verified(_ type: TokenType, _ audience: String) throws -> [String: JSONValue] {
            try JWTVerifier.verify(
                proof,
                keys: { keys.key(kid: $0) },
                expected: Expectations(
                    type: type,
                    issuer: "http://localhost:8420/local",
                    audiences: [audience],
                    now: scene.time.now
                )
            ).claims
        }
        let claims = try verified(.realmRequest, address)
        #expect(claims["body_sha256"] == "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
        #expect(claims["exp"]?.int == scene.time.now.seconds + 60)
        let other = try await scene.authority.notices.realmRequest(to: address, body: Data("abc".utf8)).reveal()
        #expect(other != proof)
        func code(_ type: TokenType, _ audience: String) -> TokenError.Code? {
            #expect(throws: TokenError.self) { try verified(type, audience) }?.code
        }
        #expect(code(.realmRequest, address + "/") == .wrongAudience)
        for type in TokenType.allCases where type != .realmRequest { #expect(code(type, address) == .wrongType) }
        scene.time.advance(by: .seconds(61))
        #expect(code(.realmRequest, address) == .expired)
    }
}
