import Broker
import Foundation
import Logging
import OAuth
import Systemd
import TokenCache

/// The keys of unlocked caches, which the service manager stores while the daemon restarts.
struct KeptVaultKeys: Sendable {
    /// The prefix of a stored key's name, which is followed by the uid.
    static let prefix = "vault-"

    private let kept: [DescriptorStore.Kept]
    private let store: DescriptorStore
    private let logger: Logger

    init(_ kept: [DescriptorStore.Kept], logger: Logger) {
        self.kept = kept
        self.logger = logger
        store = DescriptorStore(notifier: ServiceNotifier(), keeping: Set(kept.map(\.name)))
    }

    /// Unlocks the caches whose keys the service manager returned, and removes keys that do not unlock a cache.
    func takenBack(by broker: Broker) {
        var refused: Set<String> = []
        var taken: [String: VaultKey] = [:]
        for one in kept {
            if let key = one.content.flatMap({ VaultKey(serialized: Secret(bytes: $0)) }),
                one.name == Self.name(key.uid), broker.lock.takeBack(key)
            {
                taken[one.name] = key
            } else {
                logger.warning("a stored key unlocks no cache", metadata: ["name": "\(one.name)"])
                refused.insert(one.name)
            }
        }
        for name in refused {
            store.forget(name)
            // Removing an invalid key also removes a valid key with the same name, so the valid key is stored again.
            if let key = taken[name] { keep(key) }
        }
        if !taken.isEmpty { logger.info("caches stay unlocked", metadata: ["count": "\(taken.count)"]) }
    }

    @Sendable func keep(_ key: VaultKey) {
        if !store.keep(key.serialized.revealBytes(), named: Self.name(key.uid)) {
            logger.debug("an unlocked cache will be locked after a restart", metadata: ["uid": "\(key.uid)"])
        }
    }

    @Sendable func forget(_ uid: UInt32) {
        store.forget(Self.name(uid))
    }

    private static func name(_ uid: UInt32) -> String { prefix + String(uid) }
}
