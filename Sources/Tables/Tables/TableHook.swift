/// A service that a table asks before an operation runs.
public struct TableHook: Hashable, Sendable {
    /// The address of a hook.
    public enum Address: Hashable, Sendable, CustomStringConvertible {
        /// A URL.
        case web(url: String)
        /// A Unix socket of this machine.
        case unixSocket(path: String)

        /// The address as the configuration spells it.
        public var description: String {
            switch self {
            case .web(let url): url
            case .unixSocket(let path): "unix:" + path
            }
        }
    }

    /// The operations of rows.
    public enum Operation: String, CaseIterable, Sendable {
        /// A list or a look-up.
        case read
        /// A new row.
        case insert
        /// Changes of a row.
        case update
        /// The end of a row.
        case delete
        /// The return of a deleted row.
        case undelete
    }

    /// The address of a hook.
    public let address: Address
    /// The operations it is asked about; others run without it.
    public let operations: Set<Operation>
    /// Seconds that one question may take, from the first attempt to reach it to the last byte of its answer.
    public let timeoutSec: Int

    /// A hook.
    public init(_ address: Address, operations: Set<Operation>, timeoutSec: Int) {
        self.address = address
        self.operations = operations
        self.timeoutSec = timeoutSec
    }
}
