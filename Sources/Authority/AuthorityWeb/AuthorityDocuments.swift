/// The documents that the authority publishes.
public struct AuthorityDocuments: Sendable {
    let metadata: @Sendable (_ policy: String) -> [UInt8]?
    let keys: @Sendable () async throws -> [UInt8]
    let readyKeys: @Sendable () -> [UInt8]?
    let defaultPolicy: @Sendable () -> String?
    let providers: @Sendable () -> [String: String]

    /// Creates the documents of one authority.
    ///
    /// - Parameters:
    ///   - metadata: Returns the JSON metadata of the policy with this lower-case name, or `nil` if there is none.
    ///   - keys: Returns the JWK set as JSON. If it throws, the server logs the error and responds with 500.
    ///   - readyKeys: Returns the cached JWK set without waiting, or `nil` if `keys` must be called.
    ///   - defaultPolicy: Returns the name of the default policy for sign-in.
    ///   - providers: Returns the name of the sign-in policy for each external provider, keyed by provider name.
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
