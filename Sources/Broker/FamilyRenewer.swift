import TokenCache

/// What a refresh-token family of the cache is known by.
struct FamilyKey: Hashable, Sendable {
    let uid: UInt32
    let account: String
    let client: String
    let policy: String
}

/// Renews refresh-token families, one request per family however many callers wait and whatever scopes they want.
///
/// An actor because it owns memory that callers share: the renewals under way. A caller that arrives while one runs
/// shares its outcome; a caller that arrives after its end starts a new one.
actor FamilyRenewer {
    /// Redeems the family's newest refresh token and stores what came back, durably, before it returns.
    typealias Renew = @Sendable () async throws -> TokenRow

    private var underWay: [FamilyKey: Task<TokenRow, any Error>] = [:]
    private var sharing: [FamilyKey: Int] = [:]

    /// The token that the family's renewal gave, or what went wrong for everybody who waited.
    func renewed(_ family: FamilyKey, _ renew: @escaping Renew) async throws -> TokenRow {
        if let task = underWay[family] {
            sharing[family, default: 0] += 1
            return try await task.value
        }
        let task = Task {
            defer {
                underWay[family] = nil
                sharing[family] = nil
            }
            return try await renew()
        }
        underWay[family] = task
        return try await task.value
    }

    /// How many callers share the renewal under way beside the one that began it.
    func waiting(_ family: FamilyKey) -> Int { sharing[family] ?? 0 }
}
