import OAuth
import OfflineTables
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

/// A flag whose value is `true` only for the first caller.
final class FirstCall: Sendable {
    private let isNext = Mutex(true)

    func take() -> Bool {
        isNext.withLock { isNext in
            defer { isNext = false }
            return isNext
        }
    }
}

@Suite("A row that a pull skipped", .timeLimit(.minutes(1)))
struct SkippedRowTests {
    /// Runs `test` with a device that has a pending edit of the row "row" and whose pull has skipped a newer version.
    ///
    /// The closure `edit` makes the pending edit. Another device has made the newer version of the row.
    private func skipped(
        _ edit: (TestServer, Device, RowID) async throws -> Void,
        _ test: (TestServer, Device, RowID) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.add("a", id: "row")
                    try await one.context.push()
                    try await two.pull()
                    try await edit(server, two, id)
                    server.repair()
                    try await one.table.update(id, ["text": "theirs"])
                    try await Self.passBy(one, two)
                    try await test(server, two, id)
                }
            }
        }
    }

    /// Makes the second device pull all changes of the first device without a push.
    ///
    /// Before the pull, the first device adds a newer row. Every later pull receives the newest row again, so the
    /// skipped row must not be the newest.
    private static func passBy(_ one: Device, _ two: Device) async throws {
        try await one.add("later", id: "later")
        try await one.context.push()
        var settings = SyncTable.PullSettings()
        settings.pushesFirst = .nothing
        try await two.table.pull(queryID: "all", settings: settings)
    }

    private func expectTheirs(_ device: Device) async throws {
        #expect(try await device.context.pendingOperationsCount() == 0)
        try await device.pull()
        #expect(try await device.texts() == ["later", "theirs"])
    }

    @Test("is fetched by the pull after the edit was discarded for an older version") func givenUp() async throws {
        try await skipped { server, two, id in
            try await two.table.update(id, ["text": "mine"])
        } _: { server, two, id in
            // The conflict response contains an older version of the row.
            server.fault { request in
                request.method == .patch
                    ? .answered(412, ["id": "row", "text": "older", "version": "AAA=", "deleted": false]) : .none
            }
            let error = try #require(await two.push()?.errors.first)
            server.repair()
            try await two.context.resolve(error, by: .theirs)
            #expect(try await two.texts() == ["later", "older"])
            try await expectTheirs(two)
        }
    }

    @Test("is fetched by the pull after a deletion was undone") func restored() async throws {
        try await skipped { _, two, id in
            try await two.table.delete(id)
        } _: { _, two, id in
            try await two.table.undelete(id)
            #expect(try await two.texts() == ["a", "later"])
            try await expectTheirs(two)
        }
    }

    @Test("is fetched by the pull after a repeated insert returned the row as first inserted") func repeated()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await two.add("a", id: "row")
                    server.fault { _ in .answerLost }
                    _ = await two.push()
                    server.repair()
                    try await one.pull()
                    try await one.table.update(id, ["text": "theirs"])
                    try await Self.passBy(one, two)
                    #expect(await two.push() == nil)
                    try await expectTheirs(two)
                }
            }
        }
    }

    @Test("is looked up once, and not if a later version arrived in a response") func once() async throws {
        try await skipped { _, two, id in
            try await two.table.update(id, ["notes": "mine"])
        } _: { server, two, id in
            let error = try #require(await two.push()?.errors.first)
            try await two.context.resolve(error, by: .mine)
            #expect(await two.push() == nil)
            server.forget()
            try await two.pull()
            #expect(!server.lines.contains("GET /tables/todoitem/row"))
            let row = try await two.table.read(id: id)
            #expect(row?["text"] == "theirs")
            #expect(row?["notes"] == "mine")
        }
    }

    @Test(
        "does not end the pull, whatever the look-up returns",
        arguments: [(403, ["a", "later"]), (410, ["later"])]
    )
    func refused(_ status: Int, _ texts: [String]) async throws {
        try await skipped { _, two, id in
            try await two.table.delete(id)
        } _: { server, two, id in
            try await two.table.undelete(id)
            server.fault { request in
                request.path == "/tables/todoitem/row"
                    ? .answered(status, ["code": .int(Int64(status)), "error": "no"]) : .none
            }
            try await two.pull()
            #expect(try await two.texts() == texts)
            server.repair()
            server.forget()
            try await two.pull()
            // A later pull looks up the row again only if the first lookup was forbidden.
            #expect(server.lines.contains("GET /tables/todoitem/row") == (status == 403))
        }
    }

    @Test("is not looked up if its insert was never sent") func neverSent() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a", id: "row")
                try await device.table.delete(id)
                server.forget()
                let report = try await device.pull()
                #expect(!server.lines.contains("GET /tables/todoitem/row"))
                #expect(report.deleted == 0)
            }
        }
    }

    @Test("that is deleted on the server is removed locally") func deleted() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.add("a", id: "row")
                    try await one.context.push()
                    try await two.pull()
                    try await two.table.update(id, ["text": "mine"])
                    try await one.table.delete(id)
                    try await Self.passBy(one, two)
                    server.fault { $0.method == .patch ? .answered(500, ["code": 500, "error": "no"]) : .none }
                    let error = try #require(await two.push()?.errors.first)
                    try await two.context.resolve(error, by: .theirs)
                    server.repair()
                    server.forget()
                    try await two.pull()
                    #expect(server.lines.contains("GET /tables/todoitem/row"))
                    #expect(try await two.texts() == ["later"])
                    server.forget()
                    try await two.pull()
                    #expect(!server.lines.contains("GET /tables/todoitem/row"))
                }
            }
        }
    }
}
