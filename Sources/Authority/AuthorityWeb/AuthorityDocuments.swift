/// The public documents of the authority.
public struct AuthorityDocuments: Sendable {
    /// The metadata of a policy's issuer, as JSON; nil if there is no such policy.
    let metadata: @Sendable (_ policy: String) -> [UInt8]?
    /// The JWK set that verifies every token of the authority, as JSON (RFC 7517 §5).
    let keys: @Sendable () async throws -> [UInt8]
    /// The same where nothing has to be waited for; nil else.
    let readyKeys: @Sendable () -> [UInt8]?
    /// The policy at which a person signs in who was sent to none; nil if there is none.
    let defaultPolicy: @Sendable () -> String?
    /// The policy at which people sign in with each provider outside, by the provider's name.
    let providers: @Sendable () -> [String: String]

    /// Makes the documents of one authority.
    ///
    /// - Parameters:
    ///   - metadata: Returns the metadata of the issuer of a policy as JSON, its name in lower case; nil if there is none.
    ///   - keys: Returns the JWK set as JSON; an error is logged and answered with 500.
    ///   - readyKeys: Returns the same without waiting; nil if `keys` has to be asked.
    ///   - defaultPolicy: Returns the policy at which a person signs in who was sent to none.
    ///   - providers: Returns the policy at which people sign in with each provider outside, by the provider's name.
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
