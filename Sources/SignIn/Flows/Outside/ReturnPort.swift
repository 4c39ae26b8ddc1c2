public import OAuth

/// A local port that the browser returns to at the end of one sign-in (RFC 8252 §7.3).
///
/// The daemon owns the port, so the program that requests the tokens never sees the authorization code. Before the code
/// is redeemed, the browser must show that it started the sign-in.
public struct ReturnPort: Sendable {
    /// Opens a port for a limited time, on any free port number if the redirect URI does not specify one.
    ///
    /// The secret is the `state` that the browser must bring back, or `nil` to only reserve the port.
    public typealias Open = @Sendable (LoopbackURI, Secret?, Duration) throws(Unavailable) -> ReturnPort

    /// The port number.
    public let number: UInt16
    let close: @Sendable () -> Void

    /// Creates a value for a port that is already open.
    public init(number: UInt16, close: @escaping @Sendable () -> Void) {
        self.number = number
        self.close = close
    }

    /// The error thrown if a port cannot be opened.
    public struct Unavailable: Error {
        /// Whether another process is using the port.
        public let isInUse: Bool
        /// The cause, for the log.
        public let reason: String

        /// Creates an error.
        public init(isInUse: Bool, reason: String) {
            self.isInUse = isInUse
            self.reason = reason
        }
    }
}
