public import FlowModel

/// `user.unlock`: lifts the blocks on a user's attempts; operators only.
public struct UserUnlock: UserMethod {
    /// The answer.
    public typealias Answer = One<UserSummary>

    /// The name on the wire.
    public static let name = "user.unlock"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lifts the blocks on a user's attempts."
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String

    /// Unlocks the user `user`.
    public init(user: String) {
        self.user = user
    }
}
