public import OAuth

/// What the authority shows to everybody.
public struct AuthorityDocuments: Sendable {
    /// The metadata of a policy's issuer; nil if there is no such policy.
    let metadata: @Sendable (_ policy: String) -> ServerMetadata?
    /// The JWK set that verifies every token of the authority, as JSON (RFC 7517 §5).
    let keys: @Sendable () async throws -> [UInt8]

    /// The documents of one authority.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of a policy's issuer, asked with the policy in lower case; nil if there is none.
    ///   - keys: The JWK set as JSON; what it throws is logged and answered 500.
    public init(
        metadata: @escaping @Sendable (_ policy: String) -> ServerMetadata?,
        keys: @escaping @Sendable () async throws -> [UInt8]
    ) {
        self.metadata = metadata
        self.keys = keys
    }
}
