/// The part of a token family's grant that is to be renewed.
public enum RenewedPart: Sendable {
    /// Everything that the family still grants.
    case everything
    /// Everything that the family still grants, on condition that the family covers this request.
    case everythingWith(ResolvedRequest)
    /// Only the part of the grant that this request asks for (RFC 6749 §6).
    case only(ResolvedRequest)
    /// Only what identifies the user: an ID token, and an access token for the client itself without API scopes.
    case identity
}

/// The error thrown, before the refresh token is consumed, if a token family does not cover a request.
public struct UncoveredRequest: Error, Hashable {
    /// The request that the token family does not cover.
    public let request: ResolvedRequest

    /// Creates the error for a request that the token family does not cover.
    public init(request: ResolvedRequest) {
        self.request = request
    }
}
