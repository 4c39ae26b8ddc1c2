public import FlowModel
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

    /// Describes the method.
    public static let description = MethodDescription(
        "store.key",
        "Answers the key under which a program seals what it keeps of an account.",
        [.required("purpose", .string(1...64)), .requiredID("account")],
        changesState: true,
        // A repetition answers the same key.
        isRepeatable: true
    )

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

/// `store.backup`: copies the authority's store while it is in use; operators only.
public struct StoreBackup: BareMethod {
    /// The answer: `{path, bytes, at}`.
    public typealias Answer = BackupSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "store.backup",
        "Copies the authority's store, as it is now, into the state directory.",
        for: .operators,
        changesState: true,
        // Ten minutes, since a large store takes its time.
        deadline: .seconds(600)
    )

    /// A call without parameters.
    public init() {}
}

extension BackupSummary: WireValue {
    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            path: try reader.string("path"),
            bytes: reader.value["bytes"]?.int ?? 0,
            at: reader.value["at"]?.int ?? 0
        )
    }

    /// The answer as it is written.
    public var json: JSONValue { ["path": .string(path), "bytes": .int(bytes), "at": .int(at)] }
}
