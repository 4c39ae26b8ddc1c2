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
struct RFC8628DeviceTests {
    private let origin = Origin.address("192.0.2.1")

    private func ask(_ site: Site, client: String = "app") async throws -> Site.Answer {
        try await site.post(.deviceAuthorization, ["client_id": client, "scope": "openid offline_access tasks.read"])
    }

    private func poll(_ site: Site, _ code: String, client: String = "app", daemon: Int = 0) async throws -> Site.Answer
    {
        let grant = "urn:ietf:params:oauth:grant-type:device_code"
        let parameters = ["grant_type": grant, "device_code": code, "client_id": client]
        return try await site.post(.token, parameters, daemon: daemon)
    }

    private func approve(_ site: Site, _ userCode: String) async throws {
        let device = try #require(try await site.authority.devices.find(userCode: userCode, from: origin))
        let session = try await site.session()
        try await site.authority.devices.approve(device, session: session, Caller(owner: Site.owner))
    }

    @Test("RFC 8628 §3.2: a device gets its device code, the user code and the URL") func answer() async throws {
        let answer = try await ask(Site())
        #expect(answer.status == 200, "\(answer.description)")
        #expect(
            answer["user_code"]?.string?.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil
        )
        #expect(answer["verification_uri"]?.string == "\(Site.base)/device")
        #expect(answer["expires_in"] == 900)
        #expect(answer["interval"] == 5)
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test("RFC 8628 §3.5: the device waits until the user has decided, and waits longer if it polls too often")
    func waits() async throws {
        let site = try await Site()
        let asked = try await ask(site)
        let code = try #require(asked["device_code"]?.string)
        #expect(try await poll(site, code).error == "authorization_pending")
        #expect(try await poll(site, code).error == "slow_down")
        site.time.advance(by: .seconds(6))
        #expect(try await poll(site, code).error == "slow_down")
        site.time.advance(by: .seconds(15))
        #expect(try await poll(site, code).error == "authorization_pending")
        try await approve(site, try #require(asked["user_code"]?.string).lowercased())
        let tokens = try await poll(site, code)
        #expect(tokens.status == 200, "\(tokens.description)")
        #expect(tokens["id_token"] != nil)
        #expect(try await site.refresh(try #require(tokens["refresh_token"]?.string)).status == 200)
    }

    @Test("RFC 8628 §3.5: a denial and an expiry have different errors") func ends() async throws {
        let site = try await Site()
        let refused = try await ask(site)
        let shown = try #require(refused["user_code"]?.string)
        let device = try #require(try await site.authority.devices.find(userCode: shown, from: origin))
        try await site.authority.devices.deny(device, Caller(owner: Site.owner))
        #expect(try await poll(site, try #require(refused["device_code"]?.string)).error == "access_denied")
        let late = try await ask(site)
        site.time.advance(by: .seconds(900))
        #expect(try await poll(site, try #require(late["device_code"]?.string)).error == "expired_token")
        let code = try #require(late["user_code"]?.string)
        #expect(try await site.authority.devices.find(userCode: code, from: origin) == nil)
    }

    @Test("RFC 8628 §3.4: a device code is bound to its client") func bound() async throws {
        let site = try await Site()
        let code = try #require(try await ask(site)["device_code"]?.string)
        #expect(try await poll(site, code, client: "other").error == "invalid_grant")
        #expect(try await poll(site, code).error == "authorization_pending")
        #expect(try await ask(site, client: "narrow").error == "unauthorized_client")
    }

    @Test("RFC 8628 §3.4: of two requests at two daemons one gets tokens, and a second use revokes them") func once()
        async throws
    {
        let site = try await Site()
        let asked = try await ask(site)
        let code = try #require(asked["device_code"]?.string)
        try await approve(site, try #require(asked["user_code"]?.string))
        let answers = try await withThrowingTaskGroup(of: Site.Answer.self) { group in
            for daemon in 0..<2 { group.addTask { try await poll(site, code, daemon: daemon) } }
            return try await group.reduce(into: [Site.Answer]()) { $0.append($1) }
        }
        let given = answers.filter { $0.status == 200 }
        #expect(given.count == 1)
        #expect(try await site.refresh(try #require(given.first?["refresh_token"]?.string)).error == "invalid_grant")
    }

    @Test("RFC 8628 §5.1: one origin may try 20 user codes in ten minutes") func guesses() async throws {
        let site = try await Site()
        for _ in 0..<20 { #expect(try await site.authority.devices.find(userCode: "BBBB-BBBB", from: origin) == nil) }
        let refusal = await #expect(throws: Refusal.self) {
            try await site.authority.devices.find(userCode: "BBBB-BBBB", from: origin)
        }
        #expect(refusal?.reason == .limitExceeded)
        #expect(try await site.authority.devices.find(userCode: "BBBB-BBBB", from: .address("192.0.2.2")) == nil)
    }

    @Test("RFC 8628 §3.4: a device code is valid only at the policy that issued it") func policy()
        async throws
    {
        let site = try await Site()
        let asked = try await ask(site)
        let code = try #require(asked["device_code"]?.string)
        let parameters = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code, "client_id": "app",
        ]
        #expect(try await site.post(.token, parameters, policy: "b2c_1_other").error == "invalid_grant")
        try await approve(site, try #require(asked["user_code"]?.string))
        let elsewhere = try await site.post(.token, parameters, policy: "b2c_1_other")
        #expect(elsewhere.error == "invalid_grant" && elsewhere["access_token"] == nil)
        #expect(try await poll(site, code).status == 200)
    }
}
