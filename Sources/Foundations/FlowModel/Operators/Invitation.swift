/// An address that may sign up.
public struct Invitation: Hashable, Sendable {
    /// The address.
    public let email: String
    /// The end of the invitation, in milliseconds since 1970 UTC.
    public let expiresAt: Int64

    /// An address that may sign up.
    public init(email: String, expiresAt: Int64) {
        self.email = email
        self.expiresAt = expiresAt
    }
}
