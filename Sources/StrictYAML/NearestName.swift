/// Finds what somebody may have meant.
public enum NearestName {
    /// The name that differs least from a text, if it differs little enough to be meant.
    public static func of(_ text: String, among names: some Sequence<String>) -> String? {
        let wanted = Array(text.lowercased().unicodeScalars.prefix(64))
        let ranked = names.map { name in
            let candidate = Array(name.lowercased().unicodeScalars.prefix(64))
            let isPart = wanted.count >= 4 && (candidate.starts(with: wanted) || wanted.starts(with: candidate))
            return (name: name, distance: isPart ? 1 : distance(wanted, candidate))
        }
        let best = ranked.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= max(1, min(3, wanted.count / 2)) ? $0.name : nil }
    }

    /// How many characters must be added, taken away or changed (Levenshtein).
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let cost = min(diagonal + (x == y ? 0 : 1), row[j] + 1, row[j + 1] + 1)
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[b.count]
    }
}
