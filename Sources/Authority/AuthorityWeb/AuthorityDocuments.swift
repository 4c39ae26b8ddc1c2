/// The documents that the authority publishes.
public struct AuthorityDocuments: Sendable {
    /// Returns a policy's metadata as JSON, or `nil` if the policy does not exist.
    let metadata: @Sendable (_ policy: String) -> [UInt8]?
    let keys: @Sendable () async throws -> [UInt8]
    /// Returns the cached JWK set without waiting, or `nil` if `keys` must be called.
    let readyKeys: @Sendable () -> [UInt8]?
    let defaultPolicy: @Sendable () -> String?
    /// Returns a dictionary from the name of each external provider to the name of the policy for signing in with that
    /// provider.
    let providers: @Sendable () -> [String: String]

    /// Creates the documents of one authority.
    ///
    /// - Parameters:
    ///   - metadata: Returns the JSON metadata of the policy with this lower-case name, or `nil` if there is no such
    ///     policy.
    ///   - keys: Returns the JWK set as JSON. If the closure throws, the error is logged and the server responds with
    ///     500.
    ///   - readyKeys: Returns the cached JWK set without waiting, or `nil` if `keys` must be called.
    ///   - defaultPolicy: Returns the name of the default policy for sign-in.
    ///   - providers: Returns a dictionary from the name of each external provider to the name of the policy for
    ///     signing in with that provider.
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
