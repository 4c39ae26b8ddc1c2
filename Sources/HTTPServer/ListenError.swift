/// Why a server cannot listen where it was told to.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way.
    public enum Code: String, Sendable {
        /// Somebody else listens there.
        case inUse
        /// The kernel refused, for example because the address is not this machine's.
        case refused
        /// What was handed over is not a listening socket, or the path holds something else.
        case notASocket
    }

    /// What stands in the way.
    public let code: Code
    /// Where the server should have listened.
    public let address: String
    /// What happened, in words; names the process that holds the address where it can be seen.
    public let reason: String

    /// The address and the reason in one sentence.
    public var description: String { "cannot listen on \(address): \(reason)" }
}
