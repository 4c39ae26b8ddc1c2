import OAuth

/// The id of an access token (`jti`): random, with its family in front if it has one.
///
/// So a token dies with its family, and a client's own token needs no row.
enum TokenID {
    /// Makes an id that nothing else has.
    static func random(family: String?) -> String {
        let own = Base64URL.encode(RefreshToken.random(12))
        return family.map { "\($0).\(own)" } ?? own
    }

    /// The family of a token; nil for a client's own.
    static func family(_ id: String) -> String? {
        let parts = id.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : nil
    }
}
