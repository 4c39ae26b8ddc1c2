import Authority
public import FlowModel
public import Flows
import Moments
import OAuth
import OpenIDClient
import Policies
import StoreRefusals
import TokenCache

/// Starts flows at the local authority, submits answers to them, and converts their results into accounts and tokens.
public struct FlowDesk: Sendable {
    /// The engine that runs the flows, used directly by calls that do not need the token cache.
    public let engine: FlowDirectory
    let accounts: LocalAccounts
    let signOuts: SignOutDesk
    let browse: Broker.Browse

    var store: IssuedTokenStore { accounts.store }
    var cache: TokenCache { store.cache }
    var authority: Authority { store.authority }

    func start(
        _ request: StartFlowRequest,
        _ hints: ProviderHints,
        client: String,
        caller: Caller
    ) async throws -> Flow {
        try hints.requireProvider()
        try request.mode.refusePaste()
        try request.loopbackPort.refuseHere()
        if let stepUp = try authority.stepUp(request.policy) {
            try hints.refuse()
            return try await startStepUp(stepUp, request, client: client, caller: caller)
        }
        var user: UserID?
        if let id = request.account {
            let account = try await accounts.row(id, caller)
            guard account.authority == Broker.localAuthority else { throw Broker.noSuchAccount }
            user = UserID(oid: account.subject)
        }
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        try await self.signOuts.finishPending(of: caller.owner.cacheUID)
        let policy = try authority.policy(request.policy)
        let requirement = try await authority.checks.requirement(
            policy: policy,
            user: user,
            acrValues: request.acrValues,
            maxAge: request.maxAge,
            caller
        )
        let mode = hints.mode(request.mode)
        let started = try await engine.start(
            FlowRequest(
                caller: caller.showing(mode),
                client: client,
                policy: policy,
                requirement: requirement,
                want: Flow.Want(acrValues: request.acrValues, maxAge: request.maxAge),
                requestID: request.requestID,
                asked: request.asked,
                prefill: request.input,
                provider: hints.provider,
                token: hints.token
            )
        )
        if let flow = try await completed(started, caller, signOuts: signOuts) { return flow }
        return try await shown(started.flow, client: client, mode, caller)
    }

    /// Returns the started flow together with its user's account, or `nil` if the flow has not succeeded yet.
    func completed(_ started: Started, _ caller: Caller, signOuts: Int64) async throws -> Flow? {
        guard let finished = started.finished else { return nil }
        _ = try await take(finished, caller, signOuts: signOuts)
        return try signedIn(started.flow, finished, caller)
    }

    /// Returns the flow, including the URL to open if a browser must continue the flow.
    func shown(_ flow: Flow, client: String, _ mode: AcquireRequest.Mode, _ caller: Caller) async throws -> Flow {
        guard !flow.state.isTerminal else { return flow }
        var flow = flow
        switch mode {
        case .paste: break
        case .native:
            // Only a browser can be redirected to a provider.
            guard flow.step?.data?["provider"]?.string != nil, caller.presentation.shows(.provider) else { break }
            flow.browser = try await browse(flow, client, .link, caller)
        case .browser: flow.browser = try await browse(flow, client, .link, caller)
        case .device: flow.browser = try await browse(flow, client, .code, caller)
        }
        return flow
    }

    /// Waits until the flow changes or the timeout passes, and returns it, with the user's account after a success.
    public func wait(_ id: String, sinceRev: Int, timeout: Duration, _ caller: Caller) async throws -> Flow {
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        let flow = try await engine.wait(id, owner: caller.owner, sinceRev: sinceRev, timeout: timeout)
        guard flow.state == .succeeded, let finished = try await engine.finished(id, owner: caller.owner) else {
            return flow
        }
        _ = try await take(finished, caller, signOuts: signOuts)
        return try signedIn(flow, finished, caller)
    }

    private func signedIn(_ flow: Flow, _ finished: FlowOutcome, _ caller: Caller) throws -> Flow {
        var flow = flow
        flow.account = cache.accounts.id(
            uid: try caller.owner.cacheUID,
            authority: Broker.localAuthority,
            subject: finished.user.oid
        )
        return flow
    }

    /// Submits answers to a flow, and returns the token if they complete a flow that `token.acquire` started.
    public func submit(_ submission: FlowSubmission, caller: Caller) async throws -> FlowProgress {
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        let (result, tokens) = try await engine.submit(submission, caller: caller, concluding: conclusion(caller))
        return try await progress(result, tokens, caller, signOuts: signOuts)
    }

    /// Returns a function that decides which tokens to issue in the transaction that records a flow's success.
    ///
    /// If the flow changes the account, the tokens are issued later, because the change has not been written yet.
    private func conclusion(_ caller: Caller) -> Conclude<ExpectedTokens> {
        { [authority] finished, authentication in
            guard finished.edit == nil, let pending = finished.pendingRequest,
                let tokens = try await authority.expected.tokens(pending: pending, by: authentication, caller)
            else { return nil }
            return Conclusion(granting: tokens.grant, tokens)
        }
    }

    /// Performs an action that the step offers.
    ///
    /// If the user chose an identity provider, the returned flow contains the URL to open in a browser.
    public func act(_ action: FlowAction, caller: Caller) async throws -> FlowProgress {
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        let result = try await engine.act(action, caller: caller)
        var progress = try await progress(result, nil, caller, signOuts: signOuts)
        if action.action == Action.Name.choose.rawValue {
            // Another client could have started the flow over a different connection, so look up the flow's client.
            let client = try await engine.client(of: progress.flow.id, owner: caller.owner)
            progress.flow = try await shown(progress.flow, client: client, .native, caller)
        }
        return progress
    }

    private func progress(
        _ result: SubmissionResult,
        _ tokens: ExpectedTokens?,
        _ caller: Caller,
        signOuts: Int64
    ) async throws -> FlowProgress {
        var token: AcquiredToken?
        if let finished = result.finished {
            token = try await take(finished, given: tokens, caller, signOuts: signOuts).map {
                AcquiredToken($0, correlationID: caller.correlationID, fromCache: false)
            }
        }
        return FlowProgress(flow: result.flow, verdict: result.verdict, token: token)
    }

    /// Stores the account of the user who completed a flow and, if a token was requested, the token.
    ///
    /// `tokens` are the tokens that were issued when the flow's success was recorded, or `nil` to issue tokens now.
    /// `signOuts` is the generation of the uid's latest sign-out, read before the answers are evaluated.
    ///
    /// - Returns: The token, or `nil` if no token was requested or an earlier response contained the token.
    func take(
        _ finished: FlowOutcome,
        given tokens: ExpectedTokens? = nil,
        _ caller: Caller,
        signOuts: Int64
    ) async throws -> TokenRow? {
        let uid = try caller.owner.cacheUID
        // Read the generation again, because a change to the account must delete only previously stored tokens.
        let signOuts =
            finished.edit == nil
            ? signOuts : try await Broker.rows.storing { try cache.signOuts.generation(uid: uid) }
        do {
            guard let pending = finished.pendingRequest else {
                let user = NamedUser(
                    id: finished.user,
                    username: finished.username,
                    displayName: finished.displayName ?? finished.username
                )
                _ = try await store.keep(user, policy: finished.policy.description, uid: uid, signOuts: signOuts)
                return nil
            }
            let issued =
                if let tokens { try tokens.signed() } else { try await authority.issue(pending: pending, caller) }
            guard let issued else {
                // The answer was submitted again. The first response contained the token, which is now in the cache.
                return nil
            }
            return try await store.keep(issued, caller, signOuts: signOuts)
        } catch let refusal as Refusal where refusal.reason == .interactionRequired {
            // If the user signed out while the answers were evaluated, also remove the new session and token family.
            let account = cache.accounts.id(uid: uid, authority: Broker.localAuthority, subject: finished.user.oid)
            if try await Broker.rows.storing({
                try cache.signOuts.isSignedOut(uid: uid, account: account, since: signOuts)
            }) {
                _ = try await authority.sessions.signOut(user: finished.user, caller)
            }
            throw refusal
        }
    }
}

extension AcquireRequest {
    /// Creates a request that needs a sign-in at the policy's external authority, for a token with the default scopes.
    init(_ request: StartFlowRequest) throws {
        self.init(scopes: [])
        let unknown = request.input.keys.filter { $0 != "username" }.sorted().first
        if let unknown {
            throw Refusal(.invalidAnswer, Text("refusal.inputNotForOutside", ["parameter": unknown.prefix(64)]))
        }
        policy = request.policy
        account = request.account
        user = request.input["username"]?.string.map { UserHint(id: $0, kind: .optionalDisplayableID) }
        acrValues = request.acrValues
        maxAge = request.maxAge
        mode = request.mode
        loopbackPort = request.loopbackPort
        requestID = request.requestID
        correlationID = request.correlationID
        prompt = .login
    }
}

extension AcquireRequest.Mode {
    /// Rejects `paste` mode, because the local authority redirects browsers only to URLs that the caller can reach.
    func refusePaste() throws(InvalidParameters) {
        guard self != .paste else {
            throw InvalidParameters(Text("refusal.pasteOfOutside"))
        }
    }
}

extension UInt16? {
    /// Rejects a loopback port in a mode that does not use a browser on this machine.
    func refuse(in mode: AcquireRequest.Mode) throws(InvalidParameters) {
        guard self == nil else {
            throw InvalidParameters(Text("refusal.loopbackPortOfMode", ["mode": mode.rawValue]))
        }
    }

    /// Rejects a loopback port, because the local authority never redirects browsers to loopback ports.
    func refuseHere() throws(InvalidParameters) {
        guard self == nil else {
            throw InvalidParameters(Text("refusal.loopbackPortOfOutside"))
        }
    }
}

extension StartFlowRequest {
    /// The parts of the request that must be identical if the request is repeated with the same id.
    var asked: JSONValue {
        [
            "policy": .string(policy), "input": .object(input), "account": account.map { .string($0) } ?? .null,
            "mode": .string(mode.rawValue), "loopbackPort": loopbackPort.map { .int(Int64($0)) } ?? .null,
            "provider": provider.map { .string($0) } ?? .null,
            "providerToken": .object(providerToken.mapValues { .string($0.reveal()) }),
            "acrValues": .array(acrValues.map { .string($0) }),
            "maxAge": maxAge.map { .int($0) } ?? .null,
        ]
    }
}
