import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests columns that inserted rows create, and the storage limits of users, with the built program.
@Suite(.timeLimit(.minutes(2)))
struct ColumnsTests {
    private static let things = """
        tables:
          things: {dynamicSchema: true, columns: {name: {type: string}}}
        """

    @Test("--columns lists columns that rows added, and --drop-column drops one, while no daemon runs") func columns()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: Self.things)
            let none = try await daemon.run(["--columns", "things"] + daemon.arguments)
            #expect(none.status == 78 && none.errors.contains("There is no database"))
            let (first, _) = try await daemon.start()
            let token = try daemon.token()
            let row: JSONValue = ["name": "lamp", "Weight": 3, "colour": "red"]
            #expect(try await daemon.send(.POST, "/tables/things", row, token: token).status == 201)
            let wrong = try await daemon.send(.POST, "/tables/things", ["weight": "heavy"], token: token)
            #expect(wrong.status == 400 && wrong.json?["column"] == "Weight")
            for arguments in [["--columns", "things"], ["--drop-column", "things.weight"]] {
                let busy = try await daemon.run(arguments + daemon.arguments)
                #expect(busy.status == 75 && busy.output.isEmpty && busy.errors.contains("Stop the daemon first."))
            }
            #expect(await daemon.stop(first) == 0)
            let shown = try await daemon.run(["--columns", "THINGS"] + daemon.arguments)
            #expect(shown.status == 0 && shown.errors.isEmpty)
            #expect(shown.output == "name\tstring\tconfiguration\nWeight\tnumber\trows\ncolour\tstring\trows\n")
            let dropped = try await daemon.run(["--drop-column", "things.weight"] + daemon.arguments)
            #expect(dropped.status == 0 && dropped.output == "dropped\tthings.weight\n")
            let (second, _) = try await daemon.start()
            let again = try await daemon.send(.POST, "/tables/things", ["weight": "heavy"], token: token)
            #expect(again.status == 201 && again.json?["weight"] == "heavy")
            let rows = try await daemon.send(.GET, "/tables/things", token: token).json?.array
            #expect(
                rows?.first?["name"] == "lamp" && rows?.first?["colour"] == "red" && rows?.first?["weight"] == .null
            )
            #expect(await daemon.stop(second) == 0)
        }
    }

    @Test("a row with almost 2 MiB of text is stored, and a longer row is 413") func longest() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let text = "{type: string, maxLength: 1048576}"
            let columns = "{text: \(text), more: \(text), rest: {type: string}}"
            try daemon.configure(more: "tables:\n  notes: {columns: \(columns)}")
            let (process, _) = try await daemon.start()
            let token = try daemon.token()
            let long = JSONValue.string(String(repeating: "x", count: 1_048_576))
            let more = JSONValue.string(String(repeating: "y", count: 1_000_000))
            let made = try await daemon.send(.POST, "/tables/notes", ["text": long, "more": more], token: token)
            #expect(made.status == 201 && made.json?["text"] == long && made.json?["more"] == more)
            let row: JSONValue = ["text": long, "more": long, "rest": .string(String(repeating: "z", count: 1_000))]
            #expect(try await daemon.send(.POST, "/tables/notes", row, token: token).status == 413)
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("a body of 7 MiB may contain escaped characters, and a longer body is 413 with the limit") func bodies()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let notes = String(repeating: "\\u00e4", count: 999_999)
            let made = try await daemon.send(
                .POST,
                "/tables/todoitem",
                bytes: Array(#"{"text":"t","notes":"\#(notes)"}"#.utf8),
                token: daemon.token()
            )
            #expect(made.status == 201 && made.json?["notes"]?.string == String(repeating: "ä", count: 999_999))
            for (length, start) in [(7_340_032, "HTTP/1.1 100"), (7_340_033, "HTTP/1.1 413")] {
                let client = try RawClient(port: daemon.port)
                client.send("POST /tables/todoitem HTTP/1.1\r\nHost: localhost:\(daemon.port)\r\n")
                client.send("Content-Length: \(length)\r\nExpect: 100-continue\r\n\r\n")
                let head = await client.readHead()
                #expect(head.hasPrefix(start) && (length < 7_340_033 || head.contains("7340032 bytes")), "\(head)")
                client.leave()
            }
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("a column that cannot be shown or dropped is refused by name") func refused() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: Self.things)
            let (process, _) = try await daemon.start()
            let second = try await daemon.run(
                ["--config", daemon.write("other.yaml", "listen: [\"127.0.0.1:\(freePort())\"]\n")]
                    + ["--state-directory", daemon.folder.path("state")]
            )
            #expect(second.status == 78 && second.errors.contains("Process \(process.pid) is already using"))
            #expect(await daemon.stop(process) == 0)
            for (arguments, status, words) in [
                (["--columns", "nothing"], 1, "no table 'nothing'"),
                (["--drop-column", "things.nothing"], 1, "no column 'things.nothing'"),
                (["--drop-column", "things"], 64, "TABLE.COLUMN"),
                (["--drop-column", "things.NAME"], 78, "is in the configuration"),
                (["--drop-column", "things.a", "--check"], 64, "Use only one of"),
            ] as [([String], Int32, String)] {
                let outcome = try await daemon.run(arguments + daemon.arguments)
                #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
            }
        }
    }

    @Test("an insert beyond `limits` is 403 until a reload raises them, and a text of the default length is accepted")
    func limits() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: "limits: {rowsPerOwner: 2}")
            let (process, notify) = try await daemon.start()
            func insert(_ notes: String = "", _ who: String = "alice") async throws -> Daemon.Answer {
                let row: JSONValue = ["text": "t", "notes": .string(notes)]
                return try await daemon.send(.POST, "/tables/todoitem", row, token: daemon.token(who))
            }
            #expect(try await insert(String(repeating: "x", count: 1_000_000)).status == 201)
            let tooLong = try await insert(String(repeating: "x", count: 1_000_001))
            #expect(tooLong.status == 400 && tooLong.json?["column"] == "notes")
            #expect(try await insert().status == 201)
            let refused = try await insert()
            #expect(refused.status == 403 && refused.json?["error"]?.string?.contains("number of stored rows") == true)
            #expect(try await insert("", "bob").status == 201)
            try daemon.configure(more: "limits: {rowsPerOwner: 3, bytesPerOwner: 1000010}")
            process.signal(SIGHUP)
            #expect(await Daemon.inThread { notify.receives("READY=1") })
            #expect(try await insert("x").status == 201)
            #expect(try await insert().status == 403)
            let long = try await insert(String(repeating: "x", count: 999_999), "bob")
            #expect(long.status == 201)
            let tooMuch = try await insert(String(repeating: "x", count: 20), "bob")
            #expect(tooMuch.status == 403 && tooMuch.json?["error"]?.string?.contains("storage limit") == true)
            #expect(await daemon.stop(process) == 0)
        }
    }
}
