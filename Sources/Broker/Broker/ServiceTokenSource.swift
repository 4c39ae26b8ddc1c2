import Authority
import FlowModel
import Flows
import Foundation
import Logging
import Moments
import OAuth
import OpenIDClient
import Storage
import StoreRefusals
import TokenCache

/// Gets tokens for a service (RFC 6749 §4.4) or in exchange for a local token (RFC 8693), without prompting the user.
///
/// The tokens have no refresh tokens.
struct ServiceTokenSource: TokenSource {
    let desk: TokenDesk
    let request: AcquireRequest
    let caller: Caller
    let authority: OutsideAuthority
    let wanted: WantedToken

    private let uid: UInt32
    private let indicator: ResourceIndicator?
    /// The local account whose token is exchanged, or `nil` for a service or if no user is signed in.
    private let account: AccountRow?
    private let began: Moment

    init(
        _ desk: TokenDesk,
        _ request: AcquireRequest,
        _ caller: Caller,
        _ authority: OutsideAuthority,
        _ account: AccountRow?
    ) throws {
        self.desk = desk
        self.request = request
        self.caller = caller
        self.account = account
        self.authority = authority.called(by: caller)
        began = desk.clock.now
        uid = try caller.owner.cacheUID
        try authority.permit(uid)
        try request.refusePerson(at: authority)
        indicator = authority.indicator(request.resource)
        wanted = WantedToken(
            client: authority.registration.clientID,
            authority: authority.name,
            policy: authority.policy,
            resource: indicator?.name ?? "",
            scopes: Set(request.scopes.isEmpty ? authority.scopes : request.scopes).sorted(),
            demand: AuthenticationDemand(acrValues: [], maxAge: nil)
        )
    }

    var servesFromCache: Bool { true }

    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow] {
        if account.isService { return rows }
        return try await desk.store.dropIfGone(account) ? [] : rows
    }

    func renewed(_ account: AccountRow) async throws -> TokenRow? {
        let signOuts = try await Broker.rows.storing { try desk.cache.signOuts.generation(uid: uid) }
        return try await granted(signOuts: signOuts)
    }

    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64 {
        guard let signOuts = try? desk.cache.signOuts.generation(uid: uid) else { return 0 }
        return await desk.store.renewer.renewAhead(family, row, at: desk.clock.now) {
            try await ask(signOuts: signOuts)
        }
    }

    /// Returns `nil`, because only a request for a token can start an early renewal, so uses need not be recorded.
    func used(_ row: TokenRow) -> TokenUseRecord? { nil }

    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer {
        switch authority.grant {
        case .authorizationCode, .clientCredentials: break
        case .tokenExchange: if account == nil { throw Self.nobody }
        }
        return .token(try await granted(signOuts: signOuts))
    }

    // MARK: The grant

    /// The key that callers share if they request tokens for the same account, API and scopes.
    private var family: FamilyKey {
        FamilyKey(
            uid: uid,
            account: holder,
            client: wanted.client,
            policy: ([wanted.policy, wanted.resource] + wanted.scopes).joined(separator: " ")
        )
    }

    private var holder: String {
        account?.account
            ?? desk.cache.accounts.id(uid: uid, authority: authority.name, subject: authority.service.text)
    }

    /// Requests a token once for all waiting callers, unless a matching token has been stored in the meantime.
    private func granted(signOuts: Int64) async throws -> TokenRow {
        let waiting = WaitingRequest(desk: desk, request: request, wanted: wanted, began: began)
        for _ in 0..<Self.mostShares {
            do {
                return try await desk.store.renewer.renewed(family) {
                    if let row = try await waiting.foundMeanwhile(wanted.query(uid, holder)) {
                        throw RenewedMeanwhile(row: row)
                    }
                    return try await ask(signOuts: signOuts)
                }
            } catch let error as RenewedMeanwhile {
                if waiting.isServed(by: error.row) { return error.row }
            }
        }
        throw Self.tooMany
    }

    /// Requests a token, and stores it before any caller gets it.
    private func ask(signOuts: Int64) async throws -> TokenRow {
        let asked = OutsideDemand(scopes: wanted.scopes, resource: indicator)
        let registration = authority.registration
        let tokens: OutsideTokens
        var expires: Deadline?
        do {
            switch authority.grant {
            case .tokenExchange(let subject):
                let ours = try await self.subject(subject)
                let now = desk.clock.now
                // The new token relies on the local token's authentication, so it must not outlive the local token.
                expires = Deadline(.milliseconds(ours.expiresAt - now.wall), after: now)
                try desk.limits.renewals.charge(uid, at: now)
                tokens = try await desk.external.openID.exchanged(
                    ours.accessToken,
                    at: registration,
                    of: subject.issuer,
                    for: asked
                )
            case .authorizationCode, .clientCredentials:
                try desk.limits.renewals.charge(uid, at: desk.clock.now)
                tokens = try await desk.external.openID.serviceToken(at: registration, for: asked)
            }
        } catch let error as ProviderError {
            throw refusal(error)
        }
        guard Set(wanted.scopes).isSubset(of: tokens.scopes) else {
            throw scopesNotGiven
        }
        guard tokens.mayBe(for: indicator) else {
            let detail = "\(authority.name) returned an access token for another API"
            throw refusal(ProviderError(.protocolViolation, detail))
        }
        guard !tokens.expires.hasEnded(at: desk.clock.now) else {
            throw refusal(ProviderError(.protocolViolation, "\(authority.name) issued an expired token"))
        }
        let row = try await keep(tokens, until: expires?.earlier(tokens.expires) ?? tokens.expires, signOuts: signOuts)
        await desk.external.note(.tokenIssued, at: authority, caller)
        return row
    }

    private func refusal(_ error: ProviderError) -> Refusal {
        switch error.code {
        case .unavailable, .protocolViolation: Refusal(error, of: authority.registration)
        case .invalidGrant:
            Refusal(
                .scopeDenied,
                Text("refusal.subjectTokenNotTaken", ["authority": authority.registration.displayName])
            ).because(error.description)
        case .denied: scopesNotGiven.because(error.description)
        }
    }

    private var scopesNotGiven: Refusal {
        Refusal(.scopeDenied, Text("refusal.scopesNotGiven", ["authority": authority.registration.displayName]))
    }

    private func subject(_ subject: OutsideAuthority.Subject) async throws -> AcquiredToken {
        guard let account else { throw Self.nobody }
        var asked = AcquireRequest(scopes: subject.scopes)
        asked.account = account.account
        asked.prompt = .none
        switch try await Acquisition(desk: desk, request: asked, caller: caller).answer() {
        case .token(let token, _): return token
        case .flow: throw Self.nobody
        }
    }

    private static let nobody = Refusal(.interactionRequired, Text("refusal.signInHereFirst"))

    // MARK: Storing

    private func keep(_ tokens: OutsideTokens, until expires: Deadline, signOuts: Int64) async throws -> TokenRow {
        let now = desk.clock.now
        let client = authority.registration.clientID
        let row = TokenRow(
            uid: uid,
            account: holder,
            client: client,
            authority: authority.name,
            policy: authority.policy,
            resource: wanted.resource,
            scopes: tokens.scopes,
            accessToken: tokens.accessToken,
            idToken: nil,
            expires: expires,
            expiresAt: expires.wall,
            acr: "",
            amr: [],
            authTime: 0,
            claims: Data(JSONValue.object([:]).bytes),
            username: account?.username ?? client,
            receivedAt: now.wall
        )
        do throws(StoreError) {
            try await desk.cache.store(StoreUnit(account: upsert, token: row), expectedGeneration: signOuts)
            return row
        } catch {
            guard ![.signedOut, .locked].contains(error.code) else {
                // No caller gets this token, so revoke it.
                _ = await desk.external.revoke(tokens.accessToken, as: .accessToken, at: authority)
                throw Broker.rows.refusal(error)
            }
            // Return the token even though it is not stored. The next caller requests a new token.
            desk.logger.warning("a token could not be cached", metadata: ["error": "\(error)"])
            await desk.external.note(.tokenNotCached, at: authority, caller)
            var row = row
            row.isKept = false
            return row
        }
    }

    /// The account under which to store the token: the user's account without changes, or else the service's account.
    private var upsert: AccountUpsert {
        AccountUpsert(
            uid: uid,
            authority: account?.authority ?? authority.name,
            subject: account?.subject ?? authority.service.text,
            username: account?.username ?? authority.registration.clientID,
            displayName: account == nil ? authority.registration.displayName : account?.displayName,
            policy: account?.lastPolicy ?? authority.policy,
            isSignIn: false
        )
    }
}

extension OutsideAuthority {
    /// The identity, in place of a user, under which the tokens of a service at this authority are stored.
    var service: OutsidePerson {
        OutsidePerson(subject: OutsidePerson.service, issuer: registration.issuer)
    }

    func requirePeople() throws(Refusal) {
        guard signsPeopleIn else {
            throw Refusal(.unknownPolicy, Text("refusal.nobodySignsInAt", ["authority": name]))
        }
    }
}

extension AccountSelection.Place {
    /// The authority whose accounts are considered: the local authority for a token exchange, or else this authority.
    var ofAccounts: AccountSelection.Place {
        switch self {
        case .here: .here
        case .outside(let authority):
            switch authority.grant {
            case .authorizationCode, .clientCredentials: self
            case .tokenExchange: .here
            }
        }
    }
}

extension AcquireRequest {
    /// Throws an error if the request has parameters that make sense only if a user signs in.
    fileprivate func refusePerson(at authority: OutsideAuthority) throws {
        if !prompt.mayBeSilent { try authority.requirePeople() }
        let parameters: [(name: String, isThere: Bool)] = [
            ("acrValues", !acrValues.isEmpty), ("maxAge", maxAge != nil), ("claims", claims != nil),
            ("additionalScopes", !additionalScopes.isEmpty), ("mode", mode != .native),
            ("loopbackPort", loopbackPort != nil),
            ("extraQueryParameters", !extraQueryParameters.isEmpty), ("user", authority.isService && user != nil),
        ]
        if let name = parameters.first(where: \.isThere)?.name {
            throw InvalidParameters(Text("refusal.parameterOfSignIns", ["parameter": name]))
        }
    }
}
