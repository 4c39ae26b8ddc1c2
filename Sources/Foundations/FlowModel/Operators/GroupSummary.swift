/// A group of users, as operators see one.
public struct GroupSummary: Hashable, Sendable {
    /// The name, as it stands in tokens.
    public let group: String
    /// The number of users in it.
    public let count: Int64
    /// The first of them by object id; only in the answer about one group.
    public var members: [String]?

    /// A group.
    public init(group: String, count: Int64, members: [String]? = nil) {
        self.group = group
        self.count = count
        self.members = members
    }
}
