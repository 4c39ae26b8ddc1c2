import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The questions that a request leaves open: for whom it is, and how a person may be asked.
struct RequestQuestion {
    /// The person it must be for; a hint and nil mean anybody.
    let who: RequiredUser?
    /// The person whose sessions count if ``who`` may be anybody.
    let person: UserID?
    let prompt: Prompt
    /// True if a consent that was given before does not count.
    let asksConsent: Bool
    /// False if the answer may come to a program that only says it is the client (RFC 8252 §8.6).
    let isAssured: Bool
}

/// One decision on a request: the session that answers it, or what is lacking.
struct AuthorizationDecision {
    private let authority: Authority
    private let request: ResolvedRequest
    private let question: RequestQuestion
    private let caller: Caller
    private let catalogue: PolicyCatalogue
    private let policy: Policy
    private let client: OAuthClient

    /// Finds the request's policy and client.
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

    /// Looks for a session, else makes that of a remembered person, and says what is lacking if none answers.
    ///
    /// - Throws: `blocked` if the person who would have to be asked has no attempts left.
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
            // Checks that are proved already are not asked again: the flow goes on from this session.
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

    /// True if the answer can come to nobody but the client: it proves who it is, or its address is its own.
    private var isKnown: Bool {
        switch client.summary.type {
        case .confidential: true
        case .public: question.isAssured
        }
    }

    private func known() async throws -> UserID? {
        switch question.who {
        case .user(let id): id
        case .signInName(let name): try await authority.store.users.find(signInName: name)?.id
        case .hint, nil: nil
        }
    }

    /// The sessions that may answer: of the required user, or, if anybody may be, of the only one there is.
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

    /// Makes the session of a person who is remembered; nil if nobody is whom the request may be for.
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

    /// - Parameters:
    ///   - session: The session that the flow goes on from.
    ///   - isSilent: True if nothing but a press is lacking, so that even a client which needs no consent asks for it.
    /// - Returns: The requirement of the flow.
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
        let scopes = zip(asked.scopes, asked.grantedScopes).map { short, full in
            ConsentScope(scope: full, description: api?.scopes[short] ?? "Know who you are")
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

    /// The scopes of OpenID Connect as a person is asked for them.
    private static let personal: [Scope: String] = [
        .profile: "Read your profile", .email: "Read your e-mail address",
        .offlineAccess: "Keep access while you are away",
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

    /// The time for which a request waits for a flow's end: longer than any flow lasts.
    private static let pendingLifetime: Duration = .seconds(1200)
}
