package import FlowModel
import Foundation
public import OAuth
public import Tables
public import TablesClient

/// An operation that the server refused or that conflicts with its row (`MSTableOperationError`).
///
/// It stays until its operation is removed or changed. ``SyncContext`` has the ways to resolve it.
public struct TableOperationError: Error, Hashable, Sendable, Identifiable {
    /// The domain of ``code``, as the clients of the protocol name it.
    public static let domain = "com.Microsoft.MicrosoftAzureMobile.ErrorDomain"

    /// A UUID.
    public let id: String
    /// The number of the operation.
    public let operationID: Int64
    /// The table's declared name.
    public let table: String
    /// The kind of the operation.
    public let operation: TableOperation.Kind
    /// The row's id.
    public let itemID: RowID
    /// The row as it was sent or is to be sent, or as it was deleted.
    public let item: RemoteRow?
    /// The values that the change was made over; nil for an insert, and if they are not known.
    public let base: [String: TableValue]?
    /// The number of the failure in ``domain``: -1303 for a failed precondition, -1302 for any other refusal.
    public let code: Int
    /// One sentence, the server's own where it gave one, in English and as a text.
    package let said: EnglishText
    /// The status of the answer; 0 if there was none.
    public let statusCode: Int
    /// The row as the server has it, where it is known (409 and 412).
    public let serverItem: RemoteRow?
    /// The column that broke a rule, where the server named one.
    public let column: String?
    /// Whether this conflict, or this version of the server's row, was not shown to the user yet
    /// (``SyncContext/markShown(_:)``).
    ///
    /// A refusal shows nothing of the server, so it is never unseen.
    public internal(set) var isUnseen: Bool

    /// One sentence, the server's own where it gave one.
    public var description: String { said.english }

    /// Two sides changed the row; anything else is a refusal that the same values would meet again.
    public var isConflict: Bool { Self.isConflict(statusCode) }

    /// Whether an answer says that two sides changed the row.
    static func isConflict(_ error: TablesError) -> Bool { isConflict(status(of: error)) }

    /// The status of the API's answer; 0 if something else answered, or nothing.
    private static func status(of error: TablesError) -> Int {
        error.code == .malformedAnswer ? 0 : error.status ?? 0
    }

    /// Whether an answer of that status says that two sides changed the row.
    private static func isConflict(_ status: Int) -> Bool {
        switch status {
        case 404, 409, 412: true
        default: false
        }
    }

    /// The columns that the user's own edit sets, with their values; those of a deletion are what it deletes.
    public var edit: [String: TableValue] { OwnEdit(item?.values ?? [:], over: base).columns }

    /// The record of an answer.
    ///
    /// - Parameters:
    ///   - error: The answer.
    ///   - operation: The operation, with everything that was changed behind it.
    ///   - serverItem: The server's row; nil if it is not known.
    ///   - before: The record that this one replaces; nil if there is none.
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

    /// Whether the user was shown this side of the server already.
    private func wasShown(_ status: Int, _ row: RemoteRow?) -> Bool {
        isConflict && !isUnseen && (statusCode == 404) == (status == 404) && serverItem?.version == row?.version
    }

    /// Everything that a store keeps of it beside its id and the operation's number.
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

    /// The error that a store has kept; nil if the parts are none.
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
