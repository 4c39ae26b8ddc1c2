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

/// Tokens of an outside authority.
struct TheirTokens: TokenSource {
    let broker: Broker
    let request: AcquireRequest
    let caller: Caller
    let authority: OutsideAuthority
    let wanted: WantedToken

    private let uid: UInt32

    init(
        _ broker: Broker,
        _ request: AcquireRequest,
        _ caller: Caller,
        _ authority: OutsideAuthority
    ) throws {
        self.broker = broker
        self.request = request
        self.caller = caller
        self.authority = authority
        uid = try caller.owner.cacheUID
        let scopes = request.scopes.isEmpty ? authority.scopes : request.scopes
        wanted = WantedToken(
            client: authority.registration.clientID,
            authority: authority.name,
            policy: authority.name,
            resource: request.resource ?? "",
            scopes: Set(scopes).sorted(),
            demand: AuthenticationDemand(acrValues: request.acrValues, maxAge: request.maxAge)
        )
    }

    /// True: the ID token says what was proved.
    var servesFromCache: Bool { true }

    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow] { rows }

    func renewed(_ account: AccountRow) async throws -> TokenRow? {
        let family = wanted.family(uid, account)
        for _ in 0..<Self.mostShares {
            do {
                let row = try await broker.kept.renewer.renewed(family) { try await renew(account) }
                if wanted.isMet(by: row, at: broker.clock.now) { return row }
            } catch let error as UncoveredToken {
                // A shared renewal says nothing of this request if it was begun for another.
                if error.wanted == wanted { return nil }
            }
        }
        throw Self.tooMany
    }

    /// Renews at the half of a token's life, and a little later for some, so that not all do it at once.
    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64 {
        guard let received = row.receivedAt, row.expiresAt > received else { return 0 }
        let life = row.expiresAt - received
        let jitter = row.account.utf8.reduce(Int64(0)) { ($0 &* 31 &+ Int64($1)) % 100 } * life / 1_000
        let ahead = life / 2 - jitter
        let now = broker.clock.now
        guard row.expires.left(at: now) <= ahead else { return ahead }
        await broker.kept.renewer.renewAhead(wanted.family(uid, account), at: now) { try await renew(account) }
        // Nothing is remembered of it: the next caller gets the new token.
        return row.expires.left(at: now)
    }

    /// Redeems the family's refresh token, and stores what came back before anybody gets it.
    private func renew(_ account: AccountRow) async throws -> TokenRow {
        let family = wanted.family(uid, account)
        // Read before the token, so that a sign-out in between is seen when the result is stored.
        let signOuts = try await Broker.rows.storing { try broker.cache.signOuts.generation(uid: uid) }
        if let row = try await keptAtLast(family, signOuts: signOuts), wanted.isMet(by: row, at: broker.clock.now) {
            return row
        }
        let held = broker.kept.unkept[family]?.refreshToken
        var kept = held
        if kept == nil { kept = try await broker.kept.refreshToken(family) }
        guard let kept else { throw UncoveredToken(wanted: wanted) }
        let before = try await newest(of: account)?.claimValues.object ?? [:]
        let tokens: OutsideTokens
        do throws(ProviderError) {
            let registration = authority.registration
            tokens = try await broker.openID.renewed(at: registration, kept.token, for: asked, after: before)
        } catch {
            switch error.code {
            case .invalidGrant:
                // Asking again would be in vain; the account stays, and somebody has to sign in.
                try await Broker.rows.storing {
                    try await broker.cache.refreshTokens.remove(uid: uid, account: account.account, kept)
                }
                throw UncoveredToken(wanted: wanted)
            case .denied: throw UncoveredToken(wanted: wanted)
            case .unavailable, .protocolViolation: throw Refusal(error, of: authority.registration)
            }
        }
        let row = try await keep(tokens, over: account, kept, signOuts: signOuts)
        await broker.note(.tokenRenewed, at: authority, caller)
        guard wanted.isMet(by: row, at: broker.clock.now) else { throw UncoveredToken(wanted: wanted) }
        return row
    }

    // MARK: The person

    func fresh(_ choice: AccountChoice.Choice, signOuts: Int64) async throws -> FreshAnswer {
        guard request.prompt != .none else {
            throw Refusal(.interactionRequired, "somebody has to sign in at \(authority.registration.displayName)")
        }
        let started = try await started(choice, signOuts: signOuts)
        return .flow(started.flow, joined: started.joined)
    }

    /// Starts the sign-in, or joins an equal one, and says where a browser begins it.
    func started(_ choice: AccountChoice.Choice, signOuts: Int64) async throws -> (flow: Flow, joined: Bool) {
        let started = try await broker.flows.outside.start(
            OutsideRequest(
                registration: authority.registration,
                asked: asked,
                demand: wanted.demand,
                person: person(choice),
                requestID: request.requestID,
                joinKey: joinKey(choice),
                keep: { tokens in
                    let row = try await keep(tokens, signOuts: signOuts)
                    await broker.note(.signInSucceeded, at: authority, caller)
                    return row.account
                }
            ),
            owner: caller.owner
        )
        let client = request.client ?? AuthoritySettings.defaultClient
        // Nobody signs in elsewhere but in a browser.
        let mode: AcquireRequest.Mode =
            switch request.mode {
            case .native, .browser: .browser
            case .device: .device
            }
        let flow = try await broker.shown(started.flow, client: client, mode, caller)
        return (flow, started.joined)
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
            resource: request.resource,
            parameters: parameters
        )
    }

    private func person(_ choice: AccountChoice.Choice) -> OutsideRequest.Person? {
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

    /// The key shared by equal requests, which join one flow (contract §4).
    private func joinKey(_ choice: AccountChoice.Choice) -> String {
        let demand = asked
        let parts: [String] = [
            authority.name, authority.registration.issuer, wanted.client, wanted.resource,
            wanted.scopes.joined(separator: " "), demand.additionalScopes.joined(separator: " "),
            choice.account?.account ?? "", request.user.map { "\($0.kind.rawValue):\($0.id)" } ?? "",
            demand.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\u{1F}"),
        ]
        let text = JSONValue.array(parts.map { .string($0) }).bytes
        return Base64URL.encode(Data(SHA256.hash(data: text)))
    }
}

/// The error of a request that a family's refresh token does not give.
private struct UncoveredToken: Error {
    let wanted: WantedToken
}
