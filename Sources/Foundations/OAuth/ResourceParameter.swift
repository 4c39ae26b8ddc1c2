/// The parameters by which authorities take the name of an API.
public enum ResourceParameter: String, CaseIterable, Hashable, Sendable {
    /// `resource` (RFC 8707 §2).
    case resource
    /// `audience` (RFC 8693 §2.1), which some take at every endpoint.
    case audience
    /// One more of `scope`.
    case scope
}
