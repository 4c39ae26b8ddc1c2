public import FlowModel
public import OAuth

/// A credential that a user enrolled at one owner.
///
/// Only that user's answers at that owner are compared with it.
public struct Enrolment: Hashable, Sendable {
    /// The kind of credential.
    ///
    /// A user can have one of each kind at an owner.
    public let credential: Credential
    /// The user's id.
    public let user: UserID
    /// The owner at which the credential was enrolled and is accepted.
    public let owner: Owner
    /// The secret that answers are compared with, such as the PHC string of a PIN.
    public let secret: Secret
    /// The time of enrolment, in milliseconds since 1970 UTC.
    public let enrolledAt: Int64

    /// Creates a credential of a user at an owner.
    public init(_ credential: Credential, of user: UserID, at owner: Owner, secret: Secret, enrolledAt: Int64) {
        self.credential = credential
        self.user = user
        self.owner = owner
        self.secret = secret
        self.enrolledAt = enrolledAt
    }
}

/// The key of a credential that a user may have enrolled at one owner.
public struct EnrolmentName: Hashable, Sendable {
    /// The kind of credential.
    public let credential: Credential
    /// The user's id.
    public let user: UserID
    /// The owner at which the credential is accepted.
    public let owner: Owner

    /// Creates the key of a user's credential at an owner.
    public init(_ credential: Credential, of user: UserID, at owner: Owner) {
        self.credential = credential
        self.user = user
        self.owner = owner
    }
}
