public import Foundation
import OAuth
public import Tables

/// A table of the API whose rows are columns by name; to name it sends nothing.
///
/// ``TypedTable`` is the same for rows of a type of one's own.
public struct RemoteTable: Sendable {
    /// Its name; the API takes it in any case.
    public let name: String
    let client: TablesClient

    /// The rows that a query finds, page after page; `for try await` asks for each page when it comes to it.
    public func pages(_ query: Query = Query()) -> TablePages<RemoteRow> {
        TablePages(client: client, segments: ["tables", name], query: query) { json throws(TablesError) in
            try RemoteRow(json: json)
        }
    }

    /// The rows that a query finds, one after the other over all pages.
    public func rows(_ query: Query = Query()) -> TableRows<RemoteRow> { pages(query).rows }

    /// All rows that a query finds, over all pages.
    public func all(_ query: Query = Query()) async throws -> [RemoteRow] { try await pages(query).all() }

    /// The first page of what a query finds.
    public func read(_ query: Query = Query()) async throws -> TablePage<RemoteRow> {
        try await pages(query).page(nil)
    }

    /// The page behind another one of the same query.
    public func read(_ query: Query = Query(), next link: PageLink) async throws -> TablePage<RemoteRow> {
        try await pages(query).page(link)
    }

    /// The row of that id; one that nobody has, or that was deleted, is ``TablesError/Code/notFound``.
    public func lookup(_ id: String, parameters: KeyValuePairs<String, String> = [:]) async throws -> RemoteRow {
        try await send(.get, try RowIdentity.id(id), parameters: parameters).row()
    }

    /// The row as it is now.
    public func refresh(_ row: RemoteRow) async throws -> RemoteRow { try await lookup(row.id.text) }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - values: The values by column; a missing one gets its default. `id` may be among them.
    ///   - id: The row's id; without it the API chooses one.
    ///   - parameters: For the API's own rules of this table.
    ///   - idempotencyKey: Names this insert: sent again with the same key it answers as it did, and adds nothing.
    /// - Returns: The row as the API wrote it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/conflict`` the row that has the id stands in it.
    @discardableResult
    public func insert(
        _ values: [String: TableValue],
        id: String? = nil,
        parameters: KeyValuePairs<String, String> = [:],
        idempotencyKey: UUID = UUID()
    ) async throws -> RemoteRow {
        var members = values.mapValues(\.json)
        if let id { members["id"] = .string(try RowIdentity.id(id).text) }
        return try await insert(members, parameters, idempotencyKey).row()
    }

    /// Changes a row, unless it has changed since this version of it; what the server alone writes is not sent.
    @discardableResult
    public func update(_ row: RemoteRow, parameters: KeyValuePairs<String, String> = [:]) async throws -> RemoteRow {
        try await update(row.id.text, row.values, ifMatch: row.version, parameters: parameters)
    }

    /// Changes some columns of a row.
    ///
    /// - Parameters:
    ///   - id: The row's id.
    ///   - values: The changed values by column; the others stay.
    ///   - version: Nothing is written unless the row still has it; without it the last write wins.
    ///   - parameters: For the API's own rules of this table.
    /// - Returns: The row as the API wrote it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/preconditionFailed`` the row of now stands in it.
    @discardableResult
    public func update(
        _ id: String,
        _ values: [String: TableValue],
        ifMatch version: RowVersion? = nil,
        parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> RemoteRow {
        try await update(try RowIdentity.id(id), values.mapValues(\.json), version, parameters).row()
    }

    /// Deletes a row, unless it has changed since this version of it.
    public func delete(_ row: RemoteRow, parameters: KeyValuePairs<String, String> = [:]) async throws {
        try await delete(row.id.text, ifMatch: row.version, parameters: parameters)
    }

    /// Deletes the row of that id.
    public func delete(
        _ id: String,
        ifMatch version: RowVersion? = nil,
        parameters: KeyValuePairs<String, String> = [:]
    ) async throws {
        try await send(.delete, try RowIdentity.id(id), condition: version, parameters: parameters).requireDeletion()
    }

    /// Brings a deleted row back, unless it has changed since this version of it.
    @discardableResult
    public func undelete(_ row: RemoteRow) async throws -> RemoteRow {
        try await undelete(row.id.text, ifMatch: row.version)
    }

    /// Brings the deleted row of that id back.
    @discardableResult
    public func undelete(
        _ id: String,
        ifMatch version: RowVersion? = nil,
        parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> RemoteRow {
        try await send(.post, try RowIdentity.id(id), condition: version, parameters: parameters).row()
    }
}

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
