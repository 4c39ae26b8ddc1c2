import Spelling
import Tables

/// The columns of a table by their names, which have no case.
struct ColumnNames: Sendable {
    private let names: [String]
    private let columns: [String: SQLColumn]
    private let mayGet: @Sendable (String) -> Bool

    init(_ columns: [SQLColumn], mayGet: @escaping @Sendable (String) -> Bool) {
        names = columns.map(\.name)
        self.columns = Dictionary(columns.map { ($0.name.lowercased(), $0) }) { first, _ in first }
        self.mayGet = mayGet
    }

    subscript(_ name: String) -> SQLColumn? { columns[name.lowercased()] }

    /// The column, nil if no row has made it yet, or a problem that names the nearest.
    func find(_ name: String, at position: Int?, option: String) throws(QueryProblem) -> SQLColumn? {
        if let column = self[name] { return column }
        if mayGet(name) { return nil }
        let hint = NearestName.of(name, among: names).map { " (did you mean '\($0)'?)" } ?? ""
        throw QueryProblem("there is no column '\(name.prefix(64))'\(hint)", at: position, option: option)
    }
}
