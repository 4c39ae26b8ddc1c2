import OAuth
import OfflineTables
import Storage
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("§2.3: push", .timeLimit(.minutes(1)))
struct PushTests {
    @Test("a row that is deleted while the API rejects the token is deleted later") func deletedWithoutToken()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a")
                try await device.context.push()
                try await device.table.update(id, ["text": "b"])
                let first = FirstCall()
                server.fault { _ in
                    if first.take() { try await device.table.delete(id) }
                    return .answered(401, ["code": 401, "error": "no"])
                }
                #expect(await device.push()?.code == .pushAbortedAuthentication)
                server.repair()
                #expect(try await device.queue() == ["delete:\(id.text)"])
                #expect(await device.push() == nil)
                try await device.pull()
                #expect(try await device.texts() == [])
            }
        }
    }

    @Test("a pending edit without its row is damage: nothing is sent without values, and the edit stays")
    func missingRow() async throws {
        try await TestServer.run { server in
            let store = MemorySyncStore()
            try await withDevice(server, store) { device in
                let id = try await device.add("a")
                try await store.write { try $0.removeRow(id, from: "todoitem") }
                let error = await device.push()
                #expect(error?.code == .pushAbortedLocalStore)
                #expect((error?.underlying as? StoreError)?.code == .corrupt)
                #expect(server.lines == [])
                #expect(try await device.context.pendingOperationsCount() == 1)
            }
        }
    }

    @Test("operations are sent in the order in which they were made, and rows get the server's version") func order()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let a = try await device.add("a")
                let b = try await device.add("b")
                #expect(try await device.context.push() == 2)
                #expect(server.lines == ["POST /tables/todoitem", "POST /tables/todoitem"])
                #expect(server.requests.map { $0.json?["id"]?.string } == [a.text, b.text])
                #expect(try await device.table.read(id: a)?.version != nil)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("an update is a PATCH of the changed columns and a deletion a DELETE, both with If-Match")
    func verbs() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a")
                try await device.context.push()
                let version = try await device.table.read(id: id)?.version
                try await device.table.update(id, ["notes": "n"])
                try await device.context.push()
                try await device.table.delete(id)
                try await device.context.push()
                let patch = server.requests[1]
                #expect(patch.method == .patch)
                #expect(patch.json == ["notes": "n"])
                #expect(patch.headers["If-Match"] == version?.entityTag)
                #expect(server.requests[2].method == .delete)
                #expect(server.requests[2].headers["If-Match"] != nil)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("a rejected row is recorded, stays queued and stops no other, and the push fails with -1170") func refused()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let bad = try await device.table.insert(["text": "a", "priority": 7]).id
                try await device.add("b")
                let error = await device.push()
                #expect(error?.code.rawValue == -1170)
                #expect(error?.completed == 1)
                #expect(error?.errors.map(\.itemID) == [bad])
                #expect(error?.errors.first?.statusCode == 400)
                #expect(error?.errors.first?.isConflict == false)
                #expect(error?.errors.first?.column == "priority")
                #expect(try await device.queue() == ["insert:\(bad.text)"])
                #expect(try await device.texts() == ["a", "b"])
            }
        }
    }

    @Test("a rejected operation that is changed is sent again, and its error is removed")
    func corrected() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let bad = try await device.table.insert(["text": "a", "priority": 7]).id
                _ = await device.push()
                try await device.table.update(bad, ["priority": 3])
                #expect(try await device.context.errors().isEmpty)
                #expect(await device.push() == nil)
            }
        }
    }

    @Test(
        "network errors, authentication errors and similar end the push with their own code",
        arguments: [(TestServer.Fault.requestLost, -1172), (.answered(401, ["code": 401]), -1173)]
    ) func aborts(_ fault: TestServer.Fault, _ code: Int) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                try await device.add("b")
                server.fault { _ in fault }
                #expect(await device.push()?.code.rawValue == code)
                #expect(server.requests.count == 1)
                server.repair()
                #expect(await device.push() == nil)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("unsent operations stay pending when a push ends, and a row inserted and deleted meanwhile was never there")
    func unsent()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                for text in ["done", "lost", "waiting"] { try await device.add(text, id: text) }
                let gone = try await device.add("gone", id: "gone")
                let sent = Mutex(0)
                server.fault { _ in
                    let number = sent.withLock { sent in
                        sent += 1
                        return sent
                    }
                    guard number == 2 else { return .none }
                    try await device.table.delete(gone)
                    return .requestLost
                }
                let error = await device.push()
                #expect(error?.code.rawValue == -1172)
                #expect(error?.completed == 1)
                let left = try await device.context.pendingOperations()
                #expect(left.map(\.itemID.text) == ["lost", "waiting"])
                #expect(left.map(\.state) == [.attempted, .pending])
                server.repair()
                #expect(await device.push() == nil)
                try await device.pull()
                #expect(try await device.texts() == ["done", "lost", "waiting"])
                #expect(!server.requests.contains { $0.json?["id"]?.string == "gone" })
            }
        }
    }

    @Test("a store that cannot be written aborts the push with -1171") func store() async throws {
        try await TestServer.run { server in
            let store = BreakableStore(MemorySyncStore())
            try await withDevice(server, store) { device in
                try await device.add("a")
                store.breakAt(write: 2, committed: false)
                #expect(await device.push()?.code.rawValue == -1171)
            }
        }
    }

    @Test("a cancelled push fails with -1174, and nothing is lost") func cancelled() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                let (began, signal) = AsyncStream.makeStream(of: Void.self)
                server.fault { _ in
                    signal.yield()
                    try await untilCancelled()
                    return .none
                }
                let push = Task { await device.push() }
                for await _ in began { break }
                push.cancel()
                #expect(await push.value?.code.rawValue == -1174)
                server.repair()
                #expect(await device.push() == nil)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("operations made during a push are part of it, each sent at most once") func during() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                let isFirst = Mutex(true)
                server.fault { _ in
                    if isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    }) {
                        try await device.add("b")
                    }
                    return .none
                }
                #expect(try await device.context.push() == 2)
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test("an edit of a row in flight waits for it and is sent with the new version") func behind() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a")
                let isFirst = Mutex(true)
                server.fault { _ in
                    if isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    }) {
                        try await device.table.update(id, ["text": "b"])
                    }
                    return .none
                }
                #expect(try await device.context.push() == 2)
                #expect(server.requests[1].json == ["text": "b"])
                #expect(try await device.texts() == ["b"])
                #expect(try await device.context.errors().isEmpty)
            }
        }
    }

    @Test("a deletion of a row in flight waits for it and reaches the server") func deletedInFlight() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a")
                let isFirst = Mutex(true)
                server.fault { _ in
                    if isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    }) {
                        try await device.table.delete(id)
                    }
                    return .none
                }
                #expect(try await device.context.push() == 2)
                #expect(server.lines.last == "DELETE /tables/todoitem/\(id.text)")
                server.repair()
                try await device.pull()
                #expect(try await device.texts().isEmpty)
            }
        }
    }

    @Test("§2.2: a rejected insert whose row was changed meanwhile becomes one insert, and its error is removed")
    func collapsed() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.table.insert(["text": "a", "priority": 7]).id
                let isFirst = Mutex(true)
                server.fault { _ in
                    if isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    }) {
                        try await device.table.update(id, ["priority": 2])
                    }
                    return .none
                }
                #expect(await device.push() == nil)
                #expect(try await device.queue() == ["insert:\(id.text)"])
                #expect(await device.push() == nil)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("§2.2: a rejected insert whose row was deleted meanwhile is removed") func collapsedAway() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.table.insert(["text": "a", "priority": 7]).id
                server.fault { _ in
                    try await device.table.delete(id)
                    return .none
                }
                #expect(await device.push() == nil)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("only the named tables are pushed") func someTables() async throws {
        let tables = try [
            TableDeclaration.todoitem, TableDeclaration("other", columns: [TableColumn("text", .string)]),
        ]
        try await TestServer.run(tables) { server in
            try await withDevice(server, tables: tables) { device in
                try await device.add("a")
                try await device.context.table("other").insert(["text": "b"])
                #expect(await device.push(["OTHER"]) == nil)
                #expect(server.lines == ["POST /tables/other"])
                #expect(try await device.table.pendingOperationsCount() == 1)
            }
        }
    }

    @Test("mobile-apps#571, #809: an old error of one table does not fail a push of another")
    func errorsApart() async throws {
        let tables = try [
            TableDeclaration.todoitem, TableDeclaration("other", columns: [TableColumn("text", .string)]),
        ]
        try await TestServer.run(tables) { server in
            try await withDevice(server, tables: tables) { device in
                try await device.table.insert(["text": "a", "priority": 7])
                #expect(await device.push()?.code == .pushCompleteWithErrors)
                try await device.context.table("other").insert(["text": "b"])
                #expect(await device.push(["other"]) == nil)
                #expect(try await device.context.errors().count == 1)
            }
        }
    }

    @Test("a handler may replace an operation's request") func replaced() async throws {
        try await TestServer.run { server in
            let kinds = Mutex<[TableOperation.Kind]>([])
            try await withDevice(server, MemorySyncStore()) { options in
                options.operation = { operation, send in
                    kinds.withLock { $0.append(operation.kind) }
                    return try await send()
                }
            } _: { device in
                try await device.add("a")
                try await device.context.push()
                #expect(kinds.withLock { $0 } == [.insert])
            }
        }
    }

    @Test("an error that is resolved at the end of a push does not fail it") func completion() async throws {
        try await TestServer.run { server in
            try await withDevice(server, MemorySyncStore()) { options in
                options.completion = { context, errors in
                    for error in errors { try await context.cancelOperationAndDiscardItem(error) }
                }
            } _: { device in
                try await device.table.insert(["text": "a", "priority": 7])
                #expect(await device.push() == nil)
                #expect(try await device.texts().isEmpty)
            }
        }
    }
}
