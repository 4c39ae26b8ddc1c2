extension Shape {
    /// Returns a row of a Markdown table for each key: the key, the accepted values, the default and the meaning.
    ///
    /// `NAME` in a nested key stands for any name that the file defines, and `[]` for the items of a list.
    public func rows() -> [String] {
        var rows: [String] = []
        collect(at: "", into: &rows)
        return rows
    }

    private func collect(at path: String, into rows: inout [String]) {
        switch self {
        case .object(let keys):
            for key in keys {
                let place = path.isEmpty ? key.name : "\(path).\(key.name)"
                let standard = key.isRequired ? "(required)" : key.standard.map { "`\($0)`" } ?? "-"
                let row = "| `\(place)` | \(key.shape.cell) | \(standard) | \(key.meaning) |"
                if !rows.contains(row) { rows.append(row) }
                key.shape.collect(at: place, into: &rows)
            }
        case .dictionary(_, let shape, _): shape.collect(at: path.isEmpty ? "NAME" : "\(path).NAME", into: &rows)
        case .list(let shape, _): shape.collect(at: path + "[]", into: &rows)
        case .either(let shapes): for shape in shapes { shape.collect(at: path, into: &rows) }
        case .later(let shape, _): shape.collect(at: path, into: &rows)
        case .text, .integer, .number, .scalar, .boolean, .choice, .anything, .refused: break
        }
    }

    private var cell: String {
        switch self {
        case .list(let item, let count):
            "a list of \(count.lowerBound) to \(count.upperBound) items, each \(item.element)"
        case .object: "a mapping"
        case .dictionary(let rule, let value, _): "a mapping from \(rule.form) to \(value.element)"
        case .either(let shapes):
            shapes.map(\.cell).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: ", or ")
        case .later(_, let needs): "only the default; this version does not support \(needs)"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .choice(let words, let later):
            words.map { "`\($0)`" }.joined(separator: ", ")
                + (later.isEmpty ? "" : " (later: \(later.map { "`\($0)`" }.joined(separator: ", ")))")
        case .text(let rule): rule.form
        case .refused: "not accepted"
        case .anything, .number, .scalar: expectation
        case .boolean: "`true` or `false`"
        }
    }

    /// A phrase for the values in a list or a mapping, such as `a number from 1 to 9` in `each a number from 1 to 9`.
    private var element: String {
        switch self {
        case .integer(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let words, _) where words.count > 1: "one of \(cell)"
        case .either(let shapes): shapes.map(\.element).joined(separator: " or ")
        default: cell
        }
    }
}
