import Foundation
import OAuth
import Synchronization
import Tables
import TestSupport
import Testing

@testable import OfflineTables
@testable import TablesClient

@Suite("§5.2: pull problems known from other clients", .timeLimit(.minutes(1)))
struct PullLossTests {
    private func devices(_ test: (TestServer, Device, Device) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    try await test(server, one, two)
                }
            }
        }
    }

    private static func pages(of size: Int) -> SyncTable.PullSettings {
        var settings = SyncTable.PullSettings()
        settings.pageSize = size
        return settings
    }

    @Test("a row with a time in the far future does not hide later changes") func future() async throws {
        try await devices { server, one, two in
            let row: JSONValue = [
                "id": "far", "text": "far", "version": "AAAAAAAAAAE=", "createdAt": "9999-12-31T23:59:59.999Z",
                "updatedAt": "9999-12-31T23:59:59.999Z", "deleted": false,
            ]
            let sent = Mutex(false)
            server.fault { _ in
                sent.withLock { sent in
                    defer { sent = true }
                    return sent ? .none : .answered(200, [row])
                }
            }
            #expect(try await two.pull().kept == 1)
            server.repair()
            try await one.add("a")
            try await one.context.push()
            #expect(try await two.pull().kept == 1)
        }
    }

    @Test("a pull from a server that sends pages without end is stopped, and the received rows stay") func endless()
        async throws
    {
        try await devices { server, _, two in
            let count = Mutex(0)
            server.fault { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return .answered(
                    200,
                    [["id": "\(number)", "text": "t", "updatedAt": .string(TableDate.text(Int64(number * 1000)))]]
                )
            }
            var settings = SyncTable.PullSettings()
            settings.maxPages = 3
            let error = await #expect(throws: SyncError.self) {
                try await two.table.pull(queryID: "all", settings: settings)
            }
            #expect(error?.message.contains("more than 3 pages") == true, "\(error?.message ?? "")")
            let texts = try await two.texts()
            #expect(texts.count == 3)
        }
    }

    @Test("mobile-services#720: a condition with or is in parentheses next to the time") func parentheses()
        async throws
    {
        try await devices { server, one, two in
            for text in ["a", "b"] { try await one.add(text) }
            try await one.context.push()
            let query = try Query().where("text == 'a' OR text == 'b'")
            try await two.table.pull(query, queryID: "q")
            try await one.add("c")
            try await one.context.push()
            server.forget()
            #expect(try await two.table.pull(query, queryID: "q").kept == 0)
            #expect(try await two.texts() == ["a", "b"])
            let asked = server.requests.first?.query?.removingPercentEncoding ?? ""
            #expect(asked.contains("$filter=(text eq 'a' or text eq 'b') and updatedAt ge"), "\(asked)")
        }
    }

    @Test("mobile-services#778: rows are readable and writable while a pull waits for its response") func whileWaiting()
        async throws
    {
        try await devices { server, one, two in
            try await one.add("theirs")
            try await one.context.push()
            let isFirst = Mutex(true)
            server.fault { _ in
                let first = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                if first {
                    try await two.add("mine")
                    #expect(try await two.texts() == ["mine"])
                }
                return .none
            }
            try await two.pull()
            #expect(try await two.texts() == ["mine", "theirs"])
            #expect(try await two.context.pendingOperationsCount() == 1)
        }
    }

    @Test("mobile-apps#575, #595, cordova#66, js#211: a page and its token are stored in one transaction")
    func transactions()
        async throws
    {
        try await TestServer.run { server in
            let store = BreakableStore(MemorySyncStore())
            try await withDevice(server) { one in
                try await withDevice(server, store) { two in
                    for number in 0..<9 { try await one.add("\(number)") }
                    try await one.context.push()
                    store.breakAt(write: .max, committed: true)
                    let report = try await two.table.pull(queryID: "q", settings: Self.pages(of: 4))
                    #expect(report.kept == 9)
                    // A pull writes once at its start and once for each page.
                    #expect(store.writes <= report.pages + 1)
                }
            }
        }
    }

    @Test("ios#173: an interrupted pull continues where it stopped") func partly() async throws {
        try await devices { server, one, two in
            for number in 0..<6 { try await one.add("\(number)") }
            try await one.context.push()
            let count = Mutex(0)
            server.fault { _ in
                count.withLock { count in
                    count += 1
                    return count > 2 ? .requestLost : .none
                }
            }
            let error = await #expect(throws: TablesError.self) {
                try await two.table.pull(queryID: "q", settings: Self.pages(of: 2))
            }
            #expect(error?.code == .unreachable)
            let before = try await two.texts().count
            #expect((1..<6).contains(before))
            server.repair()
            server.forget()
            #expect(try await two.table.pull(queryID: "q", settings: Self.pages(of: 2)).kept == 6 - before)
            #expect(server.requests.first?.query?.contains("1970") == false)
        }
    }

    @Test("a parameter with a different value is a different query, and the query id starts over")
    func parameters() async throws {
        try await devices { _, one, two in
            try await one.add("a")
            try await one.context.push()
            try await two.table.pull(Query().parameter("list", "1"), queryID: "q")
            #expect(try await !two.table.pull(Query().parameter("list", "1"), queryID: "q").startedOver)
            let other = try await two.table.pull(Query().parameter("list", "2"), queryID: "q")
            #expect(other.startedOver)
        }
    }

    @Test("mobile-apps#463: progress is reported at the end of a push and with each page of a pull") func progress()
        async throws
    {
        let told = Mutex<[SyncProgress]>([])
        try await TestServer.run { server in
            try await withDevice(server, MemorySyncStore()) {
                $0.progress = { step in told.withLock { $0.append(step) } }
            } _: { device in
                for text in ["a", "b", "c"] { try await device.add(text) }
                try await device.context.push()
                #expect(told.withLock { $0.last } == .pushed(3, waiting: 0))
                try await device.table.forcePurge()
                told.withLock { $0 = [] }
                try await device.table.pull(queryID: nil, settings: Self.pages(of: 2))
                #expect(told.withLock { $0 } == [.pulled(2, table: "todoitem"), .pulled(3, table: "todoitem")])
            }
        }
    }
}

@Suite("§5.2: queue problems known from other clients", .timeLimit(.minutes(1)))
struct QueueLossTests {
    private func tables(_ test: (TestServer, Device, SyncTable) async throws -> Void) async throws {
        let tables = try [
            TableDeclaration.todoitem, TableDeclaration("other", columns: [TableColumn("text", .string)]),
        ]
        try await TestServer.run(tables) { server in
            try await withDevice(server, tables: tables) { device in
                try await test(server, device, device.context.table("other"))
            }
        }
    }

    @Test("mobile-apps#484: operations are counted per table, including the one in flight") func counts()
        async throws
    {
        try await tables { server, device, other in
            try await device.add("a")
            try await device.add("b")
            try await other.insert(["text": "c"])
            #expect(try await device.table.pendingOperationsCount() == 2)
            #expect(try await other.pendingOperationsCount() == 1)
            let inFlight = Mutex(0)
            server.fault { _ in
                let count = try await device.context.pendingOperationsCount()
                inFlight.withLock { $0 = max($0, count) }
                return .none
            }
            try await device.context.push()
            #expect(inFlight.withLock { $0 } == 3)
        }
    }

    @Test("net-client#393: operations are sent in the order in which they were made, across tables") func order()
        async throws
    {
        try await tables { server, device, other in
            try await device.add("a")
            try await other.insert(["text": "b"])
            try await device.add("c")
            try await device.context.push()
            #expect(server.lines == ["POST /tables/todoitem", "POST /tables/other", "POST /tables/todoitem"])
        }
    }

    @Test("an error is stored with every member of the guide and reads back unchanged") func errorMembers() async throws
    {
        try await tables { server, device, _ in
            let id = try await device.add("a", id: "row")
            try await device.context.push()
            try await device.table.update(id, ["text": "b"])
            server.fault { _ in
                .answered(
                    412,
                    ["id": "row", "text": "theirs", "version": "v", "code": 412, "error": "changed"]
                )
            }
            let error = try #require(await device.push()?.errors.first)
            let properties = error.properties
            #expect(
                Set(properties.object.map { Array($0.keys) } ?? []) == [
                    "code", "domain", "description", "table", "operation", "itemId", "item", "base", "serverItem",
                    "statusCode", "unseen",
                ]
            )
            #expect(properties["domain"] == "com.Microsoft.MicrosoftAzureMobile.ErrorDomain")
            #expect(properties["operation"] == 1)
            #expect(properties["itemId"] == "row")
            #expect(properties["serverItem"]?["text"] == "theirs")
            let again = TableOperationError(id: error.id, operationID: error.operationID, properties: properties)
            #expect(again == error)
            #expect(error.operationID == (try await device.context.pendingOperations().first?.id))
        }
    }

    @Test("a watcher of a table is notified of a push that changes it, until it is cancelled") func watching()
        async throws
    {
        try await tables { server, device, _ in
            let (began, signal) = AsyncStream.makeStream(of: Void.self)
            let id = try await device.add("a")
            let table = device.table
            let watch = Task {
                var versions = 0
                for try await change in table.changes() {
                    if change.inserted.isEmpty, change.updated.contains(where: { $0.version != nil }) { versions += 1 }
                    signal.yield()
                }
                return versions
            }
            var steps = began.makeAsyncIterator()
            await steps.next()
            try await device.context.push()
            await steps.next()
            #expect(try await table.read(id: id)?.version != nil)
            watch.cancel()
            #expect(try await watch.value == 1)
        }
    }
}
