import AuthorityStore
public import FlowModel
import Foundation
import Logging
import Moments
import OAuth
public import OpenIDClient
import Origins

/// The sign-ins of people at outside authorities.
///
/// An actor because it owns memory that callers share. They live in memory only: their secrets are never written, and a
/// restart ends them, as it does for the browser that is away. What an authority issued is stored by ``OutsideRequest/Keep``
/// before anybody is told that the flow has succeeded.
public actor OutsideFlows {
    private let client: OpenIDClient
    private let clock: MomentClock
    private let limits: FlowLimits
    private let logger: Logger
    private let changes: FlowChanges
    private let ports: ReturnPort.Open?
    private var flows: [String: OutsideFlow] = [:]
    /// The waiting for people on other devices, by the flow.
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

    /// True for the id of a sign-in at an outside authority.
    public nonisolated static func has(_ id: String) -> Bool { id.hasPrefix(OutsideFlow.prefix) }

    /// Begins a sign-in, or finds the one that the same or an equal request has begun.
    ///
    /// - Throws: `limit_exceeded`; `unsupported_step` if the port cannot be had at which its browser would come back.
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
        // Of those that have ended only the newest are kept for a repeated reply.
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

    /// Makes room for one sign-in more, by the rule of all totals that are shared.
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

    /// Opens the port at which the browser of a sign-in comes back, if it is one of ours.
    ///
    /// - Returns: The request with the address there, and the port.
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

    /// A sign-in of this owner.
    func get(_ id: String, owner: Owner) throws(Refusal) -> Flow { try load(id, owner).shown }

    /// The open sign-ins of this owner.
    func list(owner: Owner) -> [Flow] {
        sweep(at: clock.now)
        return flows.values.filter { $0.owner == owner && !$0.state.isTerminal }.map(\.shown)
    }

    /// Ends a sign-in; one that has ended stays as it is.
    func cancel(_ id: String, owner: Owner) throws(Refusal) -> Flow {
        _ = try load(id, owner)
        return end(id, .cancelled)
    }

    /// Records whose browser opened the link of an open sign-in: the first one, and the one that continues it.
    func opened(_ id: String, owner: Owner, by opener: LinkOpener, continues: Bool) throws(Refusal) -> Flow {
        let flow = try load(id, owner)
        guard !flow.state.isTerminal, flow.openedBy.map({ continues && $0 != opener }) ?? true else {
            return flow.shown
        }
        flows[id]?.open(by: opener)
        changes.changed(id)
        return try load(id, owner).shown
    }

    /// Ends a sign-in whose words were typed wrong; one that has ended stays as it is.
    func refuseWords(_ id: String, owner: Owner) throws(Refusal) -> Flow {
        _ = try load(id, owner)
        return end(id, .failed(.denied))
    }

    /// Ends all open sign-ins of an owner, and returns their number.
    func cancelAll(owner: Owner) -> Int {
        let open = flows.values.filter { $0.owner == owner && !$0.state.isTerminal }
        for flow in open { _ = end(flow.id, .cancelled) }
        return open.count
    }

    /// The way to the authority of an open sign-in.
    ///
    /// - Throws: `provider_unavailable` or `provider_protocol` if its address cannot be found out, `flow_finished`.
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

    /// Takes what the authority sent the person back with; the tokens are stored before this returns.
    ///
    /// - Returns: The flow as it ended.
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

    /// Ends a flow by the tokens that were issued for it, or by what kept them from being issued.
    private func ended(
        _ id: String,
        _ request: OutsideRequest,
        by issued: () async throws -> OutsideTokens
    ) async -> Flow {
        do {
            let tokens = try await issued()
            let claims = tokens.claims ?? [:]
            // Ended meanwhile, or somebody else's: what was issued is not kept, so it is not left valid either.
            guard flows[id]?.state.isTerminal == false, request.person?.isNamed(by: claims) ?? true else {
                await revoke(tokens, request.registration)
                return end(id, .failed(.wrongUser))
            }
            guard request.meets(claims, at: clock.now) else {
                await revoke(tokens, request.registration)
                return end(id, .failed(.denied))
            }
            let account = try await request.keep(tokens)
            // The account is kept, and less than was asked for is no success: asking again would not help.
            let isGranted = Set(request.asked.scopes).isSubset(of: tokens.scopes)
            return end(id, isGranted ? .succeeded : .failed(.denied), account: account)
        } catch let error as ProviderError {
            logger.warning("an outside authority failed", metadata: ["error": "\(error)"])
            switch error.code {
            case .denied, .invalidGrant: return end(id, .failed(.denied))
            case .unavailable, .protocolViolation: return end(id, .failed(.providerFailed))
            }
        } catch let refusal as Refusal where refusal.reason == .interactionRequired {
            return end(id, .cancelled)
        } catch let refusal as Refusal where [.providerProtocol, .providerUnavailable].contains(refusal.reason) {
            logger.warning("an outside authority failed", metadata: ["error": "\(refusal)"])
            return end(id, .failed(.providerFailed))
        } catch {
            logger.error("tokens of an outside authority were not kept", metadata: ["error": "\(error)"])
            return end(id, .failed(.internal))
        }
    }

    // MARK: Other devices

    /// Begins to wait for a person who signs in on another device; the flow ends by itself then.
    ///
    /// - Returns: The codes to show; nil if the authority has none.
    /// - Throws: `provider_unavailable` or `provider_protocol`, which end the flow.
    public func device(_ id: String, owner: Owner) async throws(Refusal) -> DeviceGrant? {
        let flow = try load(id, owner)
        if let device = flow.device { return device }
        let request = flow.request
        let made: DeviceGrant?
        do throws(ProviderError) {
            made = try await client.deviceGrant(at: request.registration, for: request.asked)
        } catch {
            _ = end(id, .failed(.providerFailed))
            throw Refusal(error, of: request.registration)
        }
        guard let made else { return nil }
        let now = try load(id, owner)
        // Another caller of the same flow was faster, or it has ended: these codes are left to expire.
        if let first = now.device { return first }
        guard !now.state.isTerminal else { throw Refusals.flowFinished(now.state) }
        flows[id]?.wait(for: made)
        waiting[id] = Task { [weak self] in await self?.answered(id) }
        return made
    }

    /// Asks for the tokens until there are some, or the flow has ended.
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
                // It may be back before the codes expire (RFC 8628 §3.5).
                case .unavailable: flows[id]?.slowDown()
                case .denied, .invalidGrant, .protocolViolation:
                    _ = await ended(id, request) { throw error }
                    return
                }
            }
        }
    }

    // MARK: Addresses that are brought

    /// Opens the question for the address at which a browser ends, unless it is open.
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
            _ = end(id, .failed(.providerFailed))
            throw error
        }
        return try load(id, owner).shown
    }

    /// Counts an address that is none of a sign-in; false if there were too many.
    func noteMalformed(_ id: String) -> Bool {
        flows[id]?.noteMalformed()
        return flows[id]?.question.map { $0.malformed <= FlowLimits.malformedPerStep } ?? false
    }

    /// Remembers the answer that is being taken, so that it may be sent again.
    func took(_ submission: String, for id: String) { flows[id]?.take(submission) }

    private func revoke(_ tokens: OutsideTokens, _ registration: ProviderRegistration) async {
        guard let token = tokens.refreshToken else { return }
        do throws(ProviderError) {
            _ = try await client.revoke(at: registration, token)
        } catch {
            logger.warning("a refresh token that is not kept was not revoked", metadata: ["error": "\(error)"])
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
        // Only `sweep` removes, and it runs before a flow is looked up.
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

extension OutsideRequest {
    /// True if the person has proved what was asked for (OpenID Connect Core §3.1.2.1, §5.5.1.1).
    fileprivate func meets(_ claims: [String: JSONValue], at now: Moment) -> Bool {
        guard demand.isReached(by: [claims["acr"]?.string].compactMap { $0 }) else { return false }
        guard demand.maxAge != nil else { return true }
        return demand.isRecent(claims["auth_time"]?.int.map { $0 * 1000 } ?? 0, at: now)
    }
}
