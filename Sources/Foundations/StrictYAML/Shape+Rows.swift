extension Shape {
    /// One line of a Markdown table for each key, at whatever depth: key, what may stand there, default, meaning.
    ///
    /// The members of a mapping whose keys the file makes up stand under `NAME`, those of a list's items under `[]`.
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
        case .list(let item, let count): "list of \(count.lowerBound) to \(count.upperBound): \(item.cell)"
        case .object: "mapping"
        case .dictionary(let rule, let value, _): "mapping of \(rule.form) to \(value.cell)"
        case .either(let shapes): shapes.map(\.cell).joined(separator: "; or ")
        case .later(let shape, let needs): "\(shape.cell) (only the default in this version: \(needs))"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .choice(let words, let later):
            words.map { "`\($0)`" }.joined(separator: ", ")
                + (later.isEmpty ? "" : " (later: \(later.map { "`\($0)`" }.joined(separator: ", ")))")
        case .text(let rule): rule.form
        case .refused: "not accepted"
        case .anything: "anything"
        case .number, .scalar: expectation
        case .boolean: "`true` or `false`"
        }
    }
}
