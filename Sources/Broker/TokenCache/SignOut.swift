/// The accounts that a sign-out covers.
public enum SignOutExtent: Hashable, Sendable {
    /// Every account of the uid.
    case all
    /// These accounts.
    case accounts([String])
}

/// A sign-out that the cache has done and that authorities have yet to do.
public struct SignOutTicket: Hashable, Sendable {
    /// A person to be signed out at an authority.
    public struct Target: Hashable, Sendable, Codable {
        /// The id of the removed account.
        public let account: String
        /// The authority.
        public let authority: String
        /// The person's id there.
        public let subject: String
    }

    /// The id of its row.
    public let id: String
    /// The uid.
    public let uid: UInt32
    /// True if everybody of the uid is to be signed out, known to the cache or not.
    public let isAll: Bool
    /// The persons whose accounts were removed.
    public let targets: [Target]
    /// Time of the request, in milliseconds since 1970 UTC.
    public let at: Int64
}

/// The result of a sign-out in the cache.
public struct SignOutResult: Hashable, Sendable {
    /// Access tokens that were removed.
    public let tokens: Int
    /// Accounts that were removed.
    public let accounts: Int
    /// The authorities of accounts that were locked, so that the persons to sign out there are unknown.
    public let unopened: [String]
    /// The part that the authorities have yet to do.
    public let ticket: SignOutTicket
}
