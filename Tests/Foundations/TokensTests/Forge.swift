import Moments
import OAuth
import TestSupport
import Tokens

/// Creates tokens with any header, any payload and a valid signature, as no honest issuer creates them.
struct Forge {
    static let issuer = "http://localhost:8420/b2c_1_sign_in/v2.0/"
    static let audience = "https://tasks.example"

    let key: SigningKey
    let now = TestClock().now

    init(_ alg: SigningAlgorithm = .es256) throws {
        key = try SigningKey.generate(alg)
    }

    var header: [String: JSONValue] {
        ["alg": .string(key.alg.rawValue), "kid": .string(key.kid), "typ": "at+jwt"]
    }

    var claims: [String: JSONValue] {
        [
            "iss": .string(Self.issuer), "aud": .string(Self.audience), "sub": "s", "client_id": "c", "jti": "j",
            "iat": .int(now.seconds), "exp": .int(now.seconds + 3600), "scope": "tasks.read tasks.write",
        ]
    }

    func token(header: String, payload: String) throws -> String {
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)))
    }

    func token(header: [String: JSONValue]? = nil, claims: [String: JSONValue]? = nil) throws -> String {
        try token(
            header: JSONValue.object(header ?? self.header).text,
            payload: JSONValue.object(claims ?? self.claims).text
        )
    }

    func expectations(
        _ type: TokenType = .accessToken,
        at moment: Moment? = nil,
        leeway: Int64 = 0
    ) -> Expectations {
        Expectations(
            type: type,
            issuer: Self.issuer,
            audiences: [Self.audience],
            now: moment ?? now,
            leewaySec: leeway
        )
    }

    /// Returns the reason why a token is rejected, or `nil` if it is accepted.
    func refusal(_ token: String, _ expected: Expectations? = nil) -> TokenError.Code? {
        do throws(TokenError) {
            _ = try JWTVerifier.verify(
                token,
                keys: { $0 == key.kid ? key.publicKey : nil },
                expected: expected ?? expectations()
            )
            return nil
        } catch {
            return error.code
        }
    }
}
