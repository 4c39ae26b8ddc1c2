/// A query of one table: a condition, an order, a page and a selection of columns.
public struct Query: Hashable, Sendable {
    /// The flavours of the protocol, which differ in how a query is written; each reader understands all three.
    public enum Dialect: String, CaseIterable, Sendable {
        /// Mobile Services: system columns begin with `__`.
        case v1
        /// Mobile Apps, `ZUMO-API-VERSION: 2.0.0`.
        case v2
        /// `ZUMO-API-VERSION: 3.0.0`: `$count`, and dates without prefix (OData v4).
        case v3
    }

    /// A parameter that is none of the protocol's own.
    public struct Parameter: Hashable, Sendable {
        /// The name, as sent.
        public let name: String
        /// The value, decoded.
        public let value: String

        /// A parameter.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The condition; nil for every row.
    public var filter: Filter?
    /// The keys of the order, the first first.
    public var order: [SortTerm] = []
    /// Rows to leave out; nil if not said.
    public var skip: Int?
    /// Most rows to return; nil if not said.
    public var top: Int?
    /// The columns to return, in this order; empty for all.
    public var selection: [String] = [] {
        didSet { selectionPlaces = SourcePositions() }
    }
    /// The answer has the number of all rows that match.
    public var includesTotalCount = false
    /// The answer has deleted rows, too.
    public var includesDeleted = false
    /// The system columns to return (v1); nil if not said.
    public var systemProperties: SystemProperties?
    /// Custom parameters, for a hook of the table, in order; names may repeat.
    public var parameters: [Parameter] = []

    /// The positions of the selection's names.
    package internal(set) var selectionPlaces = SourcePositions()

    /// Every row.
    public init() {}
}
