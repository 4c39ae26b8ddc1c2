import FlowModel
import Foundation
import Policies
import StrictYAML
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PolicyCatalogueTests {
    @Test("the shipped folder loads without a word, and is what the daemon has built in") func shipped() throws {
        let folder = root.appendingPathComponent("policies").path
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
            #expect(try String(contentsOf: root.appendingPathComponent(file.path), encoding: .utf8) == file.text)
        }
    }

    @Test("a shipped policy grants reading and writing tasks, and more to who has proved more") func shippedScopes()
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

    @Test("a policy that steps up has checks and scopes, and nothing of its own beside them") func stepUp() throws {
        let text = "kind: step-up\nmandatoryScope: [UserLogin]\nscopes: {a: [], b: [UserLogin]}\n"
        let (catalogue, problems) = load(["b2c_1_x": text])
        #expect(problems.isEmpty, "\(problems)")
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.kind.stepsUp && !policy.kind.signsIn && !policy.kind.signsUp)
        #expect(policy.displayName == "Confirm who you are" && policy.mandatoryScope == ["UserLogin"])
        #expect(policy.signInChecks.isEmpty && policy.checks(forScope: "b") == ["UserLogin"])
    }

    @Test("what a file leaves out has B2C's default") func defaults() throws {
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

    @Test("sign-up asks for the sign-in name first and verifies it, even if no file says so") func signInName() throws {
        let (catalogue, _) = load(["b2c_1_x": "kind: sign-up\nsignInName: both\nattributes: [{name: city}]\n"])
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.attributes.map(\.name) == ["email", "username", "city"])
        #expect(policy.attribute("email") == AttributeRule(name: "email", required: true, verify: true))
        #expect(policy.attribute("username")?.required == true)
    }

    @Test("a block of no time, and an address nobody proves, are warnings") func warnings() {
        let (catalogue, problems) = load(
            ["b2c_1_x": "kind: sign-up\nattributes:\n  - {name: email, verify: false}\n"],
            checks: "checks: {UserLogin: {type: password, blockedStateExpirationSec: 0}}"
        )
        #expect(catalogue != nil)
        #expect(
            problems == [
                "p/b2c_1_x.yaml:3: warning: anybody can sign up with somebody else's e-mail address",
                "p/checks.yaml:1: warning: `checks.UserLogin.blockedStateExpirationSec` 0 disables the attempt limit",
            ]
        )
    }

    @Test("a policy inherits what it leaves out and says its own") func inheritance() throws {
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

    @Test("what is wrong in a file that others build upon is said once") func once() {
        let (_, twice) = load(["b2c_1_a": "kind: sign-in\nwhat: 1\n", "b2c_1_b": "extends: b2c_1_a\n"])
        #expect(twice.count { $0.contains("unknown key `what`") } == 1)
    }

    @Test("files that build upon each other in a circle or in more than ten storeys are refused") func towers() {
        let (_, circle) = load(["b2c_1_a": "kind: sign-in\nextends: b2c_1_b", "b2c_1_b": "extends: b2c_1_a\n"])
        #expect(circle.contains { $0.contains("`extends` is a circle: b2c_1_a extends b2c_1_b extends b2c_1_a") })
        var tower = ["b2c_1_t0": "kind: sign-in\n"]
        for level in 1...10 { tower["b2c_1_t\(level)"] = "extends: b2c_1_t\(level - 1)\n" }
        #expect(load(tower).0 != nil)
        tower["b2c_1_t11"] = "extends: b2c_1_t10\n"
        #expect(load(tower).1.contains { $0.contains("more than 10 files") })
    }

    @Test("two files of one name, a name that is none, and a folder without checks are refused") func names() throws {
        let (_, twice) = load(["b2c_1_a": "kind: sign-in\n", "B2C_1_A": "kind: sign-in\n"])
        #expect(twice.contains { $0.contains("is the same policy") })
        let (_, name) = load(["signin": "kind: sign-in\n", "b2c_1_a": "kind: sign-in\n"])
        #expect(name.contains { $0.hasPrefix("p/signin.yaml:1: the file's name names no policy") })
        let folder = try TemporaryFolder()
        try Data("kind: sign-in\n".utf8).write(to: folder.url.appendingPathComponent("b2c_1_a.yaml"))
        try Data("not read".utf8).write(to: folder.url.appendingPathComponent("README"))
        let problems = PolicyCatalogue.load(folder: folder.url.path).1.map(\.description)
        #expect(problems.contains("\(folder.path("checks.yaml")):1: there is no such file; it says what checks ask"))
        #expect(PolicyCatalogue.load(folder: folder.path("nowhere")).1.count == 1)
    }

    @Test("checks are asked in the order of the file, but after those they must come after") func order() throws {
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

    @Test("another digest is another policy, and a check that changes changes it too") func digest() throws {
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
