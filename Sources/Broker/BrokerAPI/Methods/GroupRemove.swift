/// `group.remove`: takes a user out of a group; operators only.
public struct GroupRemove: MembershipMethod {
    /// The answer.
    public typealias Answer = Removal

    /// The name on the wire.
    public static let name = "group.remove"
    /// The sentence of `rpc.discover`.
    public static let summary = "Takes a user out of a group; tokens say so from the next one on."

    /// The group.
    public let group: String
    /// The object id, or a sign-in name.
    public let user: String

    /// Takes `user` out of `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }
}
