import Authority
import AuthorityStore
import FlowModel
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct OIDCBackChannelLogoutTests {
    /// Returns the sign-outs of which clients have not been notified yet.
    private func waiting(_ site: Site) async throws -> [QueuedLogout] {
        try await site.store.logouts.take(limit: 10, lease: .seconds(60))
    }

    private func idToken(_ answer: Site.Answer) throws -> [String: JSONValue] {
        try UnverifiedClaims.of(try #require(answer["id_token"]?.string))
    }

    @Test(
        "Back-Channel Logout §2.1: sid names the session to a client with a logout URI, and renewals preserve it"
    )
    func sessionClaim() async throws {
        let site = try await Site()
        let answer = try await site.tokens(client: "told")
        let sid = try #require(try idToken(answer)["sid"]?.string)
        #expect(sid.count == 22)
        let refresh = try #require(answer["refresh_token"]?.string)
        let renewed = try await site.refresh(refresh, ["client_id": "told"])
        #expect(try idToken(renewed)["sid"]?.string == sid)
        #expect(try idToken(try await site.tokens())["sid"] == nil)
    }

    @Test("Back-Channel Logout §2.2: the metadata reports back-channel logout with sessions") func metadata()
        async throws
    {
        let site = try await Site()
        let path = "/local/\(Site.policy)/v2.0/.well-known/openid-configuration"
        let answer = try await site.send(.get, path)
        #expect(answer["backchannel_logout_supported"] == true)
        #expect(answer["backchannel_logout_session_supported"] == true)
        #expect(answer["claims_supported"]?.strings?.contains("sid") == true)
    }

    @Test(
        "Back-Channel Logout §2.4: a logout token is signed, short-lived, of its own type, and names user and session"
    )
    func token() async throws {
        let site = try await Site()
        let answer = try await site.tokens(client: "told")
        try await site.authority.sessions.endAll(Caller(owner: Site.owner))
        let logout = try #require(try await waiting(site).first)
        let notice = try #require(try await site.authority.notices.logoutNotice(logout))
        #expect(notice.uri == "https://app.example/bye")
        let claims = try await site.claims(notice.token.reveal(), .logoutToken, audience: "told")
        #expect(claims["sub"]?.string == Site.user.oid)
        let sid = try idToken(answer)["sid"]
        #expect(claims["sid"] == sid && sid != nil)
        #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == [:])
        #expect(claims["nonce"] == nil && claims["jti"]?.string?.isEmpty == false)
        #expect(claims["exp"]?.int == site.time.now.seconds + 120)
        let other = await #expect(throws: TokenError.self) {
            try await site.claims(notice.token.reveal(), .jwt, audience: "told")
        }
        #expect(other?.code == .wrongType)
    }

    @Test("Back-Channel Logout §2.3: each client that signed in with the session is notified once, and no other")
    func once()
        async throws
    {
        let site = try await Site()
        for client in ["told", "told", "app"] { _ = try await site.tokens(client: client) }
        _ = try await site.tokens(client: "told", scopes: ["tasks.read"])
        #expect(try await waiting(site).isEmpty)
        try await site.authority.sessions.endAll(Caller(owner: Site.owner))
        let due = try await waiting(site)
        #expect(due.map(\.client) == ["told"] && due.first?.user == Site.user && due.first?.tries == 1)
        #expect(try await waiting(site).isEmpty)
    }

    @Test(
        "Back-Channel Logout §2.3: an expired session notifies no client, and a client without openid is not notified"
    )
    func untold() async throws {
        let site = try await Site()
        _ = try await site.tokens(client: "told", scopes: ["tasks.read"])
        try await site.authority.sessions.endAll(Caller(owner: Site.owner))
        #expect(try await waiting(site).isEmpty)
        let other = try await Site()
        _ = try await other.tokens(client: "told")
        other.time.advance(by: .seconds(86_401))
        #expect(try await other.store.sessions.sweep(limit: 10) == 1)
        #expect(try await waiting(other).isEmpty)
    }
}
