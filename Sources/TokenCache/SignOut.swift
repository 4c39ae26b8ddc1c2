/// Which accounts are to be signed out.
public enum SignOutExtent: Hashable, Sendable {
    /// Every account of the uid.
    case all
    /// These accounts.
    case accounts([String])
}

/// A sign-out that the cache has done and the authorities have still to do.
public struct SignOutTicket: Hashable, Sendable {
    /// Somebody to be signed out at an authority.
    public struct Target: Hashable, Sendable, Codable {
        /// The account that was.
        public let account: String
        /// The authority.
        public let authority: String
        /// The person's id there.
        public let subject: String
    }

    /// The row.
    public let id: String
    /// The uid.
    public let uid: UInt32
    /// Whether everybody of the uid is to be signed out, known to the cache or not.
    public let isAll: Bool
    /// Whose accounts were removed.
    public let targets: [Target]
    /// When it was asked for, in milliseconds since 1970 UTC.
    public let at: Int64
}

/// What a sign-out removed from the cache.
public struct SignOutResult: Hashable, Sendable {
    /// Access tokens that were removed.
    public let tokens: Int
    /// Accounts that were removed.
    public let accounts: Int
    /// The authorities of accounts that were locked, so that nobody knows whom to sign out there.
    public let unopened: [String]
    /// What is left to do at the authorities.
    public let ticket: SignOutTicket
}
