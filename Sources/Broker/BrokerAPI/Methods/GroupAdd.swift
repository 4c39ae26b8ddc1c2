public import FlowModel

/// `group.add`: puts a user into a group; operators only.
public struct GroupAdd: MembershipMethod {
    /// The answer.
    public typealias Answer = One<GroupSummary>

    /// The name on the wire.
    public static let name = "group.add"
    /// The sentence of `rpc.discover`.
    public static let summary = "Puts a user into a group; tokens say so from the next one on."

    /// The group.
    public let group: String
    /// The object id, or a sign-in name.
    public let user: String

    /// Puts `user` into `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }
}
