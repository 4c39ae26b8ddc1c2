public import OAuth

/// The caller of a method, determined when the call arrives, so that nothing in the message can add rights.
public struct Caller: Hashable, Sendable {
    /// The owner of everything that the call creates or accesses.
    public let owner: Owner
    /// The origin whose limits the caller's attempts count toward.
    public let origin: Origin
    /// The id of the process at the other end of the socket, for the audit log only.
    public let pid: Int32?
    /// Whether the configuration lists the caller as an operator.
    public let isOperator: Bool
    /// The id that links the response to log lines and audit events.
    public let correlationID: CorrelationID
    /// The steps that the calling program can display, and the user's language, neither of which affects permissions.
    public var presentation = Presentation()
    /// The uid and gids of the process at the other end of the socket, or `nil` for a call that did not use the socket.
    public var peer: LocalPeer?
    /// The hash of the ticket that associates the calling browser with the flow, or `nil` for a call over the socket.
    public var ticket: String?
    /// The owner that the browser's session cookie identifies, or `nil` if the call has no session cookie.
    ///
    /// The cookie may have been set after the flow started.
    public var cookieOwner: Owner?

    /// Returns a copy of the caller whose ``presentation`` lists the steps that can be displayed in `mode`.
    public func showing(_ mode: AcquireRequest.Mode) -> Caller {
        switch mode {
        case .native, .paste: return self
        case .browser, .device:
            var copy = self
            copy.presentation = presentation.inBrowser
            return copy
        }
    }

    /// Creates a caller that acts for an owner, with the owner's origin if `origin` is `nil`.
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
