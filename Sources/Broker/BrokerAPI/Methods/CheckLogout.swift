/// `check.logout`: ends one check of an account.
public struct CheckLogout: AccountCheckMethod {
    /// The name on the wire.
    public static let name = "check.logout"
    /// The sentence of `rpc.discover`.
    public static let summary = "Ends a check: what asks for it is not granted until it is proved again."
    /// True: it begins a flow, or ends a check.
    public static var changesState: Bool { true }
    /// True: a repetition finds nothing left to end.
    public var isRepeatable: Bool { true }

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy; nil for the one that the account signed in with.
    public let policy: String?
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}
