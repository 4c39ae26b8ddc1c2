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

/// The broker behind the socket: tokens, flows and accounts of the calling uid.
///
/// It puts its parts together, each of which serves one subject, and passes to all what concerns all.
public struct Broker: Sendable {
    /// The accounts of callers.
    public let accounts: LocalAccounts
    /// The external authorities.
    public let external: ExternalAuthorities
    /// The end of what accounts have.
    public let signOuts: SignOutDesk
    /// The flows of our own authority.
    public let flows: FlowDesk
    /// The tokens of callers.
    public let tokens: TokenDesk
    /// The lock of the cache.
    public let lock: CacheLock
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let logger: Logger
    let startedAt: Moment

    /// A broker over its parts.
    ///
    /// - Parameters:
    ///   - authority: The issuer of tokens.
    ///   - flows: The engine of flows.
    ///   - cache: The cache of tokens.
    ///   - settings: Returns the current configuration.
    ///   - catalogue: Returns the current policies.
    ///   - clock: The clock that deadlines go by.
    ///   - machine: This machine's id.
    ///   - locks: The parts that locking needs.
    ///   - browse: Makes the place where a browser continues a flow of the caller, begun for a client.
    ///   - openID: The client of outside authorities.
    ///   - logger: The logger.
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

    /// Makes the place where a browser of this machine, or of another device, continues a flow.
    public typealias Browse =
        @Sendable (
            _ flow: Flow, _ client: String, _ by: BrowserPlace.Kind, _ caller: Caller
        ) async throws -> BrowserPlace

    /// The refusal where no browser can be let in.
    public static let noBrowser = Refusal(.unsupportedStep, Text("refusal.noBrowsers"))

    /// The issuer of tokens, which also keeps the security events.
    public var authority: Authority { accounts.authority }

    var store: IssuedTokenStore { accounts.store }
    var cache: TokenCache { store.cache }

    /// Ends the flows of policies that have changed since the last run and finishes pending sign-outs, before any call is
    /// served.
    public func start() async throws {
        await flows.engine.endOutdated()
        store.shared.sawEpoch(try await authority.refreshed())
        await signOuts.finishPending()
    }

    /// Starts a flow that leaves a session and no token.
    ///
    /// - Parameters:
    ///   - request: The policy, and what is known of the person.
    ///   - client: The client that the program says it is; the command line's if nil.
    ///   - caller: The caller, whose owner has the flow.
    /// - Returns: The flow, with the place where a browser continues it if one does.
    /// - Throws: `Refusal`, `unknown_client` among them; `InvalidParameters`.
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

    /// Invalidates all remembered answers: the configuration, a policy, a client, a key or a person changed.
    public func changed() {
        store.shared.raise()
    }

    /// Removes the tokens of a disabled or deleted user, of every uid, and wakes callers that wait for a flow.
    public func userLeft(_ user: UserID) async {
        flows.engine.wakeWaiters()
        await store.removeTokens(of: user)
    }

    /// Removes what a change of a person's account has made worthless, of every uid, before anything new is kept.
    public func edited(_ edit: AccountEdit, of user: UserID) async {
        switch edit {
        case .password:
            store.shared.raise()
            await userLeft(user)
        case .profile: await userChanged(user)
        }
    }

    /// Removes access tokens whose claims about a user have changed.
    public func userChanged(_ user: UserID) async { await store.userChanged(user) }

    // MARK: Recurring work

    /// The greatest number of rows of each kind that one transaction deletes.
    static let sweepLimit = 1_000
    /// The greatest number of transactions in one round.
    static let sweepBatches = 50

    /// Compares the copies of keys, clients and users with the store.
    ///
    /// It is called every few seconds, so that no request waits for it and no change of another daemon stays unseen for
    /// longer than five.
    public func refresh() async {
        do {
            store.shared.sawEpoch(try await authority.refreshed())
        } catch {
            logger.warning("the authority could not be compared", metadata: ["error": "\(error)"])
        }
        tokens.watch.lookAtAll()
    }

    /// Runs the recurring work; failures are logged and tried again in the next round.
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
    /// The refusals of the cache's errors.
    static let rows = StoreRefusals(
        of: Text("refusal.store.cache"),
        absent: noSuchAccount,
        crowded: Refusal(.limitExceeded, Text("refusal.cacheFull")).with(.limit, "cache")
    )
    /// The refusal of an account that is not the caller's, even if another uid has it.
    static let noSuchAccount = Refusal(.accountNotFound, Text("refusal.noSuchAccount"))
    /// The refusal of calls that need an open cache.
    public static let locked = Refusal(.locked, Text("refusal.cacheLocked"))
    /// The name of this daemon's authority among a uid's accounts.
    static let localAuthority = "local"
    /// The least remaining validity of a token in milliseconds, if the caller names none.
    static let defaultValidityMs: Int64 = 60_000
    /// Milliseconds between two renewals for a validity that no token reaches.
    static let renewalPauseMs: Int64 = 60_000
}
