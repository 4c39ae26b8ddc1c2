public import Authority
public import FlowModel
public import Flows
import Foundation
public import Logging
public import Moments
import OAuth
public import OpenIDClient
public import Policies
import StoreRefusals
public import TokenCache

/// The token broker, which handles calls on the socket with the tokens, flows and accounts of the calling uid.
public struct Broker: Sendable {
    /// Lists and updates the callers' accounts.
    public let accounts: LocalAccounts
    /// The external authorities that the operator configured, and those that users added.
    public let external: ExternalAuthorities
    /// Signs users out of their accounts.
    public let signOuts: SignOutDesk
    /// Runs the local authority's flows for callers.
    public let flows: FlowDesk
    /// Returns tokens to callers.
    public let tokens: TokenDesk
    /// Locks and unlocks the callers' caches.
    public let lock: CacheLock
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let logger: Logger
    let startedAt: Moment

    /// Creates a broker that calls `settings` and `catalogue` to read the current configuration and policies.
    public init(
        authority: Authority,
        flows: FlowDirectory,
        cache: TokenCache,
        settings: @escaping @Sendable () -> BrokerSettings,
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        clock: MomentClock,
        machine: String,
        locks: VaultDependencies,
        browse: @escaping Browse = { _, _, _, _ in throw noBrowser },
        openID: OpenIDClient? = nil,
        logger: Logger
    ) {
        let store = IssuedTokenStore(cache: cache, authority: authority, logger: logger)
        accounts = LocalAccounts(store: store, settings: settings, catalogue: catalogue, clock: clock)
        external = ExternalAuthorities(
            cache: cache,
            issuer: authority,
            settings: settings,
            catalogue: catalogue,
            openID: openID ?? OpenIDClient(clock: clock),
            looks: .looks,
            clock: clock,
            logger: logger
        )
        signOuts = SignOutDesk(
            accounts: accounts,
            external: external,
            engine: flows,
            locks: locks,
            machine: machine,
            logger: logger
        )
        self.flows = FlowDesk(engine: flows, accounts: accounts, signOuts: signOuts, browse: browse)
        tokens = TokenDesk(flows: self.flows, external: external, clock: clock, machine: machine, logger: logger)
        lock = CacheLock(
            cache: cache,
            flows: flows,
            authority: authority,
            parts: locks,
            machine: machine,
            logger: logger
        )
        self.settings = settings
        self.catalogue = catalogue
        self.clock = clock
        self.logger = logger
        startedAt = clock.now
    }

    /// A function that creates the URL at which a browser on this machine or another device can continue a flow.
    public typealias Browse =
        @Sendable (
            _ flow: Flow, _ client: String, _ by: BrowserPlace.Kind, _ caller: Caller
        ) async throws -> BrowserPlace

    /// The error thrown if a flow needs a browser, but browsers are not supported.
    public static let noBrowser = Refusal(.unsupportedStep, Text("refusal.noBrowsers"))

    /// The local authority, which issues tokens and writes the audit log.
    public var authority: Authority { accounts.authority }

    var store: IssuedTokenStore { accounts.store }
    var cache: TokenCache { store.cache }

    /// Ends the flows whose policies have changed and completes pending sign-outs, before any request is served.
    public func start() async throws {
        await flows.engine.endOutdated()
        store.shared.sawEpoch(try await authority.refreshed())
        await signOuts.finishPending()
    }

    /// Starts a flow that creates a session but does not return a token.
    ///
    /// - Throws: `InvalidParameters`, or a `Refusal` such as `unknown_client`.
    public func startFlow(
        _ request: StartFlowRequest,
        client: String? = nil,
        caller: Caller
    ) async throws -> Flow {
        let hints = try ProviderHints(request)
        let client = client ?? AuthoritySettings.defaultClient
        guard try await authority.client(client) != nil else { throw Refusal(unknownClient: client) }
        guard let authority = try await external.named(request.policy, uid: caller.owner.cacheUID) else {
            return try await flows.start(request, hints, client: client, caller: caller)
        }
        try hints.refuse()
        var asked = try AcquireRequest(request)
        asked.client = client
        return try await Acquisition(desk: tokens, request: asked, caller: caller).flow(at: authority)
    }

    // MARK: Changes

    /// Invalidates all cached responses after a change to the configuration, a policy, a client, a key or a user.
    public func changed() {
        store.shared.raise()
    }

    /// Removes a disabled or deleted user's tokens from all uids' caches, and wakes all callers that wait for a flow.
    public func userLeft(_ user: UserID) async {
        flows.engine.wakeWaiters()
        await store.removeTokens(of: user)
    }

    /// Removes the tokens and responses that `edit` made invalid from all caches, before newer tokens are stored.
    public func edited(_ edit: AccountEdit, of user: UserID) async {
        switch edit {
        case .password:
            store.shared.raise()
            await userLeft(user)
        case .profile: await userChanged(user)
        }
    }

    /// Removes a user's access tokens after the user's claims have changed.
    public func userChanged(_ user: UserID) async { await store.userChanged(user) }

    // MARK: Recurring work

    /// The maximum number of rows that one transaction deletes from each table of the cache.
    static let sweepLimit = 1_000
    /// The maximum number of transactions that delete rows from the cache in one housekeeping run.
    static let sweepBatches = 50

    /// Reloads keys, clients and users if the store has changed, so that no request waits; call this every few seconds.
    public func refresh() async {
        do {
            store.shared.sawEpoch(try await authority.refreshed())
        } catch {
            logger.warning("the authority's store could not be checked for changes", metadata: ["error": "\(error)"])
        }
        tokens.watch.lookAtAll()
    }

    /// Performs the periodic maintenance, and logs the errors of failed tasks, which the next run tries again.
    public func housekeeping() async {
        await refresh()
        await signOuts.finishPending()
        await authority.housekeeping()
        do {
            try await flows.engine.sweep()
        } catch {
            logger.warning("housekeeping failed", metadata: ["of": "flows", "error": "\(error)"])
        }
        do {
            try await accounts.storeUses()
            for _ in 0..<Self.sweepBatches {
                guard try await cache.sweep(limit: Self.sweepLimit) >= Self.sweepLimit else { break }
            }
        } catch {
            logger.warning("housekeeping failed", metadata: ["of": "cache", "error": "\(error)"])
        }
    }
}

extension Broker {
    static let rows = StoreRefusals(
        of: Text("refusal.store.cache"),
        absent: noSuchAccount,
        crowded: Refusal(.limitExceeded, Text("refusal.cacheFull")).with(.limit, "cache")
    )
    static let noSuchAccount = Refusal(.accountNotFound, Text("refusal.noSuchAccount"))
    /// The error thrown by calls that require the caller's cache to be unlocked.
    public static let locked = Refusal(.locked, Text("refusal.cacheLocked"))
    static let localAuthority = "local"
    /// The minimum remaining validity of a token, in milliseconds, if the caller does not specify it.
    static let defaultValidityMs: Int64 = 60_000
    /// The minimum time between two renewals, in milliseconds, for tokens that are valid for less time than required.
    static let renewalPauseMs: Int64 = 60_000
}
