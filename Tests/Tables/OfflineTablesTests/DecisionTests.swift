import OAuth
import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("A decision", .timeLimit(.minutes(1)))
struct DecisionTests {
    /// Runs `test` with two devices that changed the same row.
    ///
    /// The first device changed `text` and `notes`. The second device changed only `text`, and its push found the
    /// conflict.
    private func conflict(
        _ test: (TestServer, Device, Device, RowID, TableOperationError) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let id = try await one.table.insert(["text": "a", "notes": "n", "tags": "t"]).id
                    try await one.context.push()
                    try await two.pull()
                    try await one.table.update(id, ["text": "theirs", "notes": "theirs"])
                    try await one.context.push()
                    try await two.table.update(id, ["text": "mine"])
                    let error = try #require(await two.push()?.errors.first)
                    try await test(server, one, two, id, error)
                }
            }
        }
    }

    @Test("mine writes only the columns of the user's own edit") func ownColumns() async throws {
        try await conflict { server, one, two, id, error in
            #expect(error.edit == ["text": "mine"])
            try await two.context.resolve(error, by: .mine)
            server.forget()
            #expect(await two.push() == nil)
            #expect(server.requests.count == 1)
            #expect(server.requests.first?.json == ["text": "mine"])
            for device in [one, two] {
                try await device.pull()
                let row = try await device.table.read(id: id)
                #expect(row?["text"] == "mine")
                #expect(row?["notes"] == "theirs")
            }
        }
    }

    @Test(
        "applies to the recorded version, and a newer version is a new conflict",
        arguments: [ConflictResolution.mine, .delete]
    )
    func changedSince(_ decision: ConflictResolution) async throws {
        try await conflict { server, one, two, id, error in
            try await one.table.update(id, ["text": "newer"])
            try await one.context.push()
            try await two.context.resolve(error, by: decision)
            let new = try #require(await two.push()?.errors.first)
            #expect(new.serverItem?["text"] == "newer")
            try await one.pull()
            #expect(try await one.texts() == ["newer"])
        }
    }

    @Test("a conflict is unseen until it is shown, and again if the server's version changes") func unseen()
        async throws
    {
        try await conflict { server, one, two, id, error in
            #expect(error.isUnseen)
            #expect(await two.push()?.errors.first?.isUnseen == true)
            try await two.context.markShown(try await two.context.errors())
            #expect(await two.push()?.errors.first?.isUnseen == false)
            try await one.table.update(id, ["text": "newer"])
            try await one.context.push()
            #expect(await two.push()?.errors.first?.isUnseen == true)
            #expect(await two.push()?.errors.first?.isUnseen == true)
            try await two.context.markShown(try await two.context.errors())
            #expect(try await two.context.errors().map(\.isUnseen) == [false])
            #expect(await two.push()?.errors.first?.isUnseen == false)
            // The edit removes the recorded conflict, and with it the information that the conflict was shown.
            try await two.table.update(id, ["notes": "mine"])
            #expect(await two.push()?.errors.first?.isUnseen == true)
        }
    }

    @Test(
        "a decision about a replaced record is rejected",
        arguments: [ConflictResolution.mine, .theirs, .delete]
    )
    func stale(_ decision: ConflictResolution) async throws {
        try await conflict { _, _, two, id, error in
            try await two.table.update(id, ["text": "mine again"])
            for _ in 0..<2 {
                let refused = await #expect(throws: SyncError.self) {
                    try await two.context.resolve(error, by: decision)
                }
                #expect(refused?.code == .operationNotFound)
                #expect(try await two.texts() == ["mine again"])
                _ = await two.push()
            }
            let new = try #require(try await two.context.errors().first)
            try await two.context.resolve(new, by: decision)
        }
    }

    @Test("a rejection shows the user's own edit combined with later changes") func refusal() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                let id = try await device.table.insert(["text": "a", "notes": "n"]).id
                try await device.context.push()
                try await device.table.update(id, ["text": "b"])
                server.fault { _ in .answered(500, ["code": 500, "error": "no"]) }
                #expect(await device.push()?.errors.first?.edit == ["text": "b"])
                try await device.table.update(id, ["notes": "m"])
                // The recorded error does not show the new edit, so the edit removes the error.
                #expect(try await device.context.errors().isEmpty)
                #expect(await device.push()?.errors.first?.edit == ["text": "b", "notes": "m"])
            }
        }
    }
}
