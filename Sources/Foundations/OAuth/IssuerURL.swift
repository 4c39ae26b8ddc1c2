/// The spelling of issuer URLs, which are compared exactly (OpenID Connect Discovery §4.3).
public enum IssuerURL {
    /// Returns why a URL cannot be an issuer, with the corrected URL if there is one, or `nil` if it can be an issuer.
    public static func refusal(_ text: String) -> AddressProblem? {
        if let refusal = OutsideURL.refusal(text) { return refusal }
        if let corrected = withoutMetadataPath(text) {
            return .metadataPath(text, corrected: lowercased(corrected))
        }
        let corrected = lowercased(text)
        return corrected == text ? nil : .capitals(text, corrected: corrected)
    }

    /// Returns the issuers that a user can mean by `text`, beginning with the spelling that is most similar to it.
    ///
    /// Users copy the URL of the metadata, write the host in upper case, and add or omit a trailing slash.
    public static func spellings(of text: String) -> [String] {
        let bare = withoutMetadataPath(text) ?? text
        var spellings: [String] = []
        for spelling in [bare, lowercased(bare)] {
            let other = spelling.hasSuffix("/") ? String(spelling.dropLast()) : spelling + "/"
            for spelling in [spelling, other] where !spellings.contains(spelling) { spellings.append(spelling) }
        }
        return spellings
    }

    /// Returns a URL with its scheme and host in lower case.
    static func lowercased(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        return text[..<end].lowercased() + text[end...]
    }

    private static let metadataPaths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    /// Returns the issuer whose metadata is at `text`, or `nil` if `text` is not the URL of metadata.
    ///
    /// The path of an issuer precedes `/.well-known` (OpenID Connect Discovery §4) or follows it (RFC 8414 §3.1).
    private static func withoutMetadataPath(_ text: String) -> String? {
        let ranges = metadataPaths.compactMap { path -> Range<String.Index>? in text.firstRange(of: path) }
        guard let range = ranges.first else { return nil }
        let path = text[range.upperBound...].prefix { !"?#".contains($0) }
        return String(text[..<range.lowerBound]) + (path.hasPrefix("/") && path != "/" ? String(path) : "")
    }
}
