public import Attempts
public import Authority
public import AuthorityStore
public import FlowModel
public import Moments
public import OAuth
import StoreRefusals

/// The operators' part of the authority: decides who is an operator, and does nothing for others.
///
/// Everything that operators may do is a function of ``Operator``, and only ``permit(_:_:)`` makes one.
public struct Administration: Sendable {
    /// The greatest age of a password's proof by which the user of a personal daemon is its operator.
    static let operatorProof: Duration = .seconds(300)

    let settings: @Sendable () -> AdministrationSettings
    let authority: Authority
    let store: AuthorityStore
    let attempts: Attempts
    let clock: MomentClock
    let machine: String
    let consequences: AdministrationCallbacks
    let backups = OnceAtATime()

    /// An administration of one authority.
    ///
    /// - Parameters:
    ///   - settings: Returns the current configuration.
    ///   - authority: The authority, whose memory must follow changes.
    ///   - store: The authority's database.
    ///   - attempts: The lockout rule.
    ///   - clock: The clock of invitations.
    ///   - machine: This machine's id.
    ///   - consequences: The effects of a change outside of the authority.
    public init(
        settings: @escaping @Sendable () -> AdministrationSettings,
        authority: Authority,
        store: AuthorityStore,
        attempts: Attempts,
        clock: MomentClock,
        machine: String,
        consequences: AdministrationCallbacks
    ) {
        self.settings = settings
        self.authority = authority
        self.store = store
        self.attempts = attempts
        self.clock = clock
        self.machine = machine
        self.consequences = consequences
    }

    /// Makes the caller of a local process, with the permissions that the configuration gives.
    ///
    /// - Parameters:
    ///   - uid: The user, who owns everything the call makes.
    ///   - gid: The primary group.
    ///   - groups: The supplementary groups, which count like the primary one.
    ///   - pid: The process, for the audit.
    ///   - correlationID: The id that answer, log and audit share.
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
        var caller = Caller(
            owner: .local(machine: machine, uid: uid),
            pid: pid,
            isOperator: isOperator,
            correlationID: correlationID
        )
        caller.peer = LocalPeer(uid: uid, gids: [gid] + groups)
        return caller
    }

    /// Permits a call of an operator's method, or refuses it; the audit records both, with uid and pid.
    ///
    /// A personal daemon's operator is its user; once there is an account, only shortly after a password (contract §4).
    ///
    /// - Parameters:
    ///   - method: The name of the method on the wire.
    ///   - caller: The caller.
    /// - Returns: The operations, on behalf of the caller.
    /// - Throws: `not_permitted`, or `interaction_required` if a password must be proved first.
    public func permit(_ method: String, _ caller: Caller) async throws -> Operator {
        guard caller.isOperator else {
            try await refused(method, caller, reason: "not_permitted")
            throw Refusal(.notPermitted, Text("refusal.forOperators", ["method": method]))
        }
        if settings().isPersonal, try await !hasNobody(),
            try await !authority.sessions.provedPassword(caller.owner, within: Self.operatorProof)
        {
            try await refused(method, caller, reason: "not_proved")
            throw Refusal(.interactionRequired, Text("refusal.passwordNotFresh", ["method": method]))
        }
        try await authority.audit(.operatorPermitted, caller, detail: ["method": method])
        return Operator(administration: self, caller: caller)
    }

    private func refused(_ method: String, _ caller: Caller, reason: String) async throws {
        try await authority.audit(.operatorRefused, caller, detail: ["method": method, "reason": reason])
    }

    /// True while there is no account.
    private func hasNobody() async throws -> Bool {
        try await Administration.rows.storing { try await store.users.list(limit: 1).isEmpty }
    }
}

/// An operator whose call is permitted and audited.
public struct Operator: Sendable {
    let administration: Administration
    let caller: Caller

    var authority: Authority { administration.authority }
    var store: AuthorityStore { administration.store }
}

extension Administration {
    static let rows = StoreRefusals(
        of: Text("refusal.store"),
        absent: Refusal(.accountNotFound, Text("refusal.noSuchUser")),
        crowded: Refusal(.limitExceeded, Text("refusal.tooMuchUnderWay")).retrying(afterMs: 1_000)
    )
}
