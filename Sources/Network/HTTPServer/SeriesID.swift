/// A metric's name and labels, spelled as Prometheus allows.
struct SeriesID: Hashable, Comparable {
    /// The longest value of a label, in characters.
    static let labelLimit = 120

    let name: String
    let labels: [String]

    init(_ label: String, _ dimensions: [(String, String)]) {
        name = Self.word(label)
        labels = dimensions.map { "\(Self.word($0.0))=\"\(Self.escaped($0.1))\"" }
    }

    /// Writes the name with its labels and `more`, for example a bucket's bound.
    func text(_ suffix: String = "", _ more: String? = nil) -> String {
        let all = labels + (more.map { [$0] } ?? [])
        return name + suffix + (all.isEmpty ? "" : "{" + all.joined(separator: ",") + "}")
    }

    static func < (a: SeriesID, b: SeriesID) -> Bool {
        a.name != b.name ? a.name < b.name : a.labels.lexicographicallyPrecedes(b.labels)
    }

    private static func word(_ text: String) -> String {
        let plain = text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" }
        let word = String(plain.prefix(labelLimit))
        return word.first?.isNumber ?? true ? "_" + word : word
    }

    private static func escaped(_ value: String) -> String {
        String(value.prefix(labelLimit)).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
