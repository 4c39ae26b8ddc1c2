public import Foundation
import OAuth
public import Tables

/// A table of the API whose rows are a type of one's own; to name it sends nothing.
///
/// The members of the type are columns by name: texts, numbers, truth values and `Date`. It may have `id`, `version`,
/// `createdAt`, `updatedAt` and `deleted` too, which only the API writes; a row that has its `version` is changed and
/// deleted only if nobody else has changed it meanwhile. Members of a row that the type does not have are passed over.
public struct TypedTable<Row: Codable & Sendable>: Sendable {
    /// The same table without the type.
    public let untyped: RemoteTable

    /// Its name; the API takes it in any case.
    public var name: String { untyped.name }

    /// The rows that a query finds, page after page; `for try await` asks for each page when it comes to it.
    public func pages(_ query: Query = Query()) -> TablePages<Row> {
        TablePages(client: untyped.client, segments: ["tables", name], query: query) { json throws(TablesError) in
            try RowDecoder.row(Row.self, json)
        }
    }

    /// The rows that a query finds, one after the other over all pages.
    public func rows(_ query: Query = Query()) -> TableRows<Row> { pages(query).rows }

    /// All rows that a query finds, over all pages.
    public func all(_ query: Query = Query()) async throws -> [Row] { try await pages(query).all() }

    /// The first page of what a query finds.
    public func read(_ query: Query = Query()) async throws -> TablePage<Row> { try await pages(query).page(nil) }

    /// The page behind another one of the same query.
    public func read(_ query: Query = Query(), next link: PageLink) async throws -> TablePage<Row> {
        try await pages(query).page(link)
    }

    /// The row of that id; one that nobody has, or that was deleted, is ``TablesError/Code/notFound``.
    public func lookup(_ id: String, parameters: KeyValuePairs<String, String> = [:]) async throws -> Row {
        try row(await untyped.send(.get, try RowIdentity.id(id), parameters: parameters))
    }

    /// The row as it is now.
    public func refresh(_ row: Row) async throws -> Row {
        try self.row(await untyped.send(.get, try RowIdentity.existing(RowEncoder.members(of: row))))
    }

    /// Adds a row; members that are nil get their column's default.
    ///
    /// - Parameters:
    ///   - row: The row; without an `id` the API chooses one.
    ///   - parameters: For the API's own rules of this table.
    ///   - idempotencyKey: Names this insert: sent again with the same key it answers as it did, and adds nothing.
    /// - Returns: The row as the API wrote it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/conflict`` ``serverRow(of:)`` is the row that has the id.
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

    /// Changes a row to this one, unless somebody has changed it since its `version`; members that are nil are cleared.
    ///
    /// - Parameters:
    ///   - row: The row, with its `id`.
    ///   - parameters: For the API's own rules of this table.
    /// - Returns: The row as the API wrote it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/preconditionFailed`` ``serverRow(of:)`` is the row of now.
    @discardableResult
    public func update(_ row: Row, parameters: KeyValuePairs<String, String> = [:]) async throws -> Row {
        let members = try RowEncoder.members(of: row)
        let id = try RowIdentity.existing(members)
        return try self.row(await untyped.update(id, members, RowIdentity.version(members), parameters))
    }

    /// Deletes a row, unless somebody has changed it since its `version`.
    public func delete(_ row: Row, parameters: KeyValuePairs<String, String> = [:]) async throws {
        let members = try RowEncoder.members(of: row)
        let id = try RowIdentity.existing(members)
        try await untyped.send(.delete, id, condition: RowIdentity.version(members), parameters: parameters)
            .requireDeletion()
    }

    /// Deletes the row of that id.
    public func delete(id: String, parameters: KeyValuePairs<String, String> = [:]) async throws {
        try await untyped.delete(id, parameters: parameters)
    }

    /// Brings a deleted row back, unless somebody has changed it since its `version`.
    @discardableResult
    public func undelete(_ row: Row) async throws -> Row {
        let members = try RowEncoder.members(of: row)
        let id = try RowIdentity.existing(members)
        return try self.row(await untyped.send(.post, id, condition: RowIdentity.version(members)))
    }

    /// Brings the deleted row of that id back.
    @discardableResult
    public func undelete(id: String, parameters: KeyValuePairs<String, String> = [:]) async throws -> Row {
        try row(await untyped.send(.post, try RowIdentity.id(id), parameters: parameters))
    }

    /// The row that the API has, where a failure shows it: the other one of a conflict or of a failed precondition.
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
