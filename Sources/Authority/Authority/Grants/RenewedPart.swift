/// The part of a family that its refresh token is redeemed for.
public enum RenewedPart: Sendable {
    /// Everything that the family still grants.
    case everything
    /// Everything likewise, provided that the request is among it.
    case everythingWith(ResolvedRequest)
    /// The request alone (RFC 6749 §6).
    case only(ResolvedRequest)
}

/// A request that a family does not cover; its refresh token was not used.
public struct UncoveredRequest: Error, Hashable {
    /// The request.
    public let request: ResolvedRequest

    /// The error about a request.
    public init(request: ResolvedRequest) {
        self.request = request
    }
}
