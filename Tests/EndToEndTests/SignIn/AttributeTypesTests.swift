import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of attributes of every type at the socket, on pages, at a terminal, in tokens and in userinfo.
@Suite(.timeLimit(.minutes(5)))
struct AttributeTypesTests {
    private static let policy = "b2c_1_types"
    private static let asked = [
        "  - {name: extension_count, type: int, label: {en: Count}}",
        "  - {name: extension_big, type: long, label: {en: Big}}",
        "  - {name: extension_news, type: boolean, input: radio, label: {en: News, de: Neues}}",
        "  - {name: extension_born, type: date, validation: past, label: {en: Born, de: Geboren}}",
        "  - {name: extension_days, type: stringCollection, label: {en: Days, de: Tage}, options: [mon, "
            + "{value: tue, label: {en: Tuesday, de: Dienstag}}, {value: fri, label: {en: Friday, de: Freitag}}]}",
        "  - {name: extension_about, input: textArea, label: {en: About}}",
        "  - {name: extension_team, input: radio, label: {en: Team}, options: [{value: r, label: {en: Red, de: Rot}}, b]}",
        "  - {name: extension_code, validation: code, label: {en: Code}}",
    ]
    private static let names = ["count", "big", "news", "born", "days", "about", "team", "code"]
    private static let rules = [
        "predicates:",
        "  past: {method: isDateRange, from: 1900-01-01, to: today, help: {en: A day that was, de: \"Ein Tag, der war\"}}",
        "  length: {method: isLengthRange, minLength: 4, maxLength: 8, help: {en: four to eight, de: vier bis acht}}",
        "  lower: {method: includesCharacters, characters: a-z, help: {en: small letters, de: Kleinbuchstaben}}",
        "  upper: {method: includesCharacters, characters: A-Z, help: {en: capitals, de: Großbuchstaben}}",
        "  digit: {method: matchesRegex, pattern: \".*[0-9].*\", help: {en: digits, de: Ziffern}}",
        "validations:",
        "  past: [{predicates: [past]}]",
        "  code: [{predicates: [length]}, {predicates: [lower, upper, digit], atLeast: 2}]",
        "  digits: [{predicates: [digit]}]",
    ]

    /// Returns a machine with a sign-up policy that asks for attributes of every type, and with a policy to edit them.
    private func machine() throws -> Machine {
        let machine = try Machine(configuration: ["defaultPolicy: \(Self.policy)"])
        try write(machine)
        return machine
    }

    private func write(_ machine: Machine, count: String = "int", days: String = "{value: fri,") throws {
        let asked = Self.asked.map {
            $0.replacing("extension_count, type: int", with: "extension_count, type: \(count)")
                .replacing("{value: fri,", with: days)
        }
        let claims = Self.names.map { "{name: extension_\($0), as: \($0)}" }.joined(separator: ", ")
        try machine.write(
            [
                "kind: sign-up-or-sign-in", "signInName: username", "claims: [oid, \(claims)]",
                "scopes: {tasks.read: []}",
            ]
                + Self.rules + ["password: {strength: simple, validation: digits}", "attributes:"] + asked,
            to: "etc/policies/\(Self.policy).yaml"
        )
        try machine.write(
            ["kind: profile-edit", "extends: \(Self.policy)", "displayName: Me", "attributes:"] + asked
                + ["  - {name: displayName, input: readonly}"],
            to: "etc/policies/b2c_1_edit_profile.yaml"
        )
    }

    private func end(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    private static let given: [String: JSONValue] = [
        "extension_count": -7, "extension_big": 5_000_000_000, "extension_news": false,
        "extension_born": "2000-02-29",
        "extension_days": ["fri", "mon"], "extension_about": "one\ntwo", "extension_team": "r",
        "extension_code": "aB12",
    ]
    private static let claims: [String: JSONValue] = Dictionary(
        uniqueKeysWithValues: given.map { (String($0.key.dropFirst("extension_".count)), $0.value) }
    )

    private func expect(_ claims: JSONValue?, changed: [String: JSONValue] = [:]) {
        for (name, value) in Self.claims.merging(changed, uniquingKeysWith: { $1 }) {
            #expect(claims?[name] == value, "\(name): \(claims ?? .null)")
        }
    }

    /// Signs a user up over the socket, with a value for every attribute.
    private func signUp(_ name: String, _ connection: Connection) throws -> JSONValue {
        let start: JSONValue = [
            "policy": .string(Self.policy), "prompt": "create", "scopes": ["tasks.read"],
        ]
        let flow = try #require(try connection.call("token.acquire", start)["flow"])
        let own: [String: JSONValue] = ["username": .string(name), "password": "horse 7 battery"]
        return try connection.submit(flow, .object(own.merging(Self.given) { $1 }))
    }

    @Test(
        "at the socket each type is a field, and its values are numbers, booleans and lists in tokens"
    )
    func socket() async throws {
        let machine = try machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let start: JSONValue = [
            "policy": .string(Self.policy), "prompt": "create", "scopes": ["tasks.read"],
        ]
        let flow = try #require(try connection.call("token.acquire", start)["flow"])
        let nodes = flow["step"]?["nodes"]?.array ?? []
        let kinds = nodes.compactMap { $0["kind"]?.string }
        #expect(
            kinds == [
                "text", "number", "number", "bool", "date", "multiselect", "text", "select", "text",
                "secret",
            ],
            "\(flow)"
        )
        #expect(
            nodes[5]["options"] == ["mon", "tue", "fri"] && nodes[5]["optionLabels"]?["fri"] == "Friday"
        )
        #expect(
            nodes[3]["input"] == "radio" && nodes[6]["input"] == "textArea"
                && nodes[4]["minimum"] == "1900-01-01"
        )
        #expect(
            nodes[8]["hint"]?.string
                == "four to eight, at least 2 of these: small letters, capitals, digits"
        )
        let bad: [(String, JSONValue, code: String, rule: String?)] = [
            ("extension_count", "7", "wrong_type", nil),
            ("extension_count", 2_147_483_648, "out_of_range", nil),
            ("extension_big", 9_007_199_254_740_992, "out_of_range", nil),
            ("extension_news", "no", "wrong_type", nil),
            ("extension_born", "2026-02-30", "malformed", nil),
            ("extension_born", "2999-01-01", "out_of_range", "past"),
            ("extension_days", ["sun"], "not_an_option", nil),
            ("extension_days", ["mon", "mon"], "malformed", nil),
            ("extension_about", "a\u{202E}b", "malformed", nil),
            ("extension_about", .string(String(repeating: "x", count: 251)), "too_long", nil),
            ("extension_code", "aB1", "too_short", "length"),
            ("extension_code", "abcd", "malformed", "code/2"),
            ("password", "no such horse", "too_weak", "digit"), ("extension_nothing", 1, "unknown", nil),
        ]
        let own: [String: JSONValue] = ["username": "ada", "password": "horse 7 battery"]
        let all = own.merging(Self.given) { $1 }
        for row in bad {
            let answers = JSONValue.object(all.merging([row.0: row.1]) { $1 })
            let refused = try connection.refusal("flow.submit", Connection.submission(flow, answers))
            let problem = refused.data["nodes"]?.array?.first
            #expect(refused.code == 1006 && problem?["name"]?.string == row.0, "\(row) \(refused)")
            #expect(
                problem?["code"]?.string == row.code && problem?["rule"]?.string == row.rule,
                "\(row) \(refused)"
            )
        }
        let done = try connection.submit(flow, .object(all))
        expect(done["token"]?["claims"])
        let token = try #require(done["token"]?["accessToken"]?.string, "\(done)")
        let body = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        expect(try StrictJSON.parse(Array(body)))
        end(daemon)
    }

    @Test("answers of 1 MiB end neither the daemon nor other flows") func large() throws {
        let machine = try machine()
        let daemon = try machine.startBroker()
        let start: JSONValue = [
            "policy": .string(Self.policy), "prompt": "create", "scopes": ["tasks.read"],
        ]
        for size in [20_000, 1 << 20] {
            let connection = try machine.connect()
            let flow = try #require(try connection.call("token.acquire", start)["flow"])
            let answers: JSONValue = ["extension_about": .string(String(repeating: "x", count: size))]
            let error = #expect(throws: (any Error).self) {
                try connection.call("flow.submit", Connection.submission(flow, answers))
            }
            // The daemon either refuses the answer or closes the connection because the line is too long.
            #expect(error is Connection.Refused || error is LineSocket.Failure, "\(String(describing: error))")
        }
        expect(try signUp("ada", try machine.connect())["token"]?["claims"])
        end(daemon)
    }

    /// The fields that the browser submits, except `extension_code`.
    private static let form = [
        ("username", "bob"), ("password", "horse 7 battery"), ("extension_count", "-7"),
        ("extension_big", "5000000000"),
        ("extension_news", "false"), ("extension_born", "2000-02-29"), ("extension_days", "fri"),
        ("extension_days", "mon"), ("extension_about", "one\r\ntwo"), ("extension_team", "r"),
    ]

    @Test(
        "on pages each type has a field that works without a script, shows errors, and keeps the input"
    )
    func pages() async throws {
        let machine = try machine()
        let daemon = try machine.startBroker()
        var browser = WebBrowser()
        let scope = [("prompt", "create"), ("ui_locales", "de")]
        let page = try await browser.open(
            machine.authorizeAddress(Self.policy, scope: "openid profile tasks.read", scope)
        )
        for part in [
            "<legend>Neues ", "value=\"true\"> Ja</label>", "type=\"date\"", "min=\"1900-01-01\"",
            "<legend>Tage ",
            "value=\"fri\"> Freitag</label>", "<textarea id=", "type=\"radio\"",
            "value=\"r\"> Rot</label>",
            "<li>mindestens 2 davon: Kleinbuchstaben, Großbuchstaben, Ziffern</li>", "<li>Ziffern</li>",
        ] {
            #expect(page.text.contains(part), "\(part) \(page.status) \(page.text)")
        }
        let refused = try await browser.submit(page, fields: Self.form + [("extension_code", "abcd")])
        #expect(refused.status == 422, "\(refused.text)")
        for part in [
            "mindestens 2 davon: Kleinbuchstaben, Großbuchstaben, Ziffern</span>",
            "value=\"fri\" checked",
            "value=\"mon\" checked", "value=\"false\" checked", "value=\"r\" checked",
            "one\ntwo</textarea>",
        ] {
            #expect(refused.text.contains(part), "\(part) \(refused.text)")
        }
        #expect(!refused.text.contains("value=\"tue\" checked"))
        let done = try await browser.submit(refused, fields: Self.form + [("extension_code", "aB12")])
        let tokens = try await machine.redeem(done, Self.policy)
        let access = try #require(tokens["access_token"]?.string, "\(tokens) \(done.text)")
        let userinfo = try await WebAnswer.to(
            .GET,
            "\(machine.base)/local/\(Self.policy)/openid/v2.0/userinfo",
            token: access
        )
        expect(userinfo.json)
        // The account page has the same fields for editing the attributes.
        let asked = try await browser.open("\(machine.base)/local/account")
        let account = try await browser.submit(asked, ["username": "bob", "password": "horse 7 battery"])
        let place = account.url + (account.url.contains("?") ? "&" : "?") + "edit=profile"
        let edit = try await browser.open(place)
        #expect(
            edit.text.contains("value=\"fri\" checked") && edit.text.contains("one\ntwo</textarea>"),
            "\(edit.text)"
        )
        let fields = Self.form.filter { !["username", "password", "extension_days"].contains($0.0) }
        for ticked in [["mon", "tue"], []] {
            let saved = try await browser.submit(
                try await browser.open(place),
                fields: fields + [("extension_code", "aB12")] + ticked.map { ("extension_days", $0) }
            )
            #expect(saved.status == 200, "\(saved.status) \(saved.text)")
            let shown = try await browser.open(place).text
            let checked = shown.matches(of: #/type="checkbox"[^>]*value="(\w+)" checked/#).map { String($0.1) }
            #expect(checked == ticked, "\(shown)")
        }
        end(daemon)
    }

    @Test(
        "at a terminal several answers are separated by commas, as values or labels, and predicates are shown"
    )
    func terminal() throws {
        let machine = try machine()
        let daemon = try machine.startBroker()
        let asked = try machine.atTerminal(
            "tokenbroker",
            ["sign-up", "--policy", Self.policy],
            answers: [
                "User name=:create", "User=cid", "Count=many", "Count=-7", "Big=5000000000", "News=no",
                "Born=yesterday",
                "Born=2000-02-29",
                "Days=sun", "Days=Friday, mon", "About=one", "Team=Red", "Code=aB12",
                "New password=horse 7 battery", "New password again=horse 7 battery",
            ]
        )
        #expect(asked.status == 0, "\(asked.output)\(asked.errors)")
        for sentence in [
            "Days (mon, tue: Tuesday, fri: Friday) (optional):", "Team (r: Red, b) (optional):",
            "four to eight",
            "Count must be a whole number.", "Enter a date such as",
        ] {
            #expect(asked.output.contains(sentence), "\(sentence)\n\(asked.output)")
        }
        let token = try machine.tokenbroker([
            "token", "--policy", Self.policy, "--scope", "tasks.read", "--json",
        ])
        let json = try StrictJSON.parse(Array(token.output.utf8), integers: .orFloating)
        expect(json["claims"], changed: ["about": "one"])
        let refused = try machine.tokenbroker(
            [
                "profile", "edit", "--answer", "username=cid", "--answer", "extension_code=abcd",
                "--password-stdin",
            ],
            input: "horse 7 battery\n"
        )
        #expect(
            refused.status != 0 && refused.errors.contains("at least 2 of these"),
            "\(refused.errors)"
        )
        end(daemon)
    }

    @Test("a value that was stored as another type becomes a claim of the policy's current type")
    func changedType() throws {
        let machine = try machine()
        let notify = NotifySocket(machine.folder.path("run/n"))
        let daemon = try machine.startBroker(notify: notify)
        let connection = try machine.connect()
        expect(try signUp("ada", connection)["token"]?["claims"])
        try write(machine, count: "string")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        let again: JSONValue = [
            "policy": .string(Self.policy), "scopes": ["tasks.read"], "prompt": "none",
            "forceRefresh": true,
        ]
        expect(
            try connection.call("token.acquire", again)["token"]?["claims"],
            changed: ["count": "-7"]
        )
        try write(machine, count: "boolean")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        let claims = try connection.call("token.acquire", again)["token"]?["claims"]
        #expect(claims?["days"] == ["fri", "mon"] && claims?["count"] == nil, "\(claims ?? .null)")
        // A value whose option was removed from the policy no longer appears in the claim.
        try write(machine, days: "{value: sat,")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        expect(try connection.call("token.acquire", again)["token"]?["claims"], changed: ["days": ["mon"]])
        end(daemon)
    }
}
