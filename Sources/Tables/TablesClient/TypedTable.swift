public import Foundation
import OAuth
public import Tables

/// A table of the API with rows of a type that you define.
///
/// Creating a `TypedTable` sends no request. Each member of the type corresponds to the column with the same name, and
/// must be a string, number, Boolean or `Date`. The type can also have the member `id`, and the members `version`,
/// `createdAt`, `updatedAt` and `deleted`, which only the API writes. If the type has `version`, a row is updated or
/// deleted only if it has not changed in the meantime. Columns without a member are ignored.
public struct TypedTable<Row: Codable & Sendable>: Sendable {
    /// The same table with untyped rows.
    public let untyped: RemoteTable

    /// The table's name, which is case-insensitive.
    public var name: String { untyped.name }

    /// Returns a sequence of the pages in a query's result, each requested when the iteration reaches it.
    public func pages(_ query: Query = Query()) -> TablePages<Row> {
        TablePages(client: untyped.client, segments: ["tables", name], query: query) { json throws(TablesError) in
            try RowDecoder.row(Row.self, json)
        }
    }

    /// Returns a sequence of the rows in a query's result, whose pages are requested as needed.
    public func rows(_ query: Query = Query()) -> TableRows<Row> { pages(query).rows }

    /// Requests all pages of a query's result and returns their rows.
    public func all(_ query: Query = Query()) async throws -> [Row] { try await pages(query).all() }

    /// Requests the first page of a query's result.
    public func read(_ query: Query = Query()) async throws -> TablePage<Row> { try await pages(query).page(nil) }

    /// Requests the page that `link` leads to.
    public func read(_ query: Query = Query(), next link: PageLink) async throws -> TablePage<Row> {
        try await pages(query).page(link)
    }

    /// Requests a row by id, or throws ``TablesError/Code/notFound`` if the row is missing or deleted.
    public func lookup(_ id: String, parameters: KeyValuePairs<String, String> = [:]) async throws -> Row {
        try row(await untyped.send(.get, try RowIdentity.id(id), parameters: parameters))
    }

    /// Requests the current state of a row.
    public func refresh(_ row: Row) async throws -> Row {
        try self.row(await untyped.send(.get, try RowIdentity.existing(RowEncoder.members(of: row))))
    }

    /// Inserts a row, and returns the stored row.
    ///
    /// A member that is `nil` gets the default value of its column. If `id` is `nil`, the API chooses an id. If the
    /// insert is repeated with the same `idempotencyKey`, the API returns the first response and inserts nothing. The
    /// table's hook on the server receives `parameters`.
    ///
    /// - Throws: ``TablesError``. For ``TablesError/Code/conflict``, ``serverRow(of:)`` returns the existing row with
    ///   this id.
    @discardableResult
    public func insert(
        _ row: Row,
        parameters: KeyValuePairs<String, String> = [:],
        idempotencyKey: UUID = UUID()
    ) async throws -> Row {
        let members = try RowEncoder.members(of: row).filter { name, value in
            value != .null && (name.lowercased() == "id" || !RemoteRow.isSystemColumn(name))
        }
        return try self.row(await untyped.insert(members, parameters, idempotencyKey))
    }

    /// Updates a row if its `version` is still current, and returns the stored row.
    ///
    /// A member that is `nil` sets its column to null. The table's hook on the server receives `parameters`.
    ///
    /// - Throws: ``TablesError``. For ``TablesError/Code/preconditionFailed``, ``serverRow(of:)`` returns the current
    ///   row.
    @discardableResult
    public func update(_ row: Row, parameters: KeyValuePairs<String, String> = [:]) async throws -> Row {
        let members = try RowEncoder.members(of: row)
        let id = try RowIdentity.existing(members)
        return try self.row(await untyped.update(id, members, RowIdentity.version(members), parameters))
    }

    /// Deletes a row if its `version` is still current.
    public func delete(_ row: Row, parameters: KeyValuePairs<String, String> = [:]) async throws {
        let members = try RowEncoder.members(of: row)
        let id = try RowIdentity.existing(members)
        try await untyped.send(.delete, id, condition: RowIdentity.version(members), parameters: parameters)
            .requireDeletion()
    }

    /// Deletes a row by id.
    public func delete(id: String, parameters: KeyValuePairs<String, String> = [:]) async throws {
        try await untyped.delete(id, parameters: parameters)
    }

    /// Restores a deleted row if its `version` is still current.
    @discardableResult
    public func undelete(_ row: Row) async throws -> Row {
        let members = try RowEncoder.members(of: row)
        let id = try RowIdentity.existing(members)
        return try self.row(await untyped.send(.post, id, condition: RowIdentity.version(members)))
    }

    /// Restores a deleted row by id.
    @discardableResult
    public func undelete(id: String, parameters: KeyValuePairs<String, String> = [:]) async throws -> Row {
        try row(await untyped.send(.post, try RowIdentity.id(id), parameters: parameters))
    }

    /// Returns the server's row from a conflict or failed-precondition error, or `nil` if the error contains no row.
    public func serverRow(of error: TablesError) throws -> Row? {
        guard error.row != nil, let json = error.answer else { return nil }
        return try RowDecoder.row(Row.self, json)
    }

    private func row(_ answer: Exchanged) throws(TablesError) -> Row {
        try answer.readRow { json throws(TablesError) in
            var members = json.object ?? [:]
            if members["version"] == nil, members["__version"] == nil, let tag = answer.response.headers["ETag"] {
                members["version"] = RemoteRow.version(tag).map { .string($0) }
            }
            return try RowDecoder.row(Row.self, .object(members))
        }
    }
}
