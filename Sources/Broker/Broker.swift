public import Authority
public import FlowModel
public import Flows
import Foundation
public import Logging
public import Moments
public import OAuth
public import Policies
public import TokenCache

/// What the socket calls: tokens, flows and accounts of the uid that asks, and the operators' methods.
///
/// It carries ids between the cache, the authority and the flows, and decides no rule of theirs.
public struct Broker: Sendable {
    let authority: Authority
    let flows: Flows
    let cache: TokenCache
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let machine: String
    let locks: LockParts
    let logger: Logger
    let renewer = FamilyRenewer()
    let uses = RecentUses()
    let shared = SharedGeneration()
    let backups = OnceAtATime()
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
        self.cache = cache
        self.settings = settings
        self.catalogue = catalogue
        self.clock = clock
        self.machine = machine
        self.locks = locks
        self.logger = logger
        startedAt = clock.now
    }

    /// Finishes the sign-outs that were left to do, before anything is served.
    public func start() async throws {
        shared.sawEpoch(try await authority.refreshed())
        await finishSignOuts()
    }

    /// Who asks, with what the configuration says about them.
    ///
    /// - Parameters:
    ///   - uid: The user, who owns what is asked for.
    ///   - gid: The primary group.
    ///   - groups: The supplementary groups; each may make an operator as well as the primary one.
    ///   - pid: The process, for the audit.
    ///   - correlationID: The id under which answer, log and audit have the call.
    /// - Returns: The caller.
    public func caller(
        uid: UInt32,
        gid: UInt32,
        groups: [UInt32] = [],
        pid: Int32,
        correlationID: CorrelationID
    ) -> Caller {
        let settings = settings()
        let isOperator =
            uid == settings.daemonUID
            || !settings.isPersonal
                && (settings.operatorUIDs.contains(uid) || settings.operatorGIDs.contains(gid)
                    || groups.contains(where: settings.operatorGIDs.contains))
        return Caller(
            owner: .local(machine: machine, uid: uid),
            pid: pid,
            isOperator: isOperator,
            correlationID: correlationID
        )
    }

    /// Rises with everything that may change an answer to this uid; an answer is remembered only while it stands.
    public func generation(uid: UInt32) -> Int64 { cache.generation(uid: uid) &+ shared.value }

    /// Notes that a remembered answer was given for this account.
    public func noteUse(uid: UInt32, account: String) {
        uses.note(.init(uid: uid, account: account), at: clock.now.wall)
    }

    /// Remembered answers stand no longer: the configuration or the policies were read anew.
    public func configurationChanged() {
        shared.raise()
    }
}
