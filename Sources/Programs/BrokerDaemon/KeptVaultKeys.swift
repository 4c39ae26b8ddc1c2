import Broker
import Foundation
import Logging
import OAuth
import Systemd
import TokenCache

/// The keys of unlocked caches, which the service manager keeps while the daemon restarts.
struct KeptVaultKeys: Sendable {
    /// Beginning of their names; the uid follows.
    static let prefix = "vault-"

    private let kept: [DescriptorStore.Kept]
    private let store: DescriptorStore
    private let logger: Logger

    /// Keys with the manager; `kept` is what it gave back at this start.
    init(_ kept: [DescriptorStore.Kept], logger: Logger) {
        self.kept = kept
        self.logger = logger
        store = DescriptorStore(notifier: ServiceNotifier(), keeping: Set(kept.map(\.name)))
    }

    /// Opens the caches whose keys came back; a key that opens none is dropped.
    func takenBack(by broker: Broker) {
        var refused: Set<String> = []
        var taken: [String: VaultKey] = [:]
        for one in kept {
            if let key = one.content.flatMap({ VaultKey(serialized: Secret(bytes: $0)) }),
                one.name == Self.name(key.uid), broker.lock.takeBack(key)
            {
                taken[one.name] = key
            } else {
                logger.warning("a key that was kept opens nothing", metadata: ["name": "\(one.name)"])
                refused.insert(one.name)
            }
        }
        for name in refused {
            store.forget(name)
            // Both had one name, so the good key must be kept again.
            if let key = taken[name] { keep(key) }
        }
        if !taken.isEmpty { logger.info("caches stay unlocked", metadata: ["count": "\(taken.count)"]) }
    }

    /// Keeps the key of a cache that was unlocked.
    @Sendable func keep(_ key: VaultKey) {
        if !store.keep(key.serialized.revealBytes(), named: Self.name(key.uid)) {
            logger.debug("an unlocked cache will be locked after a restart", metadata: ["uid": "\(key.uid)"])
        }
    }

    /// Drops the key of a uid.
    @Sendable func forget(_ uid: UInt32) {
        store.forget(Self.name(uid))
    }

    private static func name(_ uid: UInt32) -> String { prefix + String(uid) }
}
