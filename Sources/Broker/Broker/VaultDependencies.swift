public import Attempts
public import Credentials
public import TokenCache

/// The parts that locking needs beside the cache.
///
/// They count wrong passphrases, derive keys from passphrases, and keep the key of an unlocked cache over a restart.
public struct VaultDependencies: Sendable {
    let attempts: Attempts
    let hasher: PasswordHasher
    let keep: @Sendable (VaultKey) -> Void
    let forget: @Sendable (UInt32) -> Void

    /// Puts the parts together.
    ///
    /// - Parameters:
    ///   - attempts: The rule of wrong answers.
    ///   - hasher: Derives keys from passphrases, a limited number at once.
    ///   - keep: Stores the key of an unlocked cache; nothing is stored by default, so that keys live as long as the
    ///     process.
    ///   - forget: Deletes the stored key of this uid.
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
