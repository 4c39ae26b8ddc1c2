import Foundation
import GRDB
import OAuth
import TestSupport
import Testing

/// Tests password resets and profile edits with the built programs.
@Suite(.timeLimit(.minutes(5)))
struct PasswordResetTests {
    private static let new = "Another-horse-8"

    private func emptyOutbox(_ machine: Machine) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: machine.outbox) {
            try FileManager.default.removeItem(atPath: machine.outbox + "/" + file)
        }
    }

    private func claims(_ machine: Machine) throws -> JSONValue {
        let outcome = try machine.tokenbroker(["token", "--scope", "tasks.read", "--no-prompt", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let token = try StrictJSON.parse(Array(outcome.output.utf8), integers: .orFloating)
        return try #require(token["claims"])
    }

    @Test("`password reset` sets a new password, removes cached tokens, and only the new password signs in")
    func reset() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        var person = Person.random()
        try machine.signUp(person)
        _ = try claims(machine)
        try emptyOutbox(machine)
        let process = try BuiltProgram("tokenbroker").start(
            ["password", "reset", "--answer", "username=\(person.email)", "--password-stdin"],
            environment: machine.environment
        )
        process.input.write(Data("\(try machine.code(for: person.email))\n\(Self.new)\n".utf8))
        try process.input.close()
        #expect(process.wait() == 0, "\(process.errors())")
        let connection = try machine.connect()
        let kept = try connection.call("token.list", [:])
        #expect(kept["tokens"]?.array == [])
        #expect(try person.signIn(connection) == "rejected")
        person.password = Self.new
        #expect(try person.signIn(connection) == "accepted")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("`profile edit` changes the claims of tokens and renews cached ones") func profile() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try machine.signUp(person)
        let before = try machine.tokenbroker(["token", "--policy", "b2c_1_sign_in", "--scope", "tasks.read", "--json"])
        #expect(before.output.contains(person.name), "\(before.errors)")
        let edited = try machine.tokenbroker(
            [
                "profile", "edit", "--answer", "username=\(person.email)", "--answer", "displayName=Joan of Arc",
                "--answer", "city=Rouen", "--answer", "extension_team=", "--password-stdin",
            ],
            input: "\(person.password)\n"
        )
        #expect(edited.status == 0, "\(edited.errors)")
        let after = try machine.tokenbroker(["token", "--policy", "b2c_1_sign_in", "--scope", "tasks.read", "--json"])
        #expect(after.output.contains("Joan of Arc") && after.output.contains("Rouen"), "\(after.output)")
        #expect(!after.output.contains("extension_team"))
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    /// A change to an account, made with a command or on the account page.
    enum Change: CaseIterable {
        case profile, password, profileOnPage, passwordOnPage

        var isProfile: Bool { self == .profile || self == .profileOnPage }
    }

    /// Makes a change with a command, or in a browser on the account page.
    private func make(_ change: Change, of person: Person, on machine: Machine) async throws {
        switch change {
        case .profile:
            let edited = try machine.tokenbroker(
                ["profile", "edit", "--answer", "username=\(person.email)", "--answer", "displayName=Joan of Arc"]
                    + ["--answer", "city=", "--answer", "extension_team=", "--password-stdin"],
                input: "\(person.password)\n"
            )
            #expect(edited.status == 0, "\(edited.errors)")
        case .password:
            let process = try BuiltProgram("tokenbroker").start(
                ["password", "reset", "--answer", "username=\(person.email)", "--password-stdin"],
                environment: machine.environment
            )
            process.input.write(Data("\(try machine.code(for: person.email))\n\(Self.new)\n".utf8))
            try process.input.close()
            #expect(process.wait() == 0, "\(process.errors())")
        case .profileOnPage:
            try await edit("profile", ["displayName": "Joan of Arc", "city": ""], person, machine)
        case .passwordOnPage:
            try await edit("password", ["password": person.password, "newPassword": Self.new], person, machine)
        }
    }

    /// Signs in to the account page with a new browser, and changes the profile or the password.
    private func edit(_ thing: String, _ answers: [String: String], _ person: Person, _ machine: Machine) async throws {
        var browser = WebBrowser()
        let first = try await browser.open("\(machine.base)/local/account")
        let account = try await browser.submit(first, ["username": person.email, "password": person.password])
        #expect(account.text.contains(person.email), "\(account.status) \(account.text)")
        let form = try await browser.open(account.url + (account.url.contains("?") ? "&" : "?") + "edit=\(thing)")
        let page = WebBrowser.Page(url: account.url, status: form.status, headers: form.headers, text: form.text)
        let done = try await browser.submit(page, answers)
        #expect(done.status == 200 && done.url.contains("changed=\(thing)Changed"), "\(done.status) \(done.text)")
    }

    @Test(
        "an edited profile renews cached tokens of two clients and policies, and a new password removes them",
        arguments: Change.allCases
    )
    func everywhere(_ change: Change) async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try machine.signUp(person)
        let clients = try ["tasks-cli", "tokenbroker-cli"].map { client in
            let connection = try machine.connect()
            _ = try connection.call("broker.hello", ["protocol": [1], "client": ["id": .string(client)]])
            return connection
        }
        let requests: [JSONValue] = ["b2c_1_sign_up_or_in", "b2c_1_sign_in"].map {
            ["scopes": ["tasks.read"], "prompt": "none", "policy": $0]
        }
        func tokens() throws -> [JSONValue] {
            try clients.flatMap { client in
                try requests.map { try #require(try client.call("token.acquire", $0)["token"]) }
            }
        }
        let before = try tokens()
        #expect(Set(before.compactMap { $0["accessToken"]?.string }).count == 4)
        #expect(try tokens().allSatisfy { $0["fromCache"]?.bool == true })
        try emptyOutbox(machine)
        try await make(change, of: person, on: machine)
        if change.isProfile {
            for (old, new) in zip(before, try tokens()) {
                #expect(new["accessToken"] != old["accessToken"] && new["fromCache"]?.bool == false)
                #expect(new["claims"]?["name"] == "Joan of Arc", "\(new)")
            }
            let database = try DatabaseQueue(path: machine.state + "/authority.sqlite")
            let (dead, alive) = try await database.read { db in
                let dead = "SELECT count(*) FROM families WHERE revoked_reason = 'profile_changed'"
                let alive = "SELECT count(*) FROM families WHERE revoked_at IS NULL"
                return (try Int.fetchOne(db, sql: dead), try Int.fetchOne(db, sql: alive))
            }
            #expect((dead ?? 0) >= before.count, "earlier refresh tokens are revoked")
            #expect(alive == before.count, "a session has issued new ones")
        } else {
            for client in clients { #expect(try client.call("token.list", [:])["tokens"]?.array == []) }
            let database = try DatabaseQueue(path: machine.state + "/authority.sqlite")
            let alive = try await database.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM families WHERE revoked_at IS NULL")
            }
            #expect(alive == 0, "no earlier refresh token is valid")
        }
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("commands find the policy of their kind under any name, and report a missing one") func names() throws {
        let machine = try Machine()
        let files = FileManager.default
        for (shipped, own) in [("edit_profile", "me"), ("sign_in", "in")] {
            try files.moveItem(
                atPath: "\(machine.policies)/b2c_1_\(shipped).yaml",
                toPath: "\(machine.policies)/b2c_1_\(own).yaml"
            )
        }
        try files.removeItem(atPath: "\(machine.policies)/b2c_1_password_reset.yaml")
        let daemon = try machine.startBroker()
        let person = Person.random()
        try machine.signUp(person)
        let who = ["--answer", "username=\(person.email)", "--password-stdin"]
        let signedIn = try machine.tokenbroker(["sign-in"] + who, input: "\(person.password)\n")
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        let edited = try machine.tokenbroker(
            ["profile", "edit", "--answer", "displayName=Joan of Arc"] + who,
            input: "\(person.password)\n"
        )
        #expect(edited.status == 0, "\(edited.errors)")
        let connection = try machine.connect()
        let policies = try connection.call("account.list", [:])["accounts"]?.array?.first?["policies"]
        #expect(policies?.array?.contains("b2c_1_in") == true && policies?.array?.contains("b2c_1_me") == true)
        let reset = try machine.tokenbroker(["password", "reset"] + who)
        #expect(
            reset.status == 1 && reset.errors.contains("There is no policy of kind password-reset."),
            "\(reset.errors)"
        )
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
