/// The names of an authority that a client's statement to it may be for (RFC 7523 §3).
public enum AssertionAudience: String, CaseIterable, Hashable, Sendable {
    /// Its issuer.
    case issuer
    /// Its token endpoint.
    case tokenEndpoint = "token_endpoint"
}
