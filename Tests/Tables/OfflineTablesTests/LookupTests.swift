import OAuth
import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("A conflict without the server's row in the response", .timeLimit(.minutes(1)))
struct LookupTests {
    private static let mine: TableValue = "mine"

    /// Runs `test` with a device that uses `handler`.
    ///
    /// The device's change gets a conflict response that contains no row, and the lookup of the row fails with `fault`.
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

    @Test("is not decided by a handler if the look-up fails", arguments: [ConflictResolution.theirs, .mine, .delete])
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

    @Test("ignores a row with a different id in the response") func anotherRow() async throws {
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
        "ends the push with the look-up's own error code if the API is unreachable or rejects the token",
        arguments: [(TestServer.Fault.requestLost, -1172), (.answered(401, ["code": 401]), -1173)]
    )
    func aborted(_ fault: TestServer.Fault, _ code: Int) async throws {
        try await undecided(.theirs, fault) { server, device in
            #expect(await device.push()?.code.rawValue == code)
            try await expectKept(server, device)
        }
    }

    @Test("is decided without a row if the server reports that the row does not exist") func nothing() async throws {
        try await undecided(.theirs, .answered(404, ["code": 404, "error": "none"])) { _, device in
            #expect(await device.push() == nil)
            let texts = try await device.texts()
            #expect(texts.isEmpty)
        }
    }

    @Test("stays a conflict if the user decides without seeing the row, and is resolved by the next push")
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

    @Test("an id taken by another row is deleted on the server only after that row was shown") func takenID()
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

    /// Runs `test` with two devices that know the row "row".
    ///
    /// The first device has deleted the row without a tombstone on the server. The second device has changed the row.
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
        "if the row is gone, every decision completes with the next push",
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

    @Test("if the row is gone, the handler's merged values create it again") func mergedByHandler() async throws {
        try await gone(ConflictHandler { _ in .merged(["text": "both"]) }) { one, two in
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts() == ["both"])
        }
    }
}

@Suite("A deletion after a rejected operation", .timeLimit(.minutes(1)))
struct RefusedDeletionTests {
    @Test("of a rejected update whose row is gone sends no insert") func refusedChange() async throws {
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

    @Test("of an insert that became a rejected update sends no insert either") func refusedInsertion() async throws {
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

    @Test("of an insert that may still arrive is sent after it, however it was decided") func lateInsertion()
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

    @Test("of an insert that may still arrive and became an update is sent after that insert too")
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
