import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests the configuration of tables with the built daemon.
@Suite(.timeLimit(.minutes(2)))
struct TablesConfigurationTests {
    private static let todo = "  todoitem: {columns: {text: {type: string, required: true}}}"

    @Test("SIGHUP adds a table and a column, and every row remains") func added() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: "tables:\n\(Self.todo)")
            let (process, notify) = try await daemon.start()
            let token = try daemon.token()
            var ids: [JSONValue] = []
            for index in 0..<20 {
                let body: JSONValue = ["text": .string("t\(index)")]
                let made = try await daemon.send(.POST, "/tables/todoitem", body, token: token)
                #expect(made.status == 201)
                ids.append(made.json?["id"] ?? .null)
            }
            #expect(
                try await daemon.send(.POST, "/tables/todoitem", ["text": "x", "color": "red"], token: token).status
                    == 400
            )
            #expect(try await daemon.send(.GET, "/tables/note", token: token).status == 404)
            try daemon.configure(
                more: """
                    tables:
                      todoitem: {columns: {text: {type: string, required: true}, color: {type: string, default: blue}}}
                      note: {id: integer, columns: {text: {type: string, pattern: "[a-z]+", message: Small letters only}}}
                    """
            )
            process.signal(SIGHUP)
            #expect(await Daemon.inThread { notify.receives("READY=1") })
            let rows = try #require(try await daemon.send(.GET, "/tables/todoitem", token: token).json?.array)
            #expect(Set(rows.compactMap { $0["id"] }) == Set(ids) && rows.allSatisfy { $0["color"] == .null })
            let made = try await daemon.send(.POST, "/tables/todoitem", ["text": "x"], token: token)
            #expect(made.status == 201 && made.json?["color"] == "blue")
            let note = try await daemon.send(.POST, "/tables/note", ["text": "abc"], token: token)
            #expect(note.status == 201 && note.json?["id"] == 1)
            let bad = try await daemon.send(.POST, "/tables/note", ["text": "ABC"], token: token)
            #expect(bad.status == 400 && bad.json?["error"] == "Small letters only" && bad.json?["column"] == "text")
            let paths = try await daemon.send(.GET, "/openapi.json", token: nil).json?["paths"]
            #expect(paths?["/tables/note"] != nil && paths?["/tables/todoitem/{id}"] != nil)
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("a new table is filled once from its seed file, and an existing one is not") func seed()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.write("news.json", #"[{"id":"a","text":"one"},{"text":"two"}]"#)
            try daemon.write("todo.json", #"[{"$owner":"alice","text":"milk"},{"$owner":"bob","text":"tea"}]"#)
            let old = "  old: {perUser: false, access: {read: anonymous}, columns: {text: {type: string}}"
            let more = """
                tables:
                  news: {perUser: false, seed: news.json, access: {read: anonymous}, columns: {text: {type: string}}}
                  todoitem: {seed: todo.json, columns: {text: {type: string, required: true}}}
                """
            try daemon.configure(more: "\(more)\n\(old)}")
            let (first, _) = try await daemon.start()
            let news = try await daemon.send(.GET, "/tables/news", token: nil).json?.array
            #expect(news?.compactMap { $0["text"]?.string } == ["one", "two"] && news?.first?["id"] == "a")
            let todo = try await daemon.send(.GET, "/tables/todoitem", token: daemon.token()).json?.array
            #expect(todo?.compactMap { $0["text"]?.string } == ["milk"])
            #expect(try await daemon.send(.DELETE, "/tables/news/a", token: daemon.token()).status == 200)
            #expect(await daemon.stop(first) == 0)
            try daemon.configure(more: "\(more)\n\(old), seed: news.json}")
            let (second, _) = try await daemon.start()
            #expect(try await daemon.send(.GET, "/tables/news", token: nil).json?.array?.count == 1)
            #expect(try await daemon.send(.GET, "/tables/old", token: nil).json == [])
            #expect(await daemon.stop(second) == 0)
        }
    }

    @Test("seed rows that violate a rule are problems with their file and number") func badSeed() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let path = try daemon.write("news.json", #"[{"text":"a"},{"texd":"b"},{"text":5},"x",{"$owner":"a"}]"#)
            try daemon.configure(
                more: "tables:\n  news: {perUser: false, seed: news.json, columns: {text: {type: string}}}"
            )
            let outcome = try await daemon.run(["--check", "--config", daemon.config])
            #expect(outcome.status == 78)
            for what in [
                "row 2: The table 'news' has no column 'texd' (did you mean 'text'?)", "row 3: 'text' must be a string",
                #"row 4: must be an object of columns, such as {"text": "milk"}"#,
                "row 5: has an `$owner`, but the table is shared; remove it, or set `perUser: true`",
            ] {
                let line = "\(daemon.config):7: `tables.news.seed`: \(path): \(what)\n"
                #expect(outcome.errors.contains(line), "\(outcome.errors)")
            }
            #expect(!outcome.errors.contains("row 1"))
            try daemon.configure(more: "tables:\n  news: {seed: news.json, columns: {text: {type: string}}}")
            let owned = try await daemon.run(["--check", "--config", daemon.config]).errors
            #expect(
                owned.contains(
                    "row 1: a per-user table's seed rows need `$owner`; set it to an oid, or set `perUser: false`"
                )
            )
        }
    }

    @Test("keys are read from private files, and never logged") func keys() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let more = """
                applicationKeyFile: app.key
                tables:
                  news: {perUser: false, access: {read: application}, columns: {text: {type: string}}}
                """
            try daemon.configure(more: more)
            let path = daemon.folder.path("app.key")
            let open = "\(path) can be read by others, its mode must be 0600; run: chmod 600 \(path)"
            let bad = """
                \(path) must hold one line of 16 to 256 visible ASCII characters; run: openssl rand -hex 32 > \(path)
                """
            for (text, mode, what) in [
                ("0123456789abcdef\n", 0o640, open), ("0123456789abcdef\n", 0o604, open), ("short\n", 0o600, bad),
                ("", 0o600, bad), ("0123456789 abcdef\n", 0o600, bad), ("0123456789\n0123456789\n", 0o600, bad),
            ] {
                try daemon.write("app.key", text, mode: mode)
                let outcome = try await daemon.run(["--check", "--config", daemon.config])
                #expect(outcome.status == 78 && !outcome.errors.contains("0123456789"))
                #expect(
                    outcome.errors.contains("\(daemon.config):6: `applicationKeyFile`: \(what)\n"),
                    "\(outcome.errors)"
                )
            }
            try daemon.write("app.key", "0123456789abcdef\n")
            let (process, notify) = try await daemon.start()
            func status(_ key: String) async throws -> Int {
                try await daemon.send(.GET, "/tables/news", token: nil, ["X-ZUMO-APPLICATION": key]).status
            }
            #expect(try await status("0123456789abcdef") == 200)
            #expect(try await status("0123456789abcdeg") == 401)
            try daemon.write("app.key", "fedcba9876543210")
            process.signal(SIGHUP)
            #expect(await Daemon.inThread { notify.receives("READY=1") })
            #expect(try await status("fedcba9876543210") == 200)
            #expect(try await status("0123456789abcdef") == 401)
            #expect(await daemon.stop(process) == 0)
            #expect(try !process.log().contains("0123456789abcdef") && !process.log().contains("fedcba98"))
        }
    }

    @Test("without a key file the service manager's credential is the key") func credential() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try FileManager.default.createDirectory(atPath: daemon.folder.path("c"), withIntermediateDirectories: false)
            try daemon.write("c/master-key", "0123456789abcdef", mode: 0o440)
            try daemon.configure(
                more: "tables:\n  news: {perUser: false, access: {read: admin}, columns: {text: {type: string}}}"
            )
            let (process, _) = try await daemon.start(["CREDENTIALS_DIRECTORY": daemon.folder.path("c")])
            let fields = ["X-ZUMO-MASTER": "0123456789abcdef"]
            #expect(try await daemon.send(.GET, "/tables/news", token: nil, fields).status == 200)
            #expect(try await daemon.send(.GET, "/tables/news", token: nil).status == 401)
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("pages of origins in `cors` may call the API, and of all others only its own may change anything")
    func origins() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: "cors: [\"https://app.example\"]")
            let (process, _) = try await daemon.start()
            let page = ["Origin": "https://app.example"]
            let answer = try await daemon.send(.GET, "/.auth/me", token: daemon.token(), page)
            #expect(answer.headers.first(name: "Access-Control-Allow-Origin") == "https://app.example")
            let asks = page.merging(["Access-Control-Request-Method": "PATCH"]) { $1 }
            let preflight = try await daemon.send(.OPTIONS, "/tables/todoitem/a", token: nil, asks)
            #expect(preflight.status == 204)
            let task: JSONValue = ["text": "x"]
            for (origin, status) in [
                ("https://app.example", 201), ("http://localhost:\(daemon.port)", 201), ("https://evil.example", 403),
                ("https://localhost:\(daemon.port)", 403), ("null", 403),
            ] {
                let fields = ["Origin": origin]
                let change = try await daemon.send(.POST, "/tables/todoitem", task, token: daemon.token(), fields)
                #expect(change.status == status && (status == 201 || change.json?["code"] == 403), "\(origin)")
            }
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("a hook that is down affects its table only") func hook() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(
                more: """
                    tables:
                    \(Self.todo)
                      note: {columns: {text: {type: string}}, hook: {url: "unix:\(daemon.folder.path("h.sock"))", timeoutSec: 20}}
                    """
            )
            let (process, _) = try await daemon.start()
            let token = try daemon.token()
            let answer = try await daemon.send(.POST, "/tables/note", ["text": "x"], token: token)
            #expect(answer.status == 502 && answer.json?["code"] == 502)
            #expect(try await daemon.send(.GET, "/tables/note", token: token).json == [])
            #expect(try await daemon.send(.POST, "/tables/todoitem", ["text": "x"], token: token).status == 201)
            #expect(await daemon.stop(process) == 0)
            #expect(process.errors().contains("h.sock"))
        }
    }
}
