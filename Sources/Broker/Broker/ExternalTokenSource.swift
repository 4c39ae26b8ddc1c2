import Authority
import Crypto
import FlowModel
import Flows
import Foundation
import Moments
import OAuth
import OpenIDClient
import StoreRefusals
import TokenCache

struct ExternalTokenSource: TokenSource {
    let desk: TokenDesk
    let request: AcquireRequest
    let caller: Caller
    let authority: OutsideAuthority
    let wanted: WantedToken
    /// Whether a caller requested the token; an early renewal does not count as a use of the account.
    var isUse = true

    let indicator: ResourceIndicator?

    private let uid: UInt32
    private let began: Moment

    init(
        _ desk: TokenDesk,
        _ request: AcquireRequest,
        _ caller: Caller,
        _ authority: OutsideAuthority
    ) throws {
        self.desk = desk
        self.request = request
        self.caller = caller
        self.authority = authority.called(by: caller)
        began = desk.clock.now
        switch authority.part {
        case .whole, .policy: break
        case .policies:
            throw Refusal(.unknownPolicy, Text("refusal.authorityHasPolicies", ["authority": authority.name]))
        }
        uid = try caller.owner.cacheUID
        try authority.permit(uid)
        indicator = authority.indicator(request.resource)
        let scopes = request.scopes.isEmpty ? authority.scopes : request.scopes
        wanted = WantedToken(
            client: authority.registration.clientID,
            authority: authority.name,
            policy: authority.policy,
            resource: indicator?.name ?? "",
            scopes: Set(scopes).sorted(),
            demand: AuthenticationDemand(acrValues: request.acrValues, maxAge: request.maxAge)
        )
    }

    /// Always `true`, because a cached ID token records how the user was authenticated.
    var servesFromCache: Bool { true }

    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow] { rows }

    func renewed(_ account: AccountRow) async throws -> TokenRow? {
        guard try await isWorthRenewing(account) else { return nil }
        let waiting = WaitingRequest(desk: desk, request: request, wanted: wanted, began: began)
        let family = wanted.family(uid, account)
        for _ in 0..<Self.mostShares {
            do {
                let row = try await desk.store.renewer.renewed(family) {
                    if let row = try await waiting.foundMeanwhile(wanted.query(uid, account.account)) {
                        throw RenewedMeanwhile(row: row)
                    }
                    return try await renew(account)
                }
                if wanted.isMet(by: row, at: desk.clock.now) { return row }
            } catch let error as UncoveredToken {
                // Give up only if the failed renewal was for the same token; otherwise, another renewal can succeed.
                if error.wanted == wanted { return nil }
            } catch let error as RenewedMeanwhile {
                if waiting.isServed(by: error.row) { return error.row }
            }
        }
        throw Self.tooMany
    }

    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64 {
        await desk.store.renewer.renewAhead(wanted.family(uid, account), row, at: desk.clock.now) {
            try await renew(account)
        }
    }

    func used(_ row: TokenRow) -> TokenUseRecord? {
        let asked = TokenUseRecord.Asked(
            uid: uid,
            account: row.account,
            policy: wanted.policy,
            resource: wanted.resource,
            scopes: wanted.scopes
        )
        return desk.used.note(asked, due: row.expires.earlier(by: row.renewalLead), at: desk.clock.now)
    }

    /// Renews a token ahead of time if it is in the second half of its lifetime and has been used since it was issued.
    ///
    /// - Returns: `false` if the token must not be renewed again until a caller requests it.
    func renew(_ use: TokenUseRecord, _ account: AccountRow) async throws -> Bool {
        let now = desk.clock.now
        guard let row = try await atHand(account), let received = row.receivedAt, use.isSince(row) else {
            return false
        }
        use.wait(until: row.expires.earlier(by: row.renewalLead))
        guard use.isDue(at: now) else { return true }
        use.wait(until: Deadline(FamilyRenewer.aheadPause, after: now))
        let family = wanted.family(uid, account)
        guard await desk.store.renewer.mayRenewAhead(family, at: now) else { return true }
        do {
            let new = try await desk.store.renewer.renewed(family) {
                if let other = try await atHand(account), other.receivedAt != received {
                    throw RenewedMeanwhile(row: other)
                }
                return try await renew(account)
            }
            use.wait(until: new.expires.earlier(by: new.renewalLead))
        } catch is UncoveredToken {
            return false
        } catch is RenewedMeanwhile {
            return true
        }
        return true
    }

    private func atHand(_ account: AccountRow) async throws -> TokenRow? {
        let rows = try await Broker.rows.storing { try desk.cache.tokens.find(wanted.query(uid, account.account)) }
        let now = desk.clock.now
        return rows.first { wanted.isMet(by: $0, at: now) }
    }

    /// Redeems the refresh token of the account's token family, and stores the new tokens before any caller gets them.
    private func renew(_ account: AccountRow) async throws -> TokenRow {
        let family = wanted.family(uid, account)
        // Read the generation before the refresh token, so that a sign-out between the two reads prevents storing.
        let signOuts = try await Broker.rows.storing { try desk.cache.signOuts.generation(uid: uid) }
        if let row = await keptAtLast(family), wanted.isMet(by: row, at: desk.clock.now) {
            return row
        }
        let held = desk.store.unkept[family]?.unit.refreshToken
        var kept = held
        if kept == nil { kept = try await desk.store.refreshToken(family) }
        guard let kept else { throw UncoveredToken(wanted: wanted) }
        try desk.limits.renewals.charge(uid, at: desk.clock.now)
        // Read the cache before redeeming the refresh token, so that a failed read cannot lose the new tokens.
        var before = desk.store.unkept[family]?.unit.token
        if before == nil { before = try await newest(of: account) }
        let tokens: OutsideTokens
        do throws(ProviderError) {
            let registration = authority.registration
            tokens = try await desk.external.openID.renewed(
                at: registration,
                kept.token,
                for: asked,
                after: before?.claimValues.object ?? [:]
            ) { rotated in
                await keepRotated(rotated, of: account, signOuts: signOuts)
            }
        } catch {
            switch error.code {
            case .invalidGrant:
                // The authority would reject the refresh token again, so remove it and require a new sign-in.
                try await Broker.rows.storing {
                    try await desk.cache.refreshTokens.remove(uid: uid, account: account.account, kept)
                }
                throw UncoveredToken(wanted: wanted)
            case .denied: throw UncoveredToken(wanted: wanted)
            case .unavailable, .protocolViolation: throw Refusal(error, of: authority.registration)
            }
        }
        let row = try await keep(tokens, over: account, after: before, kept, signOuts: signOuts)
        await desk.external.note(.tokenRenewed, at: authority, caller)
        guard wanted.isMet(by: row, at: desk.clock.now) else { throw UncoveredToken(wanted: wanted) }
        return row
    }

    // MARK: Sign-in

    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer {
        guard request.prompt != .none else {
            throw Refusal(
                .interactionRequired,
                Text("refusal.signInAtAuthority", ["authority": authority.registration.displayName])
            )
        }
        let started = try await started(choice, signOuts: signOuts)
        return .flow(started.flow, joined: started.joined)
    }

    /// Starts a sign-in flow, or joins the open flow that an equivalent request started.
    func started(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> (flow: Flow, joined: Bool) {
        let (registration, way) = try authority.returning(from: request)
        let started = try await desk.flows.engine.outside.start(
            OutsideRequest(
                registration: registration,
                way: way,
                policy: authority.policy,
                asked: asked,
                demand: wanted.demand,
                person: person(choice),
                requestID: request.requestID,
                joinKey: joinKey(choice),
                keep: { tokens in
                    let row = try await keep(tokens, signOuts: signOuts)
                    await desk.external.note(.signInSucceeded, at: authority, caller)
                    return row.account
                }
            ),
            owner: caller.owner
        )
        return (try await shown(started.flow), started.joined)
    }

    /// Returns the flow with the URL of the sign-in, for which the user needs a browser even in `native` mode.
    private func shown(_ flow: Flow) async throws -> Flow {
        let client = request.client ?? AuthoritySettings.defaultClient
        switch request.mode {
        case .native, .browser: return try await desk.flows.shown(flow, client: client, .browser, caller)
        case .paste:
            return try await desk.flows.engine.outside.asking(
                flow.id,
                owner: caller.owner,
                language: caller.presentation.language
            )
        case .device:
            guard !flow.state.isTerminal,
                let device = try await desk.flows.engine.outside.device(flow.id, owner: caller.owner)
            else {
                try authority.requireReturn()
                return try await desk.flows.shown(flow, client: client, .device, caller)
            }
            var flow = try await desk.flows.engine.get(flow.id, owner: caller.owner)
            flow.browser = BrowserPlace(
                url: device.completePage ?? device.page,
                words: [],
                code: BrowserPlace.TypedCode(userCode: device.userCode, page: device.page)
            )
            return flow
        }
    }

    private var asked: OutsideDemand {
        var parameters = request.extraQueryParameters
        parameters["prompt"] =
            switch request.prompt {
            case .auto, .none: nil
            case .login: "login"
            case .create: "create"
            case .select: "select_account"
            }
        parameters["max_age"] = request.maxAge.map(String.init)
        parameters["acr_values"] = request.acrValues.isEmpty ? nil : request.acrValues.joined(separator: " ")
        parameters["claims"] = request.claims.map { JSONValue.object($0).text }
        return OutsideDemand(
            scopes: wanted.scopes,
            additionalScopes: authority.additionalScopes + request.additionalScopes,
            resource: indicator,
            parameters: parameters
        )
    }

    private func person(_ choice: AccountSelection.Choice) -> OutsideRequest.Person? {
        switch choice.required {
        case .user(let user):
            if let account = choice.account, let person = OutsidePerson(account.subject) {
                return .subject(person.subject, name: account.username)
            }
            return .subject(request.user?.id ?? user.oid, name: nil)
        case .signInName(let name): return .name(name)
        case .hint(let name): return .hint(name)
        case nil: return nil
        }
    }

    /// Returns a key that is the same for equivalent requests, so that they share one flow.
    private func joinKey(_ choice: AccountSelection.Choice) -> String {
        let demand = asked
        let parts: [String] = [
            authority.policy, authority.registration.issuer, wanted.client, wanted.resource,
            wanted.scopes.joined(separator: " "), demand.additionalScopes.joined(separator: " "),
            choice.account?.account ?? "", request.mode.toProvider.rawValue,
            request.loopbackPort.map { "\($0)" } ?? "",
            request.user.map { "\($0.kind.rawValue):\($0.id)" } ?? "",
            demand.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\u{1F}"),
        ]
        let text = JSONValue.array(parts.map { .string($0) }).bytes
        return Base64URL.encode(Data(SHA256.hash(data: text)))
    }
}

/// The error thrown if the refresh token of a token family cannot be used to get the wanted token.
private struct UncoveredToken: Error {
    let wanted: WantedToken
}

extension ExternalTokenSource {
    /// Whether a renewal can return a token whose sign-in time is as recent as the request requires.
    ///
    /// A renewal does not change the sign-in time (OpenID Connect Core §12.2), so the cached tokens already contain it.
    /// The result is `true` if no token is cached, or if newer tokens, which are not checked, are only in memory.
    func isWorthRenewing(_ account: AccountRow) async throws -> Bool {
        guard wanted.demand.age != nil else { return true }
        guard desk.store.unkept[wanted.family(account.uid, account)] == nil else { return true }
        let rows = try await Broker.rows.storing {
            try desk.cache.tokens.list(uid: account.uid, account: account.account)
        }
        let times = rows.filter { $0.client == wanted.client && $0.policy == wanted.policy }.map(\.authTime)
        let now = desk.clock.now
        return times.isEmpty || times.contains { wanted.demand.isRecent($0, at: now) }
    }
}
