public import FlowModel
public import OAuth

/// `store.key`: the key of a program's own store.
public struct StoreKey: BrokerMethod, WireObject {
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
            guard let bytes = Base64URL.decode(try reader.one("key")), bytes.count == 32 else {
                throw UnreadableAnswer("key")
            }
            key = Secret(bytes: bytes)
        }

        /// The answer as it is written.
        public var json: JSONValue { ["key": .string(Base64URL.encode(key.revealBytes()))] }
    }

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(purpose:account:),
        Member("purpose", \.purpose, .name),
        Member("account", \.account, .id)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "store.key",
        "Answers the key under which a program seals what it keeps of an account.",
        wire.fields,
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

extension BackupSummary: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(path:bytes:at:),
        Member("path", \.path),
        Member("bytes", \.bytes, or: 0),
        Member("at", \.at, or: 0)
    )
}
