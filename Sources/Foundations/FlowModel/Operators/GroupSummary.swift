/// A group of users, as reported to operators.
public struct GroupSummary: Hashable, Sendable {
    /// The name of the group, as it appears in tokens.
    public let group: String
    /// The number of members.
    public let count: Int64
    /// The object ids of one page of members, present only in the response for a single group.
    public var members: [String]?

    /// Creates the summary of a group.
    public init(group: String, count: Int64, members: [String]? = nil) {
        self.group = group
        self.count = count
        self.members = members
    }
}
