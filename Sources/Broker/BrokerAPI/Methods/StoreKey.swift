public import OAuth

/// `store.key`: the key of a program's own store.
public struct StoreKey: BrokerMethod {
    /// The answer: `{key}`.
    public struct Answer: WireValue {
        /// 32 bytes.
        public let key: Secret

        /// An answer.
        public init(key: Secret) {
            self.key = key
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            guard let bytes = Base64URL.decode(try reader.string("key")), bytes.count == 32 else {
                throw UnreadableAnswer("key")
            }
            key = Secret(bytes: bytes)
        }

        /// The answer as it is written.
        public var json: JSONValue { ["key": .string(Base64URL.encode(key.revealBytes()))] }
    }

    /// The name on the wire.
    public static let name = "store.key"
    /// The sentence of `rpc.discover`.
    public static let summary = "Answers the key under which a program seals what it keeps of an account."
    /// The parameters.
    public static let fields: [Field] = [.required("purpose", .string(1...64)), .requiredID("account")]
    /// True: the first call makes the key.
    public static var changesState: Bool { true }
    /// True: a repetition answers the same key.
    public var isRepeatable: Bool { true }

    /// Tells the stores of one program apart.
    public let purpose: String
    /// The account's opaque id, as `account.list` answers it.
    public let account: String

    /// Asks for a key of `account`.
    public init(purpose: String, account: String) {
        self.purpose = purpose
        self.account = account
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        purpose = try members.required("purpose")
        account = try members.required("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["purpose": .string(purpose), "account": .string(account)] }
}
