/// Suggests the name that the user probably meant by a misspelled name.
public enum NearestName {
    private static let limit = 64

    /// Returns the name most similar to `text`, ignoring case, or `nil` if the smallest edit distance is too large.
    ///
    /// The maximum distance is a third of the length of `text`, but at least 1 and at most 3. If the name or `text` is
    /// a prefix of the other and has at least three characters, the distance is 1. Ties are resolved by the longest
    /// common prefix, then alphabetically.
    public static func of(_ text: String, among names: some Sequence<String>) -> String? {
        let wanted = characters(text)
        guard !wanted.isEmpty else { return nil }
        let ranked = names.map { name in
            let candidate = characters(name)
            let isBeginning =
                min(wanted.count, candidate.count) >= 3
                && (candidate.starts(with: wanted) || wanted.starts(with: candidate))
            let shared = zip(wanted, candidate).prefix { $0 == $1 }.count
            return (name: name, distance: isBeginning ? 1 : distance(wanted, candidate), shared: shared)
        }
        let best = ranked.min { ($0.distance, -$0.shared, $0.name) < ($1.distance, -$1.shared, $1.name) }
        return best.flatMap { $0.distance <= max(1, min(3, wanted.count / 3)) ? $0.name : nil }
    }

    private static func characters(_ text: String) -> [Unicode.Scalar] {
        Array(text.lowercased().unicodeScalars.prefix(limit))
    }

    /// Returns the smallest number of edits that turn `a` into `b` (restricted Damerau–Levenshtein distance).
    ///
    /// An edit adds, removes or changes one character, or swaps two adjacent characters.
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
