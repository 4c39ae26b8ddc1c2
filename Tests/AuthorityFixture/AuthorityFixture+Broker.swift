public import Broker
import Credentials
public import Flows
import TestSupport
public import TokenCache

/// The token cache and the broker that use the authority.
extension AuthorityFixture {
    /// Opens a token cache in a subfolder of the authority's folder.
    ///
    /// Use a different subfolder for each simulated machine.
    public func cache(in folder: String = "cache") throws -> TokenCache {
        try TokenCache.open(.init(directory: place.folder.path(folder), key: Self.key, clock: clock))
    }

    /// Creates a broker for the machine `m1`.
    ///
    /// - Parameters:
    ///   - cache: The token cache.
    ///   - flows: The flow engine; a new one by default.
    ///   - settings: The broker's configuration.
    ///   - keep: Stores the key of an unlocked cache.
    ///   - forget: Deletes the stored key of a uid's cache.
    /// - Returns: The broker, which is not started yet.
    public func broker(
        _ cache: TokenCache,
        flows: FlowDirectory? = nil,
        settings: @escaping @Sendable () -> BrokerSettings = {
            BrokerSettings(version: "1.2.3", defaultPolicy: id("b2c_1_sign_up_or_in"))
        },
        keep: @escaping @Sendable (VaultKey) -> Void = { _ in },
        forget: @escaping @Sendable (UInt32) -> Void = { _ in }
    ) -> Broker {
        Broker(
            authority: authority,
            flows: flows ?? self.flows(),
            cache: cache,
            settings: settings,
            catalogue: catalogue,
            clock: clock,
            machine: "m1",
            locks: VaultDependencies(
                attempts: attempts,
                hasher: PasswordHasher(parameters: Self.cheap),
                keep: keep,
                forget: forget
            ),
            logger: logger
        )
    }
}
