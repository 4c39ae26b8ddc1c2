/// The patterns that turn modules over, so that a code has no large plain areas (ISO/IEC 18004 §7.8.2).
enum QRMask: Int, CaseIterable {
    case chequers, rows, columns, diagonals, bricks, crosses, rings, flowers

    /// True if the module of a place is turned over.
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
