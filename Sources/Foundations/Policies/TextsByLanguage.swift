import FlowModel

extension [String: String] {
    /// The text in the first of these languages that there is; nil if there is none in any of them.
    func text(in languages: [LanguageTag]) -> String? {
        let own = Dictionary(map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        return languages.lazy.flatMap(\.ranges).compactMap { own[$0] }.first
    }

    /// The same, or the text of the language whose name comes first.
    func anyText(in languages: [LanguageTag]) -> String? {
        text(in: languages) ?? self.min { $0.key < $1.key }?.value
    }
}
