public import Authority
public import FlowModel
public import Flows
import Foundation
public import Logging
public import Moments
public import OpenIDClient
public import Policies
public import TokenCache

/// The broker behind the socket: tokens, flows and accounts of the calling uid.
///
/// It passes ids between the cache, the authority and the flows, and decides none of their rules.
public struct Broker: Sendable {
    /// The issuer of tokens, which also keeps the security events.
    public let authority: Authority
    /// The engine of flows; calls that need no token of the cache go to it directly.
    public let flows: FlowDirectory
    let kept: IssuedTokenStore
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let machine: String
    let locks: VaultDependencies
    let browse: Browse
    let openID: OpenIDClient
    let logger: Logger
    let accountUses = AccountLastUsed()
    let usedTokens = RecentTokenUses()
    let rounds = RenewalRounds()
    let budgets = CallBudgets()
    let shared = SharedGeneration()
    let watch: TokenWatch
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
        self.authority = authority
        self.flows = flows
        kept = IssuedTokenStore(cache: cache, authority: authority, logger: logger)
        self.settings = settings
        self.catalogue = catalogue
        self.clock = clock
        self.machine = machine
        self.locks = locks
        self.browse = browse
        self.openID = openID ?? OpenIDClient(clock: clock)
        self.logger = logger
        startedAt = clock.now
        watch = TokenWatch(clock: clock, logger: logger) { uid in
            guard !cache.vaults.isLocked(uid: uid) else { return nil }
            return TokenSnapshot(accounts: try cache.accounts.list(uid: uid), tokens: try cache.tokens.list(uid: uid))
        }
        cache.follow { [weak watch] uid in watch?.look(uid) }
    }

    /// Makes the place where a browser of this machine, or of another device, continues a flow.
    public typealias Browse =
        @Sendable (
            _ flow: Flow, _ client: String, _ by: BrowserPlace.Kind, _ caller: Caller
        ) async throws -> BrowserPlace

    /// The refusal where no browser can be let in.
    public static let noBrowser = Refusal(.unsupportedStep, "there is no door for browsers here")

    var cache: TokenCache { kept.cache }

    /// Ends the flows of policies that have changed since the last run and finishes pending sign-outs, before any call is
    /// served.
    public func start() async throws {
        await flows.endOutdated()
        shared.sawEpoch(try await authority.refreshed())
        await finishSignOuts()
    }

    /// The number of changes that may have changed an answer to this uid; a remembered answer is valid only at its own.
    public func generation(uid: UInt32) -> Int64 { cache.generation(uid: uid) &+ shared.value }

    /// Records that a remembered answer was given for this account.
    public func noteUse(uid: UInt32, account: String) {
        accountUses.note(.init(uid: uid, account: account), at: clock.now.wall)
    }

    /// Invalidates all remembered answers: the configuration, a policy, a client, a key or a person changed.
    public func changed() {
        shared.raise()
    }

    /// Removes the tokens of a disabled or deleted user, of every uid, and wakes callers that wait for a flow.
    public func userLeft(_ user: UserID) async {
        flows.wakeWaiters()
        await kept.removeTokens(of: user)
    }

    /// Removes what a change of a person's account has made worthless, of every uid, before anything new is kept.
    public func edited(_ edit: AccountEdit, of user: UserID) async {
        switch edit {
        case .password:
            shared.raise()
            await userLeft(user)
        case .profile: await userChanged(user)
        }
    }

    /// Removes access tokens whose claims about a user have changed.
    public func userChanged(_ user: UserID) async {
        shared.raise()
        do {
            try await cache.tokens.removeAccessTokens(authority: Self.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a changed user were not removed", metadata: ["error": "\(error)"])
        }
    }
}
