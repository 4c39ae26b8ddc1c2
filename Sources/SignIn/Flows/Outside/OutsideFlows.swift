import AuthorityStore
public import FlowModel
import Foundation
import Localization
import Logging
import Moments
import OAuth
public import OpenIDClient
import Origins

/// Users' sign-ins at external authorities, kept only in memory, so that a restart ends all of them.
///
/// Callers share the sign-ins, so this type is an actor.
public actor OutsideFlows {
    private let client: OpenIDClient
    private let clock: MomentClock
    private let limits: FlowLimits
    private let logger: Logger
    private let changes: FlowChanges
    private let ports: ReturnPort.Open?
    private var flows: [String: OutsideFlow] = [:]
    /// The tasks that wait for users on other devices, by flow id.
    private var waiting: [String: Task<Void, Never>] = [:]

    init(
        client: OpenIDClient,
        ports: ReturnPort.Open?,
        clock: MomentClock,
        limits: FlowLimits,
        logger: Logger,
        changes: FlowChanges
    ) {
        self.client = client
        self.clock = clock
        self.limits = limits
        self.logger = logger
        self.changes = changes
        self.ports = ports
    }

    /// Whether an id belongs to a sign-in at an external authority.
    public nonisolated static func has(_ id: String) -> Bool { id.hasPrefix(OutsideFlow.prefix) }

    /// Starts a sign-in, or returns the sign-in that the same or an equivalent request has already started.
    ///
    /// - Throws: `limit_exceeded`, `invalid_answer` if a different request has already used the request id, or
    ///   `unsupported_step` if the port that the browser returns to cannot be opened.
    public func start(_ request: OutsideRequest, owner: Owner) throws(Refusal) -> Started {
        let now = clock.now
        sweep(at: now)
        let own = flows.values.filter { $0.owner == owner }
        if let id = request.requestID, let before = own.first(where: { $0.request.requestID == id }) {
            guard before.request.joinKey == request.joinKey else {
                throw Refusal(.invalidAnswer, Text("refusal.requestIDUsed"))
            }
            return Started(flow: before.shown, joined: false)
        }
        let open = own.filter { !$0.state.isTerminal }
        if let equal = open.first(where: { $0.request.joinKey == request.joinKey && !$0.isAnswered }) {
            return Started(flow: equal.shown, joined: true)
        }
        guard open.count < limits.perOwner else { throw Refusals.tooManyFlows(.ofOwner, retryAfterMs: 1_000) }
        try makeRoom(for: owner)
        // The most recent sign-ins that have ended stay in memory, so that their responses can be repeated.
        let ended = own.filter(\.state.isTerminal).sorted { $0.ends.boot < $1.ends.boot }
        for flow in ended.dropLast(limits.perOwner) { flows[flow.id] = nil }
        let secrets = ProviderRequest(
            state: Self.random(16),
            nonce: Self.random(16),
            verifier: Secret(Self.random(32))
        )
        let (request, port) = try opening(request, Secret(secrets.state))
        let flow = OutsideFlow(request, owner: owner, id: Self.random(16), secrets: secrets, port: port, at: now)
        flows[flow.id] = flow
        return Started(flow: flow.shown, joined: false)
    }

    /// Ends the sign-in that ``SharedTotal`` selects if the total limit is reached.
    private func makeRoom(for owner: Owner) throws(Refusal) {
        let open = flows.values.filter { !$0.state.isTerminal }.sorted { $0.ends.boot < $1.ends.boot }
            .map { (flow: $0, levels: $0.owner.origin.levels) }
        func entries(_ scope: SharedTotal.Scope) -> [(flow: OutsideFlow, levels: OriginLevels)] {
            switch scope {
            case .all, .strangers: open
            case .level(let level, let name): open.filter { $0.levels[level] == name }
            }
        }
        let admission = SharedTotal(most: limits.total).admission(of: owner.origin.levels, isKnown: true) {
            entries($0).count
        } unanswered: { scope in
            entries(scope).filter { !$0.flow.isAnswered }.map { SharedTotal.Unanswered(id: $0.flow, levels: $0.levels) }
        }
        switch admission {
        case .admitted: break
        case .replacing(let flow): _ = try cancel(flow.id, owner: flow.owner)
        case .refused: throw Refusals.tooManyFlows(.ofAll, retryAfterMs: 1_000)
        }
    }

    private func opening(
        _ request: OutsideRequest,
        _ state: Secret
    ) throws(Refusal) -> (OutsideRequest, ReturnPort?) {
        switch request.way {
        case .registered: return (request, nil)
        case .port(let address):
            let port = try opened(address, state)
            return (request.returning(to: address.with(port: port.number)), port)
        case .kept(let address): return (request, try opened(address, nil))
        }
    }

    private func opened(_ address: LoopbackURI, _ state: Secret?) throws(Refusal) -> ReturnPort {
        guard let ports else { throw Refusal(.unsupportedStep, Text("refusal.noReturnPorts")) }
        do throws(ReturnPort.Unavailable) {
            return try ports(address, state, FlowLimits.flowLife)
        } catch {
            guard let port = address.port else {
                let refusal = Refusal(.unsupportedStep, Text("refusal.noReturnPortFree"))
                throw refusal.because(error.reason)
            }
            guard error.isInUse else {
                let refusal = Refusal(.unsupportedStep, Text("refusal.returnPortReserved", ["port": port]))
                throw refusal.because(error.reason)
            }
            let refusal = Refusal(.unsupportedStep, Text("refusal.returnPortInUse", ["port": port]))
            throw refusal.because(error.reason)
        }
    }

    func get(_ id: String, owner: Owner) throws(Refusal) -> Flow { try load(id, owner).shown }

    func list(owner: Owner) -> [Flow] {
        sweep(at: clock.now)
        return flows.values.filter { $0.owner == owner && !$0.state.isTerminal }.map(\.shown)
    }

    func cancel(_ id: String, owner: Owner) throws(Refusal) -> Flow {
        _ = try load(id, owner)
        return end(id, .cancelled)
    }

    func opened(_ id: String, owner: Owner, by opener: LinkOpener, continues: Bool) throws(Refusal) -> Flow {
        let flow = try load(id, owner)
        guard !flow.state.isTerminal, flow.openedBy.map({ continues && $0 != opener }) ?? true else {
            return flow.shown
        }
        flows[id]?.open(by: opener)
        changes.changed(id)
        return try load(id, owner).shown
    }

    func refuseWords(_ id: String, owner: Owner) throws(Refusal) -> Flow {
        _ = try load(id, owner)
        return end(id, .failed(.denied))
    }

    func cancelAll(owner: Owner) -> Int {
        let open = flows.values.filter { $0.owner == owner && !$0.state.isTerminal }
        for flow in open { _ = end(flow.id, .cancelled) }
        return open.count
    }

    /// Returns the redirect to the authority for an open sign-in.
    ///
    /// - Throws: `flow_finished`, `provider_unavailable` or `provider_protocol`.
    public func departure(_ id: String, owner: Owner) async throws(Refusal) -> ProviderRedirect {
        let flow = try load(id, owner)
        guard !flow.state.isTerminal, !flow.isAnswered else { throw Refusals.flowFinished(flow.state) }
        let request = flow.request
        do throws(ProviderError) {
            return ProviderRedirect(
                address: try await client.address(
                    at: request.registration,
                    flow.secrets,
                    loginHint: request.person?.loginHint,
                    for: request.asked
                ),
                state: Secret(flow.secrets.state),
                step: "",
                displayName: request.registration.displayName
            )
        } catch {
            throw Refusal(error, of: request.registration)
        }
    }

    /// Accepts the authority's response that the browser brings back, and stores the tokens before returning.
    ///
    /// - Throws: `flow_not_found`.
    public func returned(_ id: String, owner: Owner, _ answer: ProviderAnswer) async throws(Refusal) -> Flow {
        let flow = try load(id, owner)
        guard !flow.state.isTerminal, !flow.isAnswered else { return flow.shown }
        flows[id]?.isAnswered = true
        let request = flow.request
        return await ended(id, request) {
            try await self.client.tokens(at: request.registration, flow.secrets, answer, for: request.asked)
        }
    }

    private func ended(
        _ id: String,
        _ request: OutsideRequest,
        by issued: () async throws -> OutsideTokens
    ) async -> Flow {
        do {
            let tokens = try await issued()
            let claims = tokens.claims ?? [:]
            // Revoke the tokens if the flow has ended or a user other than the requested one has signed in.
            guard flows[id]?.state.isTerminal == false, request.person?.isNamed(by: claims) ?? true else {
                await revoke(tokens, request.registration)
                return end(id, .failed(.wrongUser))
            }
            guard request.meets(claims, at: clock.now) else {
                await revoke(tokens, request.registration)
                return end(id, .failed(.denied))
            }
            let account = try await request.keep(tokens)
            // Requesting scopes that were not granted again would not help, so the flow fails, but the account stays
            // stored.
            let isGranted = Set(request.asked.scopes).isSubset(of: tokens.scopes)
            return end(id, isGranted ? .succeeded : .failed(.denied), account: account)
        } catch let error as ProviderError {
            logger.warning("an external authority failed", metadata: request.registration.logged("\(error)"))
            return end(id, .failed(FailureReason(error)))
        } catch let refusal as Refusal where refusal.reason == .interactionRequired {
            return end(id, .cancelled)
        } catch let refusal as Refusal where [.providerProtocol, .providerUnavailable].contains(refusal.reason) {
            let cause = refusal.detail ?? refusal.message
            logger.warning("an external authority failed", metadata: request.registration.logged(cause))
            return end(id, .failed(.providerFailed))
        } catch {
            logger.error("tokens of an external authority were not stored", metadata: ["error": "\(error)"])
            return end(id, .failed(.internal))
        }
    }

    // MARK: Other devices

    /// Requests codes for signing in on another device, and then waits for the sign-in in the background.
    ///
    /// - Returns: The codes to show, or `nil` if the authority does not issue any.
    /// - Throws: `provider_unavailable` or `provider_protocol`. Either error ends the flow.
    public func device(_ id: String, owner: Owner) async throws(Refusal) -> DeviceGrant? {
        let flow = try load(id, owner)
        if let device = flow.device { return device }
        let request = flow.request
        let made: DeviceGrant?
        do throws(ProviderError) {
            made = try await client.deviceGrant(at: request.registration, for: request.asked)
        } catch {
            _ = end(id, .failed(FailureReason(error)))
            throw Refusal(error, of: request.registration)
        }
        guard let made else { return nil }
        let now = try load(id, owner)
        // If another caller requested codes first, or if the flow has ended, these codes expire unused.
        if let first = now.device { return first }
        guard !now.state.isTerminal else { throw Refusals.flowFinished(now.state) }
        flows[id]?.wait(for: made)
        waiting[id] = Task { [weak self] in await self?.answered(id) }
        return made
    }

    /// Polls until the tokens are issued or the flow has ended.
    private func answered(_ id: String) async {
        defer { waiting[id] = nil }
        while let pause = flows[id]?.device?.interval {
            try? await Task.sleep(for: pause)
            sweep(at: clock.now)
            guard let flow = flows[id], let device = flow.device, !flow.state.isTerminal, !Task.isCancelled else {
                changes.changed(id)
                return
            }
            let request = flow.request
            do throws(ProviderError) {
                switch try await client.answer(to: device, at: request.registration, for: request.asked) {
                case .pending: break
                case .slowDown: flows[id]?.slowDown()
                case .expired:
                    _ = end(id, .expired)
                    return
                case .tokens(let tokens):
                    flows[id]?.isAnswered = true
                    _ = await ended(id, request) { tokens }
                    return
                }
            } catch {
                switch error.code {
                // The authority could become available again before the codes expire (RFC 8628 §3.5).
                case .unavailable: flows[id]?.slowDown()
                case .denied, .invalidGrant, .protocolViolation:
                    _ = await ended(id, request) { throw error }
                    return
                }
            }
        }
    }

    // MARK: Pasted URLs

    /// Opens the step that prompts for the URL in the browser's address bar, unless it is already open.
    func opened(
        _ id: String,
        _ owner: Owner,
        _ question: (_ address: String, _ authority: String) -> Step
    ) async throws(Refusal) -> Flow {
        guard try load(id, owner).question == nil else { return try load(id, owner).shown }
        do throws(Refusal) {
            let departure = try await departure(id, owner: owner)
            flows[id]?.ask(question(departure.address, departure.displayName))
            changes.changed(id)
        } catch {
            _ = end(id, .failed(FailureReason(error)))
            throw error
        }
        return try load(id, owner).shown
    }

    /// Counts a submitted URL that does not belong to the sign-in, and returns `false` if there have been too many.
    func noteMalformed(_ id: String) -> Bool {
        flows[id]?.noteMalformed()
        return flows[id]?.question.map { $0.malformed <= FlowLimits.malformedPerStep } ?? false
    }

    /// Records the accepted answer, which returns the same result if it is submitted again.
    func took(_ submission: String, for id: String) { flows[id]?.take(submission) }

    private func revoke(_ tokens: OutsideTokens, _ registration: ProviderRegistration) async {
        guard let token = tokens.refreshToken else { return }
        do throws(ProviderError) {
            _ = try await client.revoke(at: registration, token)
        } catch {
            let facts = registration.logged("\(error)")
            logger.warning("a refresh token that is not stored was not revoked", metadata: facts)
        }
    }

    func load(_ id: String, _ owner: Owner) throws(Refusal) -> OutsideFlow {
        sweep(at: clock.now)
        guard let flow = flows[id], flow.owner == owner else { throw Refusals.flowNotFound }
        return flow
    }

    func end(_ id: String, _ state: FlowState, account: String? = nil) -> Flow {
        flows[id]?.end(state, account: account, at: clock.now)
        waiting[id]?.cancel()
        changes.changed(id)
        // The flow is missing only if it ended earlier and was then removed from memory.
        return flows[id]?.shown ?? Flow(id: id, rev: 0, policy: "", state: state, expiresAt: 0, want: Flow.Want())
    }

    private func sweep(at now: Moment) {
        for flow in flows.values where flow.ends.hasEnded(at: now) && !flow.state.isTerminal && !flow.isAnswered {
            flows[flow.id]?.end(.expired, at: now)
        }
        flows = flows.filter { !$0.value.isGone(at: now) }
    }

    static func random(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }
}

extension ProviderRegistration {
    /// The metadata of a log line about an error of the external authority.
    fileprivate func logged(_ error: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["error": "\(error)"]
        metadata["correlationId"] = correlationID.map { "\($0)" }
        return metadata
    }
}

extension OutsideRequest {
    /// Whether the user has been authenticated as requested (OpenID Connect Core §3.1.2.1, §5.5.1.1).
    fileprivate func meets(_ claims: [String: JSONValue], at now: Moment) -> Bool {
        guard demand.isReached(by: [claims["acr"]?.string].compactMap { $0 }) else { return false }
        guard demand.maxAge != nil else { return true }
        return demand.isRecent(claims["auth_time"]?.int.map { $0 * 1000 } ?? 0, at: now)
    }
}
