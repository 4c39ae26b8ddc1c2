public import Attempts
public import Authority
public import AuthorityStore
public import FlowModel
public import Moments
public import OAuth
import StoreRefusals

/// The operators' interface to the authority, in which ``permit(_:_:)`` gives access to the methods of ``Operator``.
public struct Administration: Sendable {
    /// How recently the user of a per-user daemon must have entered a password to call operator methods.
    static let operatorProof: Duration = .seconds(300)

    let settings: @Sendable () -> AdministrationSettings
    let authority: Authority
    let store: AuthorityStore
    let attempts: Attempts
    let clock: MomentClock
    let machine: String
    let consequences: AdministrationCallbacks
    let backups = OnceAtATime()

    /// Creates the administration interface of one authority on the machine with the id `machine`.
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

    /// Creates a ``Caller`` for a local process, with the permissions that the configuration gives its uid and groups.
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

    /// Permits or refuses a call to an operator method, and audits the outcome with the caller's uid and pid.
    ///
    /// The only operator of a per-user daemon is the user that the daemon runs as. If any account exists, this user
    /// must have entered a password within the last five minutes.
    ///
    /// - Throws: `not_permitted` for other callers, or `interaction_required` if the user must enter a password first.
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

    private func hasNobody() async throws -> Bool {
        try await Administration.rows.storing { try await store.users.list(limit: 1).isEmpty }
    }
}

/// The methods that only operators may call, for a single call that has been permitted and audited.
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
