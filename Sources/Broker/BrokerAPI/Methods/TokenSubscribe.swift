public import FlowModel
public import OAuth

/// `token.subscribe`: notifications about the caller's cached tokens and accounts, until the connection ends.
public struct TokenSubscribe: AccountMethod {
    /// The notifications that follow.
    public struct Answer: WireValue, Hashable, Sendable {
        /// Their names.
        public let notifications: [String]

        /// Names the notifications that follow.
        public init(notifications: [String] = TokenEvent.Name.allCases.map(\.rawValue)) {
            self.notifications = notifications
        }

        /// Reads the answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            notifications = try reader.strings("notifications")
        }

        /// The answer as it is written.
        public var json: JSONValue { ["notifications": .array(notifications.map { .string($0) })] }
    }

    /// The name on the wire.
    public static let name = "token.subscribe"
    /// The sentence of `rpc.discover`.
    public static let summary =
        "Sends notifications over this connection: token.rotated, token.expiring and session.changed."

    /// The account whose notifications are sent; those of all of the caller's if nil.
    public let account: String?

    /// Asks for the notifications about `account`, or about all accounts.
    public init(account: String? = nil) {
        self.account = account
    }
}
