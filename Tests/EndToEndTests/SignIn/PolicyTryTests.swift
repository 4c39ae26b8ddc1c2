import Foundation
import OAuth
import TestSupport
import Testing

/// Tests `tokenbroker policy try` at a terminal.
@Suite(.timeLimit(.minutes(10)))
struct PolicyTryTests {
    private let scratch: TemporaryFolder
    private let machine: Machine

    init() throws {
        scratch = try TemporaryFolder()
        machine = try Machine(environment: ["TMPDIR": scratch.url.path])
    }

    /// The typed answers for a sign-in as the user that `policy try` creates.
    private static let trial = ["E-mail=trial@example.org", #"Password=@shown:password (Try\S+)"#]

    private func attempt(
        _ policy: String,
        _ options: [String] = [],
        answers: [String],
        locale: String? = nil
    ) throws -> BuiltProgram.Outcome {
        let file = policy.hasPrefix("/") ? policy : "\(machine.policies)/\(policy).yaml"
        return try machine.atTerminal(
            "tokenbroker",
            ["policy", "try", file] + options,
            answers: answers,
            locale: locale
        )
    }

    private func write(_ policy: String, _ text: String) throws -> String {
        let file = "\(machine.policies)/\(policy).yaml"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Expects that a trial has left no folder and no daemon behind, and has created nothing in the user's own folders.
    private func expectNothingLeft() throws {
        try blockUntil("the folder of the trial is removed") {
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty
        }
        try blockUntil("the daemon of the trial has ended") { try processes(in: scratch.url.path).isEmpty }
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder.path("home")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder.path("run")).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: machine.state))
    }

    /// Returns the command lines of the running daemons whose arguments contain a path below this folder.
    private func processes(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { $0.allSatisfy(\.isNumber) }.compactMap {
            guard let line = FileManager.default.contents(atPath: "/proc/\($0)/cmdline") else { return nil }
            let text = String(decoding: line, as: UTF8.self)
            return text.contains(folder) && text.contains("tokenbrokerd\0") ? text : nil
        }
    }

    @Test("`policy try` walks a sign-up to its end, shows the mail and the tokens, and leaves nothing") func signUp()
        throws
    {
        let done = try attempt(
            "b2c_1_sign_up",
            answers: [
                "E-mail=ann@example.org", "Display name=Ann", "City=Bern", "Team=red",
                "New password again=Correct-horse-7", "New password=Correct-horse-7",
                #"Code=@shown:^  \| +(\d{6})"#,
            ]
        )
        #expect(done.status == 0, "\(done.output)\(done.errors)")
        for sentence in [
            "stored in the outbox \(scratch.url.path)/", "Mail to <ann@example.org>: ", "b2c_1_sign_up succeeded",
            "Scopes: ", "tasks.read", "Authentication: acr 1, amr otp, pwd",
            "Lifetimes: access token 3600 s, ID token 3600 s, refresh token 1209600 s", "name: Ann", "town: Bern",
        ] {
            #expect(done.output.contains(sentence), "\(sentence): \(done.output)")
        }
        #expect(!done.output.contains("Account for this trial") && !done.output.contains("eyJ"))
        try expectNothingLeft()
    }

    @Test("a trial sign-in names its user, accepts wrong and right passwords, and puts no secret into arguments")
    func signIn() throws {
        let seen = machine.folder.path("processes")
        let look = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' > \(seen); echo Wrong-horse-7"
        let done = try attempt(
            "b2c_1_sign_in",
            answers: ["E-mail=trial@example.org", "Password=@run:\(look)"] + Self.trial
        )
        #expect(done.status == 0, "\(done.output)\(done.errors)")
        #expect(done.output.contains("The user name or password is incorrect."), "\(done.output)")
        #expect(done.output.contains("2 attempts left.") && done.output.contains("b2c_1_sign_in succeeded"))
        let password = try #require(done.output.firstMatch(of: /password (Try\S+)/)).1
        let lines = try String(decoding: Data(contentsOf: URL(fileURLWithPath: seen)), as: UTF8.self)
        #expect(lines.contains("\(scratch.url.path)/tokenbroker-try-") && !lines.contains(password))
        try expectNothingLeft()
    }

    @Test("three wrong passwords end a trial as blocked, with 75") func blocked() throws {
        let wrong = ["E-mail=trial@example.org", "Password=Wrong-horse-7"]
        let other = (1...2).flatMap { ["E-mail=trial@example.org", "Password=Wrong-horse-\($0)"] }
        let done = try attempt("b2c_1_sign_in", answers: wrong + other)
        #expect(done.status == 75 && done.output.contains("tokenbroker: error: "), "\(done.output)")
        #expect(!done.output.contains("correlation id"), "the trial's log is removed")
        try expectNothingLeft()
    }

    @Test("a trial prompts for a PIN if the policy or a scope requires it") func pin() throws {
        let file = try write(
            "b2c_1_careful",
            "extends: b2c_1_sign_in\ndisplayName: Careful\nmandatoryScope: [PinCodeAttempts]\n"
        )
        for (policy, options) in [(file, []), ("b2c_1_sign_in", ["--scope", "accessRestricted"])] {
            let done = try attempt(policy, options, answers: Self.trial + ["New PIN again=4711", "New PIN=4711"])
            #expect(done.status == 0, "\(done.output)\(done.errors)")
            #expect(done.output.contains("acr 2, amr pwd, pin"), "\(done.output)")
        }
        try expectNothingLeft()
    }

    @Test("a trial of a profile edit, a password reset or a step-up has a user with an account") func others()
        throws
    {
        let edit = try attempt(
            "b2c_1_edit_profile",
            answers: Self.trial + ["Display name=Trudy", "City=Oslo", "Team=blue"]
        )
        #expect(edit.status == 0 && edit.output.contains("name: Trudy"), "\(edit.output)\(edit.errors)")
        let reset = try attempt(
            "b2c_1_password_reset",
            answers: [
                "E-mail=trial@example.org", #"Code=@shown:^  \| +(\d{6})"#, "New password again=Correct-horse-9",
                "New password=Correct-horse-9",
            ]
        )
        #expect(reset.status == 0 && reset.output.contains("Mail to <trial@example.org>"), "\(reset.output)")
        let stepUp = try attempt(
            "b2c_1_step_up",
            answers: [#"Password=@shown:password (Try\S+)"#] + Self.trial + ["New PIN again=4711", "New PIN=4711"]
        )
        #expect(stepUp.status == 0 && stepUp.output.contains("b2c_1_step_up succeeded"), "\(stepUp.output)")
        #expect(stepUp.output.contains("Access token lifetime"))
        try expectNothingLeft()
    }

    @Test("a trial refuses a file with a problem as `policy check` does") func broken() throws {
        let file = try write("b2c_1_broken", "kind: sign-in\ndisplayNam: X\n")
        let done = try attempt(file, answers: [])
        let checked = try machine.tokenbroker(["policy", "check", file])
        #expect(done.status == 78 && checked.status == 78)
        #expect(done.output == checked.errors && done.output.contains("\(file):2: "), "\(done.output)")
        let missing = try machine.tokenbroker(["policy", "try", "/nothing/b2c_1_x.yaml"])
        #expect(missing.status == 78 && missing.errors.contains("The file does not exist"))
        try expectNothingLeft()
    }

    @Test("a trial refuses a file that is no policy, and by name a policy with an external provider or authority")
    func refused()
        throws
    {
        let social = try attempt("b2c_1_facebook_sign_in", answers: [])
        #expect(social.status == 78, "\(social.output)")
        #expect(social.output.contains("the identity provider facebook, which is not available in a trial"))
        let outside = try write("b2c_1_elsewhere", "{authority: contoso, policy: b2c_1_sign_in}\n")
        let elsewhere = try attempt(outside, answers: [])
        #expect(elsewhere.status == 78 && elsewhere.output.contains("is run by the external authority contoso"))
        for other in [machine.policies, machine.policies + "/checks.yaml"] {
            let none = try attempt(other, answers: [])
            #expect(none.status == 64 && none.output.contains("This is not a policy file."), "\(none.output)")
        }
        try expectNothingLeft()
    }

    @Test("a trial refuses a policy that calls external services by name, unless such calls are allowed") func outside()
        throws
    {
        let connector = try APIConnector()
        defer { connector.end() }
        let asking = try write(
            "b2c_1_asking",
            "extends: b2c_1_sign_in\ndisplayName: Asking\nconnectors: {beforeToken: \(connector.keys())}\n"
        )
        let refused = try attempt(asking, answers: [])
        let address = "http://localhost:\(connector.port)/ask"
        let call = "b2c_1_asking would call the production URL \(address) (`connectors.beforeToken`)"
        #expect(refused.status == 78 && refused.output.contains(call), "\(refused.output)")
        #expect(refused.output.contains("add --call-outside") && connector.asked == 0)
        let done = try attempt(asking, ["--call-outside"], answers: Self.trial)
        #expect(done.status == 0 && connector.asked > 0, "\(done.output)\(done.errors)")
        let checks = machine.policies + "/checks.yaml"
        let corp =
            "  Corp: {type: customIdentityProvider, realm: corp, tenant: t, url: \"https://idp.example\"}\norder:"
        try String(contentsOfFile: checks, encoding: .utf8).replacing("order:", with: corp)
            .write(toFile: checks, atomically: true, encoding: .utf8)
        let file = try write("b2c_1_corp", "kind: sign-up-or-sign-in\ndisplayName: Corp\nsignInChecks: [Corp]\n")
        let realm = try attempt(file, answers: [])
        #expect(realm.status == 78, "\(realm.output)")
        let corpCall = "b2c_1_corp would call the production URL https://idp.example (`checks.Corp`)"
        #expect(realm.output.contains(corpCall), "\(realm.output)")
        try expectNothingLeft()
    }

    @Test("a trial can read the files that its policies name, wherever they are, and no others") func namedFiles()
        throws
    {
        let connector = try APIConnector(["--token", "kept"])
        defer { connector.end() }
        let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"
        try machine.write([picture], to: "etc/policies/logo.svg")
        try machine.write([picture], to: "etc/policies/other.svg")
        try machine.write(
            ["<link rel=\"stylesheet\" href=\"page.css\"><div id=\"api\"></div>"],
            to: "etc/policies/page.html"
        )
        try machine.write(["p { color: red }"], to: "etc/policies/page.css")
        let secrets = machine.policies + "/../secrets"
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: true)
        try machine.write(["kept"], to: "etc/secrets/token")
        #expect(chmod(secrets + "/token", 0o600) == 0)
        let auth = ", auth: {kind: bearer, tokenFile: ../secrets/token}"
        let asking = try write(
            "b2c_1_asking",
            "# not other.svg\nextends: b2c_1_sign_in\npages: {logo: logo.svg, template: page.html}\n"
                + "connectors: {beforeToken: \(connector.keys(auth))}\n"
        )
        let seen = machine.folder.path("seen")
        let look =
            "cd \(scratch.url.path)/tokenbroker-try-*/policies && find . -type f | grep -v yaml > \(seen); "
            + "echo trial@example.org"
        let done = try attempt(
            asking,
            ["--call-outside"],
            answers: ["E-mail=@run:\(look)", #"Password=@shown:password (Try\S+)"#]
        )
        #expect(done.status == 0 && connector.asked > 0, "\(done.output)\(done.errors)")
        let files = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n").sorted()
        #expect(files == ["./secrets/token", "./within/logo.svg", "./within/page.css", "./within/page.html"])
        try expectNothingLeft()
    }

    @Test("a missing or irregular file that a policy names is refused by name") func missingFiles() throws {
        let bare = try write("b2c_1_bare", "extends: b2c_1_sign_in\npages: {logo: gone.svg}\n")
        let refused = try attempt(bare, answers: [])
        #expect(refused.status == 78, "\(refused.output)")
        #expect(refused.output.contains("`gone.svg` is a file that cannot be read"), "\(refused.output)")
        try machine.write(["x"], to: "etc/policies/key.pem")
        #expect(chmod(machine.policies + "/key.pem", 0o600) == 0)
        try FileManager.default.createDirectory(atPath: machine.policies + "/own", withIntermediateDirectories: true)
        let auth = "{kind: clientCertificate, certificateFile: own, privateKeyFile: key.pem}"
        let folder = try write(
            "b2c_1_bare",
            "extends: b2c_1_sign_in\nconnectors: {beforeToken: {url: \"https://a.example/\", auth: \(auth)}}\n"
        )
        let none = try attempt(folder, ["--call-outside"], answers: [])
        #expect(none.status == 78, "\(none.output)")
        let sentence = "Cannot read \(machine.policies)/own, which the policies refer to."
        #expect(none.output.contains(sentence), "\(none.output)")
        try expectNothingLeft()
    }

    @Test("a killed trial leaves nothing behind, even if its watcher got SIGTERM") func watched() throws {
        let term =
            "for c in $(grep -lz '[w]hile read -r line' /proc/[0-9]*/cmdline); do "
            + "grep -qz '\(scratch.url.path)/' $c && kill -TERM $(basename $(dirname $c)); done; echo trial@example.org"
        let done = try attempt("b2c_1_sign_in", answers: ["E-mail=@run:\(term)", "Password=@signal:KILL"])
        #expect(done.status == 247, "\(done.output)\(done.errors)")
        try expectNothingLeft()
    }

    @Test("without a terminal a trial fails with 77 before anything is started") func noTerminal() throws {
        let outcome = try BuiltProgram(path: "/usr/bin/setsid").run(
            [
                "--wait", BuiltProgram("tokenbroker").url.path, "policy", "try",
                machine.policies + "/b2c_1_sign_in.yaml",
            ],
            environment: machine.environment
        )
        #expect(outcome.status == 77 && outcome.errors.contains("A terminal is required"), "\(outcome.errors)")
        try expectNothingLeft()
    }

    @Test(
        "Ctrl-C, a closed terminal and a kill leave nothing of a trial behind",
        arguments: [("@interrupt", 77), ("@signal:HUP", 255), ("@signal:KILL", 247)]
    )
    func ended(_ end: String, _ status: Int32) throws {
        let done = try attempt("b2c_1_sign_in", answers: ["E-mail=trial@example.org", "Password=\(end)"])
        #expect(done.status == status, "\(done.output)\(done.errors)")
        #expect(done.output.contains("Account for this trial: trial@example.org"), "\(done.output)")
        try expectNothingLeft()
    }

    @Test("a trial of a single file uses the shipped policies, works in German, and reports to programs as JSON")
    func alone() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("b2c_1_short.yaml")
        try "extends: b2c_1_sign_in\ndisplayName: Kurz\ntokens: {accessTokenLifetimeSec: 600, slidingWindowSec: none}\n"
            .write(
                toFile: file,
                atomically: true,
                encoding: .utf8
            )
        let german = try attempt(
            file,
            answers: ["E-Mail=trial@example.org", #"Kennwort=@shown:Kennwort (Try\S+)"#],
            locale: "de_DE.UTF-8"
        )
        #expect(german.status == 0 && german.output.contains("b2c_1_short war erfolgreich."), "\(german.output)")
        #expect(german.output.contains("Access-Token 600 s"))
        let json = try attempt(file, ["--json"], answers: Self.trial)
        let line = try #require(json.output.split(separator: "\n").last)
        let value = try StrictJSON.parse(Array(line.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
        #expect(value["outcome"]?.string == "succeeded" && value["lifetimesSec"]?["accessToken"]?.int == 600)
        #expect(value["lifetimesSec"]?["slidingWindow"] == .null && value["claims"]?["oid"]?.string != nil)
        try expectNothingLeft()
    }
}
