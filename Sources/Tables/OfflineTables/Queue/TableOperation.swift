public import Foundation
public import OAuth
public import Tables
public import TablesClient

/// A local change that waits for the server (`MSTableOperation`).
public struct TableOperation: Hashable, Sendable {
    /// The kinds of change, by the numbers that a store keeps.
    public enum Kind: Int, CaseIterable, Sendable {
        /// The row is new.
        case insert = 0
        /// Columns of the row have changed.
        case update = 1
        /// The row is gone.
        case delete = 2

        /// True for a kind that leaves a row.
        public var leavesRow: Bool {
            switch self {
            case .insert, .update: true
            case .delete: false
            }
        }

        /// The kind as a word.
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
        /// The server knows nothing of it: it was never sent, or was refused.
        case pending = 0
        /// It is being sent; later changes of its row queue behind it.
        case inFlight = 1
        /// It was sent and no answer came: the server may have done it. It is sent again as it was.
        case attempted = 2
    }

    /// The position in the queue; 0 until a store has numbered it.
    public private(set) var id: Int64
    /// The table's declared name.
    public let table: String
    /// The row's id.
    public let itemID: RowID
    /// The kind of change.
    public internal(set) var kind: Kind
    /// The progress.
    public internal(set) var state = State.pending
    /// The row: of an insert or update as it was sent, of a deletion as it was deleted.
    ///
    /// The first request of an insert or update has the local row at the time of the push.
    public internal(set) var item: RemoteRow?
    /// The values that the change was made over: those of the server, or behind an operation whose outcome is open those
    /// that it sends; nil for an insert, and if they are not known.
    public internal(set) var base: [String: TableValue]?
    /// Names the insert to the server, so that it is done once however often it is sent.
    public internal(set) var key: UUID?

    /// Whether it is an insertion that was sent without an answer, so that it may arrive after a later request.
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

    /// The same operation at a position of the queue.
    public func numbered(_ id: Int64) -> TableOperation {
        var copy = self
        copy.id = id
        return copy
    }

    /// Everything that a store keeps of it beside number, table and id: `{"type", "state", "item", "base", "key"}`.
    public var properties: JSONValue {
        var members: [String: JSONValue] = ["type": .int(Int64(kind.rawValue)), "state": .int(Int64(state.rawValue))]
        members["item"] = item?.json
        members["base"] = base.map { .object($0.mapValues(\.json)) }
        members["key"] = key.map { .string($0.uuidString) }
        return .object(members)
    }

    /// The operation that a store has kept; nil if the parts are none.
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
