import FlowModel
public import OAuth

/// `broker.lock`: encrypts the caller's cache with a passphrase.
public struct BrokerLock: PassphraseMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "broker.lock",
        "Encrypts the caller's cache with a passphrase; no tokens are returned until it is unlocked.",
        fields,
        changesState: true,
        // Allow one minute, which is enough to encrypt a full cache.
        deadline: .seconds(60)
    )

    /// The passphrase: 1 to 1024 bytes of UTF-8.
    public let passphrase: Secret

    /// Creates a call that locks the cache with `passphrase`.
    public init(passphrase: Secret) {
        self.passphrase = passphrase
    }
}

/// `broker.unlock`: unlocks the caller's cache with its passphrase.
public struct BrokerUnlock: PassphraseMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "broker.unlock",
        "Unlocks the caller's cache with its passphrase; wrong attempts are limited.",
        fields,
        whileLocked: true,
        changesState: true,
        // Allow one minute, which is enough even if an interrupted `broker.lock` has left rows to encrypt.
        deadline: .seconds(60)
    )

    /// The passphrase: 1 to 1024 bytes of UTF-8.
    public let passphrase: Secret

    /// Creates a call that unlocks the cache with `passphrase`.
    public init(passphrase: Secret) {
        self.passphrase = passphrase
    }
}

/// A method that takes a passphrase and returns whether the cache is locked after the call.
public protocol PassphraseMethod: BrokerMethod where Answer == LockAnswer {
    /// The passphrase: 1 to 1024 bytes of UTF-8.
    var passphrase: Secret { get }
    /// Creates a call with `passphrase`.
    init(passphrase: Secret)
}

extension PassphraseMethod {
    /// The parameters that the method accepts.
    public static var fields: [Field] { [.required("passphrase", .string(1...1024))] }

    /// Reads parameters that have already been checked.
    public init(_ members: Members) throws(JSONRPCError) {
        let text: String = try members.required("passphrase")
        guard (1...1024).contains(text.utf8.count) else {
            throw Members.invalid("passphrase", Text("refusal.passphraseLength", ["most": 1024]))
        }
        self.init(passphrase: Secret(text))
    }

    /// The parameters in JSON.
    public var params: [String: JSONValue] { ["passphrase": .string(passphrase.reveal())] }
}

/// The response `{locked}`: the state of the caller's cache.
public struct LockAnswer: WireObject, Hashable {
    /// The JSON members, for reading and writing.
    public static let wire = WireMembers(Self.init(locked:), Member("locked", \.locked))

    /// Whether the cache is locked.
    public let locked: Bool

    /// Creates a response with the state of the cache.
    public init(locked: Bool) {
        self.locked = locked
    }
}
