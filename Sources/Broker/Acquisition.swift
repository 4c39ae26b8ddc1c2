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

/// One `token.acquire`: the cache, then the refresh-token family, then the session, then a person (contract §4).
struct Acquisition {
    let broker: Broker
    let request: AcquireRequest
    let caller: Caller

    private let uid: UInt32

    init(broker: Broker, request: AcquireRequest, caller: Caller) throws {
        self.broker = broker
        self.request = request
        self.caller = caller
        uid = try caller.owner.cacheUID
    }

    /// Returns a token, or the flow that must be completed first.
    func answer() async throws -> AcquireAnswer {
        try OutsideAuthority.refuse(request)
        // Read before anything else, so that an answer overtaken by a change is not remembered.
        let generation = broker.generation(uid: uid)
        let signOuts = try await Broker.rows.storing { try broker.cache.signOuts.generation(uid: uid) }
        let choice = try await AccountChoice(broker: broker, request: request, caller: caller).choose()
        let client = request.client ?? AuthoritySettings.defaultClient
        let resolved = try await broker.authority.resolve(tokenRequest(choice, client))

        if request.prompt.mayBeSilent, !stepsUp, let account = choice.account {
            if !request.forceRefresh, let found = try await cached(resolved, account) {
                broker.noteUse(uid: uid, account: account.account)
                return answer(found, resolved, generation, fromCache: true)
            }
            if let renewed = try await renewed(resolved, account) {
                return answer(renewed, resolved, generation, fromCache: false)
            }
        }
        try await broker.finishSignOuts(of: uid)
        return try await fresh(resolved, choice, generation, signOuts)
    }

    /// True if the policy only steps up: of a token at hand nobody knows which checks it was issued by; the session does.
    private var stepsUp: Bool {
        request.policy.flatMap { try? PolicyID($0) }.flatMap { broker.catalogue()[$0] }?.kind.stepsUp == true
    }

    private func tokenRequest(_ choice: AccountChoice.Choice, _ client: String) -> TokenRequest {
        var asked = TokenRequest(scopes: request.scopes)
        asked.policy = request.policy ?? broker.usualPolicy(of: choice.account)
        asked.sessionPolicy = choice.account.map { broker.usualPolicy(of: $0) }
        asked.client = client
        asked.additionalScopes = request.additionalScopes
        asked.resource = request.resource
        asked.acrValues = request.acrValues
        asked.maxAge = request.maxAge
        asked.claims = request.claims.map(JSONValue.object)
        return asked
    }

    // MARK: The cache

    private func cached(_ resolved: ResolvedRequest, _ account: AccountRow) async throws -> TokenRow? {
        let now = broker.clock.now
        let query = TokenQuery(
            uid: uid,
            account: account.account,
            client: resolved.client,
            authority: Broker.localAuthority,
            policy: resolved.policy.description,
            resource: resolved.audience,
            scopes: resolved.scopes
        )
        let rows = try await Broker.rows.storing { try broker.cache.tokens.find(query) }
        guard !rows.isEmpty else { return nil }
        guard try await broker.authority.isEnabled(UserID(oid: account.subject)) else {
            // An operator disabled or deleted the person at another daemon.
            await broker.kept.removeTokens(of: UserID(oid: account.subject))
            return nil
        }
        let usable = rows.filter { meets($0, resolved, at: now) && !broker.authority.isRevoked($0.accessToken) }
        let validity = request.minValidityMs ?? Broker.defaultValidityMs
        if let row = usable.first(where: { $0.expires.left(at: now) >= validity }) { return row }
        // No token lives that long: the newest will do, if it was issued within the last minute.
        return usable.first { row in
            guard let issued = row.issuedAt else { return false }
            return abs(now.wall - issued) < Broker.renewalPauseMs
        }
    }

    private func meets(_ row: TokenRow, _ resolved: ResolvedRequest, at now: Moment) -> Bool {
        guard !row.expires.hasEnded(at: now) else { return false }
        guard resolved.demand.isReached(by: [row.acr]), resolved.demand.isRecent(row.authTime, at: now) else {
            return false
        }
        return row.resource == resolved.audience && Set(resolved.scopes).isSubset(of: row.scopes)
    }

    // MARK: The family

    private func renewed(_ resolved: ResolvedRequest, _ account: AccountRow) async throws -> TokenRow? {
        let family = FamilyKey(
            uid: uid,
            account: account.account,
            client: resolved.client,
            policy: resolved.policy.description
        )
        for _ in 0..<Self.mostShares {
            do {
                let row = try await broker.kept.renew(family, for: resolved, caller)
                return meets(row, resolved, at: broker.clock.now) ? row : nil
            } catch let error as UncoveredRequest {
                // A shared renewal says nothing of this request if it was begun for another.
                if error.request == resolved { return nil }
            }
        }
        throw Self.tooMany
    }

    // MARK: The session and the person

    private func fresh(
        _ resolved: ResolvedRequest,
        _ choice: AccountChoice.Choice,
        _ generation: Int64,
        _ signOuts: Int64
    ) async throws -> AcquireAnswer {
        let decision = try await broker.authority.decide(
            resolved,
            for: choice.required,
            session: choice.account.map { UserID(oid: $0.subject) },
            prompt: Prompt(request.prompt),
            caller
        )
        switch decision {
        case .satisfied(let session, let user):
            let row = try await issued(resolved, session, user, signOuts)
            return answer(row, resolved, generation, fromCache: false)
        case .lacking(let requirement, let pending):
            guard request.prompt != .none else {
                throw Refusal(.interactionRequired, "somebody has to sign in or to prove more")
            }
            let started = try await broker.flows.start(
                FlowRequest(
                    caller: caller.showing(request.mode),
                    client: resolved.client,
                    policy: resolved.policy,
                    requirement: requirement,
                    want: Flow.Want(
                        scopes: resolved.scopes,
                        acrValues: resolved.acrValues,
                        maxAge: resolved.maxAge
                    ),
                    pending: pending,
                    joinKey: joinKey(resolved, choice),
                    requestID: request.requestID,
                    asked: request.asked
                )
            )
            let flow = try await broker.shown(started.flow, client: resolved.client, request.mode, caller)
            return .flow(flow, joined: started.joined)
        }
    }

    /// Issues a token for a session, one grant at a time for one account, client and policy.
    ///
    /// Of several at once the cache would keep one family, and not always the newest.
    private func issued(
        _ resolved: ResolvedRequest,
        _ session: String,
        _ user: UserID,
        _ signOuts: Int64
    ) async throws -> TokenRow {
        let account = broker.cache.accounts.id(uid: uid, authority: Broker.localAuthority, subject: user.oid)
        let family = FamilyKey(
            uid: uid,
            account: account,
            client: resolved.client,
            policy: resolved.policy.description
        )
        for _ in 0..<Self.mostShares {
            do {
                let row = try await broker.kept.renewer.renewed(family) { [broker, caller] in
                    let issued = try await broker.authority.issue(resolved, session: session, caller)
                    return try await broker.kept.keep(issued, caller, signOuts: signOuts, isSignIn: false)
                }
                // A shared grant may have been for fewer scopes than this request needs.
                if meets(row, resolved, at: broker.clock.now) { return row }
            } catch is UncoveredRequest {
                // It was a renewal that somebody else began, which gave nothing.
            }
        }
        throw Self.tooMany
    }

    /// The greatest number of shared grants that a request waits for, if they do not meet it.
    private static let mostShares = 64

    private static let tooMany = Refusal(
        .limitExceeded,
        "too many tokens are being issued for this account; try again"
    ).retrying(afterMs: 1_000)

    /// The key shared by equal requests, which join one flow (contract §4).
    private func joinKey(_ resolved: ResolvedRequest, _ choice: AccountChoice.Choice) -> String {
        let parts: [String] = [
            String(uid), resolved.client, resolved.policy.description, choice.account?.account ?? "",
            request.user.map { "\($0.kind.rawValue):\($0.id)" } ?? "", resolved.audience,
            resolved.scopes.joined(separator: " "), resolved.acrValues.joined(separator: " "),
            resolved.maxAge.map(String.init) ?? "", request.prompt.rawValue,
            resolved.checks.joined(separator: " "),
        ]
        let text = JSONValue.array(parts.map { .string($0) }).bytes
        return Base64URL.encode(Data(SHA256.hash(data: text)))
    }

    // MARK: The answer

    private func answer(
        _ row: TokenRow,
        _ resolved: ResolvedRequest,
        _ generation: Int64,
        fromCache: Bool
    ) -> AcquireAnswer {
        let validity = request.minValidityMs ?? Broker.defaultValidityMs
        var usable = row.expires.earlier(by: validity)
        if let age = resolved.demand.age {
            let now = broker.clock.now
            usable = usable.earlier(Deadline(.milliseconds(row.authTime - now.wall) + age, after: now))
        }
        if stepsUp { usable = usable.earlier(Deadline(.zero, after: broker.clock.now)) }
        let token = AcquiredToken(row, correlationID: caller.correlationID, fromCache: fromCache)
        return .token(token, AcquireAnswer.Reuse(until: usable, generation: generation))
    }
}

extension AcquireRequest {
    /// The request itself, without its caller and time.
    fileprivate var asked: JSONValue {
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
            "mode": .string(mode.rawValue), "provider": text(provider),
            "providerToken": map(providerToken.mapValues { $0.reveal() }), "minValidityMs": number(minValidityMs),
            "forceRefresh": .bool(forceRefresh),
        ]
    }
}
