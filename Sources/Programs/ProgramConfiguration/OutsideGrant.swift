/// The grants by which an outside authority gives tokens; the raw values are the words of the configuration.
public enum OutsideGrant: String, CaseIterable, Hashable, Sendable {
    /// A person signs in there (RFC 6749 §4.1).
    case authorizationCode = "authorization_code"
    /// It gives them to us, as a service (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    /// It takes a token of ours in exchange (RFC 8693).
    case tokenExchange = "token_exchange"
}
