/// Finds the name that a misspelt text was probably meant to be.
public enum NearestName {
    /// The most characters of a text or a name that are compared.
    private static let limit = 64

    /// The name that differs least from a text, in any case.
    ///
    /// - Parameters:
    ///   - text: What was written.
    ///   - names: What might have been meant.
    /// - Returns: The nearest name; nil if even that differs in more than three characters or in more than every third
    ///   one, unless a text of three or more begins the name, or the other way round.
    public static func of(_ text: String, among names: some Sequence<String>) -> String? {
        let wanted = characters(text)
        guard !wanted.isEmpty else { return nil }
        let ranked = names.map { name in
            let candidate = characters(name)
            let isBeginning =
                min(wanted.count, candidate.count) >= 3
                && (candidate.starts(with: wanted) || wanted.starts(with: candidate))
            return (name: name, distance: isBeginning ? 1 : distance(wanted, candidate))
        }
        let best = ranked.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= max(1, min(3, wanted.count / 3)) ? $0.name : nil }
    }

    private static func characters(_ text: String) -> [Unicode.Scalar] {
        Array(text.lowercased().unicodeScalars.prefix(limit))
    }

    /// Counts the characters to add, take away or change; two neighbours in the wrong order are one (Damerau).
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
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
