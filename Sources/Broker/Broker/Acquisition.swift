public import FlowModel
import Flows
import Foundation
public import Moments
import OAuth
import StoreRefusals
import TokenCache

/// The response to `token.acquire`.
public enum AcquireAnswer: Sendable {
    /// A token, and the conditions under which this response can be reused.
    case token(AcquiredToken, Reuse)
    /// A flow that the user must complete; `joined` is `true` if another request from the same uid started the flow.
    case flow(Flow, joined: Bool)

    /// The conditions under which a response can be reused without reading the cache.
    public struct Reuse: Hashable, Sendable {
        /// The deadline for a reuse, which depends on the token's expiry, the required validity and `maxAge`.
        public let until: Deadline
        /// The ``TokenDesk/generation(uid:)`` before the cache was read; if it is higher now, the response is stale.
        public let generation: Int64
        /// The record in which the caller notes each reuse, or `nil` if the token is not renewed ahead of time.
        public let use: TokenUseRecord?
    }
}

/// Handles one `token.acquire` call with a token from the cache, a renewal or a session, or else prompts the user.
struct Acquisition {
    let desk: TokenDesk
    let request: AcquireRequest
    let caller: Caller

    private let uid: UInt32
    private let mayAsk: Bool

    init(desk: TokenDesk, request: AcquireRequest, caller: Caller) throws {
        self.desk = desk
        self.request = request.identifying
        mayAsk = request.prompt != .none
        self.caller = caller
        uid = try caller.owner.cacheUID
    }

    func answer() async throws -> AcquireAnswer {
        let hints = try ProviderHints(request)
        // Read the generation before the cache, so that a change between the two reads makes the response stale.
        let generation = desk.generation(uid: uid)
        let signOuts = try await Broker.rows.storing { try desk.cache.signOuts.generation(uid: uid) }
        let authority = try await named
        switch authority {
        case .outside: try hints.refuse()
        case .here, nil: try hints.requireProvider()
        }
        let place = authority?.ofAccounts
        let choice = try await AccountSelection(accounts: desk.accounts, request: request, caller: caller, place: place)
            .choose()
        let source = try await source(choice, authority, hints)

        if request.prompt.mayBeSilent, source.servesFromCache, let account = choice.account {
            let rows = try await atHand(source, account)
            if !request.forceRefresh, let found = source.wanted.best(of: rows, validity: validity, at: desk.clock.now) {
                let ahead = await source.renewAhead(found, account)
                return answer(found, source, generation, ahead: ahead, fromCache: true)
            }
            if request.forceRefresh { try desk.limits.forcedRenewals.charge(uid, at: desk.clock.now) }
            do {
                if let renewed = try await source.renewed(account) {
                    return answer(renewed, source, generation, fromCache: false)
                }
            } catch let refusal as Refusal {
                guard let old = rows.first, Self.isElsewhere(refusal) else { throw refusal }
                // The authority failed to respond correctly, but the old token is still valid, so return the old token.
                return answer(old, source, generation, fromCache: true)
            }
        }
        try await desk.signOuts.finishPending(of: uid)
        switch try await source.fresh(choice, signOuts: signOuts) {
        case .token(let row): return answer(row, source, generation, fromCache: false)
        case .flow(let flow, let joined):
            guard mayAsk else {
                _ = try await desk.flows.engine.cancel(flow.id, caller: caller)
                throw Refusal(.interactionRequired, Text("refusal.providerTokenTooWeak"))
            }
            return .flow(flow, joined: joined)
        }
    }

    /// Starts a flow that signs a user in at an external authority but does not return a token.
    func flow(at authority: OutsideAuthority) async throws -> Flow {
        try authority.requirePeople()
        let signOuts = try await Broker.rows.storing { try desk.cache.signOuts.generation(uid: uid) }
        let choice = try await AccountSelection(
            accounts: desk.accounts,
            request: request,
            caller: caller,
            place: .outside(authority)
        ).choose()
        return try await ExternalTokenSource(desk, request, caller, authority).started(choice, signOuts: signOuts)
            .flow
    }

    // MARK: The source

    /// The authority that the request's policy belongs to, or `nil` if the request does not specify a policy.
    private var named: AccountSelection.Place? {
        get async throws {
            guard let policy = request.policy else { return nil }
            return try await desk.external.named(policy, uid: uid).map { .outside($0) } ?? .here
        }
    }

    private func source(
        _ choice: AccountSelection.Choice,
        _ named: AccountSelection.Place?,
        _ hints: ProviderHints
    ) async throws -> any TokenSource {
        let place: AccountSelection.Place
        if let named { place = named } else { place = try await self.place(of: choice.account) }
        switch place {
        case .outside(let authority):
            try hints.refuse()
            switch authority.grant {
            case .authorizationCode: return try ExternalTokenSource(desk, request, caller, authority)
            case .clientCredentials, .tokenExchange:
                return try ServiceTokenSource(desk, request, caller, authority, choice.account)
            }
        case .here:
            try request.mode.refusePaste()
            try request.loopbackPort.refuseHere()
            guard request.extraQueryParameters.isEmpty else {
                throw InvalidParameters(Text("refusal.queryParametersOfOutside"))
            }
            return try await LocalTokenSource(desk, request, caller, choice, hints)
        }
    }

    private func place(of account: AccountRow?) async throws -> AccountSelection.Place {
        guard let account, account.authority != Broker.localAuthority else { return .here }
        guard let authority = try await desk.external.authority(of: account, uid: uid) else {
            throw Refusal(.unknownPolicy, Text("refusal.authorityGone", ["authority": account.authority]))
        }
        return .outside(authority)
    }

    // MARK: The cache

    /// Returns the cached tokens that satisfy the request, sorted by expiry, latest first.
    private func atHand(_ source: any TokenSource, _ account: AccountRow) async throws -> [TokenRow] {
        let query = source.wanted.query(uid, account.account)
        let rows = try await Broker.rows.storing { try desk.cache.tokens.find(query) }
        guard !rows.isEmpty else { return [] }
        let usable = try await source.usable(rows, of: account)
        let now = desk.clock.now
        return usable.filter { source.wanted.isMet(by: $0, at: now) }
    }

    private var validity: Int64 { request.minValidityMs ?? Broker.defaultValidityMs }

    private static func isElsewhere(_ refusal: Refusal) -> Bool {
        [.providerUnavailable, .providerProtocol].contains(refusal.reason)
    }

    // MARK: The response

    private func answer(
        _ row: TokenRow,
        _ source: any TokenSource,
        _ generation: Int64,
        ahead: Int64 = 0,
        fromCache: Bool
    ) -> AcquireAnswer {
        let now = desk.clock.now
        desk.noteUse(uid: uid, account: row.account)
        var usable = row.expires.earlier(by: max(validity, ahead))
        if let age = source.wanted.demand.age {
            usable = usable.earlier(Deadline(.milliseconds(row.authTime - now.wall) + age, after: now))
        }
        if !source.servesFromCache || !row.isKept { usable = usable.earlier(Deadline(.zero, after: now)) }
        let token = AcquiredToken(row, correlationID: caller.correlationID, fromCache: fromCache)
        return .token(token, AcquireAnswer.Reuse(until: usable, generation: generation, use: source.used(row)))
    }
}

extension AcquireRequest {
    /// The parts of the request that must be identical if the request is repeated with the same id.
    var asked: JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        func number(_ value: Int64?) -> JSONValue { value.map { .int($0) } ?? .null }
        func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        func map(_ values: [String: String]) -> JSONValue { .object(values.mapValues { .string($0) }) }
        return [
            "policy": text(policy), "client": text(client), "scopes": list(scopes),
            "additionalScopes": list(additionalScopes), "account": text(account),
            "user": user.map { ["id": .string($0.id), "type": .string($0.kind.rawValue)] } ?? .null,
            "resource": text(resource), "acrValues": list(acrValues), "maxAge": number(maxAge),
            "claims": claims.map(JSONValue.object) ?? .null, "prompt": .string(prompt.rawValue),
            "mode": .string(mode.rawValue), "loopbackPort": number(loopbackPort.map { Int64($0) }),
            "provider": text(provider),
            "providerToken": map(providerToken.mapValues { $0.reveal() }), "minValidityMs": number(minValidityMs),
            "forceRefresh": .bool(forceRefresh),
            "extraQueryParameters": .object(extraQueryParameters.mapValues { .string($0) }),
        ]
    }
}
