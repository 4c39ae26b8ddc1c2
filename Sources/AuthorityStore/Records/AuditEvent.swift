public import FlowModel
public import OAuth

/// Something that somebody may later want to know happened; holds no secret.
public struct AuditEvent: Hashable, Sendable {
    /// The kind of event.
    public var kind: AuditKind
    /// Whose doing it was, or whom it concerns.
    public var owner: Owner?
    /// The person it concerns.
    public var user: UserID?
    /// The program.
    public var client: String?
    /// The policy.
    public var policy: String?
    /// What ties it to an answer and to lines in logs.
    public var correlationID: CorrelationID
    /// The process at the other end of the socket.
    public var pid: Int32?
    /// What else is known.
    public var detail: [String: String]

    /// Something that happened.
    public init(
        _ kind: AuditKind,
        owner: Owner? = nil,
        user: UserID? = nil,
        client: String? = nil,
        policy: String? = nil,
        correlationID: CorrelationID,
        pid: Int32? = nil,
        detail: [String: String] = [:]
    ) {
        self.kind = kind
        self.owner = owner
        self.user = user
        self.client = client
        self.policy = policy
        self.correlationID = correlationID
        self.pid = pid
        self.detail = detail
    }

    /// Something that a caller did, or that happened to what is theirs.
    public init(
        _ kind: AuditKind,
        by caller: Caller,
        user: UserID? = nil,
        client: String? = nil,
        policy: String? = nil,
        detail: [String: String] = [:]
    ) {
        self.init(
            kind,
            owner: caller.owner,
            user: user,
            client: client,
            policy: policy,
            correlationID: caller.correlationID,
            pid: caller.pid,
            detail: detail
        )
    }
}

/// A mail that is to be sent.
public struct OutboxMail: Hashable, Sendable {
    /// Whom to.
    public let to: String
    /// What about.
    public let subject: String
    /// The text; may hold a code.
    public let body: Secret

    /// A mail that is to be sent.
    public init(to: String, subject: String, body: Secret) {
        self.to = to
        self.subject = subject
        self.body = body
    }
}

/// A mail that somebody has taken to send it.
public struct QueuedMail: Hashable, Sendable {
    /// The row.
    public let id: String
    /// The mail.
    public let mail: OutboxMail
    /// How often it was taken, this time included.
    public let tries: Int

    /// A mail that somebody has taken.
    public init(id: String, mail: OutboxMail, tries: Int) {
        self.id = id
        self.mail = mail
        self.tries = tries
    }
}
