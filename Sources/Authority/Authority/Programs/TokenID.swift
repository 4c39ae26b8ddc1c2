import OAuth

/// The id (`jti`) of an access token, which begins with the id of the token's family if the token has one.
///
/// Revoking a family thus revokes its tokens, and a token without a family needs no database row.
enum TokenID {
    static func random(family: String?) -> String {
        let own = Base64URL.encode(RefreshToken.random(12))
        return family.map { "\($0).\(own)" } ?? own
    }

    static func family(_ id: String) -> String? {
        let parts = id.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : nil
    }
}
