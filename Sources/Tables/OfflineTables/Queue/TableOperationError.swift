package import FlowModel
import Foundation
public import OAuth
public import Tables
public import TablesClient

/// The error of a rejected or conflicting operation, stored until the operation is removed or changed.
///
/// This type corresponds to `MSTableOperationError` in the Azure Mobile Services SDK.
public struct TableOperationError: Error, Hashable, Sendable, Identifiable {
    /// The error domain that the protocol's clients use for ``code``.
    public static let domain = "com.Microsoft.MicrosoftAzureMobile.ErrorDomain"

    /// The error's id, a UUID.
    public let id: String
    /// The operation's position in the queue (``TableOperation/id``).
    public let operationID: Int64
    /// The table's declared name.
    public let table: String
    /// The kind of the operation.
    public let operation: TableOperation.Kind
    /// The row's id.
    public let itemID: RowID
    /// The row as it was sent, will be sent or was deleted, or `nil` if it is unknown.
    public let item: RemoteRow?
    /// The values before the change, or `nil` if they are unknown or the operation is an insert.
    public let base: [String: TableValue]?
    /// The error code in ``domain``, which is -1303 for a failed precondition and -1302 for any other rejection.
    public let code: Int
    package let said: EnglishText
    /// The HTTP status of the response, or 0 if there was no response from the API.
    public let statusCode: Int
    /// The server's row in a conflict, or `nil` if the row is unknown or does not exist.
    public let serverItem: RemoteRow?
    /// The column that violates a rule, or `nil` if the server did not name a column.
    public let column: String?
    /// Whether this is a conflict with a version of the server's row that the user has not yet seen.
    public internal(set) var isUnseen: Bool

    /// The server's message, or a message from this program if the server sent none, in English.
    public var description: String { said.english }

    /// Whether the row was changed both locally and on the server, rather than rejected by the server.
    public var isConflict: Bool { Self.isConflict(statusCode) }

    static func isConflict(_ error: TablesError) -> Bool { isConflict(status(of: error)) }

    /// Returns the status of the API's response, or 0 if there was no response or if it did not come from the API.
    private static func status(of error: TablesError) -> Int {
        error.code == .malformedAnswer ? 0 : error.status ?? 0
    }

    private static func isConflict(_ status: Int) -> Bool {
        switch status {
        case 404, 409, 412: true
        default: false
        }
    }

    /// The new value of each column that the user's edit sets, or the deleted values if the edit is a deletion.
    public var edit: [String: TableValue] { OwnEdit(item?.values ?? [:], over: base).columns }

    /// Creates an error record that replaces `before`, and counts a conflict already seen in `before` as seen.
    init(
        _ error: TablesError,
        of operation: TableOperation,
        serverItem: RemoteRow?,
        after before: TableOperationError? = nil
    ) {
        id = UUID().uuidString.lowercased()
        operationID = operation.id
        table = operation.table
        self.operation = operation.kind
        itemID = operation.itemID
        item = operation.item
        base = operation.base
        code = error.code == .preconditionFailed ? -1303 : -1302
        said = error.said
        statusCode = Self.status(of: error)
        self.serverItem = serverItem
        column = error.column
        let wasShown = before?.wasShown(statusCode, serverItem) ?? false
        isUnseen = Self.isConflict(statusCode) && !wasShown
    }

    /// Returns whether the user has already seen a conflict with this version of the server's row.
    private func wasShown(_ status: Int, _ row: RemoteRow?) -> Bool {
        isConflict && !isUnseen && (statusCode == 404) == (status == 404) && serverItem?.version == row?.version
    }

    /// The error's stored properties, as a JSON object without the id and the operation's position in the queue.
    public var properties: JSONValue {
        var members: [String: JSONValue] = [
            "code": .int(Int64(code)), "domain": .string(Self.domain), "description": .string(description),
            "table": .string(table), "operation": .int(Int64(operation.rawValue)), "itemId": .string(itemID.text),
            "statusCode": .int(Int64(statusCode)),
        ]
        members.merge(said.text.members) { first, _ in first }
        members["item"] = item?.json
        members["base"] = base.map { .object($0.mapValues(\.json)) }
        members["unseen"] = isUnseen ? .bool(true) : nil
        members["serverItem"] = serverItem?.json
        members["column"] = column.map { .string($0) }
        return .object(members)
    }

    /// Creates an error from its stored ids and ``properties``, or returns `nil` if they are not valid.
    public init?(id: String, operationID: Int64, properties: JSONValue) {
        guard let table = properties["table"]?.string, let itemID = properties["itemId"]?.string.flatMap({ RowID($0) }),
            let kind = properties["operation"]?.int.flatMap({ TableOperation.Kind(rawValue: Int($0)) }),
            let code = properties["code"]?.int, let description = properties["description"]?.string
        else { return nil }
        said = EnglishText(description, Text(members: properties.object ?? [:]) ?? Text(exactly: description))
        self.id = id
        self.operationID = operationID
        self.table = table
        operation = kind
        self.itemID = itemID
        item = properties["item"].flatMap { try? RemoteRow(json: $0) }
        self.code = Int(code)
        statusCode = properties["statusCode"]?.int.map { Int($0) } ?? 0
        serverItem = properties["serverItem"].flatMap { try? RemoteRow(json: $0) }
        column = properties["column"]?.string
        base = properties["base"]?.object?.compactMapValues { TableValue(json: $0) }
        isUnseen = properties["unseen"]?.bool ?? false
    }
}
