/// The positions of a query's parts in its text; equal to all others, since they are no part of what is asked.
package struct SourcePositions: Hashable, Sendable {
    /// One position for each part, in the order in which the parts are visited: a node before its operands.
    package let positions: [Int]

    init(_ positions: [Int] = []) {
        self.positions = positions
    }

    /// The position of a part; nil unless the query was read from a text.
    package subscript(_ index: Int) -> Int? { positions.indices.contains(index) ? positions[index] : nil }

    package static func == (a: SourcePositions, b: SourcePositions) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
