import Foundation
import OAuth
import Tables

extension RemoteTable {
    /// Adds a row of members.
    func insert(
        _ members: [String: JSONValue],
        _ parameters: KeyValuePairs<String, String>,
        _ idempotencyKey: UUID
    ) async throws -> Exchanged {
        let members = try RowIdentity.insertable(members)
        var answer = try await client.send(
            .post,
            ["tables", name],
            query: TablesClient.query(parameters),
            headers: ["Idempotency-Key": idempotencyKey.uuidString.lowercased()],
            body: JSONValue.object(members).bytes
        )
        answer.id = members["id"]?.string.flatMap { RowID($0) } ?? members["id"]?.int.map { RowID(number: $0) }
        return answer
    }

    /// Changes members of a row.
    func update(
        _ id: RowID,
        _ members: [String: JSONValue],
        _ version: RowVersion?,
        _ parameters: KeyValuePairs<String, String>
    ) async throws -> Exchanged {
        let changes = members.filter { !RemoteRow.isSystemColumn($0.key) }
        return try await send(.patch, id, condition: version, body: .object(changes), parameters: parameters)
    }

    /// Does something with one row.
    func send(
        _ method: TablesRequest.Method,
        _ id: RowID,
        condition version: RowVersion? = nil,
        body: JSONValue? = nil,
        parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> Exchanged {
        var answer = try await client.send(
            method,
            ["tables", name, id.text],
            query: TablesClient.query(parameters),
            headers: Self.condition(version),
            body: body?.bytes
        )
        answer.id = id
        return answer
    }

    /// `If-Match` with one strong tag (RFC 9110 §13.1.1), quotation marks escaped as the protocol's clients do.
    private static func condition(_ version: RowVersion?) -> HeaderFields {
        guard let version else { return [:] }
        let text = version.description.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return ["If-Match": "\"\(text)\""]
    }
}
