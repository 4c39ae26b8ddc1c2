import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the credential helpers, which are called through their protocols and by Debian's git.
@Suite(.timeLimit(.minutes(5)))
struct CredentialTests {
    /// A machine with a signed-in user and with an API that has the origin of a git server.
    private struct Scene {
        let machine: Machine
        let daemon: RunningProgram
        let server: RecordingAPI
        let person = Person.random()

        init() throws {
            let folder = try TemporaryFolder()
            server = try RecordingAPI(repositories: folder.path("repositories"))
            machine = try Machine(configuration: [
                "apis: {tasks: {origins: [\"\(server.base)\", \"https://tasks.example\"], "
                    + "scopes: {tasks.read: Read, tasks.write: Change}}}"
            ])
            daemon = try machine.startBroker()
            try person.signUp(machine.connect(), on: machine)
            self.folder = folder
        }

        private let folder: TemporaryFolder

        func end() {
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }

        func helper(
            _ arguments: [String],
            _ lines: [String],
            environment: [String: String] = [:]
        ) throws -> BuiltProgram.Outcome {
            try BuiltProgram("tokenbroker").run(
                ["credential"] + arguments,
                input: lines.joined(separator: "\n"),
                environment: machine.environment.merging(environment) { $1 }
            )
        }

        func token() throws -> String {
            try machine.tokenbroker(["token", "--no-prompt"]).output.trimmingCharacters(in: .newlines)
        }

        /// Runs git without the system's configuration and without prompts.
        func git(_ arguments: [String]) throws -> BuiltProgram.Outcome {
            let own = ["GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true"]
            return try BuiltProgram(path: "/usr/bin/git").run(
                arguments,
                environment: machine.environment.merging(own) { $1 }
            )
        }

        /// Creates a repository with one commit, which the server serves as `/git/one.git`.
        func makeRepository() throws {
            let (bare, tree) = (folder.path("repositories/one.git"), folder.path("tree"))
            let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
            for step in [
                ["init", "--quiet", "--bare", bare], ["-C", bare, "config", "http.receivepack", "true"],
                ["init", "--quiet", tree],
                ["-C", tree] + author + ["commit", "--quiet", "--allow-empty", "-m", "one"],
                ["-C", tree, "push", "--quiet", bare, "HEAD:refs/heads/main"],
                ["-C", bare, "symbolic-ref", "HEAD", "refs/heads/main"],
            ] {
                let outcome = try git(step)
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }
    }

    @Test("git clones and pushes over HTTP with a token as the password") func clone() throws {
        let scene = try Scene()
        try scene.makeRepository()
        let tokenbroker = BuiltProgram("tokenbroker").url.path
        let helper = ["-c", "credential.\(scene.server.base).helper=!'\(tokenbroker)' credential git"]
        let configured = helper + ["-c", "credential.\(scene.server.base).username=anybody"]
        let clone = scene.machine.folder.path("clone")
        let url = "\(scene.server.base)/git/one.git"
        let outcome = try scene.git(configured + ["clone", "--quiet", url, clone])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        _ = try scene.git(["-C", clone] + author + ["commit", "--quiet", "--allow-empty", "-m", "two"])
        let push = try scene.git(["-C", clone] + configured + ["push", "--quiet"])
        #expect(push.status == 0, "\(push.errors)")
        let basic = Data("anybody:\(try scene.token())".utf8).base64EncodedString()
        let fields = try scene.server.requests().compactMap { $0.headers["authorization"] }
        #expect(Set(fields) == ["Basic \(basic)"])
        // This version of git does not use a token without a user name, so the helper says how to set a user name.
        let unnamed = try scene.git(helper + ["ls-remote", url])
        #expect(
            unnamed.errors.contains("git config credential.\(scene.server.base).username NAME"),
            "\(unnamed.errors)"
        )
        scene.end()
    }

    @Test("git 2.46 and later gets a bearer token that other helpers do not store, earlier ones an expiring password")
    func git() throws {
        let scene = try Scene()
        let place = ["protocol=http", "host=localhost:\(scene.server.port)"]
        let newer = try scene.helper(["git", "get"], ["capability[]=authtype", "capability[]=state"] + place + [""])
        var lines = newer.output.split(separator: "\n").map(String.init)
        let token = try scene.token()
        let expiry = try #require(lines.popLast()?.split(separator: "=").last.flatMap { Int64($0) })
        #expect(expiry > 1_790_000_000 && expiry < 5_000_000_000)
        #expect(lines == ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1"])
        let older = try scene.helper(["git", "get"], place + ["username=me", ""])
        #expect(older.output == "username=me\npassword=\(token)\npassword_expiry_utc=\(expiry)\n", "\(older.errors)")
        let forced = try scene.helper(["git", "--username", "oauth2", "get"], ["capability[]=authtype"] + place)
        #expect(forced.output.hasPrefix("username=oauth2\npassword=\(token)\n"), "\(forced.errors)")
        #expect(try scene.helper(["git", "store"], place + ["password=x"]).status == 0)
        scene.end()
    }

    @Test(
        "git gets no token for another origin",
        arguments: [
            ["protocol=https", "host=evil.example"], ["protocol=http", "host=tasks.example"],
            ["protocol=https", "host=tasks.example:444"], ["protocol=https", "host=tasks.example.evil.example"],
            ["protocol=https", "host=tasks.example@evil.example"],
            ["protocol=https", "host=tasks.example/@evil.example"],
            ["protocol=ssh", "host=tasks.example"], ["protocol=https"], ["host=tasks.example"], [],
        ]
    )
    func gitElsewhere(_ lines: [String]) throws {
        let scene = try Scene()
        for operation in ["get", "erase", "store"] {
            let outcome = try scene.helper(["git", operation], ["capability[]=authtype", "username=u"] + lines + [""])
            #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        }
        let own = try scene.helper(["git", "get"], ["capability[]=authtype", "protocol=https", "host=tasks.example"])
        #expect(own.output.contains("credential="), "\(own.errors)")
        scene.end()
    }

    @Test("a token is renewed if git reports it as rejected, and another one is not") func erase() throws {
        let scene = try Scene()
        let place = ["protocol=http", "host=localhost:\(scene.server.port)"]
        let before = try scene.token()
        #expect(try scene.helper(["git", "erase"], place + ["password=other"]).status == 0)
        #expect(try scene.token() == before)
        #expect(try scene.helper(["git", "erase"], place + ["username=u", "password=\(before)"]).status == 0)
        #expect(try scene.token() != before)
        scene.end()
    }

    @Test("docker gets the user name and token for its registry, nothing for another, and cannot store credentials")
    func docker() throws {
        let scene = try Scene()
        let token = try scene.token()
        for name in [scene.server.base, "localhost:\(scene.server.port)", "tasks.example", "https://tasks.example/v2/"]
        {
            let outcome = try scene.helper(["docker", "get"], [name, ""])
            let answer = try StrictJSON.parse(Array(outcome.output.utf8))
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                answer == [
                    "ServerURL": .string(name), "Username": .string(scene.person.email), "Secret": .string(token),
                ]
            )
        }
        let named = try scene.helper(["docker", "--username", "oauth2", "get"], ["tasks.example"])
        #expect(named.output.contains("\"Username\":\"oauth2\""))
        for name in [
            "evil.example", "https://index.docker.io/v1/", "http://tasks.example", "tasks.example@evil.example",
        ] {
            let outcome = try scene.helper(["docker", "get"], [name])
            #expect(outcome.status == 1 && outcome.output == "credentials not found in native keychain\n", "\(outcome)")
        }
        let stored = try scene.helper(
            ["docker", "store"],
            [#"{"ServerURL":"tasks.example","Username":"u","Secret":"s"}"#]
        )
        #expect(stored.status == 77 && stored.output.contains("does not store credentials"))
        #expect(try scene.helper(["docker", "list"], []).output == "{}\n")
        #expect(try scene.helper(["docker", "erase"], ["tasks.example"]).status == 0)
        scene.end()
    }

    @Test("kubectl gets an ExecCredential with its expiry, for the cluster of an API only") func kubectl() throws {
        let scene = try Scene()
        func ask(_ server: String?, version: String = "client.authentication.k8s.io/v1") throws -> BuiltProgram.Outcome
        {
            let cluster = server.map { #","cluster":{"server":"\#($0)"}"# } ?? ""
            let asked = #"{"kind":"ExecCredential","apiVersion":"\#(version)","spec":{"interactive":false\#(cluster)}}"#
            return try scene.helper(["kubectl"], [], environment: ["KUBERNETES_EXEC_INFO": asked])
        }
        let answer = try StrictJSON.parse(Array(try ask("https://tasks.example:443/k8s").output.utf8))
        #expect(answer["apiVersion"]?.string == "client.authentication.k8s.io/v1")
        #expect(answer["kind"]?.string == "ExecCredential")
        #expect(answer["status"]?["token"]?.string == (try scene.token()))
        let end = try #require(answer["status"]?["expirationTimestamp"]?.string)
        #expect(try Date(end, strategy: .iso8601) > .now)
        let older = try ask("https://tasks.example", version: "client.authentication.k8s.io/v1beta1")
        #expect(older.output.contains("client.authentication.k8s.io/v1beta1"))
        let elsewhere = try ask("https://evil.example")
        #expect(
            elsewhere.status == 77 && elsewhere.output.isEmpty && elsewhere.errors.contains("Tokens are only sent to")
        )
        let unnamed = try ask(nil)
        #expect(unnamed.status == 78 && unnamed.errors.contains("provideClusterInfo: true"), "\(unnamed.errors)")
        #expect(try ask("https://tasks.example", version: "client.authentication.k8s.io/v1alpha1").status == 64)
        #expect(try scene.helper(["kubectl"], []).status == 64)
        scene.end()
    }

    @Test("credential helpers do not prompt: without a sign-in they say how to sign in") func signedOut() throws {
        let scene = try Scene()
        #expect(try scene.machine.tokenbroker(["sign-out", "--all"]).status == 0)
        let outcome = try scene.helper(
            ["git", "get"],
            ["capability[]=authtype", "protocol=https", "host=tasks.example"]
        )
        #expect(outcome.status == 77 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("tokenbroker sign-in"), "\(outcome.errors)")
        let elsewhere = try scene.helper(["git", "get"], ["protocol=https", "host=evil.example"])
        #expect(elsewhere.status == 0 && elsewhere.output.isEmpty && elsewhere.errors.isEmpty)
        scene.end()
    }
}
