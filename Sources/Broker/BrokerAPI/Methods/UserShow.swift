public import FlowModel

/// `user.show`: one user; operators only.
public struct UserShow: UserMethod {
    /// The answer.
    public typealias Answer = One<UserSummary>

    /// The name on the wire.
    public static let name = "user.show"
    /// The sentence of `rpc.discover`.
    public static let summary = "Shows a user, with attributes."

    /// The object id, or a sign-in name.
    public let user: String

    /// Asks for the user `user`.
    public init(user: String) {
        self.user = user
    }
}
