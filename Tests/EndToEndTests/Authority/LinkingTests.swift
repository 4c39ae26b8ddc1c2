import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests of linking and unlinking provider accounts at the socket and at the terminal.
@Suite(.timeLimit(.minutes(5)))
struct LinkingTests {
    @Test(
        "linking from the socket requires the password in the browser, then leads to the provider"
    )
    func socket() async throws {
        try await LinkingScene.run { scene in
            let user = try scene.user()
            let flow = try scene.enrol()
            let link = try #require(flow["browser"]?["url"]?.string, "\(flow)")
            #expect(flow["browser"]?["words"]?.strings?.count == 2)
            var (browser, second) = (WebBrowser(), WebBrowser())
            let asked = try await browser.open(link)
            #expect(
                asked.text.contains("name=\"password\"") && !asked.text.contains("value=\"partner\""),
                "\(asked.text)"
            )
            #expect(try await second.open(link).status == 404)
            let wrong = try await browser.submit(asked, ["username": scene.person.email, "password": "Wrong-horse-7"])
            #expect(wrong.text.contains("name=\"password\"") && !wrong.text.contains("value=\"partner\""))
            #expect(scene.provider.redemptions == 0)
            let right = try await browser.submit(
                wrong,
                ["username": scene.person.email, "password": scene.person.password]
            )
            #expect(right.text.contains("Link an account from another service"), "\(right.text)")
            let leaving = try await browser.submit(right, ["_provider": "partner"])
            let done = try await ProviderScene().visit(try destination(of: leaving), &browser)
            #expect(done.status == 200, "\(done.text)")
            let ended = try scene.connection.call("flow.wait", ["flow": flow["id"] ?? .null, "timeoutMs": 10_000])
            #expect(ended["flow"]?["state"]?.string == "succeeded", "\(ended)")
            #expect(try scene.linked() == ["partner"])
            #expect(try await scene.partnerUser() == user)
            let events = try scene.connection.call("audit.query", ["limit": 1000])["events"]?.array ?? []
            let linked = events.filter { $0["event"]?.string == "credential.enrolled" }
            #expect(linked.map { $0["detail"]?["provider"]?.string } == ["partner"], "\(linked)")
        }
    }

    @Test("the older name of `aad` links, unlinks and signs in as `aad` does") func olderName() async throws {
        func renamed(_ machine: Machine) throws {
            for path in ["tokenbrokerd.yaml", "policies/b2c_1_partner.yaml", "policies/b2c_1_both.yaml"] {
                let file = machine.folder.path("etc/" + path)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                try text.replacing("  partner:", with: "  aad:").replacing("partner]", with: "aad]")
                    .write(toFile: file, atomically: true, encoding: .utf8)
            }
        }
        let older = "WindowsAzureActiveDirectory"
        try await LinkingScene.run(prepare: renamed) { scene in
            let flow = try scene.enrol(["provider": .string(older)])
            var browser = WebBrowser()
            let asked = try await browser.open(try #require(flow["browser"]?["url"]?.string, "\(flow)"))
            let proof = ["username": scene.person.email, "password": scene.person.password]
            let proved = try await browser.submit(asked, proof)
            let leaving = try await browser.submit(proved, ["_provider": "aad"])
            _ = try await ProviderScene().visit(try destination(of: leaving), &browser)
            #expect(try scene.state(flow) == "succeeded")
            #expect(try scene.linked() == ["aad"])
            let removing: JSONValue = ["type": "federated", "provider": .string(older)]
            #expect(try scene.connection.call("credential.remove", removing)["flow"] != nil)
            let command = try BuiltProgram("tokenbroker").start(
                ["sign-in", "--provider", older.lowercased()],
                environment: scene.machine.environment
            )
            try await waitUntil("the command shows where the browser goes on") {
                command.errors().contains("Sign in with a browser: ")
            }
            command.signal(SIGINT)
            #expect(command.wait() != 0)
        }
    }

    @Test(
        "unlinking requires the password and ends that identity's tokens, and its next sign-in creates a new user"
    )
    func removal() async throws {
        try await LinkingScene.run { scene in
            let user = try scene.user()
            var (browser, page) = try await scene.visiting()
            _ = try await scene.link(page, &browser)
            let token: JSONValue = ["id_token": .string(try scene.provider.idToken())]
            let acquire: JSONValue = [
                "policy": "b2c_1_partner", "provider": "partner", "providerToken": token, "scopes": ["tasks.read"],
            ]
            let federated = try #require(try scene.connection.call("token.acquire", acquire)["token"])
            #expect(federated["claims"]?["oid"]?.string == user && federated["amr"] == ["fed"])
            let silent: JSONValue = ["policy": "b2c_1_partner", "scopes": ["tasks.read"], "prompt": "none"]
            #expect(try scene.connection.call("token.acquire", silent)["token"]?["fromCache"]?.bool == true)
            // The last sign-in's policy allows no password, so the removal continues in a browser.
            let first = try scene.connection.call("credential.remove", ["type": "federated", "provider": "PARTNER"])
            #expect(first["flow"]?["browser"]?["url"] != nil, "\(first)")
            _ = try scene.connection.call("flow.cancel", ["flow": first["flow"]?["id"] ?? .null])
            #expect(try scene.person.signIn(scene.connection) == "accepted")
            let removing = try scene.connection.call("credential.remove", ["type": "federated", "provider": "partner"])
            let flow = try #require(removing["flow"])
            #expect(flow["step"]?["type"]?.string == "password" && flow["browser"] == nil, "\(flow)")
            let name = JSONValue.string(scene.person.email)
            let wrong = try scene.connection.submit(flow, ["username": name, "password": "Wrong-horse-7"])
            #expect(wrong["verdict"]?.string == "rejected")
            #expect(try scene.linked() == ["partner"])
            let open = try #require(wrong["flow"])
            let done = try scene.connection.submit(
                open,
                ["username": name, "password": .string(scene.person.password)]
            )
            #expect(done["flow"]?["state"]?.string == "succeeded", "\(done)")
            #expect(try scene.linked() == [])
            #expect(try scene.connection.refusal("token.acquire", silent).code == 1001)
            let events = try scene.connection.call("audit.query", ["limit": 1000])["events"]?.array ?? []
            let removed = events.filter { $0["event"]?.string == "credential.removed" }
            #expect(removed.map { $0["detail"]?["provider"]?.string } == ["partner"], "\(removed)")
            // A sign-in with the unlinked provider account now creates a new user.
            // The password still opens the old account.
            let stranger = try await scene.partnerUser()
            #expect(stranger != user)
            #expect(try scene.user() == user)
        }
    }

    @Test("an identity that cannot be linked or unlinked is refused by name, and the only way to sign in remains")
    func refused() async throws {
        try await LinkingScene.run { scene in
            let methods = ["credential.enrol", "credential.remove"]
            for method in methods {
                for params in [["type": "federated"], ["type": "pin", "provider": "partner"]] as [JSONValue] {
                    let refused = try scene.connection.refusal(method, params)
                    #expect(refused.code == -32602 && refused.data["member"]?.string == "provider", "\(refused)")
                }
            }
            let unknown: JSONValue = ["type": "federated", "provider": "nobody"]
            #expect(try scene.connection.refusal("credential.enrol", unknown).code == 1009)
            let partner: JSONValue = ["type": "federated", "provider": "partner"]
            #expect(try scene.connection.refusal("credential.remove", partner).code == 1008)
            // The account of this user was created by a sign-in with the provider, which is the only way to sign in.
            let account = try scene.signInWithPartner()
            let last = try scene.connection.refusal(
                "credential.remove",
                ["type": "federated", "provider": "partner", "account": account]
            )
            #expect(last.code == 1008 && last.message.contains("only way to sign in"), "\(last)")
            let again = try scene.connection.refusal(
                "credential.enrol",
                ["type": "federated", "provider": "partner", "account": account]
            )
            #expect(again.code == 1008 && again.message.contains("already linked"), "\(again)")
            #expect(try scene.linked(account) == ["partner"])
        }
    }

    @Test("an identity that another user has linked is refused at the socket with a message, and stays linked")
    func taken() async throws {
        try await LinkingScene.run { scene in
            let local = try #require(try scene.person.token(scene.connection)["account"])
            let theirs = try scene.signInWithPartner()
            #expect(theirs != local)
            let linking = try scene.enrol(["account": local])
            var browser = WebBrowser()
            let page = try await browser.open(try #require(linking["browser"]?["url"]?.string))
            let refused = try await scene.prove(page, &browser)
            #expect(
                refused.status == 403 && refused.text.contains("already linked to a different account here"),
                "\(refused.text)"
            )
            let ended = try scene.connection.call("flow.get", ["flow": linking["id"] ?? .null])["flow"]
            #expect(ended?["state"]?.string == "failed" && ended?["reason"]?.string == "denied", "\(ended ?? .null)")
            #expect(
                ended?["message"]?.string?.contains("already linked to a different account") == true,
                "\(ended ?? .null)"
            )
            #expect(try scene.linked(local) == [])
            #expect(try scene.linked(theirs) == ["partner"])
        }
    }

    @Test("another user's browser must answer the custom identity provider, whatever was answered before")
    func realm() async throws {
        try await withCustomProvider { corp, scene in
            let (flow, account) = try Self.provedAtSocket(corp, scene)
            var browser = WebBrowser()
            let question = try await browser.open(try #require(flow["browser"]?["url"]?.string, "\(flow)"))
            let words = flow["browser"]?["words"]?.strings?.joined(separator: " ") ?? ""
            let typed = ["_decision": "allow", "_words": words]
            let asked = try await browser.submit(question, typed)
            #expect(asked.text.contains("Enter username and password"), "\(asked.status) \(asked.text)")
            #expect(!asked.text.contains("value=\"partner\""), "\(asked.text)")
            let right = try await browser.submit(asked, ["username": "john.lennon", "password": "12345"])
            let leaving = try await browser.submit(right, ["_provider": "partner"])
            let done = try await ProviderScene().visit(try destination(of: leaving), &browser)
            #expect(done.status == 200, "\(done.text)")
            #expect(try scene.state(flow) == "succeeded")
            #expect(try scene.linked(account).contains("partner"))
        }
    }

    @Test("without the custom identity provider verification is impossible, and the flow ends")
    func realmGone() async throws {
        try await withCustomProvider { corp, scene in
            let (flow, account) = try Self.provedAtSocket(corp, scene)
            corp.end()
            var browser = WebBrowser()
            let question = try await browser.open(try #require(flow["browser"]?["url"]?.string, "\(flow)"))
            let words = flow["browser"]?["words"]?.strings?.joined(separator: " ") ?? ""
            let typed = ["_decision": "allow", "_words": words]
            let refused = try await browser.submit(question, typed)
            #expect(refused.status == 502, "\(refused.status) \(refused.text)")
            #expect(try scene.state(flow) == "cancelled")
            #expect(try scene.linked(account).contains("partner") == false)
        }
    }

    /// Runs `test` with a custom identity provider in addition to the provider `partner`.
    private func withCustomProvider(_ test: (CustomProvider, LinkingScene) async throws -> Void) async throws {
        let corp = try CustomProvider("Corp", [])
        defer { corp.end() }
        let prepare = { (machine: Machine) in try Self.customProvider(corp, machine) }
        try await LinkingScene.run(prepare: prepare) { scene in try await test(corp, scene) }
    }

    /// Signs a user in with a custom identity provider, starts to link an account, and verifies the user at the socket.
    ///
    /// This verification does not count in any browser.
    private static func provedAtSocket(
        _ corp: CustomProvider,
        _ scene: LinkingScene
    ) throws -> (flow: JSONValue, account: JSONValue) {
        let wanted: JSONValue = ["scopes": ["tasks.read"], "policy": .string(corp.policy)]
        let signIn = try #require(try scene.connection.call("token.acquire", wanted)["flow"])
        let signedIn = try scene.connection.submit(signIn, CustomProvider.right)
        let account = try #require(signedIn["token"]?["account"], "\(signedIn)")
        let flow = try scene.enrol(["account": account])
        let proved = try scene.connection.submit(flow, CustomProvider.right)
        #expect(proved["flow"]?["state"] == "challenge", "\(proved)")
        return (flow, account)
    }

    /// Configures a custom identity provider with its own policy.
    ///
    /// With `behindProxy`, the daemon does not know the uid of a browser.
    private static func customProvider(_ provider: CustomProvider, _ machine: Machine) throws {
        let checks = try String(contentsOfFile: machine.policies + "/checks.yaml", encoding: .utf8)
        try machine.write(
            [checks.replacing("order:", with: provider.line + "\norder:")],
            to: "etc/policies/checks.yaml"
        )
        try machine.write(
            ["kind: sign-up-or-sign-in", "signInChecks: [\(provider.check)]", "scopes: {tasks.read: []}"],
            to: "etc/policies/\(provider.policy).yaml"
        )
        let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        try machine.write([text, "behindProxy: true"], to: "etc/tokenbrokerd.yaml")
    }

    @Test(
        "an account without a password is verified with its provider, and links another, which then suffices"
    )
    func federated() async throws {
        try await LinkingScene.run(prepare: Self.secondProvider) { scene in
            let account = try scene.signInWithPartner()
            let flow = try scene.enrol(["account": account, "provider": "second"])
            let link = try #require(flow["browser"]?["url"]?.string)
            var browser = WebBrowser()
            // The account's policy has only one provider, so the link redirects to this provider at once.
            let there = try await browser.open(link)
            scene.provider.person("person-2", [:])
            let another = try await ProviderScene().visit(try destination(of: there), &browser)
            #expect(another.status == 403, "\(another.text)")
            #expect(try scene.state(flow) == "failed")
            #expect(try scene.linked(account) == ["partner"])
            scene.provider.person("person-1", [:])
            let again = try scene.enrol(["account": account, "provider": "second"])
            let second = try #require(again["browser"]?["url"]?.string)
            var right = WebBrowser()
            let proving = try await right.open(second)
            let proved = try await ProviderScene().visit(try destination(of: proving), &right)
            #expect(proved.text.contains("value=\"second\""), "\(proved.text)")
            #expect(!proved.text.contains("value=\"partner\""), "\(proved.text)")
            scene.provider.person("person-2", [:])
            let leaving = try await right.submit(proved, ["_provider": "second"])
            _ = try await ProviderScene().visit(try destination(of: leaving), &right)
            #expect(try scene.state(again) == "succeeded")
            #expect(try scene.linked(account) == ["partner", "second"])
            // The account now has two providers. Before one is unlinked, the user signs in again in a browser.
            scene.provider.person("person-1", [:])
            let params: JSONValue = ["type": "federated", "provider": "partner", "account": account]
            let removing = try #require(try scene.connection.call("credential.remove", params)["flow"])
            let last = try #require(removing["browser"]?["url"]?.string)
            var remover = WebBrowser()
            let asked = try await remover.open(last)
            let done = try await ProviderScene().visit(try destination(of: asked), &remover)
            #expect(done.status == 200, "\(done.text)")
            #expect(try scene.state(removing) == "succeeded")
            #expect(try scene.linked(account) == ["second"])
            let only: JSONValue = ["type": "federated", "provider": "second", "account": account]
            #expect(try scene.connection.refusal("credential.remove", only).code == 1008)
        }
    }

    /// Configures a second provider with its own policy.
    ///
    /// The second provider is the same server under another name.
    @Sendable private static func secondProvider(_ machine: Machine) throws {
        let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        let first = try #require(text.split(separator: "\n").first { $0.hasPrefix("  partner: ") })
        let second = first.replacing("  partner: ", with: "  second: ").replacing("Partner", with: "Second")
        try machine.write([text + second], to: "etc/tokenbrokerd.yaml")
        try machine.write(
            ["kind: social", "identityProviders: [second]", "scopes: {tasks.read: []}"],
            to: "etc/policies/b2c_1_second.yaml"
        )
    }

    @Test("`tokenbroker provider` adds, lists and removes, in English and German") func terminal() async throws {
        try await LinkingScene.run { scene in
            let process = try BuiltProgram("tokenbroker").start(
                ["provider", "add", "partner"],
                environment: scene.machine.environment
            )
            var link = ""
            try await waitUntil("the link is printed") {
                link = process.errors().firstMatch(of: /(http:\S+\/flow\/\S+)/).map { String($0.1) } ?? ""
                return !link.isEmpty
            }
            var browser = WebBrowser()
            let asked = try await browser.open(link)
            _ = try await scene.prove(asked, &browser)
            #expect(process.wait() == 0, "\(process.errors())")
            #expect(process.output() == "Linked your partner account.\n")
            let listed = try scene.machine.tokenbroker(["provider", "list"])
            #expect(listed.output.contains("PROVIDER") && listed.output.contains("partner"), "\(listed)")
            let json = try scene.machine.tokenbroker(["provider", "list", "--json"])
            let rows = try StrictJSON.parse(Array(json.output.utf8))["credentials"]?.array
            #expect(rows?.map { $0["provider"]?.string } == ["partner"])
            let again = try scene.machine.tokenbroker(
                ["provider", "add", "partner"],
                environment: ["LC_ALL": "de_DE.UTF-8"]
            )
            #expect(again.status == 77 && again.errors.contains("ist schon verknüpft"), "\(again)")
            let unknown = try scene.machine.tokenbroker(["provider", "add", "nobody"])
            #expect(unknown.status != 0 && unknown.errors.contains("Choose one of partner"), "\(unknown)")
            let wrong = try scene.machine.tokenbroker(
                ["provider", "remove", "partner", "--password-stdin"],
                input: "Wrong-horse-7\n"
            )
            #expect(wrong.status != 0, "\(wrong)")
            #expect(try scene.linked() == ["partner"])
            let removed = try scene.machine.tokenbroker(
                ["provider", "remove", "partner", "--password-stdin", "--json"],
                input: "\(scene.person.password)\n"
            )
            #expect(removed.status == 0, "\(removed)")
            #expect(removed.output.contains("\"state\":\"none\""), "\(removed)")
            #expect(try scene.linked() == [])
            let none = try scene.machine.tokenbroker(["provider", "remove", "partner"])
            #expect(none.status == 77 && none.errors.contains("No account at this provider"), "\(none)")
        }
    }
}
