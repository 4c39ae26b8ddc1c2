import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of what other users of the machine can do with the sign-in link that a terminal shows.
@Suite(.timeLimit(.minutes(5)))
struct OpenedLinkTests {
    /// A Python script that opens an address without following redirects, and prints the response.
    private static let opener = """
        import json, sys, urllib.error, urllib.request

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay())
        try:
            answer = opener.open(sys.argv[1], timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        names = ["Location", "Referrer-Policy"]
        print(json.dumps([answer.status] + [answer.headers.get(name) or "" for name in names] + [answer.read().decode()]))
        """

    /// A Python script that opens a link, submits the given pairs of words one after the other, and prints each page.
    private static let guesser = """
        import json, re, sys, urllib.error, urllib.parse, urllib.request
        link, *guesses = sys.argv[1:]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())

        def page(form=None):
            body = form and urllib.parse.urlencode(form).encode()
            try:
                return opener.open(link, data=body, timeout=30).read().decode()
            except urllib.error.HTTPError as error:
                return error.read().decode()

        pages = [page()]
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', pages[0]))
        pages += [page({**hidden, "_decision": "allow", "_words": words}) for words in guesses]
        print(json.dumps(pages))
        """

    /// A replacement for `xdg-open` that waits, so that a test can read its arguments.
    private static let desktop = """
        #!/usr/bin/python3
        import signal
        signal.pause()
        """

    /// A sign-in command that has printed its link and started `xdg-open`.
    private struct Opened {
        let command: RunningProgram
        let link: String
        let words: String
        /// The process id and the arguments of `xdg-open`.
        let desktop: (pid: Int32, arguments: [String])

        /// Kills `xdg-open`.
        func end() { kill(desktop.pid, SIGKILL) }
    }

    /// Runs `test` with a daemon that serves every user of the machine, and with a user who has signed up.
    private func withService(_ test: (Machine, Connection, Person) async throws -> Void) async throws {
        try requireRoot("becomes another user")
        let machine = try Machine(isService: true)
        let daemon = try machine.startBroker()
        defer {
            daemon.signal(SIGTERM)
            daemon.wait()
        }
        try machine.openToOthers()
        let bin = machine.folder.path("bin")
        try FileManager.default.createDirectory(
            atPath: bin,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        let opener = bin + "/xdg-open"
        #expect(
            FileManager.default.createFile(
                atPath: opener,
                contents: Data(Self.desktop.utf8),
                attributes: [.posixPermissions: 0o755]
            )
        )
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        try await test(machine, connection, person)
    }

    /// Starts `sign-in --browser` on a simulated desktop, as root or as the other user.
    private func open(_ machine: Machine, asOther: Bool = false) async throws -> Opened {
        var environment = machine.environment
        environment["DISPLAY"] = ":99"
        environment["PATH"] = machine.folder.path("bin") + ":/usr/bin:/bin"
        let program = BuiltProgram("tokenbroker").url.path
        let uid = "\(OtherUser.uid)"
        let command =
            asOther
            ? try BuiltProgram(path: "/usr/bin/setpriv").start(
                ["--reuid", uid, "--regid", uid, "--clear-groups", program, "sign-in", "--browser"],
                environment: environment
            )
            : try BuiltProgram("tokenbroker").start(["sign-in", "--browser"], environment: environment)
        var found: (pid: Int32, arguments: [String])?
        try await waitUntil("the desktop was asked to open an address") {
            found = Self.processes().first { $0.arguments.contains(machine.folder.path("bin") + "/xdg-open") }
            return found != nil
        }
        let desktop = try #require(found, "\(command.errors())")
        let shown = command.errors()
        let link = try #require(shown.firstMatch(of: /Sign in with a browser: (\S+)\n/)).1
        let words = try #require(shown.firstMatch(of: /type these words: ([a-z]+ [a-z]+)\n/)).1
        return Opened(command: command, link: String(link), words: String(words), desktop: desktop)
    }

    /// Returns all processes with their arguments.
    private static func processes() -> [(pid: Int32, arguments: [String])] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).map { pid in (pid, read(pid, "cmdline")) }
    }

    /// Returns the arguments or the environment of a process, or an empty array if the process has ended.
    private static func read(_ pid: Int32, _ file: String) -> [String] {
        let content = FileManager.default.contents(atPath: "/proc/\(pid)/\(file)") ?? Data()
        return content.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Opens an address as the other user or as the current user, and returns the response.
    private func visit(_ address: String, asOther: Bool) throws -> [JSONValue] {
        let output =
            asOther
            ? try OtherUser.run(Self.opener, [address])
            : try BuiltProgram(path: "/usr/bin/python3").run(["-c", Self.opener, address]).output
        return try StrictJSON.parse(Array(output.utf8)).array ?? []
    }

    @Test("no argument or environment contains the link, and its address redirects one browser of the uid")
    func arguments() async throws {
        try await withService { machine, _, _ in
            let opened = try await open(machine)
            defer { opened.end() }
            let ticket = try #require(opened.link.split(separator: "/").last).description
            #expect(ticket.utf8.count == 22 && opened.link.hasPrefix("\(machine.base)/local/flow/"))
            let processes = Self.processes()
            #expect(processes.contains { $0.pid == getpid() && !$0.arguments.isEmpty })
            for process in processes {
                let all = process.arguments + Self.read(process.pid, "environ")
                #expect(!all.contains { $0.contains(ticket) }, "\(process.arguments)")
            }
            let address = try #require(opened.desktop.arguments.last)
            #expect(address.wholeMatch(of: /http:\/\/localhost:\d+\/open\/[A-Za-z0-9_-]{22}/) != nil, "\(address)")
            for _ in 0..<2 {
                let stranger = try visit(address, asOther: true)
                #expect(stranger.first == 403 && stranger[1] == "", "\(stranger)")
                #expect(stranger.last?.string?.contains("Open the link shown in the terminal.") == true)
            }
            let own = try visit(address, asOther: false)
            #expect(own.first == 303 && own[1].string == opened.link && own[2] == "no-referrer", "\(own)")
            for asOther in [false, true] {
                let again = try visit(address, asOther: asOther)
                #expect(again.first == (asOther ? 403 : 410) && again[1] == "", "\(again)")
            }
            opened.command.signal(SIGTERM)
            #expect(opened.command.wait() != 0)
        }
    }

    @Test("another user with the link cannot take it over: the terminal names them, and three guesses end it")
    func takeover() async throws {
        try await withService { machine, _, person in
            let opened = try await open(machine)
            defer { opened.end() }
            let guesses = ["lunar otter", "mango maple", "velvet violet"]
            let output = try OtherUser.run(Self.guesser, [opened.link] + guesses)
            let pages = try StrictJSON.parse(Array(output.utf8)).strings ?? []
            #expect(pages.count == 4)
            let text = pages.joined(separator: " ").replacing(/<[^>]*>/, with: " ")
            let shown = Set(text.split { !$0.isLetter }.map(String.init))
            #expect(
                shown.isDisjoint(with: opened.words.split(separator: " ").map(String.init)),
                "\(opened.words): \(text)"
            )
            #expect(!text.contains(person.email) && text.contains("Attempts left: 1."))
            #expect(pages.last?.contains("the wrong words three times") == true, "\(pages)")
            #expect(opened.command.wait() != 0)
            let said = opened.command.errors()
            #expect(said.contains("The link was opened by uid \(OtherUser.uid). "), "\(said)")
            #expect(said.contains("the wrong words three times"), "\(said)")
            #expect(!opened.command.output().contains("Signed in"))
        }
    }

    @Test("after the words are typed, the desktop user's browser completes a command of another user")
    func otherUsersCommand() async throws {
        try await withService { machine, connection, person in
            let opened = try await open(machine, asOther: true)
            defer { opened.end() }
            // The desktop's browser and the command have different uids, so the browser is refused.
            let refused = try visit(try #require(opened.desktop.arguments.last), asOther: false)
            #expect(refused.first == 403 && refused[1] == "", "\(refused)")
            var browser = WebBrowser()
            let question = try await browser.open(opened.link)
            #expect(question.status == 200 && question.text.contains("name=\"_words\""), "\(question.text)")
            #expect(question.text.contains("uid \(OtherUser.uid)"), "\(question.text)")
            let page = try await browser.submit(question, ["_decision": "allow", "_words": opened.words])
            #expect(page.status == 200 && page.text.contains("name=\"password\""), "\(page.text)")
            let answers = ["username": person.email, "password": person.password]
            let done = try await browser.submit(page, answers)
            #expect(done.status == 200 && done.text.contains("Return to the terminal"), "\(done.text)")
            #expect(opened.command.wait() == 0, "\(opened.command.errors())")
            #expect(opened.command.errors().contains("opened by root (uid 0). "), "\(opened.command.errors())")
            #expect(opened.command.output().contains(person.email))
            #expect(try connection.call("flow.list")["flows"] == [])
        }
    }

    @Test("no argument contains a token that exec passes on, and other users cannot read the environment") func exec()
        async throws
    {
        try await withService { machine, connection, person in
            let token = try #require(try person.token(connection)["accessToken"]?.string)
            let program = machine.folder.path("bin") + "/xdg-open"
            let command = try BuiltProgram("tokenbroker").start(
                ["exec", "--", program],
                environment: machine.environment
            )
            defer {
                command.signal(SIGKILL)
                command.wait()
            }
            try await waitUntil("the program runs") {
                Self.read(command.pid, "cmdline").first == "/usr/bin/python3"
            }
            #expect(Self.read(command.pid, "environ").contains("ACCESS_TOKEN=\(token)"), "\(command.errors())")
            let processes = Self.processes()
            #expect(processes.contains { $0.pid == command.pid && $0.arguments.contains(program) })
            for process in processes { #expect(!process.arguments.contains { $0.contains(token) }) }
            let reader = """
                import sys
                try:
                    print(len(open(f"/proc/{sys.argv[1]}/environ", "rb").read()))
                except PermissionError:
                    print("refused")
                """
            #expect(try OtherUser.run(reader, ["\(command.pid)"]) == "refused\n")
        }
    }
}

/// A test that finds every source location that starts a program.
@Suite(.timeLimit(.minutes(1)))
struct StartedProgramTests {
    /// The known source locations that start a program, each with what it passes to the program.
    ///
    /// No location may pass a secret as an argument. Before you add a location, check what it passes.
    private static let places = [
        "Terminal/BrowserSign.swift": "xdg-open: the address of an OpeningPort; nothing is added to the environment",
        "BrokerDaemon/StoreKeys.swift": "systemd-creds: the path of the key; the key comes by its stdout",
        "BrokerCommands/Commands/Restore.swift": "tokenbrokerd: the path of the backup",
        "BrokerCommands/Commands/Exec.swift":
            "the user's program: the token, in the environment that only the uid reads",
        "BrokerCommands/Trying/TrialFolder.swift": "sh: the path of the folder",
        "BrokerCommands/Trying/TrialDaemon.swift": "tokenbrokerd: paths",
        "tokenbroker/CommandProgram.swift": "tokenbroker-programs: the user's own arguments",
    ]

    @Test("every source location that starts a program is listed") func known() throws {
        let sources = ProjectFolder.path + "/Sources/"
        var found: Set<String> = []
        for file in ProjectFolder.swiftFiles(in: "Sources") {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains(/\b(Process\(\)|posix_spawnp?\(|execvp?e?\(|execl[pe]?\(|popen\(|v?fork\(\))/)
            else { continue }
            found.insert(String(file.path.dropFirst(sources.count).drop { $0 != "/" }.dropFirst()))
        }
        #expect(found == Set(Self.places.keys))
    }
}
