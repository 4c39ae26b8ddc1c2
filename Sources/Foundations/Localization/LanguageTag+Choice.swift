public import FlowModel

extension LanguageTag {
    private static let mostWanted = 32

    /// Returns the available language that best matches the requested languages, or English if none matches.
    ///
    /// The requested languages are those in `uiLocales` (separated by spaces, OpenID Connect Core §3.1.2.1), then those
    /// in the header `acceptLanguage` (RFC 9110 §12.5.4), then the policy's language `preset`. A language that is not
    /// available is replaced by the language without its region (RFC 4647 §3.4) or, failing that, with any region.
    public static func choose(
        uiLocales: String?,
        acceptLanguage: String?,
        preset: LanguageTag,
        available: [LanguageTag]
    ) -> LanguageTag {
        let asked = (uiLocales ?? "").split(separator: " ").prefix(mostWanted).compactMap {
            LanguageTag(rawValue: String($0))
        }
        for wanted in asked + accepted(acceptLanguage ?? "") + [preset] {
            if let language = best(for: wanted, among: available) { return language }
        }
        return .english
    }

    /// Returns the languages in an `Accept-Language` header by descending weight, omitting those with weight 0.
    private static func accepted(_ header: String) -> [LanguageTag] {
        let ranges = header.split(separator: ",").prefix(mostWanted).compactMap { range -> (LanguageTag, Double)? in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let first = parts.first, let language = LanguageTag(rawValue: first) else { return nil }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return weight > 0 ? (language, weight) : nil
        }
        return ranges.enumerated().sorted { a, b in
            a.element.1 != b.element.1 ? a.element.1 > b.element.1 : a.offset < b.offset
        }.map(\.element.0)
    }

    private static func best(for wanted: LanguageTag, among available: [LanguageTag]) -> LanguageTag? {
        if available.contains(wanted) { return wanted }
        if available.contains(wanted.primary) { return wanted.primary }
        return available.first { $0.primary == wanted.primary }
    }
}
