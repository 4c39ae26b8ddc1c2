public import OAuth

/// An e-mail message to send.
public struct OutboxMail: Hashable, Sendable {
    /// The recipient's address.
    public let to: String
    /// The subject line, which can contain a code.
    public let subject: String
    /// The text, which can contain a code.
    public let body: Secret

    /// Creates a message.
    public init(to: String, subject: String, body: Secret) {
        self.to = to
        self.subject = subject
        self.body = body
    }
}

extension OutboxMail: CustomStringConvertible, CustomReflectable {
    /// A placeholder, because the subject and the text can contain a code.
    public var description: String { "<message>" }

    /// A mirror without children, because the subject and the text can contain a code.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An e-mail message that a sender has leased from the outbox.
public struct QueuedMail: Hashable, Sendable {
    /// The id of the message's row.
    public let id: String
    /// The message.
    public let mail: OutboxMail
    /// The number of delivery attempts, including the current one.
    public let tries: Int
}
