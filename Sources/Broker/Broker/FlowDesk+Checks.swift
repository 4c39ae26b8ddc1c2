import Authority
public import FlowModel
import Flows
public import OAuth
import Policies
import StoreRefusals
import TokenCache

/// Calls that manage an account's checks and credentials, and do not return tokens.
extension FlowDesk {
    /// Returns the state of the check `name` for an account, and for `client` if each client has its own state.
    public func checkStatus(
        _ name: String,
        policy: String?,
        client: String?,
        account: String?,
        caller: Caller
    ) async throws -> CheckStatus {
        let check = try authority.checks.check(name)
        let account = try await accounts.chosen(account, caller)
        return try await authority.checks.status(
            of: check,
            policy: try self.policy(policy, of: account),
            client: client,
            user: UserID(oid: account.subject),
            caller
        )
    }

    /// Starts a flow for the check `name` in advance, before a request requires the check.
    ///
    /// If the flow begins with the check's step, `credentials` are submitted to it, but only once for a `submissionID`.
    ///
    /// - Throws: `unknown_check`, `blocked`, `invalid_answer`, and the errors of starting or answering a flow.
    public func logIn(
        _ name: String,
        policy: String?,
        account: String?,
        credentials: [String: JSONValue]?,
        submissionID: String?,
        caller: Caller
    ) async throws -> Flow {
        let check = try authority.checks.check(name)
        let account = try await accounts.chosen(account, caller)
        let asked: JSONValue = [
            "check": .string(name), "policy": policy.map { .string($0) } ?? .null, "account": .string(account.account),
        ]
        let id = submissionID ?? CorrelationID.random().description
        let flow = try await start(account, policy, check: check, change: nil, requestID: id, asked: asked, caller)
        guard let credentials, let step = flow.step, step.check == check.name else { return flow }
        let submission = FlowSubmission(flow: flow.id, step: step.id, submissionID: id, answers: credentials)
        return try await submit(submission, caller: caller).flow
    }

    /// Resets the check `name` in the caller's sessions, and deletes the user's access tokens, which can depend on it.
    public func logOut(_ name: String, policy: String?, account: String?, caller: Caller) async throws -> CheckStatus {
        let check = try authority.checks.check(name)
        let account = try await accounts.chosen(account, caller)
        let user = UserID(oid: account.subject)
        let policy = try self.policy(policy, of: account)
        try await authority.checks.logOut(check, user: user, caller)
        engine.wakeWaiters()
        await store.userChanged(user)
        return try await authority.checks.status(of: check, policy: policy, user: user, caller)
    }

    /// Returns an account's links to identity providers and its usable credentials, of all types if `type` is `nil`.
    public func credentials(
        _ type: Credential?,
        account: String?,
        caller: Caller
    ) async throws -> [CredentialSummary] {
        let account = try await accounts.chosen(account, caller)
        let user = UserID(oid: account.subject)
        let enrolled = try await authority.checks.enrolled(user, caller).map {
            CredentialSummary(type: $0.credential, account: account.account, enrolledAt: $0.at)
        }
        let linked = try await engine.accounts.links(of: user).compactMap { link in
            link.linkedAt.map {
                CredentialSummary(type: .federated, account: account.account, enrolledAt: $0, provider: link.name)
            }
        }
        return (enrolled + linked).filter { type == nil || $0.type == type }
    }

    /// Starts a flow that enrols a credential, or that replaces a PIN.
    ///
    /// - Throws: `unmet_authentication_requirements` if an authenticator app is enrolled, which must be removed first.
    public func enrol(_ credential: Credential, account: String?, caller: Caller) async throws -> Flow {
        let check = try authority.checks.check(over: credential)
        let account = try await accounts.chosen(account, caller)
        if credential == .totp, try await has(credential, account, caller) {
            throw Refusal(.unmetAuthenticationRequirements, Text("refusal.authenticatorExists"))
        }
        let change = CredentialChange.enrol(check: check.name)
        return try await start(account, nil, check: check, change: change, caller)
    }

    /// Starts a flow that removes a credential.
    ///
    /// To remove an authenticator app, the user must enter a code from the app.
    ///
    /// - Throws: `unmet_authentication_requirements` if no such credential is enrolled; the errors of starting a flow.
    public func remove(_ credential: Credential, account: String?, caller: Caller) async throws -> Flow {
        let account = try await accounts.chosen(account, caller)
        guard try await has(credential, account, caller) else {
            throw Refusal(
                .unmetAuthenticationRequirements,
                Text("refusal.nothingToRemove", ["credential": credential.rawValue])
            )
        }
        let countsEverywhere = CheckType.all.contains { $0.credential == credential && !$0.belongsToUID }
        let check = countsEverywhere ? try authority.checks.check(over: credential) : nil
        return try await start(account, nil, check: check, change: .remove(credential), caller)
    }

    private func has(_ credential: Credential, _ account: AccountRow, _ caller: Caller) async throws -> Bool {
        try await authority.checks.enrolled(UserID(oid: account.subject), caller).contains {
            $0.credential == credential
        }
    }

    func start(
        _ account: AccountRow,
        _ policy: String?,
        check: Check?,
        change: CredentialChange?,
        requestID: String? = nil,
        asked: JSONValue = .null,
        prefill: [String: JSONValue] = [:],
        provider: String? = nil,
        _ caller: Caller
    ) async throws -> Flow {
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        try await self.signOuts.finishPending(of: caller.owner.cacheUID)
        let policy = try self.policy(policy, of: account)
        let requirement = try await authority.checks.requirement(
            checks: check.map { [$0.name] } ?? [],
            change: change,
            policy: policy,
            user: UserID(oid: account.subject),
            caller
        )
        let started = try await engine.start(
            FlowRequest(
                caller: caller,
                client: AuthoritySettings.defaultClient,
                policy: policy,
                requirement: requirement,
                requestID: requestID,
                asked: asked,
                leavesSession: change?.signsInAnew != true,
                prefill: prefill,
                provider: provider
            )
        )
        return try await completed(started, caller, signOuts: signOuts) ?? started.flow
    }

    private func policy(_ name: String?, of account: AccountRow) throws -> PolicyID {
        try authority.policy(name ?? accounts.usualPolicy(of: account))
    }

    /// Starts a flow that runs the checks of the step-up policy `stepUp` under the policy that the user signed in with.
    ///
    /// - Throws: `interaction_required` if no user is signed in, `blocked`, and the errors of starting a flow.
    func startStepUp(
        _ stepUp: Policy,
        _ request: StartFlowRequest,
        client: String,
        caller: Caller
    ) async throws -> Flow {
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        try await self.signOuts.finishPending(of: caller.owner.cacheUID)
        let account = try await accounts.chosen(request.account, caller)
        let policy = try authority.policy(accounts.usualPolicy(of: account))
        let requirement = try await authority.checks.requirement(
            checks: stepUp.mandatoryScope,
            demand: AuthenticationDemand(acrValues: request.acrValues, maxAge: request.maxAge),
            policy: policy,
            user: UserID(oid: account.subject),
            caller
        )
        let started = try await engine.start(
            FlowRequest(
                caller: caller,
                client: client,
                policy: policy,
                requirement: requirement,
                want: Flow.Want(acrValues: request.acrValues, maxAge: request.maxAge),
                requestID: request.requestID,
                asked: request.asked,
                prefill: request.input
            )
        )
        if let flow = try await completed(started, caller, signOuts: signOuts) { return flow }
        return try await shown(started.flow, client: client, request.mode, caller)
    }
}
