/// The sender of a request: a person with a token, a program with a key, both, or an anonymous sender.
public struct RequestIdentity: Sendable {
    /// The identity named by the request's token; nil without a token.
    public let identity: BearerIdentity?
    /// True if the request carries the application key.
    public let hasApplicationKey: Bool
    /// True if the request carries the master key.
    public let hasMasterKey: Bool
    /// The keys that are configured.
    let keys: AccessKeys
}
