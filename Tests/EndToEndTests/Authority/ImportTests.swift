import Foundation
import HTTPServer
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests of importing accounts from other programs.
@Suite(.timeLimit(.minutes(5)))
struct ImportTests {
    /// Runs `test` with a provider in this process, and with a daemon that can call the provider.
    private func withProvider(
        _ configuration: (LocalProvider) -> [String] = { _ in [] },
        _ test: (LocalProvider, Machine, Connection) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        provider.renewIDTokens(with: ["preferred_username": "ann@contoso.example"])
        let machine = try Machine(configuration: configuration(provider))
        try machine.writeSecret(provider.secret, to: "etc/contoso.secret")
        try await provider.serve(socket) {
            let daemon = try machine.startBroker()
            try await test(provider, machine, try machine.connect())
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(try !daemon.log().contains("refresh-") && !daemon.log().contains(provider.secret))
        }
    }

    /// Returns an account at the provider in the format of `oidc-gen -p`.
    private func agent(_ provider: LocalProvider, _ more: [String: JSONValue?] = [:]) -> JSONValue {
        let account: [String: JSONValue?] = [
            "name": "wlcg", "issuer_url": .string(provider.issuer + "/"), "client_id": .string(provider.clientID),
            "client_secret": .string(provider.secret), "refresh_token": .string(provider.giveRefreshToken()),
            "scope": "openid offline_access files.read", "audience": "", "cert_path": "", "daeSetByUser": 0,
            "redirect_uris": ["http://localhost:4242"],
        ]
        return .object(account.merging(more) { $1 }.compactMapValues { $0 })
    }

    private func nothingIsKept(_ connection: Connection) throws {
        #expect(try connection.call("account.list")["accounts"] == [])
        #expect(try connection.call("authority.list")["authorities"] == [])
    }

    @Test("an oidc-agent account is renewed and stored first, and then the command names what to delete")
    func oidcAgent() async throws {
        try await withProvider { provider, machine, connection in
            let kept = agent(provider)
            let done = try machine.tokenbroker(["import", "oidc-agent", "-"], input: kept.text)
            #expect(done.status == 0, "\(done)")
            #expect(
                done.output.contains("Imported the account ann@contoso.example at wlcg."),
                "\(done)"
            )
            #expect(done.output.contains("oidc-add -r wlcg"), "\(done)")
            #expect(provider.renewals == 1 && provider.revoked.isEmpty)
            let token = try machine.tokenbroker(["token", "--policy", "wlcg", "--scope", "files.read", "--no-prompt"])
            #expect(token.output == "access-renewed-1\n", "\(token)")
            let params: JSONValue = [
                "policy": "wlcg", "scopes": ["files.read"], "prompt": "none", "forceRefresh": true,
            ]
            #expect(try connection.call("token.acquire", params)["token"]?["accessToken"]?.string == "access-renewed-2")
            // The first import made the old refresh token invalid, so a second import is refused. The byte order mark,
            // which an editor adds when it saves the file, is skipped.
            let again = try machine.tokenbroker(["import", "oidc-agent", "-"], input: "\u{FEFF}\(kept.text)")
            #expect(again.status == 77 && again.errors.contains("rejected this refresh token"), "\(again)")
            #expect(try connection.call("account.list")["accounts"]?.array?.count == 1)
            for text in [done.output, done.errors, again.errors] {
                #expect(!text.contains("refresh-") && !text.contains(provider.secret))
            }
        }
    }

    @Test(
        "a token whose renewal could not be verified is not lost: a second import continues with its successor",
        arguments: ["keys", "audience", "restart"]
    )
    func kept(_ fault: String) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let honest: [String: JSONValue] = ["preferred_username": "ann@contoso.example"]
        provider.renewIDTokens(with: fault == "audience" ? ["aud": "theirs"] : honest)
        let machine = try Machine()
        try await provider.serve(socket) {
            var daemon = try machine.startBroker()
            let account = agent(provider)
            if fault != "audience" { provider.fail(at: "/keys", by: .long) }
            let failed = try machine.tokenbroker(["import", "oidc-agent", "-"], input: account.text)
            #expect(failed.status == 69 && failed.errors.contains("import the same account again"), "\(failed)")
            #expect(!failed.output.contains("oidc-add") && !failed.errors.contains("refresh-"), "\(failed)")
            #expect(provider.renewals == 1 && provider.revoked.isEmpty)
            try nothingIsKept(try machine.connect())
            if fault == "restart" {
                daemon.signal(SIGKILL)
                _ = daemon.wait()
                daemon = try machine.startBroker()
            }
            provider.fail(at: "/keys", by: nil)
            provider.renewIDTokens(with: honest)
            let done = try machine.tokenbroker(["import", "oidc-agent", "-"], input: account.text)
            #expect(done.status == 0 && done.output.contains("oidc-add -r wlcg"), "\(done)")
            #expect(provider.renewals == 2)
            let token = try machine.tokenbroker(["token", "--policy", "wlcg", "--scope", "files.read", "--no-prompt"])
            #expect(token.output == "access-renewed-2\n", "\(token)")
            // The old refresh token has been used, so another import is refused.
            let again = try machine.tokenbroker(["import", "oidc-agent", "-"], input: account.text)
            #expect(again.status == 77, "\(again)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(try !daemon.log().contains("refresh-"), "\(daemon.errors())")
        }
    }

    @Test("an import uses an authority that the operator has configured, and adds none") func known() async throws {
        func entry(_ provider: LocalProvider) -> [String] {
            [
                "authorities:",
                "  contoso: {url: \"\(provider.issuer)\", clientId: \(provider.clientID), "
                    + "clientSecretFile: contoso.secret, scopes: [files.read]}",
            ]
        }
        try await withProvider(entry) { provider, machine, connection in
            let done = try machine.tokenbroker(["import", "oidc-agent", "-", "--json"], input: agent(provider).text)
            let account = try StrictJSON.parse(Array(done.output.utf8))
            #expect(done.status == 0 && account["authority"]?.string == "contoso", "\(done)")
            let listed = try connection.call("authority.list")["authorities"]?.array ?? []
            #expect(listed.map { $0["name"]?.string } == ["contoso"], "\(listed)")
        }
    }

    @Test("malformed or hostile input is refused by name, and nothing is stored") func broken() async throws {
        try await withProvider { provider, machine, connection in
            let inputs: [(input: String, says: String)] = [
                ("", "it is not JSON"), ("[]", "it is not JSON"), ("{\"name\": ", "it is not JSON"),
                (agent(provider, ["client_id": .some(nil)]).text, "client_id is missing"),
                (agent(provider, ["issuer_url": ""]).text, "issuer_url is missing"),
                (agent(provider, ["refresh_token": 7]).text, "refresh_token is missing"),
                (agent(provider, ["refresh_token": "a\u{0}b"]).text, "refreshToken"),
                (
                    agent(provider, ["refresh_token": .string(String(repeating: "x", count: 40_000))]).text,
                    "refreshToken"
                ),
                (agent(provider, ["issuer_url": "http://169.254.169.254/latest"]).text, "url"),
                (agent(provider, ["issuer_url": "file:///etc/passwd"]).text, "url"),
                (agent(provider, ["refresh_token": "planted-and-unknown"]).text, "rejected this refresh token"),
            ]
            for (input, says) in inputs {
                let refused = try machine.tokenbroker(["import", "oidc-agent", "-"], input: input)
                #expect(refused.status != 0 && refused.errors.contains(says), "\(says): \(refused.errors)")
                #expect(!refused.errors.contains("planted") && !refused.errors.contains("refresh-"))
                #expect(refused.output.isEmpty)
                try nothingIsKept(connection)
            }
            try machine.write([String(repeating: "x", count: 5 << 20)], to: "home/large")
            let large = try machine.tokenbroker(["import", "oidc-agent", machine.folder.path("home/large")])
            #expect(large.status == 1 && large.errors.contains("is larger than"), "\(large)")
            let nowhere = try machine.tokenbroker(["import", "oidc-agent", machine.folder.path("home/nowhere")])
            #expect(nowhere.status == 1 && nowhere.errors.contains("cannot be read"), "\(nowhere)")
            provider.renewIDTokens(with: ["sub": ""])
            let nobody = try machine.tokenbroker(["import", "oidc-agent", "-"], input: agent(provider).text)
            #expect(nobody.status == 69, "\(nobody)")
            try nothingIsKept(connection)
        }
    }

    @Test("the accounts of an MSAL cache are imported, and an account of Azure AD B2C is refused by name") func msal()
        async throws
    {
        try await withProvider { provider, machine, connection in
            let environment = String(provider.issuer.dropFirst("http://".count))
            func cache(home: String, _ token: String) throws -> JSONValue {
                [
                    "IdToken": [
                        "i": [
                            "home_account_id": .string(home), "environment": .string(environment), "realm": "token",
                            "client_id": .string(provider.clientID), "secret": .string(try provider.idToken()),
                        ]
                    ],
                    "AccessToken": [
                        "t": [
                            "home_account_id": .string(home), "environment": .string(environment),
                            "client_id": .string(provider.clientID), "target": "openid files.read", "secret": "old",
                        ]
                    ],
                    "RefreshToken": [
                        "r": [
                            "credential_type": "RefreshToken", "home_account_id": .string(home),
                            "environment": .string(environment), "client_id": .string(provider.clientID),
                            "secret": .string(token), "target": "openid files.read",
                        ]
                    ],
                ]
            }
            let policy = try cache(home: "oid-b2c_1_sign_in.tenant", provider.giveRefreshToken())
            let refused = try machine.tokenbroker(["import", "msal", "-"], input: policy.text)
            #expect(refused.status == 1 && refused.errors.contains("Azure AD B2C"), "\(refused)")
            let none = try machine.tokenbroker(["import", "msal", "-"], input: "{\"RefreshToken\": {}}")
            #expect(none.status == 1 && none.errors.contains("RefreshToken is missing"), "\(none)")
            var nameless = try cache(home: "u.t", provider.giveRefreshToken()).object ?? [:]
            nameless["IdToken"] = nil
            let nobody = try machine.tokenbroker(["import", "msal", "-"], input: JSONValue.object(nameless).text)
            #expect(nobody.status == 1 && nobody.errors.contains("IdToken is missing"), "\(nobody)")
            try nothingIsKept(connection)

            try machine.write([try cache(home: "u.t", provider.giveRefreshToken()).text], to: "home/msal.json")
            let file = machine.folder.path("home/msal.json")
            let done = try machine.tokenbroker(["import", "msal", file, "--name", "contoso"])
            #expect(done.status == 0, "\(done)")
            #expect(done.output.contains("Imported the account ann@contoso.example at contoso"), "\(done)")
            #expect(done.output.contains("delete the old cache \(file)"), "\(done)")
            let token = try machine.tokenbroker([
                "token", "--policy", "contoso", "--scope", "files.read", "--no-prompt",
            ])
            #expect(token.output.hasPrefix("access-renewed-"), "\(token)")
        }
    }
}
