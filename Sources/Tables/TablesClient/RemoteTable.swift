public import Foundation
import OAuth
public import Tables

/// A table of the API with untyped rows, whose values are accessed by column name.
///
/// Creating a `RemoteTable` sends no request. ``TypedTable`` has the same methods for rows of a type that you define.
public struct RemoteTable: Sendable {
    /// The table's name, which is case-insensitive.
    public let name: String
    let client: TablesClient

    /// Returns a sequence of the pages in a query's result, each requested when the iteration reaches it.
    public func pages(_ query: Query = Query()) -> TablePages<RemoteRow> {
        TablePages(client: client, segments: ["tables", name], query: query) { json throws(TablesError) in
            try RemoteRow(json: json)
        }
    }

    /// Returns a sequence of the rows in a query's result, whose pages are requested as needed.
    public func rows(_ query: Query = Query()) -> TableRows<RemoteRow> { pages(query).rows }

    /// Requests all pages of a query's result and returns their rows.
    public func all(_ query: Query = Query()) async throws -> [RemoteRow] { try await pages(query).all() }

    /// Requests the first page of a query's result.
    public func read(_ query: Query = Query()) async throws -> TablePage<RemoteRow> {
        try await pages(query).page(nil)
    }

    /// Requests the page that `link` leads to.
    public func read(_ query: Query = Query(), next link: PageLink) async throws -> TablePage<RemoteRow> {
        try await pages(query).page(link)
    }

    /// Requests a row by id, or throws ``TablesError/Code/notFound`` if the row is missing or deleted.
    public func lookup(_ id: String, parameters: KeyValuePairs<String, String> = [:]) async throws -> RemoteRow {
        try await send(.get, try RowIdentity.id(id), parameters: parameters).row()
    }

    /// Requests the current state of a row.
    public func refresh(_ row: RemoteRow) async throws -> RemoteRow { try await lookup(row.id.text) }

    /// Inserts a row, and returns the stored row.
    ///
    /// A column missing from `values` gets its default value. If `id` is `nil`, the API chooses the id. A repeated
    /// insert with the same `idempotencyKey` returns the first response. The table's hook receives `parameters`.
    ///
    /// - Throws: ``TablesError``, which for ``TablesError/Code/conflict`` contains the existing row.
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

    /// Updates a row's columns, except system columns, if the row's version is still current.
    @discardableResult
    public func update(_ row: RemoteRow, parameters: KeyValuePairs<String, String> = [:]) async throws -> RemoteRow {
        try await update(row.id.text, row.values, ifMatch: row.version, parameters: parameters)
    }

    /// Updates columns of a row with this version, or with any version if `version` is `nil`, and returns the row.
    ///
    /// - Throws: ``TablesError``, which for ``TablesError/Code/preconditionFailed`` contains the current row.
    @discardableResult
    public func update(
        _ id: String,
        _ values: [String: TableValue],
        ifMatch version: RowVersion? = nil,
        parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> RemoteRow {
        try await update(try RowIdentity.id(id), values.mapValues(\.json), version, parameters).row()
    }

    /// Deletes a row if its version is still current.
    public func delete(_ row: RemoteRow, parameters: KeyValuePairs<String, String> = [:]) async throws {
        try await delete(row.id.text, ifMatch: row.version, parameters: parameters)
    }

    /// Deletes a row by id.
    public func delete(
        _ id: String,
        ifMatch version: RowVersion? = nil,
        parameters: KeyValuePairs<String, String> = [:]
    ) async throws {
        try await send(.delete, try RowIdentity.id(id), condition: version, parameters: parameters).requireDeletion()
    }

    /// Restores a deleted row if its version is still current.
    @discardableResult
    public func undelete(_ row: RemoteRow) async throws -> RemoteRow {
        try await undelete(row.id.text, ifMatch: row.version)
    }

    /// Restores a deleted row by id.
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

    func update(
        _ id: RowID,
        _ members: [String: JSONValue],
        _ version: RowVersion?,
        _ parameters: KeyValuePairs<String, String>
    ) async throws -> Exchanged {
        let changes = members.filter { !RemoteRow.isSystemColumn($0.key) }
        return try await send(.patch, id, condition: version, body: .object(changes), parameters: parameters)
    }

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

    /// Returns `If-Match` with an escaped strong entity tag (RFC 9110 §13.1.1), or no field if `version` is `nil`.
    private static func condition(_ version: RowVersion?) -> HeaderFields {
        guard let version else { return [:] }
        let text = version.description.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return ["If-Match": "\"\(text)\""]
    }
}
