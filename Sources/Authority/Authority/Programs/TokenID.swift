import OAuth

/// The id of an access token (`jti`): random, preceded by the family's id if there is one.
///
/// A token is therefore revoked with its family, and a client's own token needs no database row.
enum TokenID {
    /// Creates a unique id.
    static func random(family: String?) -> String {
        let own = Base64URL.encode(RefreshToken.random(12))
        return family.map { "\($0).\(own)" } ?? own
    }

    /// Returns the family of a token, or `nil` for a client's own token.
    static func family(_ id: String) -> String? {
        let parts = id.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : nil
    }
}
