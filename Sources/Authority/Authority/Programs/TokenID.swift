import OAuth

/// The id (`jti`) of an access token.
///
/// The id is a random string. If the token belongs to a token family, the string is preceded by the family's id, which
/// links the token to the family's database row. Revoking the family therefore also revokes the token. A token from the
/// client credentials grant has no family and needs no row.
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
