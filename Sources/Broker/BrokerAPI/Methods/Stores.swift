public import FlowModel
public import OAuth

/// `store.key`: returns the key that a program uses to encrypt its own store.
public struct StoreKey: BrokerMethod, WireObject {
    /// The response: `{key}`.
    public struct Answer: WireValue {
        /// The key, which is 32 bytes long.
        public let key: Secret

        /// Creates a response.
        public init(key: Secret) {
            self.key = key
        }

        /// Reads a response from JSON.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            guard let bytes = Base64URL.decode(try reader.one("key")), bytes.count == 32 else {
                throw UnreadableAnswer("key")
            }
            key = Secret(bytes: bytes)
        }

        /// The response in JSON, with the key encoded in base64url.
        public var json: JSONValue { ["key": .string(Base64URL.encode(key.revealBytes()))] }
    }

    /// The parameters, as JSON members.
    public static let wire = WireMembers(
        Self.init(purpose:account:),
        Member("purpose", \.purpose, .name),
        Member("account", \.account, .id)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "store.key",
        "Returns the key for encrypting the data that a program stores for an account.",
        wire.fields,
        changesState: true,
        // Repeating the call is safe, because every call returns the same key.
        isRepeatable: true
    )

    /// The name that distinguishes this store from the program's other stores.
    public let purpose: String
    /// The opaque id of the account, as returned by `account.list`.
    public let account: String

    /// Creates a request for the key that `purpose` and `account` identify.
    public init(purpose: String, account: String) {
        self.purpose = purpose
        self.account = account
    }
}

/// `store.backup`: lets operators copy the authority's store while the store is in use.
public struct StoreBackup: BareMethod {
    /// The response: `{path, bytes, at}`.
    public typealias Answer = BackupSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "store.backup",
        "Copies the authority's store, as it is now, into the state directory.",
        for: .operators,
        changesState: true,
        // Allow ten minutes, because copying a large store takes a long time.
        deadline: .seconds(600)
    )

    /// Creates a call without parameters.
    public init() {}
}

extension BackupSummary: WireObject {
    /// The JSON members, which are used to read and write the response.
    public static let wire = WireMembers(
        Self.init(path:bytes:at:),
        Member("path", \.path),
        Member("bytes", \.bytes, or: 0),
        Member("at", \.at, or: 0)
    )
}
