public import JSONRPC
public import OAuth

/// `session.signOut`: forgets one account of the caller, or all of them.
public struct SessionSignOut: BrokerMethod {
    /// On the wire.
    public static let name = "session.signOut"
    /// For `rpc.discover`.
    public static let summary = "Removes the tokens, sessions and flows of one account of the caller, or of all."
    /// The parameters.
    public static let fields: [Field] = [.id("account"), Field("all", .boolean), Field("revoke", .boolean)]
    /// It changes something.
    public static var changesState: Bool { true }
    /// What is gone is gone.
    public var isRepeatable: Bool { true }
    /// Half a minute, since others are told, too.
    public var deadline: Duration { .seconds(30) }

    /// Whose tokens, sessions and flows end.
    public enum Extent: Hashable, Sendable {
        /// Those of one account.
        case account(String)
        /// Those of all accounts of this uid.
        case all
    }

    /// Whose tokens, sessions and flows end.
    public let extent: Extent
    /// Whether what was issued is revoked where it was issued.
    public let revoke: Bool

    /// A call.
    public init(_ extent: Extent, revoke: Bool = true) {
        self.extent = extent
        self.revoke = revoke
    }

    /// A call, from checked parameters; exactly one of `account` and `all: true` must be there.
    public init(_ members: Members) throws(JSONRPCError) {
        switch (members.string("account"), members.flag("all")) {
        case (let account?, false): extent = .account(account)
        case (nil, true): extent = .all
        case (nil, false): throw Members.invalid("account", "must be given, or all: true")
        case (_?, true): throw Members.invalid("all", "cannot stand beside account")
        }
        revoke = members.bool("revoke") ?? true
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        switch extent {
        case .account(let account): object.set("account", account)
        case .all: object.set("all", true)
        }
        if !revoke { object.set("revoke", false) }
        return object.members
    }

    /// `{removed: {tokens, sessions, flows}, left}`.
    public struct Answer: WireValue, Hashable {
        /// How many tokens are gone.
        public let tokens: Int64
        /// How many sessions ended.
        public let sessions: Int64
        /// How many flows were cancelled.
        public let flows: Int64
        /// What could not be ended yet, in words.
        public let left: [String]

        /// What was removed.
        public init(tokens: Int64, sessions: Int64, flows: Int64, left: [String]) {
            self.tokens = tokens
            self.sessions = sessions
            self.flows = flows
            self.left = left
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            let removed = WireReader(try reader.json("removed"))
            tokens = try removed.int("tokens")
            sessions = try removed.int("sessions")
            flows = try removed.int("flows")
            left = reader.value["left"]?.strings ?? []
        }

        /// The answer as it is written.
        public var json: JSONValue {
            [
                "removed": ["tokens": .int(tokens), "sessions": .int(sessions), "flows": .int(flows)],
                "left": .array(left.map(JSONValue.string)),
            ]
        }
    }
}
