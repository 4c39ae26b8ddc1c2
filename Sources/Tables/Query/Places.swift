/// Where the parts of a query stood in its text; equal to every other, since it is not part of what was asked.
package struct Places: Hashable, Sendable {
    /// One place for each part, in the order in which the parts are visited: a node before its operands.
    package let positions: [Int]

    init(_ positions: [Int] = []) {
        self.positions = positions
    }

    /// The place of a part, if the query was read from a text.
    package subscript(_ index: Int) -> Int? { positions.indices.contains(index) ? positions[index] : nil }

    package static func == (a: Places, b: Places) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
