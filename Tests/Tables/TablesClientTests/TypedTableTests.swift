import Foundation
import OAuth
import Synchronization
import Tables
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TypedTableTests {
    private struct Everything: Codable, Hashable, Sendable {
        enum Colour: String, Codable { case red, green }

        var id: String?
        var text: String
        var colour: Colour?
        var isOpen: Bool?
        var count: Int?
        var weight: Double?
        var due: Date?
        var key: UUID?
        var version: String?
        var createdAt: Date?
        var updatedAt: Date?
        var deleted: Bool?
    }

    private struct Nested: Codable, Sendable {
        struct Inner: Codable, Sendable { var a = 1 }

        var id: String?
        var inner: Inner?
        var list: [Int]?
        var weight: Double?
    }

    private struct Counted: Codable, Hashable, Sendable {
        var id: Int?
        var text: String
    }

    private let row = """
        {"id":"a","text":"milk","colour":"red","isOpen":true,"count":9007199254740993,"weight":1.5,\
        "due":"2026-12-24T18:00:00.123Z","key":"0E984725-C51C-4BF4-9960-E1C80E27ABA0","version":"djE=",\
        "createdAt":"2026-11-21T09:00:00.000Z","updatedAt":"2026-11-21T09:00:00.001Z","deleted":false,"later":"?"}
        """

    /// Runs `body` with a table that uses no network, and returns the requests that `body` sends.
    private func asked<Row: Codable & Sendable>(
        _: Row.Type,
        answer: TablesResponse? = nil,
        _ body: (TypedTable<Row>) async throws -> Void
    ) async throws -> [TablesRequest] {
        let requests = Mutex<[TablesRequest]>([])
        let usual = TablesResponse(headers: ["Content-Type": "application/json"], body: Array(row.utf8))
        let filter: RequestFilter = { request, _ in
            requests.withLock { $0.append(request) }
            return answer ?? usual
        }
        try await TablesClient.with(try APIAddress("https://api.example"), filters: [filter]) { client in
            try await body(client.table("things", of: Row.self))
        }
        return requests.withLock { $0 }
    }

    @Test("members and system columns are read, and unknown columns ignored") func reads() async throws {
        _ = try await asked(Everything.self) { table in
            let row = try await table.lookup("a")
            #expect(row.text == "milk" && row.colour == .red && row.isOpen == true && row.weight == 1.5)
            #expect(row.count == 9_007_199_254_740_993)
            #expect(row.due?.timeIntervalSince1970 == 1_798_135_200.123)
            #expect(row.version == "djE=" && row.deleted == false)
            #expect(row.updatedAt?.timeIntervalSince1970 == 1_795_251_600.001)
            #expect(row.key?.uuidString == "0E984725-C51C-4BF4-9960-E1C80E27ABA0")
        }
    }

    @Test("an insert sends non-nil members, dates with three digits, and no column that only the API writes")
    func insert() async throws {
        let key = UUID()
        let requests = try await asked(Everything.self) { table in
            var row = Everything(id: "a", text: "x", count: 3, version: "djE=", createdAt: .now)
            row.due = Date(timeIntervalSince1970: 1_798_135_200.1234)
            try await table.insert(row, parameters: ["k": "v 1"], idempotencyKey: key)
            try await table.insert(Everything(id: "", text: "x"))
        }
        #expect(requests[0].method == .post && requests[0].url == "https://api.example/tables/things?k=v%201")
        #expect(requests[0].headers["Idempotency-Key"] == key.uuidString.lowercased())
        let due: JSONValue = "2026-12-24T18:00:00.123Z"
        #expect(requests[0].json == ["id": "a", "text": "x", "count": 3, "due": due])
        #expect(requests[1].json == ["text": "x"])
    }

    @Test("an update clears nil members, and its version is its condition") func update() async throws {
        let requests = try await asked(Everything.self) { table in
            var row = try await table.lookup("a")
            row.due = nil
            row.weight = nil
            try await table.update(row)
            row.version = nil
            try await table.update(row)
            try await table.delete(Everything(id: "a", text: "", version: "v\"1"))
            try await table.undelete(Everything(id: "a", text: "", version: "djE="))
            try await table.undelete(id: "a")
            try await table.delete(id: "a")
            _ = try await table.refresh(row)
        }
        #expect(requests.map(\.method) == [.get, .patch, .patch, .delete, .post, .post, .delete, .get])
        let conditions = [nil, "\"djE=\"", nil, #""v\"1""#, "\"djE=\"", nil, nil, nil]
        #expect(requests.map { $0.headers["If-Match"] } == conditions)
        let key: JSONValue = "0E984725-C51C-4BF4-9960-E1C80E27ABA0"
        #expect(
            requests[1].json == [
                "text": "milk", "colour": "red", "isOpen": true, "count": .int(9_007_199_254_740_993), "weight": nil,
                "due": nil, "key": key,
            ]
        )
        #expect(requests[4].body == nil && requests.allSatisfy { $0.path == "/tables/things/a" })
    }

    @Test(
        "an error names the member with the wrong type",
        arguments: [
            (#"{"id":"a","text":7}"#, "text"), (#"{"id":"a"}"#, "text"), (#"{"id":"a","text":null}"#, "text"),
            (#"{"id":"a","text":"x","due":"tomorrow"}"#, "due"), (#"{"id":"a","text":"x","due":1}"#, "due"),
            (#"{"id":"a","text":"x","colour":"blue"}"#, "colour"), (#"{"id":"a","text":"x","isOpen":1}"#, "isOpen"),
            (#"{"id":1,"text":"x"}"#, "id"), (#"{"id":"a","text":["x"]}"#, "text"),
            (#"{"id":"a","text":"x","count":1.5}"#, "count"), (#"{"id":"a","text":"x","count":"1"}"#, "count"),
            (#"{"id":"a","text":"x","count":1e300}"#, "count"),
            (#"{"id":"a","text":"x","weight":1.5,"count":1.5}"#, "count"),
        ]
    )
    func misfit(_ body: String, _ member: String) async throws {
        let answer = TablesResponse(headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        // The client decodes the members of a row only if the row has the requested id.
        let id = member == "id" ? "1" : "a"
        let error = await #expect(throws: TablesError.self) {
            _ = try await asked(Everything.self, answer: answer) { _ = try await $0.lookup(id) }
        }
        #expect(error?.code == .malformedAnswer && error?.column == member)
        #expect(error?.message.contains("'\(member)'") == true)
        #expect(error?.request?.method == .get && error?.response == answer)
    }

    @Test("a value that no column can store is rejected before it is sent, and named") func nested() async throws {
        let sent = try await asked(Nested.self) { table in
            for (row, member) in [
                (Nested(inner: Nested.Inner()), "inner"), (Nested(list: [1]), "list"), (Nested(weight: .nan), "weight"),
            ] {
                let error = await #expect(throws: TablesError.self) { try await table.insert(row) }
                #expect(error?.code == .invalidItem && error?.column == member)
            }
        }
        #expect(sent.isEmpty)
    }

    @Test("a row that is not an object is rejected before it is sent") func noObject() async throws {
        let sent = try await asked(String.self) { table in
            let error = await #expect(throws: TablesError.self) { try await table.insert("x") }
            #expect(error?.code == .invalidItem)
        }
        #expect(sent.isEmpty)
    }

    @Test("a row without an id cannot be updated or deleted") func missingID() async throws {
        let sent = try await asked(Everything.self) { table in
            for row in [Everything(text: "x"), Everything(id: "", text: "x")] {
                let calls: [(Everything) async throws -> Void] = [
                    { try await table.update($0) }, { try await table.delete($0) }, { try await table.undelete($0) },
                    { _ = try await table.refresh($0) },
                ]
                for call in calls {
                    let error = await #expect(throws: TablesError.self) { try await call(row) }
                    #expect(error?.code == .missingID)
                }
            }
        }
        #expect(sent.isEmpty)
    }

    @Test("only the API assigns numeric ids") func numbers() async throws {
        let answer = TablesResponse(json: ["id": 7, "text": "x"])
        let requests = try await asked(Counted.self, answer: answer) { table in
            let inserted = try await table.insert(Counted(id: 0, text: "x"))
            #expect(inserted.id == 7)
            try await table.update(Counted(id: 7, text: "x"))
            let error = await #expect(throws: TablesError.self) { try await table.insert(Counted(id: 7, text: "x")) }
            #expect(error?.code == .unexpectedID)
            let row = try await table.untyped.lookup("7")
            #expect(row.id == RowID(number: 7) && row.json["id"] == 7)
        }
        #expect(requests.map(\.json) == [["text": "x"], ["text": "x"], nil])
        #expect(requests.map(\.path) == ["/tables/things", "/tables/things/7", "/tables/things/7"])
    }

    @Test("a version only in the ETag belongs to the row too") func entityTag() async throws {
        let answer = TablesResponse(headers: ["ETag": "\"djI=\""], json: ["id": "a", "text": "x"])
        _ = try await asked(Everything.self, answer: answer) { table in
            let row = try await table.lookup("a")
            #expect(row.version == "djI=")
        }
    }
}
