import FlowModel
public import OAuth

/// `broker.lock`: seals the caller's cache under a passphrase.
public struct BrokerLock: PassphraseMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "broker.lock",
        "Seals the caller's cache under a passphrase; until it is unlocked, no token is given.",
        fields,
        changesState: true,
        // One minute, enough for a full cache.
        deadline: .seconds(60)
    )

    /// The passphrase.
    public let passphrase: Secret

    /// Locks under `passphrase`.
    public init(passphrase: Secret) {
        self.passphrase = passphrase
    }
}

/// `broker.unlock`: opens the caller's cache by its passphrase.
public struct BrokerUnlock: PassphraseMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "broker.unlock",
        "Opens the caller's cache by its passphrase; wrong ones are counted.",
        fields,
        whileLocked: true,
        changesState: true,
        // One minute, enough for rows left by an interrupted lock, too.
        deadline: .seconds(60)
    )

    /// The passphrase.
    public let passphrase: Secret

    /// Unlocks by `passphrase`.
    public init(passphrase: Secret) {
        self.passphrase = passphrase
    }
}

/// A method that takes a passphrase and answers if the cache is locked afterwards.
public protocol PassphraseMethod: BrokerMethod where Answer == LockAnswer {
    /// The passphrase: 1 to 1024 bytes of UTF-8.
    var passphrase: Secret { get }
    /// Makes a call with `passphrase`.
    init(passphrase: Secret)
}

extension PassphraseMethod {
    /// The parameters.
    public static var fields: [Field] { [.required("passphrase", .string(1...1024))] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        let text: String = try members.required("passphrase")
        guard (1...1024).contains(text.utf8.count) else {
            throw Members.invalid("passphrase", Text("refusal.passphraseLength", ["most": 1024]))
        }
        self.init(passphrase: Secret(text))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["passphrase": .string(passphrase.reveal())] }
}

/// `{locked}`: the state of the caller's cache.
public struct LockAnswer: WireObject, Hashable {
    /// The members on the wire.
    public static let wire = WireMembers(Self.init(locked:), Member("locked", \.locked))

    /// True if it is locked.
    public let locked: Bool

    /// Tells if the caller's cache is locked.
    public init(locked: Bool) {
        self.locked = locked
    }
}
