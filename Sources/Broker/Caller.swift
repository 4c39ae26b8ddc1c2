public import FlowModel

/// Who asks, as the kernel says; nothing in a message widens it.
public struct Caller: Hashable, Sendable {
    /// The peer's uid on this machine: everything belongs to it.
    public let owner: Owner
    /// The peer's process, for the audit only.
    public let pid: Int32
    /// The peer's group.
    public let gid: UInt32
    /// Whether the configuration names this peer as an operator; an operator's method may ask for more.
    public let isOperator: Bool

    /// Who asks.
    public init(owner: Owner, pid: Int32, gid: UInt32, isOperator: Bool) {
        self.owner = owner
        self.pid = pid
        self.gid = gid
        self.isOperator = isOperator
    }
}
