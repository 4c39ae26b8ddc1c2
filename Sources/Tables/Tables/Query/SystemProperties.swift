/// The system columns that the first version of the protocol returns only if `__systemproperties` requests them.
public struct SystemProperties: OptionSet, Hashable, Sendable {
    /// The column `__createdAt`.
    public static let createdAt = SystemProperties(rawValue: 1)
    /// The column `__updatedAt`.
    public static let updatedAt = SystemProperties(rawValue: 2)
    /// The column `__version`.
    public static let version = SystemProperties(rawValue: 4)
    /// The column `__deleted`.
    public static let deleted = SystemProperties(rawValue: 8)
    /// All system columns (`*`).
    public static let all: SystemProperties = [.createdAt, .updatedAt, .version, .deleted]

    private static let names: [(name: String, value: SystemProperties)] = [
        ("createdAt", .createdAt), ("updatedAt", .updatedAt), ("version", .version), ("deleted", .deleted),
    ]

    /// The set as an integer, with one bit for each system column.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Parses `*` or a comma-separated list of column names, ignoring case, empty elements and the prefix `__`.
    ///
    /// - Throws: ``QueryProblem`` with the position of an unknown name, or of a name listed together with `*`.
    public init(parsing text: String) throws(QueryProblem) {
        var found: SystemProperties = []
        var isAll = false
        var position = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let scalars = part.unicodeScalars
            let ends = scalars.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed()
            let name = String(String.UnicodeScalarView(ends))
            let plain = (name.hasPrefix("__") ? name.dropFirst(2) : name[...]).lowercased()
            if let known = Self.names.first(where: { $0.name.lowercased() == plain }), !isAll {
                found.insert(known.value)
            } else if name == "*", found.isEmpty {
                isAll = true
            } else if !name.isEmpty {
                let reason = QueryProblem.Reason.unknownSystemProperty(String(name.prefix(64)))
                throw QueryProblem(reason, at: position, option: "__systemproperties")
            }
            position += scalars.count + 1
        }
        self = isAll ? .all : found
    }

    /// The names of the columns without the `__` prefix, in lower case.
    package var names: Set<String> { Set(columns.map { $0.lowercased() }) }

    /// The set as a value of `__systemproperties`, such as `*` or `__createdAt,__version`.
    public var text: String { self == .all ? "*" : columns.map { "__" + $0 }.joined(separator: ",") }

    private var columns: [String] { Self.names.filter { contains($0.value) }.map(\.name) }
}
