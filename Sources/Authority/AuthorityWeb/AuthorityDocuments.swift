/// The documents published by the authority.
public struct AuthorityDocuments: Sendable {
    /// Returns a policy's metadata as JSON, or `nil` if the policy does not exist.
    let metadata: @Sendable (_ policy: String) -> [UInt8]?
    let keys: @Sendable () async throws -> [UInt8]
    /// Returns the cached JWK set without waiting, or `nil` if `keys` must be called.
    let readyKeys: @Sendable () -> [UInt8]?
    let defaultPolicy: @Sendable () -> String?
    /// Returns the names of the policies for signing in with external providers, by provider name.
    let providers: @Sendable () -> [String: String]

    /// Creates the documents of one authority.
    ///
    /// - Parameters:
    ///   - metadata: Returns the JSON metadata of the policy with this lower-case name, or `nil` if there is none.
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
