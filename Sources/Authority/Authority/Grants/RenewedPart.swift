/// Which part of a family's grant to renew.
public enum RenewedPart: Sendable {
    /// Everything that the family still grants.
    case everything
    /// Everything that the family still grants, if that includes the request.
    case everythingWith(ResolvedRequest)
    /// Only the request (RFC 6749 §6).
    case only(ResolvedRequest)
}

/// The error for a request that the family does not cover.
///
/// The refresh token stays valid, because it was not used.
public struct UncoveredRequest: Error, Hashable {
    /// The request that is not covered.
    public let request: ResolvedRequest

    /// Creates the error for a request.
    public init(request: ResolvedRequest) {
        self.request = request
    }
}
