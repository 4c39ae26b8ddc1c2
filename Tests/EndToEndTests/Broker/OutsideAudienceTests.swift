import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests that the daemon compares an external authority's responses with the requests.
@Suite(.timeLimit(.minutes(5)))
struct OutsideAudienceTests {
    /// The client id of an API that is registered at the external authority.
    private static let api = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private static let files: [String: JSONValue] = ["resource": "https://files.example"]

    @Test(
        "a sign-in whose access token is for another API fails, and the issued tokens are revoked",
        arguments: ["https://other.example", ["https://other.example"], [], ""] as [JSONValue]
    )
    func another(_ audience: JSONValue) async throws {
        try await OutsideScene.run { scene in
            scene.provider.address(to: audience)
            let flow = try await scene.signIn(Self.files)
            #expect(flow["state"]?.string == "failed" && flow["reason"]?.string == "provider_failed", "\(flow)")
            #expect(scene.provider.revoked.count == 1)
            #expect(try scene.connection.call("account.list")["accounts"] == [])
            #expect(scene.daemon.errors().contains("returned an access token for another API"))
        }
    }

    @Test(
        "an access token for the requested API, for several APIs, or in an opaque format is accepted",
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
        "each request names the API as the authority requires, and the returned audience is compared",
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
        "a service's token for another API is 1015, and one for the requested API is accepted",
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
            // If a scope names the API, Entra sets `aud` to the part of the scope before `/.default`.
            scene.provider.address(to: .string("https://files.example" + (name == "scope" ? "" : "/.default")))
            let token = try #require(try scene.connection.call("token.acquire", asked)["token"])
            #expect(token["fromCache"]?.bool == false)
            #expect(try scene.connection.call("token.acquire", asked)["token"]?["fromCache"]?.bool == true)
        }
    }

    @Test(
        "a client id in `aud` is compared only with an API that has one, and with no other part of a scope",
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

    @Test("a renewed access token for another API is 1015 and not stored, and the account remains") func renewed()
        async throws
    {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            scene.provider.address(to: "https://other.example")
            let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent(Self.files))
            #expect(refused.code == 1015, "\(refused)")
            // This request names no API, so no audience is compared. It succeeds because the rotated refresh token was
            // stored.
            let token = try scene.token(["forceRefresh": true])
            #expect(token["fromCache"]?.bool == false, "\(token)")
            scene.provider.address(to: "https://files.example")
            #expect(try scene.token(Self.files)["fromCache"]?.bool == false)
            #expect(scene.provider.renewals == 3)
        }
    }

    @Test("a renewal requests no optional scope that the user has declined") func declined()
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

    @Test("a requested authentication context is compared with that of the ID token", arguments: [true, false])
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
                // The sign-in satisfies only the authentication context that is in the ID token.
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
        "an authentication older than `maxAge` is refused",
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

    @Test("`maxAge` and the authentication contexts are sent to the authority") func sent() async throws {
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
