public import Broker
import Credentials
public import Flows
import TestSupport
public import TokenCache

/// A broker over the authority.
extension AuthorityFixture {
    /// The cache of tokens in a folder of the place; another folder is another machine's.
    public func cache(in folder: String = "cache") throws -> TokenCache {
        try TokenCache.open(.init(directory: place.folder.path(folder), key: Self.key, clock: clock))
    }

    /// The broker of the machine `m1`.
    ///
    /// - Parameters:
    ///   - cache: The cache of tokens.
    ///   - flows: The engine of flows.
    ///   - settings: What is configured.
    ///   - keep: Keeps the key of an unlocked cache.
    ///   - forget: Forgets the key of a uid's cache.
    /// - Returns: The broker, which is not started.
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
