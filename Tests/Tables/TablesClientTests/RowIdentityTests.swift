import OAuth
import Tables
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RowIdentityTests {
    private static let invalid = [
        "", " ", ".", "..", "a/b", "a?b", "a+b", "a\\b", "a`b", "a\"b", "a\u{0}", "a\u{1F}", "a\u{7F}", "a\u{9F}",
        String(repeating: "x", count: 256),
    ]

    /// Returns the error that `call` throws, and checks that `call` sends no request.
    private func refusal(_ call: (RemoteTable) async throws -> Void) async throws -> TablesError? {
        let address = try APIAddress("https://api.example")
        let filter: RequestFilter = { _, _ in
            Issue.record("a request was made")
            return TablesResponse(status: 404)
        }
        return try await TablesClient.with(address, filters: [filter]) { client in
            await #expect(throws: TablesError.self) { try await call(client.table("todoitem")) }
        }
    }

    @Test("an invalid id is rejected before any request", arguments: invalid) func ids(
        _ id: String
    ) async throws {
        let calls: [(RemoteTable) async throws -> Void] = [
            { _ = try await $0.lookup(id) }, { try await $0.update(id, ["text": "x"]) }, { try await $0.delete(id) },
            { try await $0.undelete(id) }, { try await $0.insert(["text": "x"], id: id) },
        ]
        for call in calls { #expect(try await refusal(call)?.code == .invalidID) }
        if !id.isEmpty {
            #expect(try await refusal { try await $0.insert(["id": .string(id)]) }?.code == .invalidID)
        }
    }

    @Test("an insert accepts only a text id with the name id") func insertedIDs() async throws {
        let misnamed: [[String: TableValue]] = [
            ["ID": "a"], ["Id": "a"], ["iD": 7], ["id": 7], ["id": -1], ["id": 1.5],
        ]
        for values in misnamed {
            #expect(try await refusal { try await $0.insert(values) }?.code == .unexpectedID, "\(values)")
        }
        #expect(try await refusal { try await $0.insert(["id": true]) }?.code == .invalidID)
    }

    @Test("an empty id is left out of an insert", arguments: [TableValue.null, "", 0]) func unset(
        _ id: TableValue
    ) async throws {
        let address = try APIAddress("https://api.example")
        let filter: RequestFilter = { request, _ in
            #expect(request.json == ["text": "x"])
            return TablesResponse(status: 201, json: ["id": "new", "text": "x"])
        }
        try await TablesClient.with(address, filters: [filter]) { client in
            for name in ["id", "ID"] {
                let row = try await client.table("todoitem").insert(["text": "x", name: id])
                #expect(row.id.text == "new")
            }
        }
    }

    @Test(
        "a parameter with a reserved name is rejected before any request",
        arguments: ["$top", "$x", "__x", ""]
    )
    func parameters(_ name: String) async throws {
        let parameters: KeyValuePairs = [name: "1"]
        let calls: [(RemoteTable) async throws -> Void] = [
            { _ = try await $0.lookup("a", parameters: parameters) },
            { try await $0.update("a", [:], parameters: parameters) },
            { try await $0.delete("a", parameters: parameters) },
            { try await $0.undelete("a", parameters: parameters) },
            { try await $0.insert([:], parameters: parameters) },
        ]
        for call in calls { #expect(try await refusal(call)?.code == .invalidParameter) }
    }
}
