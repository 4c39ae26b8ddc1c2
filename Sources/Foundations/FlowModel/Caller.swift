public import OAuth

/// The origin of a call: the owner of everything it makes and sees, and the facts that audit and log keep of it.
///
/// It is made once, when a call arrives; nothing in a message widens it.
public struct Caller: Hashable, Sendable {
    /// The owner of everything that the call makes or sees.
    public let owner: Owner
    /// The place it comes from, for which attempts are counted.
    public let origin: Origin
    /// The process at the other end of the socket, for the audit only.
    public let pid: Int32?
    /// True if the configuration names this peer as an operator; an operator's method may require more.
    public let isOperator: Bool
    /// The id that answer, log and audit share.
    public let correlationID: CorrelationID
    /// The abilities of the calling program; they open nothing.
    public var presentation = Presentation()
    /// The process at the other end of the socket; `nil` for a call that came another way.
    public var peer: LocalPeer?
    /// The ticket by which a browser answers, as its hash; nil at the socket.
    public var ticket: String?
    /// The owner of the browser's session cookie, which may be newer than the flow; nil at the socket and without one.
    public var cookieOwner: Owner?

    /// The same caller, whose flow is shown at this place.
    public func showing(_ mode: AcquireRequest.Mode) -> Caller {
        switch mode {
        case .native, .paste: return self
        case .browser, .device:
            var copy = self
            copy.presentation = presentation.inBrowser
            return copy
        }
    }

    /// A caller on behalf of an owner; the origin follows from the owner if it is left out.
    public init(
        owner: Owner,
        origin: Origin? = nil,
        pid: Int32? = nil,
        isOperator: Bool = false,
        correlationID: CorrelationID = .random()
    ) {
        self.owner = owner
        self.origin = origin ?? owner.origin
        self.pid = pid
        self.isOperator = isOperator
        self.correlationID = correlationID
    }
}
