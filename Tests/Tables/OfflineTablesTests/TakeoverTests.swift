import OAuth
import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

/// Tests of a second edit of a row after the response to the first edit was lost.
///
/// The API has applied the first edit. Another device edits the row before the first device sends its second edit.
@Suite("An edit after a lost response", .timeLimit(.minutes(1)))
struct TakeoverTests {
    /// The other device's edit, which the API applies between the two edits of the first device.
    private static let between: [String: TableValue] = ["notes": "theirs"]

    /// Runs `test` with two devices after a lost response.
    ///
    /// The API applies the first device's operation, but the response is lost. Then `again` runs on the first device,
    /// and the second device changes `notes`.
    private func lost(
        kind: TableOperation.Kind = .update,
        _ again: (Device, RowID) async throws -> Void,
        _ test: (Device, Device, RowID) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.table.insert(["text": "a"]).id
                    switch kind {
                    case .insert: break
                    case .update, .delete:
                        try await one.context.push()
                        try await one.table.update(id, ["text": "b"])
                    }
                    server.fault { _ in .answerLost }
                    #expect(await one.push()?.code == .pushAbortedNetwork)
                    server.repair()
                    try await again(one, id)
                    try await two.pull()
                    try await two.table.update(id, Self.between)
                    try await two.context.push()
                    try await test(one, two, id)
                }
            }
        }
    }

    private func expectConflict(_ one: Device, _ two: Device, _ id: RowID, _ kind: TableOperation.Kind) async throws {
        let error = try #require(await one.push()?.errors.first)
        #expect(error.operation == kind)
        #expect(error.isConflict)
        #expect(error.serverItem?["notes"] == "theirs")
        try await two.pull()
        #expect(try await two.table.read(id: id)?["notes"] == "theirs")
    }

    @Test("does not overwrite the values of a decision", arguments: [TableOperation.Kind.update, .delete])
    func behindDecision(_ kind: TableOperation.Kind) async throws {
        try await TestServer.run { server in
            try await withDevice(server) {
                $0.conflicts = .fieldByField
            } _: { one in
                try await withDevice(server) { two in
                    let id = try await one.table.insert(["text": "a"]).id
                    try await one.context.push()
                    try await one.table.update(id, ["text": "b"])
                    server.fault { _ in .requestLost }
                    #expect(await one.push()?.code == .pushAbortedNetwork)
                    server.repair()
                    switch kind {
                    case .insert, .update: try await one.table.update(id, ["notes": "mine"])
                    case .delete: try await one.table.delete(id)
                    }
                    try await two.pull()
                    try await two.table.update(id, ["notes": "theirs"])
                    try await two.context.push()
                    try await expectConflict(one, two, id, kind)
                    // The row contains the first device's edit as well as the other device's edit of another column.
                    #expect(try await two.table.read(id: id)?["text"] == "b")
                }
            }
        }
    }

    @Test(
        "and a decision, both rejected by the API, do not overwrite the values of the decision",
        arguments: [400, 401, 403]
    )
    func refusedDecision(_ status: Int) async throws {
        try await TestServer.run { server in
            try await withDevice(server) {
                $0.conflicts = .fieldByField
            } _: { one in
                try await withDevice(server) { two in
                    let id = try await one.table.insert(["text": "a"]).id
                    try await one.context.push()
                    try await two.pull()
                    try await two.table.update(id, ["notes": "theirs"])
                    try await two.context.push()
                    try await one.table.update(id, ["text": "b"])
                    let (first, again) = (FirstCall(), FirstCall())
                    server.fault { request in
                        guard request.method == .patch else { return .none }
                        if first.take() {
                            // The user edits the row during the first request.
                            try await one.table.update(id, ["notes": "mine"])
                            return .none
                        }
                        guard again.take() || status == 401 else { return .none }
                        return .answered(status, ["code": .int(Int64(status)), "error": "no"])
                    }
                    _ = await one.push()
                    server.repair()
                    try await expectConflict(one, two, id, .update)
                }
            }
        }
    }

    @Test("a value that the API rejected does not count as a value of another device")
    func refusedValue() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                let id = try await one.table.insert(["text": "a"]).id
                try await one.context.push()
                try await one.table.update(id, ["text": "b", "priority": 7])
                let first = FirstCall()
                server.fault { request in
                    if request.method == .patch, first.take() { try await one.table.update(id, ["text": "a"]) }
                    return .none
                }
                _ = await one.push()
                let error = try #require(await one.push()?.errors.first)
                #expect(error.edit == ["priority": 7] && error.base?["text"] == "a", "\(error)")
            }
        }
    }

    @Test("that resets a column is shown, and decided by its own value", arguments: [true, false])
    func setBack(_ isMine: Bool) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.table.insert(["text": "a"]).id
                    try await one.context.push()
                    try await one.table.update(id, ["text": "b"])
                    server.fault { _ in .requestLost }
                    #expect(await one.push()?.code == .pushAbortedNetwork)
                    server.repair()
                    try await one.table.update(id, ["text": "a"])
                    try await two.pull()
                    try await two.table.update(id, ["text": "theirs"])
                    try await two.context.push()
                    let error = try #require(await one.push()?.errors.first)
                    #expect(error.edit == ["text": "a"] && error.serverItem?["text"] == "theirs")
                    try await one.context.resolve(error, by: isMine ? .mine : .theirs)
                    #expect(await one.push() == nil)
                    try await two.pull()
                    #expect(try await two.texts() == [isMine ? "a" : "theirs"])
                }
            }
        }
    }

    @Test("of a column that another device changed conflicts", arguments: [TableOperation.Kind.insert, .update])
    func sameColumn(_ kind: TableOperation.Kind) async throws {
        try await lost(kind: kind) { one, id in
            try await one.table.update(id, ["notes": "mine"])
        } _: { one, two, id in
            try await expectConflict(one, two, id, .update)
            let error = try #require(try await one.context.errors().first)
            #expect(error.edit == ["notes": "mine"])
            try await one.context.resolve(error, by: .mine)
            #expect(await one.push() == nil)
            try await two.pull()
            #expect(try await two.table.read(id: id)?["notes"] == "mine")
        }
    }

    @Test(
        "that deletes a row that another device changed conflicts",
        arguments: [TableOperation.Kind.insert, .update]
    )
    func deletion(_ kind: TableOperation.Kind) async throws {
        try await lost(kind: kind) { one, id in
            try await one.table.delete(id)
        } _: { one, two, id in
            try await expectConflict(one, two, id, .delete)
            let error = try #require(try await one.context.errors().first)
            try await one.context.resolve(error, by: .delete)
            #expect(await one.push() == nil)
            try await two.pull()
            #expect(try await two.texts().isEmpty)
        }
    }

    @Test(
        "of a different column than the other device changed loses neither edit",
        arguments: [TableOperation.Kind.insert, .update]
    )
    func otherColumn(_ kind: TableOperation.Kind) async throws {
        try await lost(kind: kind) { one, id in
            try await one.table.update(id, ["tags": "mine"])
        } _: { one, two, id in
            switch kind {
            // The server responds to the repeated insert with the row that it first inserted, without the later edit.
            case .insert: #expect(await one.push()?.errors.first?.edit == ["tags": "mine"])
            case .update, .delete: #expect(await one.push() == nil)
            }
            for error in try await one.context.errors() { try await one.context.resolve(error, by: .mine) }
            #expect(await one.push() == nil)
            try await two.pull()
            let row = try await two.table.read(id: id)
            #expect(row?["tags"] == "mine")
            #expect(row?["notes"] == "theirs")
        }
    }

    @Test("is not lost when its deletion is undone") func restored() async throws {
        try await lost { one, id in
            try await one.table.update(id, ["tags": "mine"])
            try await one.table.delete(id)
            try await one.table.undelete(id)
        } _: { one, two, id in
            #expect(await one.push() == nil)
            try await two.pull()
            #expect(try await two.table.read(id: id)?["tags"] == "mine")
        }
    }

    @Test("a restore by the server does not remove a pending edit") func restoredByServer() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.add("a")
                    try await one.context.push()
                    try await two.pull()
                    try await two.table.delete(id)
                    try await two.context.push()
                    try await one.table.update(id, ["notes": "mine"])
                    try await one.table.undelete(id)
                    #expect(try await one.table.read(id: id)?["notes"] == "mine")
                    #expect(await one.push() == nil)
                    try await two.pull()
                    #expect(try await two.table.read(id: id)?["notes"] == "mine")
                }
            }
        }
    }

    @Test("does not adopt a row returned by an operation handler") func handlerRow() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { two in
                let isFirst = FirstCall()
                try await withDevice(server, MemorySyncStore()) {
                    $0.operation = { operation, send in
                        let row = try await send()
                        guard operation.kind == .update, isFirst.take() else { return row }
                        try await two.pull()
                        try await two.table.update(operation.itemID, ["notes": "theirs"])
                        try await two.context.push()
                        return try await two.table.read(id: operation.itemID)
                    }
                } _: { one in
                    let id = try await one.table.insert(["text": "a"]).id
                    try await one.context.push()
                    try await one.table.update(id, ["text": "b"])
                    let isFirstPatch = FirstCall()
                    server.fault { request in
                        if request.method == .patch, isFirstPatch.take() {
                            try await one.table.update(id, ["notes": "mine"])
                        }
                        return .none
                    }
                    let error = try #require(await one.push()?.errors.first)
                    #expect(error.isConflict && error.serverItem?["notes"] == "theirs")
                }
            }
        }
    }

    @Test("that deletes an insert with a taken id conflicts with the existing row") func takenID() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    try await one.add("theirs", id: "row")
                    try await one.context.push()
                    let id = try await two.add("mine", id: "row")
                    let isFirst = FirstCall()
                    server.fault { request in
                        if request.method == .post, isFirst.take() { try await two.table.delete(id) }
                        return .none
                    }
                    let error = try #require(await two.push()?.errors.first)
                    #expect(error.isConflict && error.operation == .delete)
                    #expect(error.serverItem?["text"] == "theirs")
                    #expect(try await two.queue() == ["delete:row"])
                    try await two.context.resolve(error, by: .delete)
                    #expect(await two.push() == nil)
                    try await one.pull()
                    #expect(try await one.texts().isEmpty)
                }
            }
        }
    }

    @Test("a change that a handler decides keeps the later edit, and no column of the server is lost")
    func behindHandler() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { two in
                try await withDevice(server, MemorySyncStore()) {
                    $0.conflicts = .mine
                } _: { one in
                    let id = try await one.table.insert(["text": "a"]).id
                    try await one.context.push()
                    try await two.pull()
                    try await two.table.update(id, ["notes": "theirs"])
                    try await two.context.push()
                    try await one.table.update(id, ["text": "b"])
                    let isFirst = FirstCall()
                    server.fault { _ in
                        if isFirst.take() { try await one.table.update(id, ["tags": "mine"]) }
                        return .none
                    }
                    #expect(await one.push() == nil)
                    server.repair()
                    try await two.pull()
                    let row = try await two.table.read(id: id)
                    #expect(row?["text"] == "b")
                    #expect(row?["notes"] == "theirs")
                    #expect(row?["tags"] == "mine")
                }
            }
        }
    }
}
