/// A mail server that takes mails for others (RFC 6409).
public struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// Its name or address.
    public let host: String
    /// Its port.
    public let port: Int
    /// True if nothing but the greeting is sent without TLS (RFC 3207).
    public let requiresTLS: Bool
    /// As whom mails are handed over; nothing if it asks nobody.
    public let username: String?

    /// A mail server.
    public init(host: String, port: Int, requiresTLS: Bool, username: String?) {
        self.host = host
        self.port = port
        self.requiresTLS = requiresTLS
        self.username = username
    }

    /// Its name and port.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
