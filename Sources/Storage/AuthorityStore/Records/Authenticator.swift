public import FlowModel
public import OAuth

/// The authenticator app of a person, which counts wherever the person is.
public struct Authenticator: Hashable, Sendable {
    /// The person.
    public let user: UserID
    /// The key that the app and the authority share.
    public let key: Secret
    /// The newest time step whose code was taken: none that is not newer is taken again (RFC 6238 §5.2).
    public let step: Int64
    /// Milliseconds since 1970 UTC.
    public let enrolledAt: Int64

    /// The authenticator app of a person.
    public init(user: UserID, key: Secret, step: Int64, enrolledAt: Int64) {
        self.user = user
        self.key = key
        self.step = step
        self.enrolledAt = enrolledAt
    }
}
