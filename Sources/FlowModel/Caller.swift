public import OAuth

/// A call's origin: the owner of what it makes and sees, and what audit and log keep of it.
///
/// It is made once, where a call arrives; nothing in a message widens it.
public struct Caller: Hashable, Sendable {
    /// The owner of everything that the call makes or sees.
    public let owner: Owner
    /// The process at the other end of the socket, for the audit only.
    public let pid: Int32?
    /// Whether the configuration names this peer as an operator; an operator's method may ask for more.
    public let isOperator: Bool
    /// The id under which answer, log and audit have the call.
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
