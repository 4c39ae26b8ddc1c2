/// A QR code that is being drawn, first the function patterns, then the codewords between them.
struct QRDrawing {
    private let version: QRVersion
    private(set) var modules: [Bool]
    /// For each module, whether it belongs to a function pattern and therefore contains no codeword bit.
    private var isPattern: [Bool]

    private var size: Int { version.size }

    /// Draws the function patterns of a version (ISO/IEC 18004 §6.3).
    init(version: QRVersion) {
        self.version = version
        modules = Array(repeating: false, count: version.size * version.size)
        isPattern = modules
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        drawAlignments()
        drawFormat(0)
        drawVersion()
    }

    /// Draws the codewords in a zigzag, applies the mask, and draws the mask number (ISO/IEC 18004 §7.7.3, §7.9).
    mutating func fill(with codewords: [UInt8], mask: QRMask) {
        var index = 0
        for pair in stride(from: size - 1, through: 1, by: -2) {
            // Skip column 6, which contains the vertical timing pattern and no codewords.
            let right = pair <= 6 ? pair - 1 : pair
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row * size + column] {
                    let bit = index < codewords.count * 8 && codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    modules[row * size + column] = bit != mask.turns(row: row, column: column)
                    index += 1
                }
            }
        }
        drawFormat(mask.rawValue)
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        modules[row * size + column] = isDark
        isPattern[row * size + column] = true
    }

    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for dy in -4...4 {
            for dx in -4...4 where (0..<size).contains(row + dy) && (0..<size).contains(column + dx) {
                let ring = max(abs(dx), abs(dy))
                set(row + dy, column + dx, ring != 2 && ring != 4)
            }
        }
    }

    private mutating func drawAlignments() {
        let middles = version.alignments
        for row in middles {
            for column in middles where !isFinder(row, column) {
                for dy in -2...2 {
                    for dx in -2...2 { set(row + dy, column + dx, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
    }

    private func isFinder(_ row: Int, _ column: Int) -> Bool {
        let (low, high) = (row < 8, row > size - 9)
        return low && (column < 8 || column > size - 9) || high && column < 8
    }

    /// Draws two copies of the format information, which contains level M and the mask number (ISO/IEC 18004 §7.9.1).
    private mutating func drawFormat(_ mask: Int) {
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { set(index, 8, bit(index)) }
        set(7, 8, bit(6))
        set(8, 8, bit(7))
        set(8, 7, bit(8))
        for index in 9..<15 { set(8, 14 - index, bit(index)) }
        for index in 0..<8 { set(8, size - 1 - index, bit(index)) }
        for index in 8..<15 { set(size - 15 + index, 8, bit(index)) }
        set(size - 8, 8, true)
    }

    /// Draws two copies of the version information, which only versions 7 and above have (ISO/IEC 18004 §7.10).
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        var rest = version.number
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version.number << 12 | rest
        for index in 0..<18 {
            let (long, short) = (size - 11 + index % 3, index / 3)
            set(short, long, bits >> index & 1 == 1)
            set(long, short, bits >> index & 1 == 1)
        }
    }
}

extension QRDrawing {
    /// The penalty score of the applied mask (ISO/IEC 18004 §7.8.3).
    var penalty: Int {
        let size = Int(Double(modules.count).squareRoot())
        let rows = (0..<size).map { row in Array(modules[(row * size)..<((row + 1) * size)]) }
        let columns = (0..<size).map { column in rows.map { $0[column] } }
        let lines = (rows + columns).reduce(0) { $0 + Self.runs($1) + Self.finders($1) }
        return lines + Self.squares(rows) + balance
    }

    /// Returns the penalty for runs of one colour: 3 for the first five modules, and 1 for each additional one.
    private static func runs(_ line: [Bool]) -> Int {
        var (cost, length) = (0, 0)
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { cost += 3 } else if length > 5 { cost += 1 }
        }
        return cost
    }

    /// Returns a penalty of 40 for each sequence that looks like a finder pattern with light modules on one side.
    private static func finders(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        let found = line.indices.filter { start in
            let rest = line[start...]
            return rest.starts(with: finder + light) || rest.starts(with: light + finder)
        }
        return 40 * found.count
    }

    /// Returns a penalty of 3 for each 2×2 square of one colour.
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

    /// A penalty of 10 for each full 5 % by which the share of dark modules differs from 50 %.
    private var balance: Int {
        let dark = modules.count { $0 }
        return abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}

/// The mask patterns, which invert modules to avoid large areas of one colour (ISO/IEC 18004 §7.8.2).
enum QRMask: Int, CaseIterable {
    case chequers, rows, columns, diagonals, bricks, crosses, rings, flowers

    func turns(row: Int, column: Int) -> Bool {
        switch self {
        case .chequers: (row + column) % 2 == 0
        case .rows: row % 2 == 0
        case .columns: column % 3 == 0
        case .diagonals: (row + column) % 3 == 0
        case .bricks: (row / 2 + column / 3) % 2 == 0
        case .crosses: row * column % 2 + row * column % 3 == 0
        case .rings: (row * column % 2 + row * column % 3) % 2 == 0
        case .flowers: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}
