import OAuth
import OfflineTables
import Synchronization
import Tables
import TestSupport
import Testing

@testable import TablesClient

@Suite("A full pull", .timeLimit(.minutes(1)))
struct FullPullTests {
    @Test("a full pull removes rows that the server no longer has, except those with a pending edit")
    func full() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a", id: "a")
                try await device.add("b", id: "b")
                try await device.context.push()
                try await device.pull()
                try await device.table.update(#require(RowID("b")), ["priority": 9])
                server.fault { request in request.method == .get ? .answered(200, []) : .none }
                var settings = SyncTable.PullSettings()
                settings.isFull = true
                #expect(try await device.table.pull(queryID: "all", settings: settings).dropped == 1)
                #expect(try await device.texts() == ["b"])
            }
        }
    }

    @Test("a pull starts over and removes missing rows if the server has purged tombstones since the last pull")
    func gone()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                try await device.context.push()
                try await device.pull()
                let isFirst = Mutex(true)
                server.fault { request in
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                        ? .answered(410, ["code": 410, "error": "too long ago"]) : .answered(200, [])
                }
                #expect(try await device.pull().dropped == 1)
                #expect(try await device.texts().isEmpty)
            }
        }
    }

    @Test(
        "a full pull does not remove rows that its top, its skip or a rule of the API leaves out",
        arguments: [
            (Query().sort(by: "text").top(1), nil), (Query().sort(by: "text").skip(2), nil), (Query(), nil),
            (Query(), "q"),
        ]
    ) func partly(_ query: Query, _ queryID: String?) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                for text in ["a", "b", "c"] { try await device.add(text) }
                try await device.context.push()
                var settings = SyncTable.PullSettings()
                settings.isFull = true
                // The empty response simulates a rule of the API that leaves out all rows.
                if query.top == nil, query.skip == nil { server.fault { _ in .answered(200, []) } }
                let isWhole = query.top == nil && query.skip == nil
                let asked = isWhole ? try query.parameter("mine", "yes") : query
                #expect(try await device.table.pull(asked, queryID: queryID, settings: settings).dropped == 0)
                #expect(try await device.texts() == ["a", "b", "c"])
            }
        }
    }

    @Test("a full pull without a query id removes missing rows too") func fullVanilla() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                for text in ["a", "b", "c"] { try await device.table.insert(["text": .string(text), "priority": 1]) }
                try await device.context.push()
                server.fault { _ in .answered(200, []) }
                var settings = SyncTable.PullSettings()
                settings.isFull = true
                let report = try await device.table.pull(
                    Query().where("text != 'b'"),
                    queryID: nil,
                    settings: settings
                )
                #expect(report.dropped == 2)
                #expect(try await device.texts() == ["b"])
            }
        }
    }

    @Test("a full pull filtered by a column that is not stored locally removes nothing")
    func unknownColumn() async throws {
        let narrow = try TableDeclaration("todoitem", columns: [TableColumn("text", .string)])
        try await TestServer.run { server in
            try await withDevice(server, tables: [narrow]) { device in
                try await device.add("a")
                try await device.context.push()
                var settings = SyncTable.PullSettings()
                settings.isFull = true
                let query = try Query().where("priority == 1")
                #expect(try await device.table.pull(query, queryID: "q", settings: settings).dropped == 0)
                #expect(try await device.texts() == ["a"])
            }
        }
    }
}
