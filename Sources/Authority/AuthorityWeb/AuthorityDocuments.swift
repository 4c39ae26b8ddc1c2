/// The documents that the authority publishes.
public struct AuthorityDocuments: Sendable {
    /// Returns the metadata of a policy's issuer as JSON, or `nil` if the policy does not exist.
    let metadata: @Sendable (_ policy: String) -> [UInt8]?
    /// Returns the JWK set that verifies all tokens issued by the authority, as JSON (RFC 7517 §5).
    let keys: @Sendable () async throws -> [UInt8]
    /// Returns the cached JWK set without waiting, or `nil` if you must call `keys`.
    let readyKeys: @Sendable () -> [UInt8]?
    /// Returns the name of the default policy for sign-in, or `nil` if there is none.
    let defaultPolicy: @Sendable () -> String?
    /// Returns the names of the policies for signing in with external providers, by provider name.
    let providers: @Sendable () -> [String: String]

    /// Creates the documents of one authority.
    ///
    /// - Parameters:
    ///   - metadata: Returns the metadata of a policy's issuer as JSON, or `nil` if there is no such policy. The policy
    ///     name is in lower case.
    ///   - keys: Returns the JWK set as JSON. If it throws, the error is logged and the server responds with 500.
    ///   - readyKeys: Returns the cached JWK set without waiting, or `nil` if `keys` must be called.
    ///   - defaultPolicy: Returns the name of the default policy for sign-in.
    ///   - providers: Returns the names of the policies for signing in with external providers, by provider name.
    public init(
        metadata: @escaping @Sendable (_ policy: String) -> [UInt8]?,
        keys: @escaping @Sendable () async throws -> [UInt8],
        readyKeys: @escaping @Sendable () -> [UInt8]? = { nil },
        defaultPolicy: @escaping @Sendable () -> String? = { nil },
        providers: @escaping @Sendable () -> [String: String] = { [:] }
    ) {
        self.metadata = metadata
        self.keys = keys
        self.readyKeys = readyKeys
        self.defaultPolicy = defaultPolicy
        self.providers = providers
    }
}
