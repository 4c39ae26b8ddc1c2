public import Attempts
import Authority
public import Credentials
public import FlowModel
import Flows
import Foundation
import Logging
public import OAuth
import Storage
import StoreRefusals
public import TokenCache

/// The lock of a uid's cache: it seals the cache under a passphrase, and opens it again.
public struct CacheLock: Sendable {
    let cache: TokenCache
    let flows: FlowDirectory
    let authority: Authority
    let parts: VaultDependencies
    let machine: String
    let logger: Logger

    /// The budget of wrong passphrases.
    static let passphraseBudget = CheckBudget(
        credential: Credential(rawValue: "vault"),
        maxAttempts: 5,
        block: .seconds(60)
    )

    /// Seals the uid's cache under a passphrase, and forgets the key that opens it.
    ///
    /// Open flows end: a half-completed one is not left to the next person at the terminal.
    public func lock(_ passphrase: Secret, caller: Caller) async throws {
        let uid = try caller.owner.cacheUID
        // A locked cache is not locked again by another passphrase, and no key is derived for it.
        guard !cache.vaults.isLocked(uid: uid) else { throw Broker.locked }
        let place = try place(caller.owner)
        let made = try await parts.hasher.key(of: passphrase, pepper: cache.vaults.pepper, in: place)
        let left = try await Broker.rows.storing {
            try await cache.vaults.lock(uid: uid, recipe: made.recipe.serialized, wrapping: made.key)
        }
        parts.forget(uid)
        if let left {
            logger.warning(
                "a cache is locked, but what stood in it is not all sealed by its passphrase until it is unlocked",
                metadata: ["error": "\(left)"]
            )
        }
        do {
            _ = try await flows.cancelAll(owner: caller.owner, user: nil)
        } catch {
            // The cache is locked all the same, and no flow can be answered while it is.
            logger.warning("flows of a locked cache were not ended", metadata: ["error": "\(error)"])
        }
        await authority.note(.cacheLocked, caller)
    }

    /// Opens the uid's cache by its passphrase until it is locked again.
    ///
    /// The attempt is charged before the passphrase is evaluated.
    public func unlock(_ passphrase: Secret, caller: Caller) async throws {
        let uid = try caller.owner.cacheUID
        guard let door = try await Broker.rows.storing({ try cache.vaults.door(uid: uid) }) else { return }
        let place = try place(caller.owner)
        let subject = Subject.name("vault of \(machine) \(uid)")
        let charged: ChargeTicket
        do {
            charged = try await parts.attempts.charge(
                check: Self.passphraseBudget,
                subject: subject,
                origin: caller.origin
            )
        } catch let refusal as Refusal where refusal.reason == .blocked {
            await authority.note(.cacheUnlockBlocked, caller)
            throw refusal
        }
        let recipe = try KeyRecipe(serialized: door.recipe)
        let wrapping = try await parts.hasher.key(
            of: passphrase,
            recipe: recipe,
            pepper: cache.vaults.pepper,
            in: place
        ).key
        guard let key = try await Broker.rows.storing({ try await cache.vaults.unlock(door, wrapping: wrapping) })
        else {
            await authority.note(.cacheUnlockFailed, caller)
            let refusal = Refusal(.invalidAnswer, Text("refusal.wrongPassphrase"))
            throw charged.blockedForMs.map(refusal.retrying(afterMs:)) ?? refusal
        }
        parts.keep(key)
        await authority.note(.cacheUnlocked, caller)
        do {
            try await parts.attempts.settle(charged)
        } catch {
            // The cache is open all the same, and the caller must not be told otherwise.
            logger.warning("a right passphrase's charge was not given back", metadata: ["error": "\(error)"])
        }
    }

    /// Opens a cache by a key that was kept over a restart, before any call is served.
    ///
    /// - Parameter key: A key that ``VaultDependencies`` has kept.
    /// - Returns: True if it opened its uid's cache; one from before the last lock, or of another vault, opens nothing.
    public func takeBack(_ key: VaultKey) -> Bool { cache.vaults.takeBack(key) }

    /// True while this uid's part of the cache is sealed by its passphrase; nothing is read to decide it.
    public func isLocked(uid: UInt32) -> Bool { cache.vaults.isLocked(uid: uid) }

    /// Reserves a place for a hash, before anything is charged.
    private func place(_ owner: Owner) throws -> HashPlace {
        do throws(CredentialError) {
            return try parts.hasher.reserve(for: owner.key)
        } catch {
            throw Refusal(.limitExceeded, Text("refusal.tooManyPasswords")).retrying(afterMs: 1_000)
                .with(.limit, "kdf")
        }
    }
}

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
