public import Foundation
public import OAuth
public import Tables
public import TablesClient

/// A local change, like `MSTableOperation` in the Azure Mobile Services SDK, that is waiting to be sent.
public struct TableOperation: Hashable, Sendable {
    /// The kind of change, stored as its raw value.
    public enum Kind: Int, CaseIterable, Sendable {
        case insert = 0
        case update = 1
        case delete = 2

        /// Whether the row still exists after the change.
        public var leavesRow: Bool {
            switch self {
            case .insert, .update: true
            case .delete: false
            }
        }

        /// The name of the kind in stored files.
        public var word: String {
            switch self {
            case .insert: "insert"
            case .update: "update"
            case .delete: "delete"
            }
        }
    }

    /// The progress of an operation.
    public enum State: Int, CaseIterable, Sendable {
        /// The operation was never sent or was rejected, so it has had no effect on the server.
        case pending = 0
        /// The operation is being sent, so later changes to its row become separate operations.
        case inFlight = 1
        /// The operation was sent, but no response was stored, so it is sent again unchanged.
        case attempted = 2
    }

    /// The position in the queue, or 0 until a store assigns a position.
    public private(set) var id: Int64
    /// The table's declared name.
    public let table: String
    /// The row's id.
    public let itemID: RowID
    /// The kind of change.
    public internal(set) var kind: Kind
    /// The progress of the operation.
    public internal(set) var state = State.pending
    /// The row as it was sent or deleted, or `nil` if it is unknown.
    ///
    /// The first request of an insert or update sends the current local row instead.
    public internal(set) var item: RemoteRow?
    /// The values before the change, or `nil` if they are unknown or the operation is an insert.
    public internal(set) var base: [String: TableValue]?
    /// The idempotency key of an insert, or `nil` before the insert is first sent.
    public internal(set) var key: UUID?

    /// Whether the operation is an insert that has no response and could still reach the server after a later request.
    var mayStillArrive: Bool { kind == .insert && state == .attempted }

    init(_ kind: Kind, of itemID: RowID, in table: String) {
        self.init(id: 0, table: table, itemID: itemID, kind: kind)
    }

    private init(id: Int64, table: String, itemID: RowID, kind: Kind) {
        self.id = id
        self.table = table
        self.itemID = itemID
        self.kind = kind
    }

    /// Returns a copy of the operation with the queue position `id`.
    public func numbered(_ id: Int64) -> TableOperation {
        var copy = self
        copy.id = id
        return copy
    }

    /// The stored properties `type`, `state`, `item`, `base` and `key`, as a JSON object.
    public var properties: JSONValue {
        var members: [String: JSONValue] = ["type": .int(Int64(kind.rawValue)), "state": .int(Int64(state.rawValue))]
        members["item"] = item?.json
        members["base"] = base.map { .object($0.mapValues(\.json)) }
        members["key"] = key.map { .string($0.uuidString) }
        return .object(members)
    }

    /// Creates an operation from its stored ids and ``properties``, or returns `nil` if they are not valid.
    public init?(id: Int64, table: String, itemID: String, properties: JSONValue) {
        guard let row = RowID(itemID), let kind = properties["type"]?.int.flatMap({ Kind(rawValue: Int($0)) }),
            let state = properties["state"]?.int.flatMap({ State(rawValue: Int($0)) })
        else { return nil }
        self.init(id: id, table: table, itemID: row, kind: kind)
        self.state = state
        item = properties["item"].flatMap { try? RemoteRow(json: $0) }
        base = properties["base"]?.object?.compactMapValues { TableValue(json: $0) }
        key = properties["key"]?.string.flatMap { UUID(uuidString: $0) }
    }
}
