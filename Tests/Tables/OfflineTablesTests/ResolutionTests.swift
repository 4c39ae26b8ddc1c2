import OfflineTables
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("§2.4: errors and their resolution", .timeLimit(.minutes(1)))
struct ResolutionTests {
    /// Runs `test` after two devices have changed the same row, the first to "theirs" and the second to "mine".
    ///
    /// A device deletes the row instead if `deleted` is `true` for that device.
    ///
    /// The first device has pushed its change, so the second device's push has reported the conflict.
    private func conflict(
        deleted: (theirs: Bool, mine: Bool) = (false, false),
        _ test: (TestServer, Device, Device, TableOperationError) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.add("a", id: "row")
                    try await one.context.push()
                    try await two.pull()
                    if deleted.theirs {
                        try await one.table.delete(id)
                    } else {
                        try await one.table.update(id, ["text": "theirs"])
                    }
                    try await one.context.push()
                    if deleted.mine {
                        try await two.table.delete(id)
                    } else {
                        try await two.table.update(id, ["text": "mine"])
                    }
                    let errors = try #require(await two.push()).errors
                    #expect(errors.count == 1)
                    try await test(server, one, two, try #require(errors.first))
                }
            }
        }
    }

    @Test("an error has all members of the guide") func fields() async throws {
        try await conflict { _, _, two, error in
            #expect(error.table == "todoitem")
            #expect(error.operation == .update)
            #expect(error.itemID.text == "row")
            #expect(error.item?["text"] == "mine")
            #expect(error.serverItem?["text"] == "theirs")
            #expect(error.statusCode == 412)
            #expect(error.code == -1303)
            #expect(error.isConflict)
            let errors = try await two.context.errors()
            #expect(errors == [error])
        }
    }

    @Test("every push reports a conflict again until it is resolved") func again() async throws {
        try await conflict { _, _, two, _ in
            #expect(await two.push()?.errors.count == 1)
            let errors = try await two.context.errors()
            #expect(errors.count == 1)
        }
    }

    @Test("cancelOperationAndUpdateItem discards the change and stores another row")
    func cancelAndUpdate() async throws {
        try await conflict { _, _, two, error in
            try await two.context.cancelOperationAndUpdateItem(error, try #require(error.serverItem))
            #expect(try await two.texts() == ["theirs"])
            #expect(try await two.context.pendingOperationsCount() == 0)
            #expect(try await two.context.errors().isEmpty)
        }
    }

    @Test("an item with a different id is rejected with -1156") func otherID() async throws {
        try await conflict { _, _, two, error in
            let other = RemoteRow(id: .random(), values: [:])
            let refused = await #expect(throws: SyncError.self) {
                try await two.context.cancelOperationAndUpdateItem(error, other)
            }
            #expect(refused?.code.rawValue == -1156)
            let errors = try await two.context.errors()
            #expect(errors.count == 1)
        }
    }

    @Test("cancelOperationAndDiscardItem discards change and row, and the next pull fetches the server's row")
    func discard()
        async throws
    {
        try await conflict { _, _, two, error in
            try await two.context.cancelOperationAndDiscardItem(error)
            #expect(try await two.texts().isEmpty)
            try await two.pull()
            #expect(try await two.texts() == ["theirs"])
        }
    }

    @Test("cancelOperation discards the change and leaves the row to the next pull") func cancel() async throws {
        try await conflict { _, _, two, error in
            try await two.context.cancelOperation(error)
            #expect(try await two.texts() == ["mine"])
            #expect(try await two.context.pendingOperationsCount() == 0)
            try await two.pull()
            #expect(try await two.texts() == ["theirs"])
        }
    }

    @Test("keepOperationAndUpdateItem with the server's version succeeds") func keep() async throws {
        try await conflict { _, one, two, error in
            var item = try #require(error.serverItem)
            item["text"] = "both"
            try await two.context.keepOperationAndUpdateItem(error, item)
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts() == ["both"])
        }
    }

    @Test("keepOperationAndUpdateItem of a deletion leaves it a deletion") func keepDeletion() async throws {
        try await conflict(deleted: (false, true)) { _, one, two, error in
            try await two.context.keepOperationAndUpdateItem(error, try #require(error.serverItem))
            #expect(try await two.texts().isEmpty)
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts().isEmpty)
        }
    }

    @Test("modifyOperationType turns an insert with a taken id into an update") func insertToUpdate() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    try await one.add("theirs", id: "row")
                    try await one.context.push()
                    try await two.add("mine", id: "row")
                    let error = try #require(await two.push()?.errors.first)
                    #expect(error.statusCode == 409)
                    var item = try #require(error.serverItem)
                    item["text"] = "mine"
                    try await two.context.modifyOperationType(error, .update, item)
                    #expect(await two.push() == nil)
                    try await one.pull()
                    #expect(try await one.texts() == ["mine"])
                }
            }
        }
    }

    @Test("modifyOperationType to a deletion removes the row locally and on the server")
    func updateToDelete() async throws {
        try await conflict { _, one, two, error in
            try await two.context.modifyOperationType(error, .delete, error.serverItem)
            #expect(try await two.texts().isEmpty)
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts().isEmpty)
        }
    }

    @Test("modifyOperationType turns a deletion into an update of the server's row") func deleteToUpdate() async throws
    {
        try await conflict(deleted: (false, true)) { _, _, two, error in
            try await two.context.modifyOperationType(error, .update, error.serverItem)
            #expect(try await two.texts() == ["theirs"])
            #expect(await two.push() == nil)
        }
    }

    @Test("an operation that no longer exists cannot be resolved: -1157") func gone() async throws {
        try await conflict { _, _, two, error in
            try await two.context.cancelOperation(error)
            let refused = await #expect(throws: SyncError.self) { try await two.context.cancelOperation(error) }
            #expect(refused?.code.rawValue == -1157)
        }
    }

    @Test(
        "each decision has its result on both sides",
        arguments: [
            (ConflictResolution.mine, ["mine"]), (.theirs, ["theirs"]), (.delete, []), (.merged(["text": "m"]), ["m"]),
        ]
    ) func decisions(_ resolution: ConflictResolution, _ texts: [String]) async throws {
        try await conflict { _, one, two, error in
            try await two.context.resolve(error, by: resolution)
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts() == texts)
            #expect(try await two.texts() == texts)
        }
    }

    @Test("mine restores a row that was deleted on the server", arguments: [ConflictResolution.mine, .theirs])
    func overDeleted(_ resolution: ConflictResolution) async throws {
        try await conflict(deleted: (true, false)) { _, one, two, error in
            #expect(error.serverItem?.isDeleted == true)
            try await two.context.resolve(error, by: resolution)
            #expect(await two.push() == nil)
            try await one.pull()
            let expected = resolution == .mine ? ["mine"] : []
            #expect(try await one.texts() == expected)
            #expect(try await two.texts() == expected)
        }
    }

    @Test(
        "for a deletion of a changed row, theirs restores it and mine deletes it",
        arguments: [ConflictResolution.mine, .theirs]
    )
    func deletionOver(_ resolution: ConflictResolution) async throws {
        try await conflict(deleted: (false, true)) { _, one, two, error in
            try await two.context.resolve(error, by: resolution)
            #expect(await two.push() == nil)
            try await one.pull()
            let expected = resolution == .theirs ? ["theirs"] : []
            #expect(try await one.texts() == expected)
            #expect(try await two.texts() == expected)
        }
    }

    @Test("a deletion merged with a changed row becomes an update") func mergedDeletion() async throws {
        try await conflict(deleted: (false, true)) { _, one, two, error in
            try await two.context.resolve(error, by: .merged(["text": "m"]))
            #expect(try await two.texts() == ["m"])
            #expect(await two.push() == nil)
            try await one.pull()
            #expect(try await one.texts() == ["m"])
        }
    }

    @Test(
        "a rejected update returns to the server's state, or is sent once more",
        arguments: [ConflictResolution.mine, .theirs]
    )
    func refusal(_ resolution: ConflictResolution) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.add("a")
                try await device.context.push()
                try await device.table.update(id, ["text": "b", "priority": 7])
                let error = try #require(await device.push()?.errors.first)
                try await device.context.resolve(error, by: resolution)
                #expect(try await device.context.errors().isEmpty)
                let isMine = resolution == .mine
                #expect(await device.push()?.errors.count == (isMine ? 1 : nil))
                #expect(try await device.texts() == [isMine ? "b" : "a"])
            }
        }
    }

    @Test("a discarded rejected insert removes its row") func refusedInsertion() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.table.insert(["text": "a", "priority": 7])
                let error = try #require(await device.push()?.errors.first)
                try await device.context.resolve(error, by: .theirs)
                #expect(try await device.texts().isEmpty)
                #expect(try await device.context.pendingOperationsCount() == 0)
            }
        }
    }

    @Test("two deletions of one row do not conflict") func bothDeleted() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.add("a")
                    try await one.context.push()
                    try await two.pull()
                    for device in [one, two] { try await device.table.delete(id) }
                    #expect(await one.push() == nil)
                    #expect(await two.push() == nil)
                }
            }
        }
    }
}

@Suite("Conflict handlers", .timeLimit(.minutes(1)))
struct ConflictHandlerTests {
    /// Makes two edits of one row conflict on a device that uses `handler`.
    ///
    /// Returns the resulting row, as the server stores it, and the number of errors.
    private func meet(
        _ handler: ConflictHandler,
        _ theirs: [String: TableValue],
        _ mine: [String: TableValue]
    ) async throws -> (server: RemoteRow?, errors: Int) {
        let outcome = Mutex<(RemoteRow?, Int)>((nil, 0))
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server, MemorySyncStore()) {
                    $0.conflicts = handler
                } _: { two in
                    let id = try await one.table.insert(["text": "a", "notes": "n"]).id
                    try await one.context.push()
                    try await two.pull()
                    try await one.table.update(id, theirs)
                    try await one.context.push()
                    try await two.table.update(id, mine)
                    let errors = await two.push()?.errors.count ?? 0
                    try await one.pull()
                    let row = try await one.table.read(id: id)
                    outcome.withLock { $0 = (row, errors) }
                }
            }
        }
        return outcome.withLock { $0 }
    }

    @Test("mine chooses the local edit") func mine() async throws {
        let (row, errors) = try await meet(.mine, ["text": "t"], ["text": "m"])
        #expect(row?["text"] == "m")
        #expect(errors == 0)
    }

    @Test("theirs chooses the server's edit") func theirs() async throws {
        let (row, errors) = try await meet(.theirs, ["text": "t"], ["text": "m"])
        #expect(row?["text"] == "t")
        #expect(errors == 0)
    }

    @Test("field by field combines both edits") func fields() async throws {
        let (row, errors) = try await meet(.fieldByField, ["text": "t"], ["notes": "m"])
        #expect(row?["text"] == "t")
        #expect(row?["notes"] == "m")
        #expect(errors == 0)
    }

    @Test("field by field records two different values of one column") func sameField() async throws {
        let (row, errors) = try await meet(.fieldByField, ["text": "t"], ["text": "m"])
        #expect(row?["text"] == "t")
        #expect(errors == 1)
    }

    @Test("the same edit on both sides does not conflict") func same() async throws {
        let (row, errors) = try await meet(.record, ["text": "x"], ["text": "x"])
        #expect(row?["text"] == "x")
        #expect(errors == 0)
    }

    @Test("a handler is called again if the server's row changed meanwhile, with a limit") func again() async throws {
        let asked = Mutex(0)
        try await TestServer.run { server in
            try await withDevice(server) { one in
                let id = try await one.add("a")
                try await one.context.push()
                let rival = one
                try await withDevice(server, MemorySyncStore()) { options in
                    options.conflicts = ConflictHandler { _ in
                        let count = asked.withLock {
                            $0 += 1
                            return $0
                        }
                        try await rival.table.update(id, ["text": .string("theirs \(count)")])
                        try await rival.context.push()
                        return .mine
                    }
                } _: { two in
                    try await two.pull()
                    try await one.table.update(id, ["text": "theirs 0"])
                    try await one.context.push()
                    try await two.table.update(id, ["text": "mine"])
                    #expect(await two.push()?.errors.count == 1)
                    #expect(asked.withLock { $0 } == ConflictHandler.limit)
                }
            }
        }
    }

    @Test("a handler that throws leaves the conflict recorded") func failing() async throws {
        struct Failed: Error {}
        let (_, errors) = try await meet(ConflictHandler { _ in throw Failed() }, ["text": "t"], ["text": "m"])
        #expect(errors == 1)
    }
}
