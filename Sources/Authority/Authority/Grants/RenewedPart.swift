/// Which part of a token family's grant to renew.
public enum RenewedPart: Sendable {
    /// Everything that the family still grants.
    case everything
    /// Everything that the family still grants. The family must cover this request.
    case everythingWith(ResolvedRequest)
    /// Only the part that this request asks for (RFC 6749 §6).
    case only(ResolvedRequest)
}

/// The error for a request that the token family does not cover, thrown before the refresh token is used.
public struct UncoveredRequest: Error, Hashable {
    /// The request that is not covered.
    public let request: ResolvedRequest

    /// Creates the error for a request that is not covered.
    public init(request: ResolvedRequest) {
        self.request = request
    }
}
