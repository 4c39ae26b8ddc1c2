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

    /// The passphrase, which must be 1 to 1024 bytes long in UTF-8.
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
        // Allow one minute, because this call also encrypts what an interrupted `broker.lock` left unencrypted.
        deadline: .seconds(60)
    )

    /// The passphrase, which must be 1 to 1024 bytes long in UTF-8.
    public let passphrase: Secret

    /// Creates a call that unlocks the cache with `passphrase`.
    public init(passphrase: Secret) {
        self.passphrase = passphrase
    }
}

/// A method that takes a passphrase, and whose response says whether the cache is locked after the call.
public protocol PassphraseMethod: BrokerMethod where Answer == LockAnswer {
    /// The passphrase, which must be 1 to 1024 bytes long in UTF-8.
    var passphrase: Secret { get }
    init(passphrase: Secret)
}

extension PassphraseMethod {
    /// The parameters that every passphrase method accepts.
    public static var fields: [Field] { [.required("passphrase", .string(1...1024))] }

    /// Creates a call from parameters that have already been validated.
    public init(_ members: Members) throws(JSONRPCError) {
        let text: String = try members.required("passphrase")
        guard (1...1024).contains(text.utf8.count) else {
            throw Members.invalid("passphrase", Text("refusal.passphraseLength", ["most": 1024]))
        }
        self.init(passphrase: Secret(text))
    }

    /// The parameters of this call in JSON.
    public var params: [String: JSONValue] { ["passphrase": .string(passphrase.reveal())] }
}

/// The response `{locked}`, which says whether the caller's cache is locked.
public struct LockAnswer: WireObject, Hashable {
    /// The JSON members, which are used to read and write the response.
    public static let wire = WireMembers(Self.init(locked:), Member("locked", \.locked))

    /// Whether the cache is locked.
    public let locked: Bool

    /// Creates a response that says whether the cache is locked.
    public init(locked: Bool) {
        self.locked = locked
    }
}
