/// `check.status`: the state of one check for an account.
public struct CheckStatusQuery: AccountCheckMethod {
    /// The name on the wire.
    public static let name = "check.status"
    /// The sentence of `rpc.discover`.
    public static let summary = "Says whether a check is proved, blocked or neither; changes nothing."

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
