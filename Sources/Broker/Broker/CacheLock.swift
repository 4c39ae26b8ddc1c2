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

/// Locks and unlocks the cache of a uid with a passphrase.
public struct CacheLock: Sendable {
    let cache: TokenCache
    let flows: FlowDirectory
    let authority: Authority
    let parts: VaultDependencies
    let machine: String
    let logger: Logger

    static let passphraseBudget = CheckBudget(
        credential: Credential(rawValue: "vault"),
        maxAttempts: 5,
        block: .seconds(60)
    )

    /// Encrypts the cache of the caller's uid with a passphrase, and discards the key.
    ///
    /// The uid's open flows are cancelled, so that the next user of the terminal cannot continue them.
    public func lock(_ passphrase: Secret, caller: Caller) async throws {
        let uid = try caller.owner.cacheUID
        // A locked cache cannot be locked with another passphrase. Check this first, because deriving a key takes long.
        guard !cache.vaults.isLocked(uid: uid) else { throw Broker.locked }
        let place = try place(caller.owner)
        let made = try await parts.hasher.key(of: passphrase, pepper: cache.vaults.pepper, in: place)
        let left = try await Broker.rows.storing {
            try await cache.vaults.lock(uid: uid, recipe: made.recipe.serialized, wrapping: made.key)
        }
        parts.forget(uid)
        if let left {
            logger.warning(
                "a cache is locked, but some of its rows will be encrypted with its passphrase only when it is unlocked",
                metadata: ["error": "\(left)"]
            )
        }
        do {
            _ = try await flows.cancelAll(owner: caller.owner, user: nil)
        } catch {
            // The cache stays locked despite the error. The uid's flows cannot be answered until the cache is unlocked.
            logger.warning("flows of a locked cache were not ended", metadata: ["error": "\(error)"])
        }
        await authority.note(.cacheLocked, caller)
    }

    /// Unlocks the cache of the caller's uid until it is locked again, and counts the attempt before checking it.
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
            // The cache is unlocked even though the attempt is still counted, so do not report an error to the caller.
            logger.warning("the charge for a right passphrase was not refunded", metadata: ["error": "\(error)"])
        }
    }

    /// Unlocks a cache with a key that was stored before the daemon restarted, before any request is served.
    ///
    /// - Returns: `false` if the key belongs to another vault, or if the cache has been locked again since.
    public func takeBack(_ key: VaultKey) -> Bool { cache.vaults.takeBack(key) }

    /// Whether the cache of the uid is locked.
    public func isLocked(uid: UInt32) -> Bool { cache.vaults.isLocked(uid: uid) }

    /// Reserves a slot for hashing a passphrase, before the attempt is counted, or throws `limit_exceeded`.
    private func place(_ owner: Owner) throws -> HashPlace {
        do throws(CredentialError) {
            return try parts.hasher.reserve(for: owner.key)
        } catch {
            throw Refusal(.limitExceeded, Text("refusal.tooManyPasswords")).retrying(afterMs: 1_000)
                .with(.limit, "kdf")
        }
    }
}

/// The dependencies that limit passphrase attempts, derive keys, and store keys across restarts.
public struct VaultDependencies: Sendable {
    let attempts: Attempts
    let hasher: PasswordHasher
    let keep: @Sendable (VaultKey) -> Void
    let forget: @Sendable (UInt32) -> Void

    /// Creates the dependencies, which by default do not store keys across restarts.
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
