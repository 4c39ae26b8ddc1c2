public import OAuth

/// The caller of a method: the owner of everything that the call creates or sees, and the details that the audit and
/// the log record.
///
/// The value is created once, when a call arrives. Nothing in the message can give the caller additional rights.
public struct Caller: Hashable, Sendable {
    /// The owner of everything that the call creates or sees.
    public let owner: Owner
    /// The origin for which attempts are counted.
    public let origin: Origin
    /// The process at the other end of the socket, for the audit only.
    public let pid: Int32?
    /// Whether the configuration lists this peer as an operator.
    ///
    /// Operator methods can have further requirements.
    public let isOperator: Bool
    /// The id that links the response to the related log lines and audit events.
    public let correlationID: CorrelationID
    /// The steps and languages that the calling program supports.
    ///
    /// This information grants no permissions.
    public var presentation = Presentation()
    /// The process at the other end of the socket, or `nil` for a call that did not use the socket.
    public var peer: LocalPeer?
    /// The hash of the ticket in a browser's answer, or `nil` for a call over the socket.
    public var ticket: String?
    /// The owner identified by the browser's session cookie, or `nil` for a call over the socket or a browser without a
    /// cookie.
    ///
    /// The cookie can be newer than the flow.
    public var cookieOwner: Owner?

    /// Returns the same caller with the presentation for this mode.
    public func showing(_ mode: AcquireRequest.Mode) -> Caller {
        switch mode {
        case .native, .paste: return self
        case .browser, .device:
            var copy = self
            copy.presentation = presentation.inBrowser
            return copy
        }
    }

    /// Creates a caller that acts for an owner.
    ///
    /// If `origin` is `nil`, it is derived from the owner.
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
