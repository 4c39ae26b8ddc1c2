public import Attempts
public import Authority
public import AuthorityStore
public import FlowModel
public import Moments
public import OAuth
import StoreRefusals

/// The operators' part of the authority: says who is an operator, and lets nobody else do anything.
///
/// Everything that operators do is a function of ``Operator``, and only ``permit(_:_:)`` makes one.
public struct Administration: Sendable {
    /// The greatest age of a password's proof by which the user of a personal daemon is its operator.
    static let operatorProof: Duration = .seconds(300)

    let settings: @Sendable () -> AdministrationSettings
    let authority: Authority
    let store: AuthorityStore
    let attempts: Attempts
    let clock: MomentClock
    let machine: String
    let consequences: Consequences
    let backups = OnceAtATime()

    /// An administration of one authority.
    ///
    /// - Parameters:
    ///   - settings: The configuration of now, whenever it is asked.
    ///   - authority: The authority, whose memory has to follow what is changed.
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
        consequences: Consequences
    ) {
        self.settings = settings
        self.authority = authority
        self.store = store
        self.attempts = attempts
        self.clock = clock
        self.machine = machine
        self.consequences = consequences
    }

    /// A caller on this machine, with what the configuration says about them.
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

    /// Permits a call of an operator's method, or refuses it; either way the audit has it, with uid and pid.
    ///
    /// A personal daemon's operator is its user: with an account, only shortly after a password (contract §4).
    ///
    /// - Parameters:
    ///   - method: The name of the method on the wire.
    ///   - caller: The caller.
    /// - Returns: Everything that operators do, on behalf of the caller.
    /// - Throws: `not_permitted`, or `interaction_required` where a password has to be proved first.
    public func permit(_ method: String, _ caller: Caller) async throws -> Operator {
        guard caller.isOperator else {
            try await refused(method, caller, reason: "not_permitted")
            throw Refusal(.notPermitted, "\(method) is for operators")
        }
        if settings().isPersonal, try await !hasNobody(),
            try await !authority.provedPassword(caller.owner, within: Self.operatorProof)
        {
            try await refused(method, caller, reason: "not_proved")
            throw Refusal(.interactionRequired, "sign in with your password first; \(method) needs it to be fresh")
        }
        try await authority.audit(.operatorPermitted, caller, detail: ["method": method])
        return Operator(administration: self, caller: caller)
    }

    private func refused(_ method: String, _ caller: Caller, reason: String) async throws {
        try await authority.audit(.operatorRefused, caller, detail: ["method": method, "reason": reason])
    }

    /// `true` while nobody has an account.
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
