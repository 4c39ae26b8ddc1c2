import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The parameters of ``Authority/decide(_:for:session:prompt:asksConsent:isAssured:_:)`` that restrict the decision.
struct RequestQuestion {
    let who: RequiredUser?
    let person: UserID?
    let prompt: Prompt
    let asksConsent: Bool
    let isAssured: Bool
}

/// Finds a session that satisfies a request, or determines the requirement that a flow must meet.
struct AuthorizationDecision {
    private let authority: Authority
    private let request: ResolvedRequest
    private let question: RequestQuestion
    private let caller: Caller
    private let catalogue: PolicyCatalogue
    private let policy: Policy
    private let client: OAuthClient

    init(
        _ request: ResolvedRequest,
        _ question: RequestQuestion,
        _ caller: Caller,
        _ authority: Authority
    ) async throws {
        self.authority = authority
        self.question = question
        self.caller = caller
        let snapshot = try await authority.memory.snapshot()
        catalogue = authority.catalogue()
        policy = try PolicyCheck.policy(request.policy.description, in: catalogue)
        client = try ClientCheck.client(request.client, clients: snapshot.clients)
        self.request = try request.answerable(by: caller.owner, policy, catalogue)
    }

    /// Returns a session, possibly a new one from a remembered sign-in, or the requirement that a flow must meet.
    ///
    /// - Throws: `blocked` if the user who would be prompted has no attempts left.
    func decide() async throws -> Decision {
        let user = try await known()
        var (base, isSilent): (SessionRow?, Bool) = (nil, false)
        if !question.prompt.passesOverSessions, policy.kind.goesOnFromSession {
            let sessions = try await sessions(of: user)
            var met = sessions.first { ProvedSession($0).answers(basis, at: authority.clock.now) }
            let signedIn = sessions.first {
                ProvedSession($0).serves(basis, at: authority.clock.now)
                    && SessionChecks.signIn(ProvedSession($0), basis, at: authority.clock.now)
            }
            let back = met == nil && signedIn == nil ? try await resumeRemembered(user) : nil
            if let back, ProvedSession(back).answers(basis, at: authority.clock.now) { met = back }
            isSilent = met != nil && !isKnown && !policy.kind.changesPerson
            if let met, !isSilent, !policy.kind.changesPerson, try await hasConsent(met.user) {
                return .satisfied(session: met.id, user: met.user)
            }
            // The flow continues from this session, so the user does not repeat checks that are already passed.
            base = met ?? signedIn ?? back
        }
        try await authority.checks.refuseIfBlocked(
            catalogue.ordered(policy.baseChecks + request.checks),
            policy: policy.id,
            client: client.id,
            who: question.who,
            user: user,
            caller
        )
        return .lacking(requirement(session: base, isSilent: isSilent), try pending())
    }

    /// Whether only the client can use the response, which is always `true` for a confidential client.
    private var isKnown: Bool {
        switch client.summary.type {
        case .confidential: true
        case .public, .browser: question.isAssured
        }
    }

    private func known() async throws -> UserID? {
        switch question.who {
        case .user(let id): id
        case .signInName(let name): try await authority.store.users.find(signInName: name)?.id
        case .hint, nil: nil
        }
    }

    private func sessions(of user: UserID?) async throws -> [SessionRow] {
        let (table, owner) = (authority.store.sessions, caller.owner)
        switch question.who {
        case .user, .signInName:
            guard let user else { return [] }
            return try await table.live(owner: owner, user: user)
        case .hint, nil:
            if let person = question.person { return try await table.live(owner: owner, user: person) }
            let all = try await table.live(owner: owner)
            return Set(all.map(\.user)).count == 1 ? all : []
        }
    }

    private func resumeRemembered(_ user: UserID?) async throws -> SessionRow? {
        let remembered = RememberedSignIn(authority: authority, caller: caller, basis: basis)
        switch question.who {
        case .user, .signInName:
            guard let user else { return nil }
            return try await remembered.resume(user)
        case .hint, nil: return try await remembered.resume(question.person)
        }
    }

    private var basis: RequestContext { RequestContext(request: request, policy: policy, catalogue: catalogue) }

    private func hasConsent(_ user: UserID) async throws -> Bool {
        if client.isFirstParty { return true }
        if question.asksConsent { return false }
        return try await authority.store.consents.has(
            user: user,
            client: client.id,
            scopes: request.consentScopes(client)
        )
    }

    /// Returns the requirement that a flow must meet if it continues from `session`.
    ///
    /// If `isSilent` is `true`, the session satisfies the request, but the user must confirm the request. The flow
    /// therefore prompts for consent, even for a first-party client or if the user has already consented.
    private func requirement(session: SessionRow?, isSilent: Bool) -> Requirement {
        let asked = request.widened
        let rule = ProofRule(policy: policy, catalogue: catalogue, client: client.id)
        let checks = asked.checks.filter { check in
            session.map { !rule.holds(check, by: $0.proofs, at: authority.clock.now) } ?? true
        }
        return Requirement(
            checks: checks,
            acrValues: request.acrValues,
            maxAge: request.maxAge,
            user: session.map { .user($0.user) } ?? question.who,
            consent: client.isFirstParty && !isSilent
                ? nil : consent(asked, again: question.asksConsent || isSilent),
            entrance: question.prompt.entrance,
            session: session?.id,
            asksAnew: question.prompt.asksAnew
        )
    }

    private func consent(_ asked: ResolvedRequest, again: Bool) -> ConsentRequest {
        let api = asked.api.flatMap { authority.settings().apis[$0] }
        let unnamed = asked.api.map { "Access the API \($0)" } ?? "Know who you are"
        let scopes = asked.grantsForConsent.map { short, full in
            ConsentScope(scope: full, description: api?.scopes[short] ?? unnamed)
        }
        let personal = asked.personalScopes(client).map { scope in
            ConsentScope(scope: scope.name, description: Self.personal[scope] ?? scope.name)
        }
        return ConsentRequest(
            client: client.id,
            clientName: client.summary.name,
            scopes: scopes + personal,
            asksAgain: again
        )
    }

    private static let personal: [Scope: String] = [
        .profile: "Read your profile", .email: "Read your e-mail address",
        .offlineAccess: "Keep access while you are not using the app",
    ]

    private func pending() throws -> PendingRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return PendingRequest(
            id: Base64URL.encode(RefreshToken.random(16)),
            owner: caller.owner,
            client: request.client,
            policy: request.policy.description,
            body: try encoder.encode(request.widened),
            expires: Deadline(Self.pendingLifetime, after: authority.clock.now)
        )
    }

    /// How long a pending request is stored, which is longer than any flow can run.
    private static let pendingLifetime: Duration = .seconds(1200)
}
