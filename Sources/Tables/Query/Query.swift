/// Which rows of a table are wanted, in what order, how many, and what of them.
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

    /// The condition; nil wants every row.
    public var filter: Filter?
    /// The keys of the order, the first first.
    public var order: [SortTerm] = []
    /// How many rows to leave out; nil if nobody asked.
    public var skip: Int?
    /// How many rows at most; nil if nobody asked.
    public var top: Int?
    /// The columns that are wanted, in this order; empty wants all.
    public var selection: [String] = [] {
        didSet { selectionPlaces = SourcePositions() }
    }
    /// Whether the number of all rows that match is wanted.
    public var includesTotalCount = false
    /// Whether rows that were deleted are wanted as well.
    public var includesDeleted = false
    /// The system columns that are wanted (v1); nil if nobody asked.
    public var systemProperties: SystemProperties?
    /// What is handed to whoever stands behind the table, in order; names may repeat.
    public var parameters: [Parameter] = []

    /// Where the selection's names stood.
    package internal(set) var selectionPlaces = SourcePositions()

    /// Every row.
    public init() {}
}
