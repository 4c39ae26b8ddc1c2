public import Attempts
public import Credentials
public import TokenCache

/// What locking takes beside the cache: who counts wrong passphrases, who makes keys of them, and who keeps the key of an
/// unlocked cache over a restart.
public struct LockParts: Sendable {
    let attempts: Attempts
    let hasher: PasswordHasher
    let keep: @Sendable (VaultKey) -> Void
    let forget: @Sendable (UInt32) -> Void

    /// What locking takes.
    ///
    /// - Parameters:
    ///   - attempts: The rule of wrong answers.
    ///   - hasher: Makes keys of passphrases, so many at once.
    ///   - keep: Takes the key of a cache that was unlocked; nothing where keys live as long as the process.
    ///   - forget: Gives up the key of this uid.
    public init(
        attempts: Attempts,
        hasher: PasswordHasher,
        keep: @escaping @Sendable (VaultKey) -> Void = { _ in },
        forget: @escaping @Sendable (UInt32) -> Void = { _ in }
    ) {
        self.attempts = attempts
        self.hasher = hasher
        self.keep = keep
        self.forget = forget
    }
}
