/// An invitation to sign up with a particular e-mail address.
public struct Invitation: Hashable, Sendable {
    /// The e-mail address.
    public let email: String
    /// The time at which the invitation expires, in milliseconds since 1970 UTC.
    public let expiresAt: Int64

    /// Creates an invitation.
    public init(email: String, expiresAt: Int64) {
        self.email = email
        self.expiresAt = expiresAt
    }
}
