import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct RFC9068AccessTokenTests {
    @Test("RFC 9068 §2.1: a token declares that it is an access token, and is signed with a published key") func type()
        async throws
    {
        let site = try await Site()
        let token = try #require(try await site.tokens()["access_token"]?.string)
        #expect(try UnverifiedJWT(token).typ == "at+jwt")
        _ = try await site.claims(token, .accessToken, audience: "tasks-audience")
    }

    @Test("RFC 9068 §2.2: all claims are present, together with B2C's names") func claims() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["access_token"]?.string)
        let claims = try await site.claims(token, .accessToken, audience: "tasks-audience")
        for name in ["iss", "exp", "aud", "sub", "client_id", "iat", "jti", "auth_time", "acr", "amr", "scope"] {
            #expect(claims[name] != nil, "\(name)")
        }
        #expect(claims["tfp"]?.string == Site.policy)
        #expect(claims["oid"]?.string == Site.user.oid)
        #expect(claims["scp"] == claims["scope"])
        #expect(claims["nonce"] == nil)
    }
}
