public import FlowModel
public import OAuth

/// On whose behalf something is done, for the rows that remember it.
public struct Asker: Hashable, Sendable {
    /// The uid of a machine.
    public let owner: Owner
    /// The process at the other end of the socket, for the audit only.
    public let pid: Int32?
    /// What ties answer, log and audit together.
    public let correlation: CorrelationID

    /// On whose behalf something is done.
    public init(owner: Owner, pid: Int32? = nil, correlation: CorrelationID = .random()) {
        self.owner = owner
        self.pid = pid
        self.correlation = correlation
    }
}
