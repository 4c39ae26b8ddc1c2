/// The header field in which a proxy sends the address of the client whose request it forwards.
public enum ForwardedHeader: String, Sendable, CaseIterable {
    /// The field that RFC 7239 defines.
    case forwarded = "Forwarded"
    /// The older field with a list of addresses, which no standard defines.
    case xForwardedFor = "X-Forwarded-For"
}
