/// Finds the name that somebody most likely meant.
package struct NearestName {
    private let names: [String]

    package init(among names: [String]) {
        self.names = names
    }

    /// The nearest of the names, if it is near enough to be meant: at most every third letter differs, or one begins
    /// the other.
    package func to(_ name: String) -> String? {
        let wanted = Array(name.lowercased().prefix(TableDeclaration.maxNameLength))
        let ranked = names.map { (name: $0, distance: Self.distance(wanted, Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        let isBeginning = name.lowercased().hasPrefix(best.name.lowercased())
        return best.distance <= max(1, wanted.count / 3) || isBeginning ? best.name : nil
    }

    /// Levenshtein's distance, where two neighbours in the wrong order are one mistake.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var above = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var row = [i + 1]
            for (j, right) in b.enumerated() {
                var distance = min(above[j] + (left == right ? 0 : 1), row[j] + 1, above[j + 1] + 1)
                if i > 0, j > 0, left == b[j - 1], right == a[i - 1] { distance = min(distance, before[j - 1] + 1) }
                row.append(distance)
            }
            (before, above) = (above, row)
        }
        return above[b.count]
    }
}
