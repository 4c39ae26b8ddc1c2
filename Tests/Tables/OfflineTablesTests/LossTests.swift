import OAuth
import OfflineTables
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("§5.2: data losses known from other clients", .timeLimit(.minutes(1)))
struct LossTests {
    private func losing(
        _ test: (TestServer, Device) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await test(server, device)
            }
        }
    }

    private func rows(_ server: TestServer) async throws -> [String] {
        var texts: [String] = []
        try await withDevice(server) { other in
            try await other.pull()
            texts = try await other.texts()
        }
        return texts
    }

    @Test("mobile-services#811, #801: an insert whose response is lost creates one row and no error") func lostInsert()
        async throws
    {
        try await losing { server, device in
            try await device.add("a")
            server.fault { _ in .answerLost }
            #expect(await device.push()?.code == .pushAbortedNetwork)
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await rows(server) == ["a"])
        }
    }

    @Test("an insert whose response is lost, followed by an edit, creates one row with the edit")
    func lostAndChanged() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            server.fault { _ in .answerLost }
            _ = await device.push()
            try await device.table.update(id, ["text": "b"])
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await rows(server) == ["b"])
            #expect(try await device.texts() == ["b"])
        }
    }

    @Test(
        "mobile-services#413: the deletion of an insert that may have arrived reaches the server",
        arguments: [true, false]
    )
    func deletedAfterLoss(_ arrived: Bool) async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            server.fault { _ in arrived ? .answerLost : .requestLost }
            _ = await device.push()
            try await device.table.delete(id)
            #expect(try await device.queue() == ["delete:\(id.text)"])
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await rows(server).isEmpty)
        }
    }

    @Test("an insert that arrives after its deletion does not restore the row") func late() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            server.fault { _ in .requestLost }
            _ = await device.push()
            let late = try #require(server.requests.first)
            try await device.table.delete(id)
            server.repair()
            #expect(await device.push() == nil)
            _ = try await server.deliver(late)
            #expect(try await rows(server).isEmpty)
        }
    }

    @Test("an update whose response is lost does not conflict with itself") func lostUpdate() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            try await device.context.push()
            try await device.table.update(id, ["text": "b"])
            server.fault { _ in .answerLost }
            _ = await device.push()
            try await device.table.update(id, ["notes": "n"])
            server.repair()
            #expect(await device.push() == nil)
            try await withDevice(server) { other in
                try await other.pull()
                let row = try await other.table.read(id: id)
                #expect(row?["text"] == "b")
                #expect(row?["notes"] == "n")
            }
        }
    }

    @Test(
        "an edit is not done if a captive portal responded",
        arguments: [200, 302, 400, 403, 404, 405, 409, 410, 412, 413]
    )
    func portal(_ status: Int) async throws {
        try await losing { server, device in
            let (gone, edited) = (try await device.add("gone"), try await device.add("edited"))
            try await device.context.push()
            try await device.table.delete(gone)
            try await device.table.update(edited, ["text": "edited again"])
            try await device.add("new")
            server.fault { _ in .page(status) }
            let error = await device.push()
            #expect(error?.code == .pushCompleteWithErrors && error?.errors.count == 3)
            #expect(error?.errors.contains(where: \.isConflict) == false)
            #expect(try await device.context.pendingOperationsCount() == 3)
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await rows(server) == ["edited again", "new"])
        }
    }

    @Test(
        "a deletion reaches the server after a lost response and a proxy's error response",
        arguments: [
            TestServer.Fault.answered(401, [:]), .answered(403, [:]), .answered(302, [:]), .page(302), .page(400),
            .page(401),
        ]
    )
    func deletedAfterRefusal(_ refusal: TestServer.Fault) async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            server.fault { _ in .answerLost }
            _ = await device.push()
            server.fault { _ in refusal }
            #expect(await device.push() != nil)
            server.repair()
            try await device.table.delete(id)
            #expect(await device.push() == nil)
            try await device.pull()
            #expect(try await device.texts().isEmpty)
            #expect(try await rows(server).isEmpty)
        }
    }

    @Test("the 404 for a repeated insert does not end its deletion") func insertionNotFound() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            server.fault { _ in .answerLost }
            _ = await device.push()
            try await device.table.delete(id)
            server.fault { $0.method == .post ? .answered(404, ["code": 404, "error": "no"]) : .none }
            let error = try #require(await device.push()?.errors.first)
            #expect(error.isConflict && error.serverItem?["text"] == "a")
            try await device.context.resolve(error, by: .delete)
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await rows(server).isEmpty)
        }
    }

    @Test("the 404 of a gateway does not confirm a deletion") func gateway() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            try await device.context.push()
            try await device.table.delete(id)
            server.fault { _ in .answered(404, ["message": "no Route matched with those values"]) }
            #expect(await device.push()?.code == .pushCompleteWithErrors)
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await rows(server).isEmpty)
        }
    }

    @Test(
        "a row returns with the next pull if something other than the API responded to its deletion",
        arguments: [
            TestServer.Fault.empty(200), .empty(204), .answered(404, ["code": 404, "error": "Not Found"]),
            .answered(200, ["id": "row", "deleted": true]),
        ]
    )
    func deletionByOthers(_ answer: TestServer.Fault) async throws {
        try await losing { server, device in
            let id = try await device.add("a", id: "row")
            try await device.context.push()
            // Every pull receives the newest row again, even if it is unchanged. The test adds a newer row, so that a
            // pull does not receive this row again.
            server.clock.advance(by: .seconds(1))
            try await device.add("later")
            try await device.context.push()
            try await device.pull()
            try await device.table.delete(id)
            server.fault { _ in answer }
            #expect(await device.push() == nil)
            server.repair()
            try await device.pull()
            #expect(try await device.texts() == ["a", "later"])
            try await device.table.delete(id)
            #expect(await device.push() == nil)
            server.forget()
            try await device.pull()
            #expect(try await device.texts() == ["later"])
            // The pull receives the tombstone together with the other rows, so it does not look up the row.
            #expect(!server.lines.contains("GET /tables/todoitem/row"))
        }
    }

    @Test("a deletion is looked up once if the API does not show deleted rows", arguments: [403, 405, 500])
    func deletionLookUp(_ status: Int) async throws {
        try await losing { server, device in
            let id = try await device.add("a", id: "row")
            try await device.context.push()
            try await device.pull()
            try await device.table.delete(id)
            #expect(await device.push() == nil)
            server.fault { request in
                switch request.path {
                case "/tables/todoitem/row": .answered(status, ["error": "no"])
                default: .answered(200, [])
                }
            }
            try await device.pull()
            #expect(server.lines.contains("GET /tables/todoitem/row"))
            server.forget()
            try await device.pull()
            #expect(!server.lines.contains("GET /tables/todoitem/row"))
            #expect(try await device.texts() == [])
        }
    }

    @Test("a deletion whose response is lost is done") func lostDelete() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            try await device.context.push()
            try await device.table.delete(id)
            server.fault { _ in .answerLost }
            _ = await device.push()
            server.repair()
            #expect(await device.push() == nil)
            #expect(try await device.context.pendingOperationsCount() == 0)
        }
    }

    @Test("a request that arrives twice is done once") func twice() async throws {
        try await losing { server, device in
            server.fault { _ in .twice }
            let id = try await device.add("a")
            #expect(await device.push() == nil)
            try await device.table.update(id, ["text": "b"])
            #expect(await device.push() == nil)
            #expect(try await rows(server) == ["b"])
        }
    }

    @Test("an operation is sent again unchanged after a server error, since the server may have done it")
    func serverFailed() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            server.fault { _ in .answered(500, ["code": 500, "error": "no"]) }
            #expect(await device.push()?.errors.first?.statusCode == 500)
            try await device.table.delete(id)
            #expect(try await device.queue() == ["delete:\(id.text)"])
        }
    }

    @Test("net-client#75, #289: an update during the push of an update loses neither") func updateDuring() async throws
    {
        try await losing { server, device in
            let id = try await device.add("a")
            try await device.context.push()
            try await device.table.update(id, ["text": "b"])
            let isFirst = Mutex(true)
            server.fault { _ in
                if isFirst.withLock({ first in
                    defer { first = false }
                    return first
                }) {
                    try await device.table.update(id, ["notes": "n"])
                }
                return .none
            }
            #expect(await device.push() == nil)
            server.repair()
            try await withDevice(server) { other in
                try await other.pull()
                let row = try await other.table.read(id: id)
                #expect(row?["text"] == "b")
                #expect(row?["notes"] == "n")
            }
        }
    }

    @Test("mobile-services#493, #695: edits of single rows can be discarded") func partly() async throws {
        try await losing { server, device in
            try await device.add("a")
            try await device.add("b")
            #expect(try await device.table.forcePurge(Query().where("text == 'a'")) == 1)
            #expect(try await device.context.pendingOperationsCount() == 1)
            #expect(await device.push() == nil)
            #expect(try await rows(server) == ["b"])
        }
    }

    @Test("a pending deletion can be undone") func undeleted() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            try await device.context.push()
            try await device.table.update(id, ["notes": "n"])
            try await device.table.delete(id)
            try await device.table.undelete(id)
            #expect(try await device.queue() == ["update:\(id.text)"])
            #expect(await device.push() == nil)
            try await device.table.delete(id)
            try await device.table.undelete(id)
            #expect(try await device.queue().isEmpty)
        }
    }

    @Test("mobile-apps#783: a row that the server has deleted can be restored") func restored() async throws {
        try await losing { server, device in
            let id = try await device.add("a")
            try await device.context.push()
            try await device.table.delete(id)
            try await device.context.push()
            try await device.table.undelete(id)
            #expect(try await device.texts() == ["a"])
            #expect(try await rows(server) == ["a"])
        }
    }
}
