import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct RFC6749RefreshTests {
    @Test(
        "RFC 6749 §6: a refresh token returns new tokens and is replaced, and a use after its successor's revokes the family (RFC 9700 §4.14.2)"
    )
    func rotation() async throws {
        let site = try await Site()
        let first = try #require(try await site.tokens()["refresh_token"]?.string)
        let renewed = try await site.refresh(first)
        #expect(renewed.status == 200, "\(renewed.description)")
        let second = try #require(renewed["refresh_token"]?.string)
        #expect(second != first)
        #expect(renewed["id_token"] != nil)
        let third = try #require(try await site.refresh(second)["refresh_token"]?.string)
        #expect(try await site.refresh(first, daemon: 1).error == "invalid_grant")
        #expect(try await site.refresh(third).error == "invalid_grant")
    }

    @Test(
        "RFC 9700 §4.14.2: without a grace period, of two concurrent uses at two daemons one succeeds, and the family is revoked"
    )
    func race() async throws {
        let site = try await Site(refreshGrace: .zero)
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        let answers = try await withThrowingTaskGroup(of: Site.Answer.self) { group in
            for daemon in 0..<2 { group.addTask { try await site.refresh(token, daemon: daemon) } }
            return try await group.reduce(into: [Site.Answer]()) { $0.append($1) }
        }
        let given = answers.filter { $0.status == 200 }
        #expect(given.count == 1)
        let next = try #require(given.first?["refresh_token"]?.string)
        #expect(try await site.refresh(next).error == "invalid_grant")
    }

    @Test("RFC 6749 §6: a renewal can narrow the scopes but not extend them, and the grant stays unchanged")
    func narrower()
        async throws
    {
        let site = try await Site()
        let all = ["openid", "offline_access", "tasks.read", "tasks.write"]
        let first = try #require(try await site.tokens(scopes: all)["refresh_token"]?.string)
        let less = try await site.refresh(first, ["scope": "tasks.read"])
        #expect(less["scope"] == "tasks.read openid offline_access")
        let access = try #require(less["access_token"]?.string)
        #expect(try await site.claims(access, .accessToken, audience: "tasks-audience")["scope"] == "tasks.read")
        let second = try #require(less["refresh_token"]?.string)
        let whole = try await site.refresh(second)
        #expect(whole["scope"]?.string == all.joined(separator: " "))
        let third = try #require(whole["refresh_token"]?.string)
        let more = try await site.refresh(third, ["scope": "balance"])
        #expect(more.error == "invalid_scope")
        #expect(try await site.refresh(third).status == 200)
        let narrow = try await site.tokens(scopes: ["openid", "offline_access", "tasks.read"])
        let token = try #require(narrow["refresh_token"]?.string)
        #expect(try await site.refresh(token, ["scope": "tasks.write"]).error == "invalid_scope")
    }

    @Test("RFC 6749 §6: a renewal with scope=openid alone returns an ID token and an access token without API scopes")
    func identity() async throws {
        let site = try await Site()
        let first = try #require(try await site.tokens()["refresh_token"]?.string)
        let identity = try await site.refresh(first, ["scope": "openid"])
        #expect(identity["id_token"] != nil, "\(identity.text)")
        #expect(identity["scope"]?.string == "openid offline_access profile")
        let access = try #require(identity["access_token"]?.string)
        let claims = try await site.claims(access, .accessToken, audience: "app")
        #expect(claims["scope"]?.string == "app")
        #expect(claims["scp"]?.string == "app")
        let userinfo = "/local/\(Site.policy)\(AuthorityEndpoint.userinfo.path)"
        let headers: HTTPFields = [.authorization: "Bearer \(access)"]
        #expect(try await site.send(.get, userinfo, headers: headers).status == 200)
        let second = try #require(identity["refresh_token"]?.string)
        let whole = try await site.refresh(second)["scope"]?.string
        #expect(whole == "openid offline_access profile tasks.read")
    }

    @Test(
        "a renewal by MSAL, with or without a scope of its caller, gets the API's scopes",
        arguments: ["openid profile offline_access", "profile tasks.read offline_access openid"]
    )
    func msal(_ scope: String) async throws {
        let site = try await Site()
        let first = try #require(try await site.tokens()["refresh_token"]?.string)
        let renewed = try await site.refresh(first, ["scope": scope])
        #expect(renewed["id_token"] != nil && renewed["refresh_token"] != nil, "\(renewed.text)")
        let access = try #require(renewed["access_token"]?.string)
        #expect(try await site.claims(access, .accessToken, audience: "tasks-audience")["scope"] == "tasks.read")
    }

    @Test("RFC 6749 §6: a renewal cannot add openid, and the refused token stays valid") func openid() async throws {
        let site = try await Site()
        let tokens = try await site.tokens(scopes: ["offline_access", "tasks.read"])
        let token = try #require(tokens["refresh_token"]?.string)
        let refused = try await site.refresh(token, ["scope": "openid"])
        #expect(refused.error == "invalid_scope" && refused.description.hasPrefix("AADB2C90205: "), "\(refused.text)")
        #expect(try await site.refresh(token).status == 200)
    }

    @Test("RFC 6749 §5.1: a renewed token's scope omits scopes with an expired check") func ended() async throws {
        let site = try await Site()
        _ = try await site.session(hasCode: true)
        let first = try await site.tokens(scopes: ["openid", "offline_access", "tasks.read", "balance"])
        #expect(first["scope"] == "openid offline_access tasks.read balance", "\(first.description)")
        site.time.advance(by: .seconds(61))
        let renewed = try await site.refresh(try #require(first["refresh_token"]?.string))
        #expect(renewed["scope"] == "openid offline_access tasks.read", "\(renewed.description)")
        let access = try #require(renewed["access_token"]?.string)
        #expect(try await site.claims(access, .accessToken, audience: "tasks-audience")["scope"] == "tasks.read")
        let named = try await site.refresh(try #require(renewed["refresh_token"]?.string), ["scope": "balance"])
        #expect(named.error == "invalid_scope")
    }

    @Test(
        "a disabled user's refresh token is AADB2C90128, a revoked one AADB2C90129, at every daemon",
        arguments: [true, false]
    )
    func ofNobody(_ isDisabled: Bool) async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        if isDisabled {
            try await site.store.users.setEnabled(Site.user, false)
        } else {
            try await site.store.users.endEverything(of: Site.user, reason: "signed_out")
        }
        for daemon in 0..<2 {
            let answer = try await site.refresh(token, daemon: daemon)
            #expect(answer.error == "invalid_grant")
            let number = isDisabled ? "AADB2C90128: " : "AADB2C90129: "
            #expect(answer["error_description"]?.string?.hasPrefix(number) == true, "\(answer.description)")
        }
        if isDisabled { try await site.store.users.setEnabled(Site.user, true) }
        #expect(try await site.refresh(token).error == "invalid_grant")
    }

    @Test("RFC 6749 §6: a refresh token is bound to its client and its policy") func bound() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        let client = try await site.refresh(token, ["client_id": "other"])
        #expect(client.error == "invalid_grant")
        #expect(client.description.hasPrefix("AADB2C90279"))
        let policy = try await site.refresh(token, policy: "b2c_1_other")
        #expect(policy.error == "invalid_grant")
        #expect(policy.description.hasPrefix("AADB2C90088"))
        #expect(try await site.refresh(token).status == 200)
    }

    @Test("RFC 6749 §1.5: no refresh token is issued without offline_access") func offline() async throws {
        let answer = try await Site().tokens(scopes: ["openid", "tasks.read"])
        #expect(answer.status == 200)
        #expect(answer["refresh_token"] == nil)
    }

    @Test("a token family of the socket is rejected over HTTP, and stays valid") func socket() async throws {
        let site = try await Site()
        _ = try await site.tokens()
        let owner = Owner.local(machine: "m", uid: 1000)
        let caller = Caller(owner: owner)
        let token = try await site.localToken(owner)
        #expect(try await site.refresh(token.reveal()).error == "invalid_grant")
        let revoked = try await site.post(.revocation, ["token": token.reveal(), "client_id": "app"])
        #expect(revoked.status == 200)
        #expect(try await site.authority.redeem(token, client: "app", caller).client == "app")
    }

    @Test("a token family of HTTP is rejected at the socket, and stays valid") func http() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        let caller = Caller(owner: .local(machine: "m", uid: 1000))
        let refusal = await #expect(throws: Refusal.self) {
            try await site.authority.redeem(Secret(token), client: "app", caller)
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try await site.refresh(token).status == 200)
    }

    @Test("B2C's windows: a refresh token expires if it is not used for 14 days") func idle() async throws {
        let site = try await Site()
        let first = try #require(try await site.tokens()["refresh_token"]?.string)
        site.time.advance(by: .seconds(14 * 86_400 - 1))
        let renewed = try await site.refresh(first)
        let second = try #require(renewed["refresh_token"]?.string, "\(renewed.description)")
        site.time.advance(by: .seconds(14 * 86_400))
        #expect(try await site.refresh(second).error == "invalid_grant")
    }

    @Test("B2C's windows: a refresh token expires after 14 days, and the family after 90") func windows() async throws {
        let site = try await Site()
        var token = try #require(try await site.tokens()["refresh_token"]?.string)
        for _ in 0..<6 {
            site.time.advance(by: .seconds(13 * 86_400))
            token = try #require(try await site.refresh(token)["refresh_token"]?.string)
        }
        site.time.advance(by: .seconds(13 * 86_400))
        #expect(try await site.refresh(token).error == "invalid_grant")
    }

    @Test("B2C's windows: without a window, a refresh token in regular use lasts for more than a year")
    func unlimited()
        async throws
    {
        let site = try await Site(tokens: TokenLifetimes(slidingWindow: nil))
        var token = try #require(try await site.tokens()["refresh_token"]?.string)
        for _ in 0..<30 {
            site.time.advance(by: .seconds(13 * 86_400))
            token = try #require(try await site.refresh(token)["refresh_token"]?.string)
        }
        site.time.advance(by: .seconds(14 * 86_400))
        #expect(try await site.refresh(token).error == "invalid_grant")
    }
}
