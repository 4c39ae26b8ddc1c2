import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of linking and unlinking provider accounts on the account page.
@Suite(.timeLimit(.minutes(5)))
struct AccountLinkTests {
    @Test(
        "an account of another daemon is linked on the account page, signs in to the same account, and is unlinked"
    )
    func anotherDaemon() async throws {
        let outside = try Machine(configuration: [
            "tenant: outside", "clients:",
            "  ours: {type: confidential, firstParty: true, secretFile: ours.secret, grants: [authorization_code], "
                + "redirectURIs: [\"http://localhost:PORT/local/oauth2/authresp\"]}",
        ])
        let scene = ProviderScene()
        let machine = try scene.machine(issuer: "\(outside.base)/outside/b2c_1_sign_in/v2.0")
        let text = try String(contentsOfFile: outside.configuration, encoding: .utf8)
        try outside.write([text.replacing("PORT", with: "\(machine.port)")], to: "etc/tokenbrokerd.yaml")
        try outside.writeSecret(ProviderScene.secret, to: "etc/ours.secret")
        let (provider, daemon) = (try outside.startBroker(), try machine.startBroker())
        let (mine, theirs) = (Person.random(), Person.random())
        let connection = try machine.connect()
        try theirs.signUp(try outside.connect(), on: outside)
        try mine.signUp(connection, on: machine)
        var (ours, elsewhere) = (WebBrowser(), WebBrowser())
        let asked = try await ours.open("\(machine.base)/local/account")
        let page = try await ours.submit(asked, ["username": mine.email, "password": mine.password])
        let leaving = try await ours.submit(page, ["_link": "partner"])
        let there = try await elsewhere.open(try destination(of: leaving))
        let sent = try await elsewhere.submit(there, ["username": theirs.email, "password": theirs.password])
        let done = try await ours.open(try destination(of: sent))
        #expect(done.status == 200 && done.text.contains("The account is linked"), "\(done.text)")
        #expect(done.text.contains("name=\"_unlink\" value=\"partner\""), "\(done.text)")
        // A sign-in with the provider opens the linked account. The user may still be signed in at the provider.
        var again = WebBrowser()
        let sentAgain = try await elsewhere.open(try destination(of: try await again.open(scene.request(machine))))
        let claims = try await scene.claims(
            try await again.open(try await answered(sentAgain, theirs, &elsewhere)),
            machine
        )
        #expect(claims["oid"] == (try mine.token(connection)["claims"]?["oid"]), "\(claims)")
        #expect(claims["idp"]?.string == "partner" && claims["name"]?.string == mine.name, "\(claims)")
        let removed = try await ours.submit(done, ["_unlink": "partner"])
        #expect(removed.text.contains("no longer linked") && removed.text.contains("name=\"_link\" value=\"partner\""))
        let events = try connection.call("audit.all", ["limit": 1000])["events"]?.array ?? []
        for kind in ["credential.enrolled", "credential.removed"] {
            let event = events.first { $0["event"]?.string == kind }
            #expect(event?["detail"]?["provider"]?.string == "partner", "\(kind): \(events)")
        }
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    /// Signs the user in if the provider's page prompts for a password.
    ///
    /// - Returns: The address to which the provider redirects the browser.
    private func answered(
        _ page: WebBrowser.Page,
        _ person: Person,
        _ browser: inout WebBrowser
    ) async throws -> String {
        guard page.text.contains("name=\"password\"") else { return try destination(of: page) }
        return try destination(
            of: try await browser.submit(page, ["username": person.email, "password": person.password])
        )
    }

    @Test("a taken identity, a second one, an unknown provider and a forged form are each refused with a message")
    func refused() async throws {
        try await LinkingScene.run { scene in
            // Another user signs in with the provider account first, so the provider account is already linked.
            let theirs = try await scene.partnerUser()
            var (browser, page) = try await scene.visiting()
            let taken = try await scene.link(page, &browser)
            #expect(
                taken.status == 403 && taken.text.contains("already linked to a different account here"),
                "\(taken.text)"
            )
            #expect(try scene.linked() == [])
            #expect(try await scene.partnerUser() == theirs)
            scene.provider.person("person-2", ["name": "Bea", "email": .string(scene.person.email)])
            let done = try await scene.link(page, &browser)
            #expect(done.text.contains("The account is linked"), "\(done.text)")
            #expect(try scene.linked() == ["partner"])
            scene.provider.person("person-3", [:])
            for (field, value, word) in [
                ("_link", "partner", "An account at Partner is already linked"),
                ("_link", "nobody", "Choose one of partner"),
                ("_unlink", "nobody", "No account at this provider is linked"),
            ] {
                let refused = try await browser.submit(done, [field: value])
                #expect(refused.status == 403 && refused.text.contains(word), "\(refused.text)")
            }
            var forger = WebBrowser()
            let forged = try await forger.submit(
                WebBrowser.Page(url: page.url, status: 200, headers: [:], text: ""),
                ["_unlink": "partner"]
            )
            #expect(!forged.text.contains("no longer linked"))
            let unsigned = try await browser.submit(
                WebBrowser.Page(url: done.url, status: 200, headers: [:], text: ""),
                ["_unlink": "partner"]
            )
            #expect(unsigned.status == 403, "\(unsigned.text)")
            #expect(try scene.linked() == ["partner"])
        }
    }

    @Test("a stolen link works in no other browser, nor does the return address of the provider")
    func stolen() async throws {
        try await LinkingScene.run { scene in
            var (browser, page) = try await scene.visiting()
            let leaving = try await browser.submit(page, ["_link": "partner"])
            var (thief, stranger) = (WebBrowser(), WebBrowser())
            #expect(try await thief.open(leaving.url).status == 404)
            let back = try destination(of: try await stranger.open(try destination(of: leaving)))
            #expect(try await thief.open(back).status == 404)
            #expect(try scene.linked() == [] && scene.provider.redemptions == 0)
            #expect(try await browser.open(back).text.contains("The account is linked"))
            #expect(try await browser.open(back).status == 404)
            #expect(try scene.linked() == ["partner"])
        }
    }

    @Test("a user who cancels at the provider or on the page links nothing and returns to the account page")
    func cancelled() async throws {
        try await LinkingScene.run { scene in
            var (browser, page) = try await scene.visiting()
            scene.provider.tell(.cancels)
            let refused = try await scene.link(page, &browser)
            #expect(
                refused.status == 200 && refused.text.contains("Link an account from another service"),
                "\(refused.text)"
            )
            #expect(refused.text.contains("value=\"partner\""))
            let back = try await browser.submit(refused, ["_action": "cancel"])
            #expect(back.status == 200 && back.text.contains("name=\"_link\" value=\"partner\""), "\(back.text)")
            #expect(try scene.linked() == [])
        }
    }

    @Test("when two users link one identity at once, one gets it and the other gets an error") func twoBrowsers()
        async throws
    {
        try await LinkingScene.run { scene in
            let second = Person.random()
            try second.signUp(scene.connection, on: scene.machine)
            for round in 0..<3 {
                scene.provider.person("shared-\(round)", [:])
                var answers: [(WebBrowser, String)] = []
                for person in [scene.person, second] {
                    var (browser, page) = try await scene.visiting(person)
                    let leaving = try await browser.submit(page, ["_link": "partner"])
                    var stranger = WebBrowser()
                    let back = try destination(of: try await stranger.open(try destination(of: leaving)))
                    answers.append((browser, back))
                }
                let pages = try await withThrowingTaskGroup(of: WebBrowser.Page.self) { group in
                    for (browser, back) in answers {
                        group.addTask {
                            var browser = browser
                            return try await browser.open(back)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(pages.count { $0.text.contains("The account is linked") } == 1, "\(pages.map(\.text))")
                #expect(pages.count { $0.status == 403 } == 1, "\(pages.map(\.status))")
                let accounts = try scene.connection.call("account.list")["accounts"]?.array ?? []
                let owners = try accounts.filter { try scene.linked($0["account"]) == ["partner"] }
                #expect(owners.count == 1, "\(round)")
                for owner in owners {
                    let name = owner["username"]?.string
                    let person = name == second.email ? second : scene.person
                    let removing = try scene.connection.call(
                        "credential.remove",
                        ["type": "federated", "provider": "partner", "account": owner["account"] ?? .null]
                    )
                    let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
                    _ = try scene.connection.submit(try #require(removing["flow"]), answers)
                }
            }
        }
    }
}
