public import OAuth

/// `authority.remove`: removes an outside authority of the caller's uid, and signs its accounts out.
public struct AuthorityRemove: BrokerMethod {
    /// The answer: `{removed, left}`.
    public struct Answer: WireValue, Hashable {
        /// The name of the authority.
        public let removed: String
        /// What could not be ended there, in words.
        public let left: [String]

        /// An answer.
        public init(removed: String, left: [String]) {
            self.removed = removed
            self.left = left
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            removed = try reader.string("removed")
            left = try reader.strings("left")
        }

        /// The answer as it is written.
        public var json: JSONValue { ["removed": .string(removed), "left": .array(left.map { .string($0) })] }
    }

    /// The name on the wire.
    public static let name = "authority.remove"
    /// The sentence of `rpc.discover`.
    public static let summary = "Removes an outside authority of the caller's uid, and signs its accounts out."
    /// The parameters.
    public static let fields: [Field] = [.required("name", .string(1...64))]
    /// True: it is gone afterwards.
    public static var changesState: Bool { true }
    /// Half a minute, since tokens are revoked.
    public var deadline: Duration { .seconds(30) }

    /// The name of the authority.
    public let name: String

    /// Removes the authority of a name.
    public init(name: String) {
        self.name = name
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        name = try members.required("name")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["name": .string(name)] }
}
