public import Foundation
import NIOHTTP1
import OAuth
public import Tables

extension TablesClient {
    /// All rows of a table that the caller may see and that are not deleted, over as many pages as there are.
    public func list(_ table: String) async throws -> [RemoteRow] {
        var rows: [RemoteRow] = []
        try await pages(["tables", table]) { answer in
            rows += try answer.list { row throws(TablesError) in try RemoteRow(json: row) }
        }
        return rows
    }

    /// The row of that id; an id that nobody has is ``TablesError/Code/notFound``.
    public func get(_ table: String, _ id: RowID) async throws -> RemoteRow {
        try await send(.GET, ["tables", table, id.text]).row()
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - values: What the columns hold; what is missing gets its default.
    ///   - id: The row's id; without it the API chooses one.
    ///   - idempotencyKey: Names this insert: sent again with the same key it answers as it did, and adds nothing.
    /// - Returns: The row as the API wrote it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/conflict`` the row that has the id stands in it.
    @discardableResult
    public func insert(
        _ table: String,
        _ values: [String: TableValue],
        id: RowID? = nil,
        idempotencyKey: UUID = UUID()
    ) async throws -> RemoteRow {
        var members = values.mapValues(\.json)
        if let id { members["id"] = .string(id.text) }
        let key = idempotencyKey.uuidString.lowercased()
        let headers = [("Idempotency-Key", key)]
        return try await send(.POST, ["tables", table], headers: headers, body: .object(members)).row()
    }

    /// Changes a row.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - id: The row's id.
    ///   - values: What changes; what is missing stays.
    ///   - version: Nothing is written unless the row still has it; without it the last write wins.
    /// - Returns: The row as the API wrote it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/preconditionFailed`` the row of now stands in it.
    @discardableResult
    public func update(
        _ table: String,
        _ id: RowID,
        _ values: [String: TableValue],
        ifMatch version: RowVersion? = nil
    ) async throws -> RemoteRow {
        let body = JSONValue.object(values.mapValues(\.json))
        return try await send(.PATCH, ["tables", table, id.text], headers: Self.condition(version), body: body).row()
    }

    /// Deletes a row.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - id: The row's id.
    ///   - version: Nothing is deleted unless the row still has it.
    /// - Throws: ``TablesError``; with ``TablesError/Code/preconditionFailed`` the row of now stands in it.
    public func delete(_ table: String, _ id: RowID, ifMatch version: RowVersion? = nil) async throws {
        _ = try await send(.DELETE, ["tables", table, id.text], headers: Self.condition(version))
    }

    /// `If-Match` with one strong tag (RFC 9110 §13.1.1), quotation marks escaped as the protocol's clients do.
    private static func condition(_ version: RowVersion?) -> [(String, String)] {
        guard let version else { return [] }
        let text = version.description.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return [("If-Match", "\"\(text)\"")]
    }
}
