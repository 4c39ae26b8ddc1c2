/// The accounts that a sign-out covers.
public enum SignOutExtent: Hashable, Sendable {
    case all
    /// The accounts with the given ids; unknown ids are ignored.
    case accounts([String])
}

/// A sign-out that has been completed in the cache but not yet at the authorities.
public struct SignOutTicket: Hashable, Sendable {
    /// A user to sign out at an authority.
    public struct Target: Hashable, Sendable, Codable {
        /// The id of the user's account, which was removed from the cache.
        public let account: String
        /// The name of the authority, which is `local` unless the authority is external.
        public let authority: String
        /// The user's id at the authority.
        public let subject: String
    }

    /// The id of the row that stores the sign-out.
    public let id: String
    /// The uid that the accounts belonged to.
    public let uid: UInt32
    /// Whether to sign out all users of the uid, including users without an account in the cache.
    public let isAll: Bool
    /// The users whose accounts were removed.
    public let targets: [Target]
    /// When the sign-out was requested, in milliseconds since 1970 UTC.
    public let at: Int64
}

/// The result of removing accounts from the cache for a sign-out.
public struct SignOutResult: Hashable, Sendable {
    /// The number of access tokens that were removed.
    public let tokens: Int
    /// The number of accounts that were removed.
    public let accounts: Int
    /// The names of the removed accounts' authorities if the uid was locked and the users could not be determined.
    ///
    /// The array is empty if the uid was not locked.
    public let unopened: [String]
    /// The sign-out that still has to be completed at the authorities.
    public let ticket: SignOutTicket
}
