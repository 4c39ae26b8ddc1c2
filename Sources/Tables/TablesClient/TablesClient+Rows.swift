public import Foundation
public import Tables

extension TablesClient {
    /// Returns a table with untyped rows, whose values are accessed by column name.
    public func table(_ name: String) -> RemoteTable { RemoteTable(name: name, client: self) }

    /// Returns a table with rows of the type `Row`.
    public func table<Row: Codable & Sendable>(_ name: String, of _: Row.Type) -> TypedTable<Row> {
        TypedTable(untyped: table(name))
    }

    /// Requests all rows that the user can read in a table, except deleted rows.
    public func list(_ table: String) async throws -> [RemoteRow] { try await self.table(table).all() }

    /// Requests a row by id, or throws ``TablesError/Code/notFound`` if the row does not exist.
    public func get(_ table: String, _ id: RowID) async throws -> RemoteRow {
        try await self.table(table).lookup(id.text)
    }

    /// Inserts a row, like ``RemoteTable/insert(_:id:parameters:idempotencyKey:)``.
    @discardableResult
    public func insert(
        _ table: String,
        _ values: [String: TableValue],
        id: RowID? = nil,
        idempotencyKey: UUID = UUID()
    ) async throws -> RemoteRow {
        try await self.table(table).insert(values, id: id?.text, idempotencyKey: idempotencyKey)
    }

    /// Updates a row, like ``RemoteTable/update(_:_:ifMatch:parameters:)``.
    @discardableResult
    public func update(
        _ table: String,
        _ id: RowID,
        _ values: [String: TableValue],
        ifMatch version: RowVersion? = nil
    ) async throws -> RemoteRow {
        try await self.table(table).update(id.text, values, ifMatch: version)
    }

    /// Deletes a row, like ``RemoteTable/delete(_:ifMatch:parameters:)``.
    public func delete(_ table: String, _ id: RowID, ifMatch version: RowVersion? = nil) async throws {
        try await self.table(table).delete(id.text, ifMatch: version)
    }
}
