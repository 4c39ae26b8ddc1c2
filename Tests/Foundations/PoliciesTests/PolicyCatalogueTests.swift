import FlowModel
import Foundation
import OAuth
import Policies
import StrictYAML
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PolicyCatalogueTests {
    @Test("the shipped folder loads without problems and equals the built-in policies") func shipped() throws {
        let folder = ProjectFolder.url.appendingPathComponent("policies").path
        let (catalogue, problems) = PolicyCatalogue.load(folder: folder)
        #expect(problems.isEmpty, "\(problems)")
        let names = try #require(catalogue).summaries.map(\.policy.description)
        #expect(
            names == [
                "b2c_1_edit_profile", "b2c_1_facebook_sign_in", "b2c_1_password_reset", "b2c_1_sign_in",
                "b2c_1_sign_up", "b2c_1_sign_up_or_in", "b2c_1_step_up",
            ]
        )
        #expect(PolicyCatalogue.load(files: ShippedPolicies.files).0 == catalogue)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(files.map { "policies/\($0)" } == ShippedPolicies.files.map(\.path))
        for file in ShippedPolicies.files {
            #expect(
                try String(contentsOf: ProjectFolder.url.appendingPathComponent(file.path), encoding: .utf8)
                    == file.text
            )
        }
    }

    @Test("a shipped policy grants reading and writing tasks, and more after additional verification")
    func shippedScopes()
        throws
    {
        let catalogue = try #require(PolicyCatalogue.load(files: ShippedPolicies.files).0)
        let policy = try #require(catalogue[PolicyID("b2c_1_sign_up")])
        #expect(policy.checks(forScope: "tasks.read") == [])
        #expect(policy.checks(forScope: "tasks.read", api: "tasks") == [])
        #expect(policy.checks(forScope: "accessRestricted") == ["PinCodeAttempts"])
        #expect(policy.checks(forScope: "transferPrivilege") == ["UserLogin", "PinCodeAttempts"])
        #expect(policy.checks(forScope: "tasks.fly") == nil)
        #expect(policy.attributes.map(\.name) == ["email", "displayName", "city", "extension_team"])
        #expect(policy.claims.map(\.wireName) == ["oid", "name", "email", "town", "extension_team"])
        #expect(policy.signInChecks == ["UserLogin"])
        let check = try #require(catalogue[check: "UserLogin"])
        #expect(check.maxAttempts == 3 && check.blockedStateExpiration == .seconds(10) && check.amr == ["pwd"])
        let pin = try #require(catalogue[check: "PinCodeAttempts"])
        #expect(pin.maxAttempts == 3 && pin.blockedStateExpiration == .seconds(60) && pin.acr == "2")
        #expect(pin.successForScopes == .seconds(60) && pin.pin == PINRule())
    }

    @Test("every shipped policy grants the balance for a PIN, and policies that sign users in issue name and `oid`")
    func everyShipped() throws {
        let catalogue = try #require(PolicyCatalogue.load(files: ShippedPolicies.files).0)
        let names = ShippedPolicies.files.compactMap { $0.path.firstMatch(of: /(b2c_1_\w+)\.yaml/)?.1 }
        #expect(names.count == 7)
        for name in names {
            let id = try PolicyID(String(name))
            let policy = try #require(catalogue[id])
            #expect(policy.checks(forScope: "accessRestricted") == ["PinCodeAttempts"], "\(name)")
            let claims = policy.claims.map(\.wireName)
            let isTold = Set(["oid", "name"]).isSubset(of: claims)
            #expect(policy.kind.stepsUp ? claims.isEmpty : isTold, "\(name): \(claims)")
        }
    }

    @Test("a folder has at most 200 policies") func many() {
        let files = Dictionary(
            uniqueKeysWithValues: (0...PolicyCatalogue.maximumPolicies).map { ("b2c_1_\($0)", "kind: sign-in\n") }
        )
        let (none, problems) = load(files)
        #expect(none == nil && problems == ["policies:1: there are more than 200 policies"], "\(problems)")
        let (catalogue, few) = load(files.filter { $0.key != "b2c_1_0" })
        #expect(catalogue != nil && few.isEmpty, "\(few)")
    }

    @Test("a step-up policy has only checks and scopes") func stepUp() throws {
        let text = "kind: step-up\nmandatoryScope: [UserLogin]\nscopes: {a: [], b: [UserLogin]}\n"
        let (catalogue, problems) = load(["b2c_1_x": text])
        #expect(problems.isEmpty, "\(problems)")
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.kind.stepsUp && !policy.kind.signsIn && !policy.kind.signsUp)
        #expect(policy.displayName == "Verify your identity" && policy.mandatoryScope == ["UserLogin"])
        #expect(policy.signInChecks.isEmpty && policy.checks(forScope: "b") == ["UserLogin"])
    }

    @Test("a window of `none` never ends, but a rolling session does") func window() throws {
        let (catalogue, problems) = load(["b2c_1_x": "kind: sign-in\ntokens: {slidingWindowSec: none}\n"])
        #expect(problems.isEmpty, "\(problems)")
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.tokens.slidingWindow == nil)
        #expect(policy.session.longest(window: nil) == .seconds(31_536_000))
        #expect(policy.session.longest(window: .seconds(86_400 * 30)) == .seconds(86_400 * 30))
        let absolute = SessionRule(kind: .absolute, lifetime: .seconds(900))
        #expect(absolute.longest(window: nil) == .seconds(900))
    }

    @Test("omitted keys have B2C's defaults") func defaults() throws {
        let (catalogue, problems) = load(["b2c_1_x": "kind: sign-in\n"])
        #expect(problems.isEmpty)
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.displayName == "Sign in")
        #expect(policy.tokens == TokenLifetimes())
        #expect(policy.session == SessionRule())
        #expect(policy.password == .strong)
        #expect(policy.signInName == .email)
        #expect(policy.signInChecks == ["UserLogin"])
        #expect(policy.scopes.isEmpty && policy.claims.isEmpty && policy.attributes.isEmpty)
        #expect(policy.pages == PageLook() && policy.language == .english)
    }

    @Test(
        "no attribute claim has a name that tokens use or that programs trust without verification",
        arguments: [
            "act", "may_act", "cnf", "roles", "groups", "entitlements", "email_verified", "phone_number_verified",
            "acr",
            "amr", "auth_time", "azp", "sub", "iss", "aud", "exp", "nbf", "iat", "jti", "nonce", "scope", "scp", "tfp",
            "oid",
            "at_hash", "c_hash", "s_hash", "sid", "client_id", "token_use", "token_type", "tid", "ver", "events",
            "email",
            "preferred_username", "idp", "newUser", "isForgotPassword", "emails", "imf.user", "Email_Verified",
            "authorization_details",
        ]
    )
    func claimNames(_ name: String) {
        for attribute in ["city", "extension_a"] {
            let (catalogue, problems) = load([
                "b2c_1_x": "kind: sign-in\nclaims: [{name: \(attribute), as: \(name)}]\n"
            ])
            let sentence = "p/b2c_1_x.yaml:2: claim \(attribute) cannot be called \(name): "
            #expect(catalogue == nil && problems.count == 1, "\(problems)")
            #expect(problems.first?.hasPrefix(sentence) == true, "\(problems)")
        }
    }

    @Test("a stored value becomes a claim by the policy's own rule, or by the rule of any other policy")
    func claimsOfStoredValues() throws {
        let claims = "claims: [extension_team, extension_level, city]\n"
        let (catalogue, problems) = load([
            "b2c_1_in": "kind: sign-in\n" + claims,
            "b2c_1_up": "kind: sign-up\n" + claims
                + "attributes: [{name: extension_team, options: [red, blue]}]\n",
            "b2c_1_edit": "kind: profile-edit\n" + claims
                + "attributes: [{name: extension_team, options: [green, blue]}, {name: displayName}]\n",
        ])
        #expect(problems.isEmpty, "\(problems)")
        let expected: [(String, [JSONValue])] = [
            ("b2c_1_in", ["red", "blue", "green"]), ("b2c_1_up", ["red", "blue"]), ("b2c_1_edit", ["blue", "green"]),
        ]
        for (name, teams) in expected {
            let policy = try #require(catalogue?[PolicyID(name)])
            let values: [JSONValue] = ["red", "blue", "green", "gold", ["red", "blue"], [:]]
            #expect(values.compactMap { policy.claim("extension_team", stored: $0) } == teams, "\(name)")
            // No policy collects these attributes. `extension_level` is unchanged, and `city` has its built-in type.
            #expect(policy.claim("extension_level", stored: ["a": 1]) == ["a": 1])
            #expect(policy.claim("city", stored: ["a": 1]) == nil && policy.claim("city", stored: "Bern") == "Bern")
        }
    }

    @Test("a value may have the reserved claim name that belongs to it") func ownClaimNames() {
        let claims =
            "claims: [oid, newUser, isForgotPassword, identityProvider, emails, email, username, {name: email, as: upn}, "
            + "{name: city, as: town}, imf.user, displayName]\n"
        let (catalogue, problems) = load(["b2c_1_x": "kind: sign-in\n" + claims])
        #expect(catalogue != nil && problems.isEmpty, "\(problems)")
    }

    @Test("sign-up collects and verifies the sign-in name first, even if the file does not list it") func signInName()
        throws
    {
        let (catalogue, _) = load(["b2c_1_x": "kind: sign-up\nsignInName: both\nattributes: [{name: city}]\n"])
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.attributes.map(\.name) == ["email", "username", "city"])
        #expect(policy.attribute("email") == AttributeRule(name: "email", required: true, verify: true))
        #expect(policy.attribute("username")?.required == true)
    }

    @Test("a block of zero seconds and an unverified address are warnings") func warnings() {
        let (catalogue, problems) = load(
            ["b2c_1_x": "kind: sign-up\nattributes:\n  - {name: email, verify: false}\n"],
            checks: "checks: {UserLogin: {type: password, blockedStateExpirationSec: 0}}"
        )
        #expect(catalogue != nil)
        #expect(
            problems == [
                "p/b2c_1_x.yaml:3: warning: users can sign up with another person's e-mail address",
                "p/checks.yaml:1: warning: `checks.UserLogin.blockedStateExpirationSec` 0 disables the attempt limit",
            ]
        )
    }

    @Test("a PIN that may contain letters is a warning, and the setting applies") func letters() {
        let (catalogue, problems) = load(
            ["b2c_1_x": "kind: sign-in\n"],
            checks: "checks:\n  UserLogin: {type: password}\n  P: {type: pin, digitsOnly: false}\n"
        )
        #expect(catalogue?[check: "P"]?.pin?.digitsOnly == false)
        #expect(
            problems == [
                "p/checks.yaml:3: warning: `checks.P.digitsOnly` false allows letters in a PIN, which a numeric keypad cannot enter"
            ]
        )
    }

    @Test("a policy inherits omitted keys and overrides others") func inheritance() throws {
        let base = """
            kind: sign-in
            displayName: A
            scopes: {x: [UserLogin]}
            password: {minLength: 12}
            tokens: {accessTokenLifetimeSec: 600}
            """
        let child = """
            extends: B2C_1_A
            scopes: {y: []}
            tokens: {idTokenLifetimeSec: 700}
            password: {strength: simple}
            """
        let (catalogue, problems) = load([
            "b2c_1_a": base, "b2c_1_b": child, "b2c_1_c": "extends: b2c_1_b\nkind: sign-up\n",
        ])
        #expect(problems.isEmpty, "\(problems)")
        let b = try #require(catalogue?[PolicyID("b2c_1_b")])
        #expect(b.displayName == "A" && b.kind == .signIn)
        #expect(b.scopes == ["x": ["UserLogin"], "y": []])
        #expect(b.tokens.accessToken == .seconds(600) && b.tokens.idToken == .seconds(700))
        #expect(b.password == .simple)
        let c = try #require(catalogue?[PolicyID("b2c_1_c")])
        #expect(c.kind == .signUp && c.scopes == b.scopes)
    }

    @Test("a problem in an inherited file is reported once") func once() {
        let (_, twice) = load(["b2c_1_a": "kind: sign-in\nwhat: 1\n", "b2c_1_b": "extends: b2c_1_a\n"])
        #expect(twice.count { $0.contains("unknown key `what`") } == 1)
    }

    @Test("files that inherit in a cycle or over more than ten levels are rejected") func towers() {
        let (_, circle) = load(["b2c_1_a": "kind: sign-in\nextends: b2c_1_b", "b2c_1_b": "extends: b2c_1_a\n"])
        #expect(circle.contains { $0.contains("`extends` has a cycle: b2c_1_a extends b2c_1_b extends b2c_1_a") })
        var tower = ["b2c_1_t0": "kind: sign-in\n"]
        for level in 1...10 { tower["b2c_1_t\(level)"] = "extends: b2c_1_t\(level - 1)\n" }
        #expect(load(tower).0 != nil)
        tower["b2c_1_t11"] = "extends: b2c_1_t10\n"
        #expect(load(tower).1.contains { $0.contains("more than 10 files") })
    }

    @Test("duplicate names, an invalid name and a folder without checks are rejected") func names() throws {
        let (_, twice) = load(["b2c_1_a": "kind: sign-in\n", "B2C_1_A": "kind: sign-in\n"])
        #expect(twice.contains { $0.contains("is the same policy") })
        let (_, name) = load(["signin": "kind: sign-in\n", "b2c_1_a": "kind: sign-in\n"])
        #expect(name.contains { $0.hasPrefix("p/signin.yaml:1: the file name is not a policy name") })
        let folder = try TemporaryFolder()
        try Data("kind: sign-in\n".utf8).write(to: folder.url.appendingPathComponent("b2c_1_a.yaml"))
        try Data("not read".utf8).write(to: folder.url.appendingPathComponent("README"))
        let problems = PolicyCatalogue.load(folder: folder.url.path).1.map(\.description)
        #expect(problems.contains("\(folder.path("checks.yaml")):1: the file does not exist; it defines the checks"))
        #expect(PolicyCatalogue.load(folder: folder.path("nowhere")).1.count == 1)
    }

    @Test("checks run in the order of the file, each after those it must follow") func order() throws {
        let (catalogue, _) = load(
            ["b2c_1_x": "kind: sign-in\nsignInChecks: [UserLogin, EmailCode, UserLogin]\n"],
            checks: """
                checks: {EmailCode: {type: emailCode}, A: {type: password}, UserLogin: {type: password}}
                order: {EmailCode: {after: [UserLogin]}}
                """
        )
        #expect(catalogue?.order == ["A", "UserLogin", "EmailCode"])
        #expect(catalogue?[try PolicyID("b2c_1_x")]?.signInChecks == ["UserLogin", "EmailCode"])
        #expect(catalogue?.ordered(["EmailCode", "A", "EmailCode", "Nope"]).map(\.name) == ["A", "EmailCode"])
    }

    @Test("a different digest means a changed policy, and a changed check changes it") func digest() throws {
        let id = try PolicyID("b2c_1_x")
        let text = "kind: sign-in\nclaims: [city]\n"
        let one = try #require(load(["b2c_1_x": text]).0?[id]?.digest)
        #expect(load(["b2c_1_x": "# a comment\n" + text]).0?[id]?.digest == one)
        #expect(load(["b2c_1_x": "kind: sign-in\nclaims: [state]\n"]).0?[id]?.digest != one)
        let other = "checks: {UserLogin: {type: password, maxAttempts: 4}, EmailCode: {type: emailCode}}"
        #expect(load(["b2c_1_x": text], checks: other).0?[id]?.digest != one)
        #expect(one.count == 32)
    }
}
