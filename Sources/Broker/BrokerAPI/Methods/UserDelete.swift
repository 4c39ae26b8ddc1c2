/// `user.delete`: deletes a user; operators only.
public struct UserDelete: UserMethod {
    /// The answer.
    public typealias Answer = Removal

    /// The name on the wire.
    public static let name = "user.delete"
    /// The sentence of `rpc.discover`.
    public static let summary = "Deletes a user, with sessions, flows and renewals."
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String

    /// Deletes the user `user`.
    public init(user: String) {
        self.user = user
    }
}
