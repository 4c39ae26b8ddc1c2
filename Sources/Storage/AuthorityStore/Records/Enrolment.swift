public import FlowModel
public import OAuth

/// A credential that a person has enrolled at one owner: nobody else's answers are compared with it.
public struct Enrolment: Hashable, Sendable {
    /// The credential, of which a person has one at an owner.
    public let credential: Credential
    /// The person.
    public let user: UserID
    /// The owner it was enrolled at, and is taken from.
    public let owner: Owner
    /// The secret that answers are compared with, such as the PHC string of a PIN.
    public let secret: Secret
    /// Milliseconds since 1970 UTC.
    public let enrolledAt: Int64

    /// A credential of a person at an owner.
    public init(_ credential: Credential, of user: UserID, at owner: Owner, secret: Secret, enrolledAt: Int64) {
        self.credential = credential
        self.user = user
        self.owner = owner
        self.secret = secret
        self.enrolledAt = enrolledAt
    }
}

/// The name of a credential that a person may have enrolled at one owner.
public struct EnrolmentName: Hashable, Sendable {
    /// The credential.
    public let credential: Credential
    /// The person.
    public let user: UserID
    /// The owner it is taken from.
    public let owner: Owner

    /// The name of a person's credential at an owner.
    public init(_ credential: Credential, of user: UserID, at owner: Owner) {
        self.credential = credential
        self.user = user
        self.owner = owner
    }
}
