import OAuth

/// The id of an access token (`jti`): random, preceded by the id of the token's family if there is one.
///
/// The family's id links the token to the family's database row, so revoking the family also revokes the token. A
/// client's own token needs no row.
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
