/// Whom a table asks before an operation runs.
public struct TableHook: Hashable, Sendable {
    /// Where it listens.
    public enum Address: Hashable, Sendable, CustomStringConvertible {
        /// A URL.
        case web(url: String)
        /// A Unix socket of this machine.
        case unixSocket(path: String)

        /// As the configuration spells it.
        public var description: String {
            switch self {
            case .web(let url): url
            case .unixSocket(let path): "unix:" + path
            }
        }
    }

    /// What it can be asked about.
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

    /// Where it listens.
    public let address: Address
    /// What it is asked about; other operations run without it.
    public let operations: Set<Operation>
    /// How long one question may take in seconds, from the first attempt to reach it to the last byte of its answer.
    public let timeoutSec: Int

    /// A hook.
    public init(_ address: Address, operations: Set<Operation>, timeoutSec: Int) {
        self.address = address
        self.operations = operations
        self.timeoutSec = timeoutSec
    }
}
