public import Foundation
public import OAuth
public import Tables
public import TablesClient

/// A local change that is waiting to be sent to the server (`MSTableOperation`).
public struct TableOperation: Hashable, Sendable {
    /// The kind of change.
    ///
    /// The raw values are stored.
    public enum Kind: Int, CaseIterable, Sendable {
        /// The row is new.
        case insert = 0
        /// Columns of the row have changed.
        case update = 1
        /// The row was deleted.
        case delete = 2

        /// Whether the row still exists after the change.
        public var leavesRow: Bool {
            switch self {
            case .insert, .update: true
            case .delete: false
            }
        }

        /// The name of the kind, as stored.
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
        /// The operation has no effect on the server yet: it was never sent, or it was rejected.
        case pending = 0
        /// The operation is being sent.
        ///
        /// Later changes to its row become separate operations.
        case inFlight = 1
        /// The operation was sent, but no response was stored. It is unknown whether the server performed it.
        ///
        /// It will be sent again unchanged.
        case attempted = 2
    }

    /// The position in the queue, or 0 until a store assigns one.
    public private(set) var id: Int64
    /// The table's declared name.
    public let table: String
    /// The row's id.
    public let itemID: RowID
    /// The kind of change.
    public internal(set) var kind: Kind
    /// The progress of the operation.
    public internal(set) var state = State.pending
    /// The row as sent in an insert or update, or as deleted, or `nil` if it is unknown.
    ///
    /// The first request of an insert or update uses the local row at the time of the push.
    public internal(set) var item: RemoteRow?
    /// The values before the change, or `nil` for an insert or if they are unknown.
    ///
    /// These are the server's values, or the values of an earlier operation whose outcome is unknown.
    public internal(set) var base: [String: TableValue]?
    /// The idempotency key of an insert, or `nil` before the insert is sent for the first time.
    ///
    /// The server inserts the row only once, even if the insert is repeated with the same key.
    public internal(set) var key: UUID?

    /// Whether the operation is an insert that was sent without a response.
    ///
    /// Such an insert could arrive after a later request.
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

    /// Returns the operation with a position in the queue.
    public func numbered(_ id: Int64) -> TableOperation {
        var copy = self
        copy.id = id
        return copy
    }

    /// The stored properties as JSON: `{"type", "state", "item", "base", "key"}`.
    ///
    /// The operation's number, its table and the row's id are stored separately.
    public var properties: JSONValue {
        var members: [String: JSONValue] = ["type": .int(Int64(kind.rawValue)), "state": .int(Int64(state.rawValue))]
        members["item"] = item?.json
        members["base"] = base.map { .object($0.mapValues(\.json)) }
        members["key"] = key.map { .string($0.uuidString) }
        return .object(members)
    }

    /// Creates an operation from its stored parts, or returns `nil` if they are not valid.
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
