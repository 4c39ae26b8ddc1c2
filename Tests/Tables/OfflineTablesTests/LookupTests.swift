import OAuth
import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("A conflict whose other side has to be looked up", .timeLimit(.minutes(1)))
struct LookupTests {
    private static let mine: TableValue = "mine"

    /// Runs `test` with a device whose change meets a conflict that shows no row, under a handler; looking the row up
    /// fails as `fault` says.
    private func undecided(
        _ handler: ConflictHandler,
        _ fault: TestServer.Fault,
        _ test: (TestServer, Device) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) {
                $0.conflicts = handler
            } _: { device in
                let id = try await device.add("a", id: "row")
                try await device.context.push()
                try await device.table.update(id, ["text": Self.mine])
                server.fault { request in
                    switch request.method {
                    case .patch: .answered(412, ["code": 412, "error": "changed"])
                    case .get: fault
                    default: .none
                    }
                }
                try await test(server, device)
            }
        }
    }

    private func expectKept(_ server: TestServer, _ device: Device) async throws {
        let operation = try #require(try await device.context.pendingOperations().first)
        #expect(operation.state == .attempted)
        #expect(try await device.texts() == ["mine"])
        server.repair()
        #expect(await device.push() == nil)
        try await withDevice(server) { other in
            try await other.pull()
            #expect(try await other.texts() == ["mine"])
        }
    }

    @Test("is not decided by a handler that cannot see it", arguments: [ConflictResolution.theirs, .mine, .delete])
    func failed(_ decision: ConflictResolution) async throws {
        try await undecided(
            ConflictHandler { _ in decision },
            .answered(500, ["code": 500, "error": "no"])
        ) { server, device in
            let error = try #require(await device.push())
            #expect(error.code == .pushCompleteWithErrors)
            #expect(error.errors.map(\.statusCode) == [412])
            #expect(error.errors.first?.serverItem == nil)
            try await expectKept(server, device)
        }
    }

    @Test("is not the row of another id that the answer shows") func anotherRow() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a", id: "row")
                try await device.context.push()
                try await device.table.update(id, ["text": Self.mine])
                server.fault { request in
                    request.method == .patch
                        ? .answered(412, ["id": "other", "text": "other", "version": "AAA=", "deleted": false]) : .none
                }
                let error = try #require(await device.push()?.errors.first)
                #expect(error.serverItem?.id == id && error.serverItem?["text"] == "a")
            }
        }
    }

    @Test(
        "ends the push with the failure's own code where nobody answers or nobody is let in",
        arguments: [(TestServer.Fault.requestLost, -1172), (.answered(401, ["code": 401]), -1173)]
    )
    func aborted(_ fault: TestServer.Fault, _ code: Int) async throws {
        try await undecided(.theirs, fault) { server, device in
            #expect(await device.push()?.code.rawValue == code)
            try await expectKept(server, device)
        }
    }

    @Test("is decided over no row where the server says that it has none") func nothing() async throws {
        try await undecided(.theirs, .answered(404, ["code": 404, "error": "none"])) { _, device in
            #expect(await device.push() == nil)
            let texts = try await device.texts()
            #expect(texts.isEmpty)
        }
    }

    @Test("stays one when the person decides without having seen it, and ends with the next push")
    func decidedUnseen() async throws {
        try await undecided(.record, .answered(500, ["code": 500, "error": "no"])) { server, device in
            let error = try #require(await device.push()?.errors.first)
            try await device.context.resolve(error, by: .theirs)
            server.repair()
            try await device.pull()
            #expect(try await device.texts() == ["a"])
            #expect(try await device.context.pendingOperationsCount() == 0)
        }
    }

    @Test("an id that was taken by another row is deleted there when that row was shown, not before") func takenID()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    try await one.add("theirs", id: "row")
                    try await one.context.push()
                    try await two.add("mine", id: "row")
                    server.fault { request in
                        switch request.method {
                        case .post: .answered(409, ["code": 409, "error": "taken"])
                        case .get: .answered(500, ["code": 500, "error": "no"])
                        default: .none
                        }
                    }
                    let error = try #require(await two.push()?.errors.first)
                    try await two.context.resolve(error, by: .delete)
                    server.repair()
                    let shown = try #require(await two.push()?.errors.first)
                    #expect(shown.serverItem?["text"] == "theirs")
                    try await two.context.resolve(shown, by: .delete)
                    #expect(await two.push() == nil)
                    try await one.pull()
                    #expect(try await one.texts().isEmpty)
                }
            }
        }
    }

    /// Runs `test` with two devices and a row "row" that the server has deleted without a trace, and that the second has
    /// changed.
    private func gone(
        _ handler: ConflictHandler,
        _ test: (Device, Device) async throws -> Void
    ) async throws {
        var table = try TableDeclaration.todoitem
        table.hasSoftDelete = false
        try await TestServer.run([table]) { [table] server in
            try await withDevice(server, tables: [table]) { one in
                try await withDevice(server, tables: [table]) {
                    $0.conflicts = handler
                } _: { two in
                    let id = try await one.add("a", id: "row")
                    try await one.context.push()
                    try await two.pull()
                    try await one.table.delete(id)
                    try await one.context.push()
                    try await two.table.update(id, ["text": Self.mine])
                    try await test(one, two)
                }
            }
        }
    }

    @Test(
        "where the row is gone, every decision ends with the next push",
        arguments: [
            (ConflictResolution.mine, ["mine"]), (.theirs, []), (.delete, []), (.merged(["text": "both"]), ["both"]),
        ]
    )
    func rowIsGone(_ decision: ConflictResolution, _ texts: [String]) async throws {
        try await gone(.record) { one, two in
            let error = try #require(await two.push()?.errors.first)
            #expect(error.statusCode == 404)
            try await two.context.resolve(error, by: decision)
            #expect(await two.push() == nil)
            #expect(try await two.context.pendingOperationsCount() == 0)
            #expect(try await two.texts() == texts)
            try await one.pull()
            #expect(try await one.texts() == texts)
        }
    }

    @Test("where the row is gone, a handler's merged values make it anew") func mergedByHandler() async throws {
        try await gone(ConflictHandler { _ in .merged(["text": "both"]) }) { one, two in
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts() == ["both"])
        }
    }
}

@Suite("A deletion behind what was refused", .timeLimit(.minutes(1)))
struct RefusedDeletionTests {
    @Test("of a refused change whose row is gone sends no insertion") func refusedChange() async throws {
        var table = try TableDeclaration.todoitem
        table.hasSoftDelete = false
        try await TestServer.run([table]) { [table] server in
            try await withDevice(server, tables: [table]) { one in
                try await withDevice(server, tables: [table]) { two in
                    let id = try await one.add("a")
                    try await one.context.push()
                    try await two.pull()
                    try await two.table.update(id, ["priority": 9])
                    #expect(await two.push()?.errors.count == 1)
                    try await one.table.delete(id)
                    try await one.context.push()
                    try await two.table.delete(id)
                    server.forget()
                    #expect(await two.push() == nil)
                    #expect(server.requests.map(\.method.rawValue) == ["DELETE"])
                }
            }
        }
    }

    @Test("of an insertion that became a refused change sends no insertion either") func refusedInsertion() async throws
    {
        var table = try TableDeclaration.todoitem
        table.hasSoftDelete = false
        try await TestServer.run([table]) { [table] server in
            try await withDevice(server, tables: [table]) { one in
                let id = try await one.add("theirs", id: "row")
                try await one.context.push()
                try await withDevice(server, tables: [table]) {
                    $0.conflicts = .mine
                } _: { two in
                    try await two.add("mine", id: "row")
                    server.fault { $0.method == .patch ? .answered(400, ["code": 400, "error": "no"]) : .none }
                    #expect(await two.push()?.errors.map(\.operation) == [.update])
                    server.repair()
                    try await one.table.delete(id)
                    try await one.context.push()
                    try await two.table.delete(id)
                    server.forget()
                    #expect(await two.push() == nil)
                    #expect(server.requests.map(\.method.rawValue) == ["DELETE"])
                }
            }
        }
    }

    @Test("of an insertion that may still arrive comes after that, however it was decided") func lateInsertion()
        async throws
    {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a", id: "row")
                server.fault { _ in .answered(500, ["code": 500, "error": "no"]) }
                let error = try #require(await device.push()?.errors.first)
                let late = try #require(server.requests.first)
                try await device.context.resolve(error, by: .delete)
                server.repair()
                #expect(await device.push() == nil)
                _ = try await server.deliver(late)
                try await withDevice(server) { other in
                    try await other.pull()
                    #expect(try await other.texts().isEmpty)
                }
            }
        }
    }

    @Test("of an insertion that may still arrive and was made a change comes after that insertion, too")
    func lateInsertionMadeChange() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a", id: "row")
                server.fault { _ in .answered(500, ["code": 500, "error": "no"]) }
                let error = try #require(await device.push()?.errors.first)
                let late = try #require(server.requests.first)
                try await device.context.modifyOperationType(error, .update)
                try await device.table.delete(id)
                server.repair()
                #expect(await device.push() == nil)
                _ = try await server.deliver(late)
                try await withDevice(server) { other in
                    try await other.pull()
                    #expect(try await other.texts().isEmpty)
                }
            }
        }
    }
}
