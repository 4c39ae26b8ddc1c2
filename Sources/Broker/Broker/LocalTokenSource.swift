import Authority
import Crypto
import FlowModel
import Flows
import Foundation
import Moments
import OAuth
import Policies
import StoreRefusals
import TokenCache

struct LocalTokenSource: TokenSource {
    let desk: TokenDesk
    let request: AcquireRequest
    let caller: Caller
    let wanted: WantedToken

    private let uid: UInt32
    private let resolved: ResolvedRequest
    private let hints: ProviderHints

    init(
        _ desk: TokenDesk,
        _ request: AcquireRequest,
        _ caller: Caller,
        _ choice: AccountSelection.Choice,
        _ hints: ProviderHints
    ) async throws {
        self.desk = desk
        self.hints = hints
        self.request = request
        self.caller = caller
        uid = try caller.owner.cacheUID
        resolved = try await desk.authority.resolve(TokenRequest(request, choice, desk))
        wanted = WantedToken(
            client: resolved.client,
            authority: Broker.localAuthority,
            policy: resolved.policy.description,
            resource: resolved.audience,
            scopes: resolved.scopes,
            demand: resolved.demand
        )
    }

    /// `false` for a step-up policy, because only the session records which checks the user has passed.
    var servesFromCache: Bool {
        request.policy.flatMap { try? PolicyID($0) }.flatMap { desk.accounts.catalogue()[$0] }?.kind.stepsUp != true
    }

    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow] {
        if try await desk.store.dropIfGone(account) { return [] }
        return rows.filter { !desk.authority.isRevoked($0.accessToken) }
    }

    func renewed(_ account: AccountRow) async throws -> TokenRow? {
        let family = wanted.family(uid, account)
        for _ in 0..<Self.mostShares {
            do {
                let row = try await desk.store.renew(family, for: resolved, caller)
                return wanted.isMet(by: row, at: desk.clock.now) ? row : nil
            } catch let error as UncoveredRequest {
                // Give up only if the failed renewal was for an equal request; otherwise, another renewal can succeed.
                if error.request == resolved { return nil }
            }
        }
        throw Self.tooMany
    }

    /// Returns 0, because the local authority is available to renew a token whenever this broker is.
    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64 { 0 }

    func used(_ row: TokenRow) -> TokenUseRecord? { nil }

    // MARK: Session and sign-in

    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer {
        let decision = try await desk.authority.decide(
            resolved,
            for: choice.required,
            session: choice.account.map { UserID(oid: $0.subject) },
            prompt: Prompt(request.prompt),
            caller
        )
        switch decision {
        case .satisfied(let session, let user):
            let row = try await issued(resolved, session, user, signOuts)
            return .token(row)
        case .lacking(let requirement, let pending):
            guard request.prompt != .none else {
                throw Refusal(.interactionRequired, Text("refusal.signInOrProveMore"))
            }
            let mode = hints.mode(request.mode)
            let started = try await desk.flows.engine.start(
                FlowRequest(
                    caller: caller.showing(mode),
                    client: resolved.client,
                    policy: resolved.policy,
                    requirement: requirement,
                    want: Flow.Want(
                        scopes: resolved.scopes,
                        acrValues: resolved.acrValues,
                        maxAge: resolved.maxAge
                    ),
                    pending: pending,
                    joinKey: hints.token == nil ? joinKey(resolved, choice) : nil,
                    requestID: request.requestID,
                    asked: request.asked,
                    provider: hints.provider,
                    token: hints.token
                )
            )
            if let finished = started.finished,
                let row = try await desk.flows.take(finished, caller, signOuts: signOuts)
            {
                return .token(row)
            }
            let flow = try await desk.flows.shown(started.flow, client: resolved.client, mode, caller)
            return .flow(flow, joined: started.joined)
        }
    }

    /// Issues one token at a time for each account, client and policy, so that the cache keeps the newest token family.
    private func issued(
        _ resolved: ResolvedRequest,
        _ session: String,
        _ user: UserID,
        _ signOuts: Int64
    ) async throws -> TokenRow {
        let account = desk.cache.accounts.id(uid: uid, authority: Broker.localAuthority, subject: user.oid)
        let family = FamilyKey(
            uid: uid,
            account: account,
            client: resolved.client,
            policy: resolved.policy.description
        )
        for _ in 0..<Self.mostShares {
            do {
                let row = try await desk.store.renewer.renewed(family) { [desk, caller] in
                    let issued = try await desk.authority.issue(resolved, session: session, caller)
                    return try await desk.store.keep(issued, caller, signOuts: signOuts, isSignIn: false)
                }
                // The token could have been issued for other callers and have fewer scopes than this request needs.
                if wanted.isMet(by: row, at: desk.clock.now) { return row }
            } catch is UncoveredRequest {
                // Another caller's request for this token family was already in progress and failed, so try again.
            }
        }
        throw Self.tooMany
    }

    /// Returns a key that is the same for equivalent requests, so that they share one flow.
    private func joinKey(_ resolved: ResolvedRequest, _ choice: AccountSelection.Choice) -> String {
        let parts: [String] = [
            String(uid), resolved.client, resolved.policy.description, choice.account?.account ?? "",
            request.user.map { "\($0.kind.rawValue):\($0.id)" } ?? "", resolved.audience,
            resolved.scopes.joined(separator: " "), resolved.acrValues.joined(separator: " "),
            resolved.maxAge.map(String.init) ?? "", request.prompt.rawValue,
            resolved.checks.joined(separator: " "), hints.provider.map(ProviderName.usual) ?? "",
        ]
        let text = JSONValue.array(parts.map { .string($0) }).bytes
        return Base64URL.encode(Data(SHA256.hash(data: text)))
    }
}

extension TokenRequest {
    fileprivate init(_ request: AcquireRequest, _ choice: AccountSelection.Choice, _ desk: TokenDesk) {
        self.init(scopes: request.scopes)
        policy = request.policy ?? desk.accounts.usualPolicy(of: choice.account)
        sessionPolicy = choice.account.map { desk.accounts.usualPolicy(of: $0) }
        client = request.client ?? AuthoritySettings.defaultClient
        additionalScopes = request.additionalScopes
        resource = request.resource
        acrValues = request.acrValues
        maxAge = request.maxAge
        claims = request.claims.map(JSONValue.object)
    }
}
