/// A provider outside, and the time since which a person's account there is linked to the one here.
public struct LinkedProvider: Hashable, Sendable {
    /// The provider's name in the configuration.
    public let name: String
    /// The provider's name for people; that of the configuration if it is not configured any more.
    public let displayName: String
    /// Time of the link, in milliseconds since 1970 UTC; nil if there is none.
    public let linkedAt: Int64?
}
