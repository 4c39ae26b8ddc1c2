public import FlowModel
public import OAuth

/// A credential that a user has enrolled for one owner, and that is accepted only for that owner.
public struct Enrolment: Hashable, Sendable {
    /// The kind of credential, of which a user can have one per owner.
    public let credential: Credential
    /// The user's id.
    public let user: UserID
    /// The only owner for which the credential is accepted.
    public let owner: Owner
    /// The secret that answers are compared with, such as the PHC string of a PIN.
    public let secret: Secret
    /// The time of enrolment, in milliseconds since 1970 UTC.
    public let enrolledAt: Int64

    /// Creates a user's credential for an owner.
    public init(_ credential: Credential, of user: UserID, at owner: Owner, secret: Secret, enrolledAt: Int64) {
        self.credential = credential
        self.user = user
        self.owner = owner
        self.secret = secret
        self.enrolledAt = enrolledAt
    }
}

/// The key for looking up whether a user has enrolled a credential for an owner.
public struct EnrolmentName: Hashable, Sendable {
    /// The kind of credential.
    public let credential: Credential
    /// The user's id.
    public let user: UserID
    /// The owner for which the credential is accepted.
    public let owner: Owner

    /// Creates the lookup key of a user's credential for an owner.
    public init(_ credential: Credential, of user: UserID, at owner: Owner) {
        self.credential = credential
        self.user = user
        self.owner = owner
    }
}
