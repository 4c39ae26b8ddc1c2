public import Foundation
public import Tables

extension TablesClient {
    /// A table whose rows are columns by name.
    public func table(_ name: String) -> RemoteTable { RemoteTable(name: name, client: self) }

    /// A table whose rows are a type of one's own.
    public func table<Row: Codable & Sendable>(_ name: String, of _: Row.Type) -> TypedTable<Row> {
        TypedTable(untyped: table(name))
    }

    /// All rows of a table that the caller may see and that are not deleted, over as many pages as there are.
    public func list(_ table: String) async throws -> [RemoteRow] { try await self.table(table).all() }

    /// The row of that id; an id that nobody has is ``TablesError/Code/notFound``.
    public func get(_ table: String, _ id: RowID) async throws -> RemoteRow {
        try await self.table(table).lookup(id.text)
    }

    /// Adds a row, as ``RemoteTable/insert(_:id:parameters:idempotencyKey:)``.
    @discardableResult
    public func insert(
        _ table: String,
        _ values: [String: TableValue],
        id: RowID? = nil,
        idempotencyKey: UUID = UUID()
    ) async throws -> RemoteRow {
        try await self.table(table).insert(values, id: id?.text, idempotencyKey: idempotencyKey)
    }

    /// Changes a row, as ``RemoteTable/update(_:_:ifMatch:parameters:)``.
    @discardableResult
    public func update(
        _ table: String,
        _ id: RowID,
        _ values: [String: TableValue],
        ifMatch version: RowVersion? = nil
    ) async throws -> RemoteRow {
        try await self.table(table).update(id.text, values, ifMatch: version)
    }

    /// Deletes a row, as ``RemoteTable/delete(_:ifMatch:parameters:)``.
    public func delete(_ table: String, _ id: RowID, ifMatch version: RowVersion? = nil) async throws {
        try await self.table(table).delete(id.text, ifMatch: version)
    }
}
