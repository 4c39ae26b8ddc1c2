/// Who sent a request: a person by a token, a program by a key, both, or nobody that is known.
public struct Visitor: Sendable {
    /// Whose token came with the request, if one did.
    public let caller: Caller?
    /// Whether the application key came with it.
    public let hasApplicationKey: Bool
    /// Whether the master key came with it.
    public let hasMasterKey: Bool
    /// Which keys there are.
    let keys: AccessKeys
}
