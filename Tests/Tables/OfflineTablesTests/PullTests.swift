import Foundation
import OAuth
import OfflineTables
import Synchronization
import Tables
import TestSupport
import Testing

@testable import TablesClient

@Suite("§2.5: pull", .timeLimit(.minutes(1)))
struct PullTests {
    @Test("an incremental pull requests what changed since the last one, with ge and deleted rows") func incremental()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let a = try await one.add("a")
                    try await one.add("b")
                    try await one.context.push()
                    #expect(try await two.pull().kept == 2)
                    try await one.table.delete(a)
                    try await one.context.push()
                    server.forget()
                    let report = try await two.pull()
                    #expect(report.deleted == 1)
                    #expect(try await two.texts() == ["b"])
                    let query = try #require(server.requests.first?.query?.removingPercentEncoding)
                    #expect(query.contains("$filter=updatedAt ge datetime'"))
                    #expect(query.contains("$orderby=updatedAt"))
                    #expect(query.contains("__includeDeleted=true"))
                }
            }
        }
    }

    @Test("a pull of a table that has not changed is one request") func stable() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                try await device.context.push()
                try await device.pull()
                server.forget()
                #expect(try await device.pull().pages == 1)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("rows with the same time have pages of their own", arguments: [1, 2, 3, 7]) func sameTime(
        _ pageSize: Int
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let rows = (0..<7).map { number -> JSONValue in
                    [
                        "id": .string("r\(number)"), "text": .string("t\(number)"), "deleted": false,
                        "updatedAt": "2026-11-22T10:00:00.000Z", "version": "v",
                    ]
                }
                // The server sends the rows in the order of their ids, because all have the same `updatedAt`.
                server.fault { request in
                    let query = request.query?.removingPercentEncoding ?? ""
                    let behind = query.firstMatch(of: /id gt '(r\d+)'/).map { String($0.output.1) } ?? ""
                    let top = query.firstMatch(of: /\$top=(\d+)/).flatMap { Int($0.output.1) } ?? 50
                    let rest = rows.filter { ($0["id"]?.string ?? "") > behind }
                    return .answered(200, .array(Array(rest.prefix(top))))
                }
                var settings = SyncTable.PullSettings()
                settings.pageSize = pageSize
                try await device.table.pull(queryID: "all", settings: settings)
                #expect(try await device.texts().count == 7)
            }
        }
    }

    @Test("mobile-services#722: rows without a time do not make a pull endless") func noTime() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                server.fault { request in
                    let isFirst = request.query?.contains("skip=0") ?? true
                    let row: JSONValue = ["id": "r", "text": "t", "updatedAt": nil]
                    return .answered(200, .array(isFirst ? [row] : []))
                }
                let kept = try await device.pull().kept
                #expect(kept == 1)
                #expect(try await device.texts() == ["t"])
            }
        }
    }

    @Test("mobile-apps#438: the token has milliseconds") func milliseconds() async throws {
        try await TestServer.run { server in
            server.clock.advance(by: .milliseconds(123))
            let folder = try StoreFolder()
            let store = try folder.open()
            try await withDevice(server, store) { device in
                let id = try await device.add("a")
                try await device.context.push()
                try await device.pull()
                let time = try #require(try await device.table.read(id: id)?.updatedAt)
                let token = try await store.read { try $0.setting(.deltaToken, "all", of: "todoitem") }
                #expect(token == TableDate.text(time))
                #expect(time % 1000 == 123)
            }
        }
    }

    @Test("a token belongs to a table and a query id") func tokens() async throws {
        let tables = try [
            TableDeclaration.todoitem, TableDeclaration("other", columns: [TableColumn("text", .string)]),
        ]
        try await TestServer.run(tables) { server in
            try await withDevice(server, tables: tables) { one in
                try await withDevice(server, tables: tables) { two in
                    try await one.add("a")
                    try await one.context.table("other").insert(["text": "b"])
                    try await one.context.push()
                    try await two.pull()
                    let other = try two.context.table("other")
                    try await other.pull(queryID: "all")
                    #expect(try await other.read().rows.count == 1)
                    try await two.table.forcePurge()
                    try await two.table.pull(queryID: "again")
                    #expect(try await two.texts() == ["a"])
                }
            }
        }
    }

    @Test("a query id that is used with a different filter starts over and reports it") func otherQuery() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    try await one.table.insert(["text": "a", "priority": 1])
                    try await one.table.insert(["text": "b", "priority": 2])
                    try await one.context.push()
                    let first = try await two.table.pull(Query().where("priority == 2"), queryID: "q")
                    #expect(!first.startedOver)
                    #expect(try await two.texts() == ["b"])
                    let second = try await two.table.pull(Query().where("priority == 1"), queryID: "q")
                    #expect(second.startedOver)
                    #expect(try await two.texts() == ["a", "b"])
                }
            }
        }
    }

    @Test("a vanilla pull fetches everything each time, in pages, up to its top") func vanilla() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    for text in ["a", "b", "c"] { try await one.add(text) }
                    try await one.context.push()
                    var settings = SyncTable.PullSettings()
                    settings.pageSize = 2
                    #expect(try await two.table.pull(queryID: nil, settings: settings).kept == 3)
                    #expect(try await two.table.pull(queryID: nil, settings: settings).kept == 3)
                    try await two.table.forcePurge()
                    #expect(try await two.table.pull(Query().sort(by: "text").top(1), queryID: nil).kept == 1)
                    #expect(try await two.texts() == ["a"])
                }
            }
        }
    }

    @Test(
        "a query with options that a pull does not support is rejected with -1401",
        arguments: [
            (Query().select("text"), nil), (Query().includeTotalCount(), nil), (Query().includeDeleted(), nil),
            (Query().sort(by: "text"), "q"), (Query().top(1), "q"), (Query().skip(1), "q"),
        ]
    ) func refused(_ query: Query, _ queryID: String?) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let error = await #expect(throws: SyncError.self) {
                    try await device.table.pull(query, queryID: queryID)
                }
                #expect(error?.code.rawValue == -1401)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test("an invalid query id is rejected with -1155", arguments: ["", "1a", "a b", "abcdefghijklmnopqrstuvwxyz"])
    func queryID(_ queryID: String) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let error = await #expect(throws: SyncError.self) { try await device.table.pull(queryID: queryID) }
                #expect(error?.code.rawValue == -1155)
            }
        }
    }

    @Test("a pull pushes first, and a rejected row stops neither") func pushFirst() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    try await one.add("theirs")
                    try await one.context.push()
                    try await two.table.insert(["text": "bad", "priority": 7])
                    try await two.add("good")
                    #expect(try await two.pull().kept == 2)
                    #expect(try await two.texts() == ["bad", "good", "theirs"])
                    #expect(try await two.context.errors().count == 1)
                }
            }
        }
    }

    @Test("mobile-services#672: a pull can skip the push, or push only its own table") func noPush() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                var settings = SyncTable.PullSettings()
                settings.pushesFirst = .nothing
                try await device.table.pull(queryID: "all", settings: settings)
                #expect(server.requests.map(\.method) == [.get])
                settings.pushesFirst = .thisTable
                try await device.table.pull(queryID: "all", settings: settings)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("a pull requests smaller pages if a response is too large") func tooLarge() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    for number in 0..<6 { try await one.add("\(number)") }
                    try await one.context.push()
                    server.fault { request in
                        guard request.query?.removingPercentEncoding?.contains("$top=1&") == true else {
                            throw TablesError(.tooLarge, .answerTooLarge(bytes: 4_194_304))
                        }
                        return .none
                    }
                    try await two.pull()
                    #expect(try await two.texts().count == 6)
                }
            }
        }
    }

    @Test("a network error during the push ends the pull") func pushAborted() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                server.fault { _ in .requestLost }
                let error = await #expect(throws: SyncError.self) { try await device.pull() }
                #expect(error?.code == .pushAbortedNetwork)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("a row with a pending edit is skipped") func leftAlone() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.add("a")
                    try await one.context.push()
                    try await two.pull()
                    try await one.table.update(id, ["text": "theirs"])
                    try await one.context.push()
                    try await two.table.update(id, ["text": "mine"])
                    let report = try await two.pull()
                    #expect(report.leftAlone == [id])
                    #expect(try await two.texts() == ["mine"])
                    #expect(try await two.context.errors().first?.serverItem?["text"] == "theirs")
                }
            }
        }
    }

    @Test("columns that the local table does not have are left out") func unknownColumns() async throws {
        let narrow = try TableDeclaration("todoitem", columns: [TableColumn("text", .string)])
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server, tables: [narrow]) { two in
                    try await one.table.insert(["text": "a", "notes": "n"])
                    try await one.context.push()
                    try await two.pull()
                    #expect(try await two.table.read().rows.first?.values == ["text": "a"])
                }
            }
        }
    }

    @Test("no row is skipped if rows disappear or change between pages", arguments: ["all", nil]) func moving(
        _ queryID: String?
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let ids = ["a", "b", "c", "d", "e", "f"]
                    for id in ids { try await one.add(id, id: id) }
                    try await one.context.push()
                    // All rows have the same `updatedAt`, as after an import. The first row changes during the request
                    // for the second page.
                    let time: JSONValue = "2026-11-22T10:00:00.000Z"
                    let served = Mutex(ids)
                    let requests = Mutex(0)
                    server.fault { request in
                        let query = request.query?.removingPercentEncoding ?? ""
                        let number = requests.withLock { count in
                            count += 1
                            return count
                        }
                        if number == 3 { served.withLock { _ = $0.removeFirst() } }
                        let behind = query.firstMatch(of: /id gt '(\w)'/).map { String($0.output.1) } ?? ""
                        let skip = query.firstMatch(of: /\$skip=(\d+)/).flatMap { Int($0.output.1) } ?? 0
                        let page = served.withLock { $0 }.filter { $0 > behind }.dropFirst(skip).prefix(2)
                        return .answered(
                            200,
                            .array(page.map { ["id": .string($0), "text": .string($0), "updatedAt": time] })
                        )
                    }
                    var settings = SyncTable.PullSettings()
                    settings.pageSize = 2
                    try await two.table.pull(queryID: queryID, settings: settings)
                    #expect(try await two.texts() == ids)
                }
            }
        }
    }

    @Test("a cancelled pull fails with -1190, and its received pages are stored") func cancelled() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    for text in ["a", "b", "c"] { try await one.add(text) }
                    try await one.context.push()
                    let (reached, signal) = AsyncStream.makeStream(of: Void.self)
                    let count = Mutex(0)
                    server.fault { _ in
                        guard
                            count.withLock({
                                $0 += 1
                                return $0
                            }) > 1
                        else { return .none }
                        signal.yield()
                        try await untilCancelled()
                        return .none
                    }
                    let pull = Task {
                        var settings = SyncTable.PullSettings()
                        settings.pageSize = 2
                        return try await two.table.pull(queryID: "all", settings: settings)
                    }
                    for await _ in reached { break }
                    pull.cancel()
                    let error = await #expect(throws: SyncError.self) { try await pull.value }
                    #expect(error?.code.rawValue == -1190)
                    #expect(try await two.texts().count == 2)
                }
            }
        }
    }
}
