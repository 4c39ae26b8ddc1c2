public import OAuth

/// A mail to be sent.
public struct OutboxMail: Hashable, Sendable {
    /// The recipient's address.
    public let to: String
    /// The subject line.
    public let subject: String
    /// The text; may hold a code.
    public let body: Secret

    /// A mail to be sent.
    public init(to: String, subject: String, body: Secret) {
        self.to = to
        self.subject = subject
        self.body = body
    }
}

/// A mail of the outbox that a sender has taken.
public struct QueuedMail: Hashable, Sendable {
    /// The id of its row.
    public let id: String
    /// The mail.
    public let mail: OutboxMail
    /// Number of times it was taken, including this one.
    public let tries: Int
}
