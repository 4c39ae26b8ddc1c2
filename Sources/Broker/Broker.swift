public import FlowModel
public import OAuth

/// What the socket calls: tokens, flows and accounts of the uid that asks, and the operators' methods.
public struct Broker: Sendable {
    private let clientLimits: [String: Int64]

    /// Limits that clients are told, by name.
    public var limits: [String: Int64] { clientLimits }
    /// The daemon's version.
    public var version: String { "" }

    init() { clientLimits = [:] }

    /// Does first what was left to do, before anything is served.
    public func start() async throws { throw later }

    /// Who asks, with what the configuration says about them.
    public func caller(uid: UInt32, gid: UInt32, pid: Int32) -> Caller {
        Caller(owner: Owner(machine: "", uid: uid), pid: pid, gid: gid, isOperator: false)
    }

    /// Finds, renews or has somebody prove what a token needs.
    public func acquire(_ request: AcquireRequest, caller: Caller) async throws -> AcquireAnswer { throw later }

    /// Rises with everything that may change an answer to this uid; an answer is remembered only while it stands.
    public func generation(uid: UInt32) -> Int64 { 0 }

    /// Notes that a remembered answer was given for this account.
    public func noteUse(uid: UInt32, account: String) {}

    /// Starts a flow that leaves a session and no token.
    public func startFlow(_ request: StartFlowRequest, caller: Caller) async throws -> Flow { throw later }
    /// Evaluates answers.
    public func submit(_ request: SubmitRequest, caller: Caller) async throws -> SubmitAnswer { throw later }
    /// Does something instead of answering.
    public func act(_ request: ActionRequest, caller: Caller) async throws -> SubmitAnswer { throw later }
    /// A flow as it is.
    public func getFlow(_ id: String, caller: Caller) async throws -> Flow { throw later }
    /// A flow when it has changed, or when `timeout` is over.
    public func waitFlow(_ id: String, sinceRev: Int, timeout: Duration, caller: Caller) async throws -> Flow {
        throw later
    }
    /// The open flows, without steps.
    public func listFlows(caller: Caller) async throws -> [Flow] { throw later }
    /// Ends a flow.
    public func cancelFlow(
        _ id: String,
        reason: String?,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> Flow { throw later }

    /// The uid's accounts, last used first.
    public func accounts(caller: Caller) async throws -> [AccountAnswer] { throw later }
    /// One account.
    public func account(_ id: String, caller: Caller) async throws -> AccountAnswer { throw later }
    /// The uid's cached tokens, without the tokens.
    public func tokens(account: String?, caller: Caller) async throws -> [CachedTokenAnswer] { throw later }
    /// Signs out.
    public func signOut(
        _ request: SignOutRequest,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> SignOutAnswer { throw later }

    /// All policies.
    public func policies() -> [PolicyAnswer] { [] }
    /// One policy.
    public func policy(_ id: String) throws -> PolicyAnswer { throw later }
    /// The service, with counts of the uid.
    public func status(caller: Caller) async throws -> StatusAnswer { throw later }
    /// The uid's own security events from `since` (milliseconds since 1970 UTC) on, oldest first.
    public func audit(since: Int64?, limit: Int, caller: Caller) async throws -> [AuditAnswer] { throw later }

    /// Records and logs that a request without an id was not executed.
    public func noteUnanswerable(method: String, caller: Caller) async {}

    /// Everybody's security events.
    public func auditAll(since: Int64?, limit: Int, caller: Caller) async throws -> [AuditAnswer] { throw later }
    /// Registers a client.
    public func addClient(
        _ request: AddClientRequest,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> ClientAnswer { throw later }
    /// All clients.
    public func clients(correlationID: CorrelationID, caller: Caller) async throws -> [ClientAnswer] { throw later }
    /// Removes a registered client.
    public func removeClient(_ id: String, correlationID: CorrelationID, caller: Caller) async throws { throw later }
    /// People, in the order of their ids, after `after`.
    public func users(
        after: String?,
        limit: Int,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> [UserAnswer] { throw later }
    /// A person by object id or sign-in name.
    public func user(_ user: String, correlationID: CorrelationID, caller: Caller) async throws -> UserAnswer {
        throw later
    }
    /// Lets a person sign in or not; not ends every session and family.
    public func setUser(
        _ user: String,
        enabled: Bool,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> UserAnswer { throw later }
    /// Gives a person's attempts back.
    public func unlockUser(_ user: String, correlationID: CorrelationID, caller: Caller) async throws -> UserAnswer {
        throw later
    }
    /// Deletes a person.
    public func deleteUser(_ user: String, correlationID: CorrelationID, caller: Caller) async throws { throw later }
    /// The signing keys.
    public func keys(correlationID: CorrelationID, caller: Caller) async throws -> [KeyAnswer] { throw later }
    /// Replaces the signing key of an algorithm, all if nil.
    public func rotateKeys(
        algorithm: String?,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> [KeyAnswer] { throw later }
    /// Ends a signing key and what it signed.
    public func revokeKey(_ kid: String, correlationID: CorrelationID, caller: Caller) async throws -> [KeyAnswer] {
        throw later
    }

    /// What has to be done from time to time.
    public func housekeeping() async {}

    private var later: Refusal { Refusal(.shuttingDown, "the service is not up yet") }
}
