public import OAuth

/// A port of this machine at which the browser of one sign-in comes back (RFC 8252 §7.3).
///
/// It is the daemon's: the program that wants the tokens never meets the code, and the browser has to prove that it is the
/// one that left before the code is redeemed.
public struct ReturnPort: Sendable {
    /// Opens a port at an address, which may have none, for a time.
    ///
    /// With a state the browser comes back; without one the port is only kept from others.
    public typealias Open = @Sendable (LoopbackURI, Secret?, Duration) throws(Unavailable) -> ReturnPort

    /// The number of the port.
    public let number: UInt16
    /// Closes it.
    let close: @Sendable () -> Void

    /// A port that is open.
    public init(number: UInt16, close: @escaping @Sendable () -> Void) {
        self.number = number
        self.close = close
    }

    /// An error for a port that cannot be had.
    public struct Unavailable: Error {
        /// True if somebody else has it.
        public let isInUse: Bool
        /// The cause in words, for the log.
        public let reason: String

        /// The port cannot be had.
        public init(isInUse: Bool, reason: String) {
            self.isInUse = isInUse
            self.reason = reason
        }
    }
}
