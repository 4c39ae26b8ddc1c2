public import FlowModel

/// `user.expirePassword`: asks a user for another password at the next sign-in; operators only.
public struct UserExpirePassword: UserMethod {
    /// The answer.
    public typealias Answer = One<UserSummary>

    /// The name on the wire.
    public static let name = "user.expirePassword"
    /// The sentence of `rpc.discover`.
    public static let summary = "Asks a user for another password at the next sign-in, and ends sessions and renewals."
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String

    /// Expires the password of the user `user`.
    public init(user: String) {
        self.user = user
    }
}
