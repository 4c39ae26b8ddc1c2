import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Grants of an outside authority, compared with what was asked, at the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct OutsideAudienceTests {
    /// The client id of an API.
    private static let api = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private static let files: [String: JSONValue] = ["resource": "https://files.example"]

    @Test(
        "a sign-in whose access token is for another API fails, and what was issued is revoked",
        arguments: ["https://other.example", ["https://other.example"], [], ""] as [JSONValue]
    )
    func another(_ audience: JSONValue) async throws {
        try await OutsideScene.run { scene in
            scene.provider.address(to: audience)
            let flow = try await scene.signIn(Self.files)
            #expect(flow["state"]?.string == "failed" && flow["reason"]?.string == "provider_failed", "\(flow)")
            #expect(scene.provider.revoked.count == 1)
            #expect(try scene.connection.call("account.list")["accounts"] == [])
            #expect(scene.daemon.errors().contains("answered with an access token for another API"))
        }
    }

    @Test(
        "an access token for the API that was asked for, for several, or that nobody can read, is taken",
        arguments: ["https://files.example", ["https://other.example", "https://files.example"], nil] as [JSONValue?]
    )
    func asked(_ audience: JSONValue?) async throws {
        try await OutsideScene.run { scene in
            scene.provider.address(to: audience)
            let flow = try await scene.signIn(Self.files)
            #expect(flow["state"]?.string == "succeeded", "\(flow)")
            #expect(try scene.token(Self.files)["fromCache"]?.bool == true)
            let renewed = try scene.token(Self.files.merging(["forceRefresh": true]) { $1 })
            #expect(renewed["fromCache"]?.bool == false, "\(renewed)")
            #expect(scene.provider.renewalForms.last?["resource"] == "https://files.example")
        }
    }

    @Test(
        "the API is named as the authority wants it, at every request, and the returned audience is compared",
        arguments: ["resource", "audience", "scope"]
    )
    func parameter(_ name: String) async throws {
        try await OutsideScene.run(", resourceAs: \(name), resource: \"https://files.example\"") { scene in
            func carries(_ form: Form?) -> Bool {
                let scopes = form?["scope"]?.split(separator: " ").map(String.init) ?? []
                return ["resource", "audience"].allSatisfy { form?[$0] == ($0 == name ? "https://files.example" : nil) }
                    && scopes.contains("https://files.example") == (name == "scope")
            }
            scene.provider.address(to: "https://files.example")
            let flow = try await scene.signIn()
            #expect(flow["state"]?.string == "succeeded", "\(flow)")
            let authorized = try #require(scene.provider.redeemedRequests.last)
            #expect(carries(authorized), "\(authorized)")
            #expect(try scene.token(["forceRefresh": true])["fromCache"]?.bool == false)
            #expect(carries(scene.provider.renewalForms.last))
            scene.provider.address(to: "https://other.example")
            let refused = try scene.connection.refusal(
                "token.acquire",
                OutsideScene.silent(["scopes": ["files.write"]])
            )
            #expect(refused.code == 1015, "\(refused)")
        }
    }

    @Test(
        "a service's token for another API is 1015, and one for the API is taken",
        arguments: ["resource", "audience", "scope"]
    )
    func service(_ name: String) async throws {
        let entry = ", grant: client_credentials, uids: [\(geteuid())], resourceAs: \(name)"
        try await OutsideScene.run(entry) { scene in
            scene.provider.address(to: "https://other.example")
            let asked = OutsideScene.silent(["resource": "https://files.example/.default", "scopes": []])
            #expect(try scene.connection.refusal("token.acquire", asked).code == 1015)
            #expect(try scene.connection.call("token.list")["tokens"] == [])
            let form = try #require(scene.provider.serviceForms.last)
            #expect(form[name] == "https://files.example/.default", "\(form)")
            // Entra's tokens are for what stands before `/.default`, where a scope carries the name.
            scene.provider.address(to: .string("https://files.example" + (name == "scope" ? "" : "/.default")))
            let token = try #require(try scene.connection.call("token.acquire", asked)["token"])
            #expect(token["fromCache"]?.bool == false)
            #expect(try scene.connection.call("token.acquire", asked)["token"]?["fromCache"]?.bool == true)
        }
    }

    @Test(
        "the client id of an API in `aud` is compared with a name that has one, and with no other name of a scope",
        arguments: [
            ("scope", "api://reports/.default", Self.api, true),
            ("scope", "api://\(Self.api)/.default", Self.api, true),
            ("scope", "api://\(Self.api)/.default", "33333333-2222-1111-0000-000000000000", false),
            ("scope", "api://reports/.default", "api://other", false), ("resource", "api://reports", Self.api, false),
        ]
    )
    func clientID(_ parameter: String, _ name: String, _ audience: String, _ isTaken: Bool) async throws {
        let entry = ", grant: client_credentials, uids: [\(geteuid())], resourceAs: \(parameter)"
        try await OutsideScene.run(entry) { scene in
            scene.provider.address(to: .string(audience))
            let asked = OutsideScene.silent(["resource": .string(name), "scopes": []])
            if isTaken {
                let answer = try scene.connection.call("token.acquire", asked)
                #expect(answer["token"] != nil, "\(answer)")
            } else {
                let refused = try scene.connection.refusal("token.acquire", asked)
                #expect(refused.code == 1015, "\(refused)")
            }
        }
    }

    @Test("a renewed access token for another API is 1015 and not kept, and the account stays") func renewed()
        async throws
    {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            scene.provider.address(to: "https://other.example")
            let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent(Self.files))
            #expect(refused.code == 1015, "\(refused)")
            // Nobody named an API here, so there is nothing to compare; the rotated refresh token was kept.
            let token = try scene.token(["forceRefresh": true])
            #expect(token["fromCache"]?.bool == false, "\(token)")
            scene.provider.address(to: "https://files.example")
            #expect(try scene.token(Self.files)["fromCache"]?.bool == false)
            #expect(scene.provider.renewals == 3)
        }
    }

    @Test("a renewal asks for no scope that the person was only asked for, too, and has declined") func declined()
        async throws
    {
        try await OutsideScene.run(", additionalScopes: [files.share]") { scene in
            scene.provider.grant("files.read")
            let ended = try await scene.signIn(["additionalScopes": ["mail.read"]])
            #expect(ended["state"]?.string == "succeeded")
            scene.provider.decline(["files.share", "mail.read"])
            let more: [String: JSONValue] = ["forceRefresh": true, "additionalScopes": ["mail.read"]]
            let renewed = try scene.token(more)
            #expect(renewed["fromCache"]?.bool == false)
            let asked = scene.provider.renewalForms.last?["scope"]?.split(separator: " ") ?? []
            #expect(Set(asked) == ["openid", "files.read", "offline_access"], "\(asked)")
        }
    }

    @Test("an authentication context that was asked for is compared with the ID token's", arguments: [true, false])
    func demanded(_ isMet: Bool) async throws {
        try await OutsideScene.run { scene in
            let now = Int64(Date().timeIntervalSince1970)
            scene.provider.person(
                "person-1",
                isMet ? ["acr": "gold", "auth_time": .int(now)] : ["acr": "silver", "auth_time": .int(now)]
            )
            let demand: [String: JSONValue] = ["acrValues": ["gold"]]
            let flow = try await scene.signIn(demand)
            if isMet {
                #expect(flow["state"]?.string == "succeeded", "\(flow)")
                #expect(try scene.token(demand)["fromCache"]?.bool == true)
                // The proof does not reach further than it says.
                let higher = try scene.connection.refusal(
                    "token.acquire",
                    OutsideScene.silent(["acrValues": ["platinum"]])
                )
                #expect(higher.code == 1001, "\(higher)")
            } else {
                #expect(flow["state"]?.string == "failed" && flow["reason"]?.string == "denied", "\(flow)")
                #expect(scene.provider.revoked.count == 1)
                #expect(try scene.connection.call("account.list")["accounts"] == [])
            }
        }
    }

    @Test(
        "a proof that is older than `maxAge` allows is none",
        arguments: [(30, "succeeded"), (3_600, "failed")] as [(Int64, String)]
    )
    func age(_ seconds: Int64, _ state: String) async throws {
        try await OutsideScene.run { scene in
            let now = Int64(Date().timeIntervalSince1970)
            scene.provider.person("person-1", ["auth_time": .int(now - seconds)])
            let flow = try await scene.signIn(["maxAge": 600])
            #expect(flow["state"]?.string == state, "\(flow)")
        }
    }

    @Test("what is asked of the person goes to the authority") func sent() async throws {
        try await OutsideScene.run { scene in
            let asked = OutsideScene.silent(["prompt": "auto", "acrValues": ["gold", "silver"], "maxAge": 600])
            let started = try scene.connection.call("token.acquire", asked)
            var browser = WebBrowser()
            let link = try #require(started["flow"]?["browser"]?["url"]?.string)
            let address = try destination(of: try await browser.open(link))
            let sent = try Form(String(address.drop { $0 != "?" }.dropFirst()))
            #expect(sent["acr_values"] == "gold silver" && sent["max_age"] == "600", "\(address)")
        }
    }
}
