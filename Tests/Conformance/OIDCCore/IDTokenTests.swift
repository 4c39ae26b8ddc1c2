import Authority
import AuthorityStore
import Crypto
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct OIDCCoreIDTokenTests {
    @Test("OpenID Connect Core §2: the ID token is for the client and repeats the nonce") func claims() async throws {
        let site = try await Site()
        let answer = try await site.tokens()
        let claims = try await site.claims(try #require(answer["id_token"]?.string), .jwt, audience: "app")
        #expect(claims["iss"]?.string == Site.issuer)
        #expect(claims["aud"] == "app")
        #expect(claims["sub"]?.string == Site.user.oid)
        #expect(claims["nonce"] == "n-0S6_WzA2Mj")
        #expect(claims["acr"] == "1")
        #expect(claims["amr"] == ["pwd"])
        #expect(claims["auth_time"]?.int == site.time.now.seconds)
        #expect(answer["id_token_expires_in"]?.int == 3600)
    }

    @Test("OpenID Connect Core §3.1.3.6: at_hash is the left half of the access token's hash") func hash() async throws
    {
        let site = try await Site()
        let answer = try await site.tokens()
        let access = try #require(answer["access_token"]?.string)
        let claims = try UnverifiedClaims.of(try #require(answer["id_token"]?.string))
        let half = Data(SHA256.hash(data: Data(access.utf8))).prefix(16)
        #expect(claims["at_hash"]?.string == Base64URL.encode(half))
    }

    @Test("OpenID Connect Core §3.1.2.1: there is no ID token without openid, and no nonce in it without a nonce")
    func asked()
        async throws
    {
        let site = try await Site()
        #expect(try await site.tokens(scopes: ["tasks.read"])["id_token"] == nil)
        let plain = try await site.redeem(try await site.code(nonce: nil))
        #expect(try UnverifiedClaims.of(try #require(plain["id_token"]?.string))["nonce"] == nil)
    }

    @Test("OpenID Connect Core §5.4: the scope profile adds preferred_username to ID tokens, also to renewed ones")
    func username() async throws {
        let site = try await Site()
        let first = try await site.tokens()
        let renewed = try await site.refresh(try #require(first["refresh_token"]?.string))
        for answer in [first, renewed] {
            let claims = try UnverifiedClaims.of(try #require(answer["id_token"]?.string))
            #expect(claims["preferred_username"] == "ada@example.org", "\(claims)")
            let access = try UnverifiedClaims.of(try #require(answer["access_token"]?.string))
            #expect(access["preferred_username"] == nil)
        }
        let plain = try await site.tokens(scopes: ["openid", "tasks.read"])
        let claims = try UnverifiedClaims.of(try #require(plain["id_token"]?.string))
        #expect(claims["preferred_username"] == nil)
    }

    @Test("OpenID Connect Core §12.2: a renewed ID token has the time of the first sign-in") func renewed() async throws
    {
        let site = try await Site()
        let first = try await site.tokens()
        let before = try UnverifiedClaims.of(try #require(first["id_token"]?.string))
        site.time.advance(by: .seconds(600))
        let renewed = try await site.refresh(try #require(first["refresh_token"]?.string))
        let after = try UnverifiedClaims.of(try #require(renewed["id_token"]?.string))
        for name in ["iss", "sub", "aud", "auth_time", "azp"] { #expect(after[name] == before[name], "\(name)") }
        #expect(after["iat"] != before["iat"])
    }
}
