public import OAuth

/// The origin of a call: the owner of everything it makes and sees, and the facts that audit and log keep of it.
///
/// It is made once, when a call arrives; nothing in a message widens it.
public struct Caller: Hashable, Sendable {
    /// The owner of everything that the call makes or sees.
    public let owner: Owner
    /// The process at the other end of the socket, for the audit only.
    public let pid: Int32?
    /// True if the configuration names this peer as an operator; an operator's method may require more.
    public let isOperator: Bool
    /// The id that answer, log and audit share.
    public let correlationID: CorrelationID

    /// A caller on behalf of an owner.
    public init(
        owner: Owner,
        pid: Int32? = nil,
        isOperator: Bool = false,
        correlationID: CorrelationID = .random()
    ) {
        self.owner = owner
        self.pid = pid
        self.isOperator = isOperator
        self.correlationID = correlationID
    }
}
