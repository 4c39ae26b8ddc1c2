import Foundation
import JWTKit
import Moments
import OAuth
import Testing
import Tokens

/// Tests that this implementation and jwt-kit verify each other's tokens.
@Suite(.timeLimit(.minutes(2)))
struct PeerTests {
    private struct Claims: JWTPayload {
        var iss: String
        var aud: String
        var sub: String
        var exp: Int
        var iat: Int

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    private func claims(_ forge: Forge) -> Claims {
        let now = Int(forge.now.seconds)
        return Claims(iss: Forge.issuer, aud: Forge.audience, sub: "é/\"", exp: now + 60, iat: now)
    }

    @Test("jwt-kit verifies our tokens with our key set", arguments: SigningAlgorithm.allCases)
    func theyRead(_ alg: SigningAlgorithm) async throws {
        let forge = try Forge(alg)
        let sent = claims(forge)
        let token = try TokenMinter.mint(
            typ: .jwt,
            claims: [
                ("iss", .string(sent.iss)), ("aud", .string(sent.aud)), ("sub", .string(sent.sub)),
                ("exp", .int(Int64(sent.exp))), ("iat", .int(Int64(sent.iat))),
            ],
            with: forge.key
        )
        let keys = JWTKeyCollection()
        try await keys.add(jwksJSON: JWKSet(keys: [forge.key.publicKey]).json.text)
        let read = try await keys.verify(token.reveal(), as: Claims.self)
        #expect(read.sub == sent.sub)
        #expect(read.exp == sent.exp)
    }

    @Test("we verify jwt-kit's tokens", arguments: SigningAlgorithm.allCases)
    func weRead(_ alg: SigningAlgorithm) async throws {
        let forge = try Forge(alg)
        let keys = JWTKeyCollection()
        let kid = JWKIdentifier(string: forge.key.kid)
        let bytes = try forge.key.serialized.revealBytes()
        switch alg {
        case .es256: await keys.add(ecdsa: try ES256PrivateKey(key: Base64URL.encode(bytes)), kid: kid)
        case .eddsa:
            await keys.add(eddsa: try EdDSA.PrivateKey(d: Base64URL.encode(bytes), curve: .ed25519), kid: kid)
        case .rs256:
            let pem = "-----BEGIN RSA PRIVATE KEY-----\n" + bytes.base64EncodedString(options: .lineLength64Characters)
            let key = try Insecure.RSA.PrivateKey(pem: pem + "\n-----END RSA PRIVATE KEY-----")
            await keys.add(rsa: key, digestAlgorithm: .sha256, kid: kid)
        }
        let token = try await keys.sign(claims(forge), kid: kid)
        let verified = try JWTVerifier.verify(
            token,
            keys: { $0 == forge.key.kid ? forge.key.publicKey : nil },
            expected: forge.expectations(.jwt)
        )
        #expect(verified.subject == "é/\"")
        #expect(verified.expiresAt == forge.now.seconds + 60)
    }
}
