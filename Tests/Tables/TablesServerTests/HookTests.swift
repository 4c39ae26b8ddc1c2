import AsyncHTTPClient
import Foundation
import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import NIOSSL
import OAuth
import Tables
import TestSupport
import Testing

@testable import TablesServer

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct HookTests {
    private static let timeoutSec = 20

    /// Runs `test` with an API that has a table `note` with a hook and a table `todoitem` without a hook.
    private func scene(
        _ behaviour: LocalHook.Behaviour = LocalHook.continue,
        operations: Set<TableHook.Operation> = Set(TableHook.Operation.allCases),
        deadlines: any Clock<Duration> = ContinuousClock(),
        _ test: (TestAPI, LocalHook) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("hook.sock")
        let hook = LocalHook(behaviour)
        let address = TableHook.Address.unixSocket(path: socket)
        let note = try Self.note(TableHook(address, operations: operations, timeoutSec: Self.timeoutSec))
        try await hook.serve(on: .unix(path: socket, mode: 0o600)) { _ in
            let hooks = HookClient(deadlines: deadlines) { _ in }
            try await TestAPI.run([note, .todoitem], hooks: hooks) { (api: TestAPI) async throws in
                try await test(api, hook)
            }
        }
    }

    private static func note(_ hook: TableHook) throws -> TableDeclaration {
        var level = TableColumn("level", .number)
        level.max = 9
        var stamp = TableColumn("stamp", .string)
        stamp.isReadOnly = true
        var table = try TableDeclaration("note", columns: [TableColumn("text", .string), level, stamp])
        table.hook = hook
        return table
    }

    @Test("a hook receives operation, item, claims and parameters before each operation")
    func questions() async throws {
        try await scene { (api: TestAPI, hook: LocalHook) async throws in
            let made = try await api.send(
                .post,
                "/tables/note?mood=good&mood=bad&x=a%20b&$top=1",
                ["id": "a", "text": "t"]
            )
            #expect(made.status == 201)
            let asked = try #require(hook.questions.last)
            #expect(asked["operation"] == "insert" && asked["table"] == "note")
            #expect(asked["item"]?["text"] == "t" && asked["item"]?["id"] == "a")
            #expect(asked["claims"]?["oid"] == "alice" && asked["claims"]?["tfp"] == "b2c_1_sign_in")
            #expect(asked["parameters"] == ["mood": ["good", "bad"], "x": "a b"])
            #expect(try await api.send(.patch, "/tables/note/a", ["text": "u"]).status == 200)
            #expect(hook.questions.last?["operation"] == "update")
            #expect(hook.questions.last?["item"] == ["id": "a", "text": "u"])
            #expect(try await api.send(.get, "/tables/note/a").status == 200)
            #expect(hook.questions.last?["item"] == ["id": "a"])
            #expect(try await api.send(.get, "/tables/note").status == 200)
            #expect(hook.questions.last?["operation"] == "read" && hook.questions.last?["item"] == [:])
            #expect(try await api.send(.delete, "/tables/note/a").status == 200)
            #expect(hook.questions.last?["operation"] == "delete")
            #expect(try await api.send(.post, "/tables/note/a").status == 201)
            #expect(hook.questions.last?["operation"] == "undelete")
            #expect(hook.questions.count == 6)
        }
    }

    @Test("a replacement calls the hook as an update, and a restore by a Datasync client as an undelete")
    func datasync() async throws {
        try await scene { (api: TestAPI, hook: LocalHook) async throws in
            let version = ["ZUMO-API-VERSION": "3.0.0"]
            #expect(try await api.send(.post, "/tables/note", ["id": "a", "text": "t"]).status == 201)
            #expect(try await api.send(.put, "/tables/note/a", ["id": "a", "level": 1], version).status == 200)
            #expect(hook.questions.last?["operation"] == "update")
            #expect(hook.questions.last?["item"] == ["id": "a", "text": nil, "level": 1])
            #expect(try await api.send(.delete, "/tables/note/a", nil, version).status == 204)
            #expect(try await api.send(.patch, "/tables/note/a", ["deleted": false], version).status == 200)
            #expect(hook.questions.last?["operation"] == "undelete" && hook.questions.count == 4)
        }
    }

    @Test("a replacement that restores a row calls the hook for the undeletion and for the update") func restoring()
        async throws
    {
        let (version, all) = (["ZUMO-API-VERSION": "3.0.0"], "/tables/note/a?__includedeleted=true")
        try await scene { (api: TestAPI, hook: LocalHook) async throws in
            #expect(try await api.send(.post, "/tables/note", ["id": "a", "text": "t"]).status == 201)
            #expect(try await api.send(.put, all, ["text": "u"], version).status == 200)
            #expect(hook.questions.map { $0["operation"] } == ["insert", "update"])
            #expect(try await api.send(.delete, "/tables/note/a", nil, version).status == 204)
            #expect(try await api.send(.put, all, ["text": "v"], version).status == 200)
            #expect(hook.questions.suffix(2).map { $0["operation"] } == ["undelete", "update"])
            #expect(hook.questions.suffix(2).first?["item"] == ["id": "a"])
        }
        let refusal = LocalHook.Behaviour.answering(403, #"{"version":"1.0.0","status":403,"userMessage":"no"}"#)
        try await scene(refusal, operations: [.undelete]) { (api: TestAPI, hook: LocalHook) async throws in
            #expect(try await api.send(.post, "/tables/note", ["id": "a", "text": "t"]).status == 201)
            #expect(try await api.send(.delete, "/tables/note/a", nil, version).status == 204)
            let refused = try await api.send(.put, all, ["text": "v"], version)
            #expect(refused.status == 403 && hook.questions.count == 1, "\(refused.text)")
            #expect(try await api.send(.get, "/tables/note/a", nil, version).status == 410)
        }
    }

    @Test("a repeated insert gets the first response, without a hook call") func repetition()
        async throws
    {
        let answer = #"{"version":"1.0.0","action":"Continue","text":"theirs","stamp":"seen"}"#
        try await scene(.answering(200, answer)) { (api: TestAPI, hook: LocalHook) async throws in
            let key = ["Idempotency-Key": "0f8fad5b-d9cb-469f-a165-70867728950e"]
            let first = try await api.send(.post, "/tables/note", ["id": "a", "text": "t"], key)
            let second = try await api.send(.post, "/tables/note", ["id": "a", "text": "t"], key)
            #expect(first.status == 201 && second.status == 201 && first.json == second.json)
            #expect(hook.questions.count == 1)
        }
    }

    @Test("rows of a table with a hook are deleted one by one, each with a hook call") func deletions() async throws {
        try await scene { (api: TestAPI, hook: LocalHook) async throws in
            #expect(try await api.send(.post, "/tables/note", ["id": "a"]).status == 201)
            #expect(try await api.send(.delete, "/tables/note?$filter=id%20eq%20'a'").status == 400)
            #expect(try await api.send(.get, "/tables/note/a").status == 200)
        }
    }

    /// Runs `test` with a table `todoitem` whose hook refuses `operations`.
    private func taskScene(
        _ operations: Set<TableHook.Operation>,
        _ test: (TestAPI, LocalHook) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("hook.sock")
        let answer = #"{"version":"1.0.0","action":"ShowBlockPage","userMessage":"Not today."}"#
        let hook = LocalHook(.answering(200, answer))
        var tasks = try TableDeclaration.todoitem
        tasks.hook = TableHook(.unixSocket(path: socket), operations: operations, timeoutSec: 20)
        let table = tasks
        try await hook.serve(on: .unix(path: socket, mode: 0o600)) { _ in
            try await TestAPI.run([table]) { (api: TestAPI) async throws in try await test(api, hook) }
        }
    }

    @Test("tasks cannot bypass the hook of their table") func tasks() async throws {
        try await taskScene(Set(TableHook.Operation.allCases)) { (api: TestAPI, hook: LocalHook) async throws in
            let statuses = [
                try await api.send(.get, "/api/tasks").status,
                try await api.send(.post, "/api/tasks", ["task": "milk"]).status,
                try await api.send(.delete, "/api/tasks/a").status,
            ]
            #expect(statuses == [403, 403, 403])
            #expect(hook.questions.map { $0["operation"] } == ["read", "insert", "delete"])
        }
    }

    @Test("a task is not deleted by its text either if the hook refuses") func taskByText() async throws {
        try await taskScene([.delete]) { (api: TestAPI, hook: LocalHook) async throws in
            let made = try await api.send(.post, "/api/tasks", ["task": "milk"])
            #expect(made.status == 201 && hook.questions.isEmpty)
            #expect(try await api.send(.delete, "/api/tasks", ["task": "milk"]).status == 403)
            #expect(hook.questions.map { $0["item"]?["id"] } == [made.json?["id"]])
            #expect(try await api.send(.get, "/api/tasks").json?.array?.count == 1)
        }
    }

    @Test("a hook is called only for its operations, and not for a row that violates a rule") func operations()
        async throws
    {
        try await scene(operations: [.insert]) { (api: TestAPI, hook: LocalHook) async throws in
            #expect(try await api.send(.post, "/tables/note", ["level": 10]).status == 400)
            #expect(try await api.send(.get, "/tables/note").status == 200)
            #expect(hook.questions.isEmpty)
            #expect(try await api.send(.post, "/tables/note", ["level": 1], token: nil).status == 401)
            #expect(hook.questions.isEmpty)
        }
    }

    @Test("a hook's changes are written, even to read-only columns") func changes() async throws {
        let answer = #"{"version":"1.0.0","action":"Continue","Text":"theirs","stamp":"seen","level":null}"#
        try await scene(.answering(200, answer)) { (api: TestAPI, _: LocalHook) async throws in
            let made = try await api.send(.post, "/tables/note", ["text": "mine", "level": 3])
            #expect(made.status == 201 && made.json?["text"] == "theirs" && made.json?["stamp"] == "seen")
            #expect(made.json?["level"] == .null)
        }
    }

    @Test("a hook can set the id of a new row, but not change an id or set a number") func ids() async throws {
        try await scene(operations: [.insert, .update]) { (api: TestAPI, hook: LocalHook) async throws in
            hook.behave(.answering(200, #"{"version":"1.0.0","action":"Continue","ID":"theirs"}"#))
            let made = try await api.send(.post, "/tables/note", ["id": "mine", "text": "t"])
            #expect(made.status == 201 && made.json?["id"] == "theirs", "\(made.json ?? .null)")
            #expect(try await api.send(.get, "/tables/note/mine").status == 404)
            // The hook repeats the id of the row that it was sent.
            #expect(try await api.send(.patch, "/tables/note/theirs", ["text": "u"]).status == 200)
            hook.behave(.answering(200, #"{"version":"1.0.0","action":"Continue","id":"other"}"#))
            #expect(try await api.send(.patch, "/tables/note/theirs", ["text": "v"]).status == 502)
            hook.behave(.answering(200, #"{"version":"1.0.0","action":"Continue","id":7}"#))
            #expect(try await api.send(.post, "/tables/note", ["text": "t"]).status == 502)
            #expect(try await api.send(.get, "/tables/note").json?.array?.map { $0["text"] } == ["u"])
        }
    }

    @Test(
        "a hook's refusal is returned with its status and message, and nothing is written",
        arguments: [
            (200, #"{"version":"1.0.0","action":"ShowBlockPage","userMessage":"Not today."}"#, 403),
            (400, #"{"version":"1.0.0","status":400,"action":"ValidationError","userMessage":"Not today."}"#, 400),
            (409, #"{"version":"1.0.0","status":409,"userMessage":"Not today."}"#, 409),
        ]
    )
    func refusals(_ status: Int, _ body: String, _ expected: Int) async throws {
        try await scene(.answering(status, body), operations: [.insert]) { (api: TestAPI, _: LocalHook) async throws in
            let answer = try await api.send(.post, "/tables/note", ["text": "x"])
            #expect(answer.status == expected && answer.json?["error"] == "Not today.")
            #expect(answer.json?["code"] == .int(Int64(expected)) && answer.json?["key"] == nil)
            #expect(try await api.send(.get, "/tables/note").json == [])
        }
    }

    @Test(
        "a hook's 429 keeps its Retry-After, in seconds only",
        arguments: [("7", "7"), ("soon", nil)]
    )
    func busyHook(_ sent: String, _ given: String?) async throws {
        let body = #"{"version":"1.0.0","status":429,"userMessage":"Not so fast."}"#
        try await scene(.busy(429, body, retryAfter: sent), operations: [.insert]) {
            (api: TestAPI, _: LocalHook) async throws in
            let answer = try await api.send(.post, "/tables/note", ["text": "x"])
            #expect(answer.status == 429 && answer["Retry-After"] == given)
            #expect(answer.json?["code"] == 429 && answer.json?["error"] == "Not so fast.")
        }
    }

    @Test(
        "an invalid hook response is 502, nothing is written, and other tables keep working",
        arguments: [
            (200, "<html>"), (200, ""), (200, "[]"), (200, "{}"), (200, #"{"action":"Retry"}"#),
            (200, #"{"version":"2.0.0","action":"Continue"}"#), (200, #"{"action":"Continue","text":5}"#),
            (200, #"{"action":"Continue","texd":"x"}"#), (200, #"{"action":"Continue","level":10}"#),
            (200, #"{"action":"Continue","text":["x"]}"#), (200, #"{"action":"Continue","deleted":true}"#),
            (200, #"{"action":"ShowBlockPage"}"#), (400, #"{"status":403,"userMessage":"x"}"#), (400, "{}"),
            (401, #"{"status":401,"userMessage":"x"}"#), (500, #"{"action":"Continue"}"#), (204, ""),
            (302, #"{"action":"Continue"}"#),
            (200, #"{"action":"Continue","text":""# + String(repeating: "x", count: 70_000) + #""}"#),
        ]
    )
    func lies(_ status: Int, _ body: String) async throws {
        try await scene(.answering(status, body), operations: [.insert]) { (api: TestAPI, _: LocalHook) async throws in
            let answer = try await api.send(.post, "/tables/note", ["text": "x"])
            #expect(answer.status == 502 && answer.json?["code"] == 502)
            #expect(answer.json?["error"]?.string?.contains("sock") == false)
            #expect(try await api.send(.get, "/tables/note").json == [])
            #expect(try await api.send(.post, "/tables/todoitem", ["text": "x"]).status == 201)
        }
    }

    @Test("changes to an operation that writes nothing are invalid too") func changesOfNothing() async throws {
        try await scene { (api: TestAPI, hook: LocalHook) async throws in
            #expect(try await api.send(.post, "/tables/note", ["id": "a"]).status == 201)
            hook.behave(.answering(200, #"{"action":"Continue","text":"x"}"#))
            #expect(try await api.send(.delete, "/tables/note/a").status == 502)
            #expect(try await api.send(.get, "/tables/note").status == 502)
            hook.behave(LocalHook.continue)
            #expect(try await api.send(.get, "/tables/note/a").status == 200)
        }
    }

    @Test(
        "a hook that hangs is 502 within its time limit, holds no transaction, and other tables keep working",
        arguments: [LocalHook.Behaviour.silent, .unfinished]
    )
    func hangs(_ behaviour: LocalHook.Behaviour) async throws {
        let deadlines = SleepClock()
        try await scene(behaviour, operations: [.insert], deadlines: deadlines) {
            (api: TestAPI, hook: LocalHook) async throws in
            async let hanging = api.send(.post, "/tables/note", ["text": "x"])
            try await waitUntil("the hook is asked") { !hook.questions.isEmpty }
            #expect(try await api.send(.post, "/tables/todoitem", ["text": "x"]).status == 201)
            #expect(try await api.send(.get, "/tables/note").json == [])
            #expect(hook.most == 1)
            try await deadlines.advance(by: .seconds(Self.timeoutSec))
            #expect(try await hanging.status == 502)
        }
    }

    @Test("an unreachable hook is 502, and works again when it is back") func down() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("hook.sock")
        let hook = TableHook(.unixSocket(path: socket), operations: [.insert], timeoutSec: 20)
        try await TestAPI.run([Self.note(hook)]) { (api: TestAPI) async throws in
            #expect(try await api.send(.post, "/tables/note", ["text": "x"]).status == 502)
            try await LocalHook(LocalHook.continue).serve(on: .unix(path: socket, mode: 0o600)) {
                (_: ListenAddress) async throws in
                #expect(try await api.send(.post, "/tables/note", ["text": "x"]).status == 201)
            }
            #expect(try await api.send(.post, "/tables/note", ["text": "x"]).status == 502)
        }
    }

    @Test("a hook is called at its complete URL") func web() async throws {
        let hook = LocalHook(LocalHook.continue)
        try await hook.serve(on: .tcp(host: "127.0.0.1", port: 0)) { address in
            let note = try Self.note(
                TableHook(.web(url: "http://\(address)/a/b"), operations: [.insert], timeoutSec: 20)
            )
            try await TestAPI.run([note]) { (api: TestAPI) async throws in
                #expect(try await api.send(.post, "/tables/note", ["text": "x"]).status == 201)
                #expect(hook.questions.count == 1)
            }
        }
    }

    @Test("a hook is called over https, and one with an untrusted certificate is 502 and a warning in the log")
    func secure() async throws {
        let folder = try TemporaryFolder()
        let written = try LocalCertificate.write(to: folder)
        let files = TLSFiles(certificate: written.certificate, privateKeyFile: written.privateKey)
        let hook = LocalHook(LocalHook.continue)
        try await hook.serve(on: .tcp(host: "127.0.0.1", port: 0), tls: files) { address in
            let note = try Self.note(
                TableHook(.web(url: "https://\(address)/hook"), operations: [.insert], timeoutSec: 20)
            )
            let log = LogLines()
            try await TestAPI.run([note], logger: log.logger) { (api: TestAPI) async throws in
                let id = UUID().uuidString.lowercased()
                let answer = try await api.send(.post, "/tables/note", ["text": "x"], ["client-request-id": id])
                #expect(answer.status == 502 && hook.questions.isEmpty)
                let cause = "This machine does not trust the issuer of the certificate of 127.0.0.1: CN=localhost."
                let lines = log.all.filter { $0.contains(cause) }
                #expect(lines.count == 1, "\(log.all)")
                #expect(lines.allSatisfy { $0.hasPrefix("warning:") && $0.contains("correlationId=\(id)") }, "\(lines)")
                #expect(!answer.text.contains("issuer") && !log.all.contains { $0.contains("OPENSSL_internal") })
            }
            let trusting = HookClient { configuration in
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .file(written.certificate)
                configuration.tlsConfiguration = tls
            }
            try await TestAPI.run([note], hooks: trusting) { (api: TestAPI) async throws in
                #expect(try await api.send(.post, "/tables/note", ["text": "x"]).status == 201)
                #expect(hook.questions.count == 1)
            }
        }
    }

    @Test("concurrent hook calls are limited, and the others wait in a queue") func bounded() async throws {
        try await scene(.held, operations: [.insert]) { (api: TestAPI, hook: LocalHook) async throws in
            let statuses = try await insert(HookConcurrencyLimit.limit + 8, api) {
                try await waitUntil("all places are taken") { hook.heldNow >= HookConcurrencyLimit.limit }
                hook.release()
            }
            #expect(statuses == Array(repeating: 201, count: HookConcurrencyLimit.limit + 8))
            #expect(hook.most == HookConcurrencyLimit.limit)
        }
    }

    @Test("a call that waits too long in the queue is 502 too, and slots are returned") func tooLong() async throws {
        let deadlines = SleepClock()
        try await scene(.silent, operations: [.insert], deadlines: deadlines) {
            (api: TestAPI, hook: LocalHook) async throws in
            let count = HookConcurrencyLimit.limit + 8
            let statuses = try await insert(count, api) {
                try await waitUntil("all places are taken") { hook.questions.count == HookConcurrencyLimit.limit }
                try await deadlines.advance(by: .seconds(Self.timeoutSec), whenSleeping: count)
            }
            #expect(statuses == Array(repeating: 502, count: HookConcurrencyLimit.limit + 8))
            hook.behave(LocalHook.continue)
            try await waitUntil("a place is free again") {
                try await api.send(.post, "/tables/note", ["text": "x"]).status == 201
            }
        }
    }

    /// Sends `count` concurrent inserts, runs `body` in the meantime, and returns the statuses of the inserts.
    private func insert(_ count: Int, _ api: TestAPI, beside body: () async throws -> Void) async throws -> [Int] {
        let token = try api.token()
        return try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<count {
                tasks.addTask { try await api.send(.post, "/tables/note", ["text": "x"], token: token).status }
            }
            try await body()
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("the queue of a hook is limited, and a cancelled call takes no slot") func line() async throws {
        let places = HookConcurrencyLimit()
        for _ in 0..<HookConcurrencyLimit.limit { try await places.take() }
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<HookConcurrencyLimit.maxWaiting {
                tasks.addTask {
                    do {
                        try await places.take()
                        return true
                    } catch is CancellationError {
                        return false
                    }
                }
            }
            try await waitUntil("nobody else may wait") { places.waiting >= HookConcurrencyLimit.maxWaiting }
            let problem = await #expect(throws: HTTPProblem.self) { try await places.take() }
            #expect(problem?.status.code == 503 && problem?.headers[.retryAfter] == "1")
            #expect(problem?.message == "Too many requests are waiting for the table's hook. Try again.")
            places.give()
            #expect(try await tasks.next() == true)
            tasks.cancelAll()
            var others = 0
            for try await isIn in tasks where !isIn { others += 1 }
            #expect(others == HookConcurrencyLimit.maxWaiting - 1 && places.waiting == 0)
        }
        places.give()
        try await places.take()
    }
}
