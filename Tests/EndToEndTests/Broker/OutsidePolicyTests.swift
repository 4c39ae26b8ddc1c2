import Foundation
import HTTPServer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of policies at an external authority like Azure AD B2C, for which a second daemon runs.
@Suite(.timeLimit(.minutes(5)))
struct OutsidePolicyTests {
    private static let policies = [
        "b2c_1_contoso": "{authority: contoso, policy: B2C_1_sign_in, displayName: Contoso}",
        "b2c_1_contoso_both": "{authority: contoso, policy: b2c_1_sign_up_or_in}",
    ]

    private static func pair(_ more: String) throws -> OutsidePair {
        try OutsidePair({ "{kind: b2c, url: \"\($0)/outside/\", clientId: ours, \(more)}" }, policies: policies)
    }

    private static func asked(_ policy: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
        .object(["policy": .string(policy), "scopes": ["tasks.read"]].merging(more) { $1 })
    }

    @Test(
        "a policy file signs in at the authority's policy, and its tokens are cached, renewed and revoked",
        arguments: ["path", "query"]
    )
    func signIn(_ place: String) async throws {
        let pair = try Self.pair("scopes: [tasks.read], policyIn: \(place)")
        let connection = try pair.machine.connect()
        let listed = try connection.call("policy.get", ["policy": "B2C_1_Contoso"])
        #expect(listed["kind"]?.string == "outside" && listed["available"]?.bool == true, "\(listed)")
        let issuer = place == "path" ? "\(pair.outside.base)/outside/B2C_1_sign_in/v2.0" : nil
        #expect(listed["issuer"]?.string == issuer, "\(listed)")
        if let issuer {
            let metadata = try await WebAnswer.to(.GET, issuer + "/.well-known/openid-configuration", token: nil)
            #expect(metadata.status == 200, "\(metadata.text)")
        }

        let token = try await pair.acquire(connection, Self.asked("b2c_1_contoso"))
        #expect(token["policy"]?.string == "b2c_1_contoso" && token["fromCache"]?.bool == true, "\(token)")
        #expect(try Self.claims(of: token)["tfp"]?.string == "b2c_1_sign_in")
        let fresh = Self.asked("b2c_1_contoso", ["forceRefresh": true, "prompt": "none"])
        let renewed = try connection.call("token.acquire", fresh)["token"]
        #expect(renewed?["fromCache"]?.bool == false && renewed?["accessToken"] != token["accessToken"])

        // Each policy has its own token family, but the user has a single account.
        let none = Self.asked("b2c_1_contoso_both", ["prompt": "none"])
        #expect(try connection.refusal("token.acquire", none).code == 1001)
        let other = try await pair.acquire(connection, Self.asked("b2c_1_contoso_both"))
        #expect(other["account"] == token["account"], "\(other)")
        #expect(try Self.claims(of: other)["tfp"]?.string == "b2c_1_sign_up_or_in")
        let accounts = try connection.call("account.list")["accounts"]?.array ?? []
        #expect(accounts.count == 1 && accounts[0]["authority"]?.string == "contoso", "\(accounts)")
        #expect(accounts[0]["policies"] == ["b2c_1_contoso", "b2c_1_contoso_both"], "\(accounts)")

        // A request that names an account but no policy uses the policy of the account's last sign-in.
        let account = try #require(token["account"])
        let usual = try connection.call(
            "token.acquire",
            ["account": account, "scopes": ["tasks.read"], "prompt": "none"]
        )
        #expect(usual["token"]?["accessToken"] == other["accessToken"], "\(usual)")
        let printed = try pair.machine.tokenbroker(["token", "--policy", "B2C_1_contoso", "--no-prompt"])
        #expect(printed.status == 0 && printed.output.contains(renewed?["accessToken"]?.string ?? "?"), "\(printed)")
        let api = try ListeningSocket(.tcp(host: "127.0.0.1", port: pair.machine.tasksPort))
        defer { api.close() }
        // The policy's name looks like the name of a local policy, but the policy's tokens must not be sent to a local
        // API.
        for named in [["--policy", "B2C_1_contoso"], ["--account", try #require(account.string)]] {
            for command in [["request", "--no-prompt"], ["token", "--no-prompt", "--for"]] {
                let refused = try pair.machine.tokenbroker(
                    [command[0]] + named + command.dropFirst() + ["\(pair.machine.api)/x"]
                )
                #expect(refused.status == 77 && refused.output.isEmpty, "\(named) \(refused)")
            }
        }

        let gone = try connection.call("session.signOut", ["account": account])
        #expect(gone["left"] == [] && gone["removed"]?["tokens"]?.int ?? 0 > 1, "\(gone)")
        for policy in Self.policies.keys {
            let refused = try connection.refusal("token.acquire", Self.asked(policy, ["prompt": "none"]))
            #expect(refused.code == 1001)
        }
        let events = try pair.revocations()
        #expect(events == 2)
        pair.end()
    }

    @Test("without scopes the token is for the client itself, and the authority's name alone names no policy")
    func usual() async throws {
        let pair = try Self.pair("displayName: Contoso")
        let connection = try pair.machine.connect()
        let token = try await pair.acquire(connection, ["policy": "b2c_1_contoso", "scopes": []])
        let claims = try Self.claims(of: token)
        #expect(claims["aud"]?.string == "ours" || claims["aud"] == ["ours"], "\(claims)")
        let refused = try connection.refusal("token.acquire", ["policy": "contoso", "scopes": []])
        #expect(refused.code == 1010 && refused.message.contains("contoso is used by several policies"), "\(refused)")
        pair.end()
    }

    @Test("a policy whose authority is not configured is listed as unavailable, and refused with that reason")
    func unavailable() throws {
        let machine = try Machine()
        try machine.write(["{authority: nobody, policy: b2c_1_x}"], to: "etc/policies/b2c_1_nobody.yaml")
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let listed = try connection.call("policy.get", ["policy": "b2c_1_nobody"])
        #expect(listed["available"]?.bool == false, "\(listed)")
        let missing = try #require(listed["missing"]?.string)
        #expect(missing.contains("does not configure `authorities.nobody` as an authority of kind b2c"))
        #expect(
            listed["missingText"] == [
                "key": "refusal.authorityNotConfigured", "parameters": ["key": "authorities.nobody"],
            ]
        )
        let refused = try connection.refusal("token.acquire", ["policy": "b2c_1_nobody", "scopes": []])
        #expect(refused.code == 1010 && refused.message.contains(missing), "\(refused)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    private static func claims(of token: JSONValue) throws -> JSONValue {
        let payload = try #require(token["accessToken"]?.string).split(separator: ".")[1]
        return try StrictJSON.parse(try #require(Base64URL.decode(String(payload))))
    }
}

extension OutsidePair {
    /// Returns how many token families the external authority has revoked, according to its audit.
    fileprivate func revocations() throws -> Int {
        let events = try outside.connect().call("audit.all", ["limit": 200])["events"]?.array ?? []
        return events.count { $0["event"]?.string == "family.revoked" }
    }
}
