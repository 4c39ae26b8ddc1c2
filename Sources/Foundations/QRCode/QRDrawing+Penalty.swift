extension QRDrawing {
    /// The marks against a mask; the one with the fewest is the easiest to read (ISO/IEC 18004 §7.8.3).
    var penalty: Int {
        let size = Int(Double(modules.count).squareRoot())
        let rows = (0..<size).map { row in Array(modules[(row * size)..<((row + 1) * size)]) }
        let columns = (0..<size).map { column in rows.map { $0[column] } }
        let lines = (rows + columns).reduce(0) { $0 + Self.runs($1) + Self.finders($1) }
        return lines + Self.squares(rows) + balance
    }

    /// Five modules alike in a line cost 3, and each one more another 1.
    private static func runs(_ line: [Bool]) -> Int {
        var (cost, length) = (0, 0)
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { cost += 3 } else if length > 5 { cost += 1 }
        }
        return cost
    }

    /// A pattern that looks like a finder, with light on one side of it, costs 40.
    private static func finders(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        let found = line.indices.filter { start in
            let rest = line[start...]
            return rest.starts(with: finder + light) || rest.starts(with: light + finder)
        }
        return 40 * found.count
    }

    /// Four modules alike in a square cost 3.
    private static func squares(_ rows: [[Bool]]) -> Int {
        var cost = 0
        for (upper, lower) in zip(rows, rows.dropFirst()) {
            for column in upper.indices.dropLast()
            where upper[column] == upper[column + 1] && upper[column] == lower[column]
                && upper[column] == lower[column + 1]
            {
                cost += 3
            }
        }
        return cost
    }

    /// Each 5 % away from half dark and half light cost 10.
    private var balance: Int {
        let dark = modules.count { $0 }
        return abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}
