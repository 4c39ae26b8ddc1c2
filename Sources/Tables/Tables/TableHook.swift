/// A service that the server calls before an operation on a table runs.
public struct TableHook: Hashable, Sendable {
    /// The address of a hook.
    public enum Address: Hashable, Sendable, CustomStringConvertible {
        /// An HTTP or HTTPS URL.
        case web(url: String)
        /// The path of a local Unix socket.
        case unixSocket(path: String)

        /// The address as written in the configuration.
        public var description: String {
            switch self {
            case .web(let url): url
            case .unixSocket(let path): "unix:" + path
            }
        }
    }

    /// An operation on rows before which the server can call a hook.
    public enum Operation: String, CaseIterable, Sendable {
        case read
        case insert
        case update
        case delete
        case undelete
    }

    /// The address of the hook.
    public let address: Address
    /// The operations for which the server calls the hook.
    public let operations: Set<Operation>
    /// The time limit for one call, in seconds, from the first connection attempt to the last byte of the response.
    public let timeoutSec: Int

    /// Creates a hook.
    public init(_ address: Address, operations: Set<Operation>, timeoutSec: Int) {
        self.address = address
        self.operations = operations
        self.timeoutSec = timeoutSec
    }
}
