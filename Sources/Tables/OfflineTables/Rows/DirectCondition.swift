import Tables
import TablesClient

/// A condition that only tests Boolean columns or tests for null, evaluated row by row in Swift instead of in SQL.
struct DirectCondition: Sendable {
    private indirect enum Node: Sendable {
        case holds(String, Bool)
        case isNull(String)
        case not(Node)
        case all([Node])
        case any([Node])
    }

    private let root: Node

    /// Creates a condition from a filter, or returns `nil` if the filter has parts that are not supported.
    init?(_ filter: Filter, of table: TableDeclaration) {
        guard let root = Self.node(filter.root, table) else { return nil }
        self.root = root
    }

    func matches(_ row: RemoteRow) -> Bool { Self.value(root, row) == true }

    private static func node(_ expression: QueryExpression, _ table: TableDeclaration) -> Node? {
        switch expression {
        case .compare(.equal, .column(let name), .literal(let literal)): return test(name, literal, table)
        case .compare(.notEqual, .column(let name), .literal(let literal)):
            return test(name, literal, table).map(Node.not)
        case .not(let operand): return node(operand, table).map(Node.not)
        case .and(let operands): return nodes(operands, table).map(Node.all)
        case .or(let operands): return nodes(operands, table).map(Node.any)
        default: return nil
        }
    }

    private static func nodes(_ operands: [QueryExpression], _ table: TableDeclaration) -> [Node]? {
        let nodes = operands.compactMap { node($0, table) }
        return nodes.count == operands.count ? nodes : nil
    }

    private static func test(_ name: String, _ literal: QueryLiteral, _ table: TableDeclaration) -> Node? {
        guard let column = table.column(name) else { return nil }
        switch (column.type, literal) {
        case (_, .null): return .isNull(column.name)
        case (.boolean, .boolean(let value)): return .holds(column.name, value)
        default: return nil
        }
    }

    /// Returns the value of a node, or `nil` if it is neither true nor false.
    private static func value(_ node: Node, _ row: RemoteRow) -> Bool? {
        switch node {
        case .holds(let column, let value): return row.values[column]?.boolean.map { $0 == value }
        case .isNull(let column): return row.values[column] ?? .null == .null
        case .not(let operand): return value(operand, row).map { !$0 }
        case .all(let operands): return truth(operands, row, decisive: false)
        case .any(let operands): return truth(operands, row, decisive: true)
        }
    }

    /// Returns the value of a conjunction (`decisive` is `false`) or disjunction (`decisive` is `true`).
    private static func truth(_ operands: [Node], _ row: RemoteRow, decisive: Bool) -> Bool? {
        var isKnown = true
        for operand in operands {
            switch value(operand, row) {
            case decisive?: return decisive
            case nil: isKnown = false
            case _?: break
            }
        }
        return isKnown ? !decisive : nil
    }
}
