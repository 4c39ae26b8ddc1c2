public import Authority
public import FlowModel
public import Flows
import Foundation
public import Logging
public import Moments
public import Policies
public import TokenCache

/// What the socket calls: tokens, flows and accounts of the uid that asks.
///
/// It carries ids between the cache, the authority and the flows, and decides no rule of theirs.
public struct Broker: Sendable {
    let authority: Authority
    /// The engine of flows; what needs no token of the cache is asked of it directly.
    public let flows: Flows
    let kept: KeptTokens
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let machine: String
    let locks: LockParts
    let logger: Logger
    let uses = RecentUses()
    let shared = SharedGeneration()
    let startedAt: Moment

    /// A broker over its parts.
    ///
    /// - Parameters:
    ///   - authority: Who issues.
    ///   - flows: Who asks people.
    ///   - cache: Where tokens are kept.
    ///   - settings: What the configuration says, whenever it is asked.
    ///   - catalogue: The policies, whenever they are asked.
    ///   - clock: What time it is.
    ///   - machine: This machine's id.
    ///   - locks: What locking takes.
    ///   - logger: Where to log.
    public init(
        authority: Authority,
        flows: Flows,
        cache: TokenCache,
        settings: @escaping @Sendable () -> BrokerSettings,
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        clock: MomentClock,
        machine: String,
        locks: LockParts,
        logger: Logger
    ) {
        self.authority = authority
        self.flows = flows
        kept = KeptTokens(cache: cache, authority: authority, logger: logger)
        self.settings = settings
        self.catalogue = catalogue
        self.clock = clock
        self.machine = machine
        self.locks = locks
        self.logger = logger
        startedAt = clock.now
    }

    var cache: TokenCache { kept.cache }

    /// Finishes the sign-outs that were left to do, before anything is served.
    public func start() async throws {
        shared.sawEpoch(try await authority.refreshed())
        await finishSignOuts()
    }

    /// Rises with everything that may change an answer to this uid; an answer is remembered only while it stands.
    public func generation(uid: UInt32) -> Int64 { cache.generation(uid: uid) &+ shared.value }

    /// Notes that a remembered answer was given for this account.
    public func noteUse(uid: UInt32, account: String) {
        uses.note(.init(uid: uid, account: account), at: clock.now.wall)
    }

    /// Lets no remembered answer stand any longer: the configuration, a policy, a client, a key or a person changed.
    public func changed() {
        shared.raise()
    }

    /// Ends what a user has here who may not sign in any more, or is gone, at every uid.
    public func userLeft(_ user: UserID) async {
        flows.lookAgain()
        await kept.removeTokens(of: user)
    }

    /// Lets nobody have a token any more that says what a user was.
    public func userChanged(_ user: UserID) async {
        shared.raise()
        do {
            try await cache.removeAccessTokens(authority: Self.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a changed user were not removed", metadata: ["error": "\(error)"])
        }
    }
}
