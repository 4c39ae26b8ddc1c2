import Authority
import AuthorityStore
public import FlowModel
import Flows
import Foundation
import Moments
public import OAuth
import Policies
import StoreRefusals

/// A change that a user requests on the account page.
public enum AccountChange: Hashable, Sendable {
    /// Ends the browser session with this id.
    case session(String)
    /// Signs out a device or a terminal.
    case device(String)
    /// Revokes the consent given to a client.
    case consent(client: String)
    case link(provider: String)
    case unlink(provider: String)
    case edit(AccountEdit, [String: JSONValue])
    /// Signs out of all browsers and devices, including this browser.
    case everywhere
    /// Signs out of this browser.
    case here
}

/// The outcome of a request to the account page.
public enum AccountOutcome: Sendable {
    case page(AccountView)
    case edit(EditView)
    /// The user must sign in on the pages at the URL that contains `ticket`.
    case pages(ticket: Secret, cookie: Secret)
    case changed(UserID)
    case edited(AccountEdit)
    /// All sessions, devices and flows of this user were ended.
    case everythingEnded(UserID)
    case signedOut
}

/// How a user gets access to the account page after a sign-in.
public enum AccountEntry: Sendable {
    case session(NewSession)
    /// The user gets access for a few minutes without a session, and the browser gets a new cookie.
    ///
    /// The access is never bound to a cookie that the browser already had.
    case visit(ticket: Secret, cookie: Secret)
    /// The user keeps the access from before the flow: a session, or temporary access with the ticket `visit`.
    case back(visit: String?, isLinked: Bool)
}

/// The account pages, on which signed-in users view and change their account.
public struct AccountPages: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var store: AuthorityStore { browsers.store }

    /// How long a user may change the account after authenticating, and how long access without a session lasts.
    static let proofLife: Duration = .seconds(300)

    /// How long a linked account is shown as just linked.
    private static let arrival: Duration = .seconds(60)

    struct AccountVisitor {
        let user: UserID
        let owner: Owner
        /// The ticket for temporary access, or `nil` if the user has a session.
        let visit: Ticket?
        /// Whether the user authenticated within ``proofLife``.
        let isRecent: Bool
    }

    /// Returns the user's account page, or starts a sign-in if the user must sign in first.
    ///
    /// The ticket `visit`, which gives temporary access without a session, takes precedence over a session.
    ///
    /// - Throws: `Refusal`.
    public func account(visit: String?, _ browser: Browser) async throws -> AccountOutcome {
        guard let visitor = try await visitor(visit, browser) else { return try await signIn(nil, browser) }
        return .page(try await view(of: visitor, browser))
    }

    /// Changes the account, or starts a sign-in if the user must sign in first or authenticated too long ago.
    ///
    /// `visit` is the ticket for temporary access without a session, or `nil` if the request contains none.
    ///
    /// - Throws: `BrowserProblem.forged` if the CSRF token is wrong, or `Refusal`.
    public func change(
        _ change: AccountChange,
        visit: String?,
        csrf: String,
        _ browser: Browser
    ) async throws -> AccountOutcome {
        guard let visitor = try await visitor(visit, browser) else { return try await signIn(nil, browser) }
        guard Secret(csrf) == Secret(browsers.tickets.token(of: "account", visitor.owner)) else {
            throw BrowserProblem.forged
        }
        if change == .here {
            try await leave(visitor, browser)
            return .signedOut
        }
        guard visitor.isRecent else { return try await signIn(visitor.user, browser) }
        let user = visitor.user
        let caller = browser.caller(visitor.owner)
        switch change {
        case .edit(let edit, let answers):
            try await self.edit(edit, answers, of: user, caller)
            return .edited(edit)
        case .link(let provider): return try await link(provider, to: user, visit: visit, browser)
        case .unlink(let provider):
            try await browsers.flows.accounts.unlink(provider, from: user, caller)
            return .changed(user)
        case .session, .device, .consent, .everywhere, .here: break
        }
        try await BrowserFlows.rows.storing {
            switch change {
            case .session(let id):
                let event = AuditEvent(.signOut, by: caller, user: user, detail: ["sessions": "of a browser"])
                _ = try await store.users.endSessions(beside: id, of: user, events: [event])
            case .device(let id): try await end(device: id, of: user, caller)
            case .consent(let client):
                let event = AuditEvent(.consentWithdrawn, by: caller, user: user, client: client)
                _ = try await store.users.withdraw(client: client, of: user, events: [event])
            case .everywhere:
                let event = AuditEvent(.signOut, by: caller, user: user, detail: ["sessions": "everywhere"])
                try await store.users.endEverything(of: user, reason: "signed_out", events: [event])
            case .here, .edit, .link, .unlink: break
            }
        }
        browsers.flows.wakeWaiters()
        guard change == .everywhere else { return .changed(user) }
        if let visit = visitor.visit { try await remove(visit) }
        return .everythingEnded(user)
    }

    func visitor(_ visit: String?, _ browser: Browser) async throws -> AccountVisitor? {
        if let visit, let ticket = try? await browsers.tickets.ticket(visit, browser),
            case .visit(let user) = ticket.body.end
        {
            let owner = Owner.browser(session: ticket.hash)
            return AccountVisitor(user: user, owner: owner, visit: ticket, isRecent: true)
        }
        guard browsers.keepsSessions, let owner = browser.owner else { return nil }
        guard let person = try await authority.sessions.signedIn(owner).first else { return nil }
        let sessions = try await BrowserFlows.rows.storing {
            try await store.sessions.live(owner: owner, user: person.user.id)
        }
        let proofs = sessions.flatMap(\.proofs)
        // The user might have signed in with a policy that requires weaker verification than the account page requires.
        guard authority.checks.hasSecondFactor(proofs, of: authority.settings().defaultPolicy) else { return nil }
        let isRecent = proofs.contains { $0.isFresh(within: Self.proofLife, at: browsers.clock.now) }
        return AccountVisitor(user: person.user.id, owner: owner, visit: nil, isRecent: isRecent)
    }

    func signIn(_ user: UserID?, _ browser: Browser) async throws -> AccountOutcome {
        let owner = Browser.fresh
        let caller = browser.caller(owner)
        let policy = authority.settings().defaultPolicy
        let requirement = try await authority.checks.requirement(
            policy: policy,
            user: user,
            acrValues: [],
            maxAge: nil,
            // Temporary access and changes require a recent authentication, so an external provider must prompt again.
            asksAnew: user != nil || !browsers.keepsSessions,
            caller
        )
        let flow = try await browsers.begin(
            FlowRequest(
                caller: caller,
                client: AuthoritySettings.defaultClient,
                policy: policy,
                requirement: requirement,
                leavesSession: browsers.keepsSessions,
                device: browser.device.map(browser.hash)
            ),
            browser
        )
        let (ticket, cookie) = try await browsers.tickets.open(
            Ticket.Body(flow: flow, end: .account),
            owner: owner,
            browser
        )
        return .pages(ticket: ticket, cookie: cookie)
    }

    private func leave(_ visitor: AccountVisitor, _ browser: Browser) async throws {
        if let visit = visitor.visit { return try await remove(visit) }
        try await authority.sessions.endAll(browser.caller(visitor.owner))
    }

    private func remove(_ visit: Ticket) async throws {
        try await BrowserFlows.rows.storing { try await store.tickets.remove(visit.hash) }
    }

    private func view(of visitor: AccountVisitor, _ browser: Browser) async throws -> AccountView {
        try await BrowserFlows.rows.storing {
            guard let person = try await store.users.get(visitor.user), person.enabled else {
                throw Refusal(.accountNotFound, Text("refusal.accountGone"))
            }
            let holdings = try await store.users.account(of: visitor.user)
            let providers = try await browsers.flows.accounts.links(of: visitor.user)
            return AccountView(
                displayName: person.displayName ?? person.username,
                username: person.username,
                csrf: browsers.tickets.token(of: "account", visitor.owner),
                edits: edits(of: person),
                providers: providers,
                hasJustLinked: providers.contains { provider in
                    provider.linkedAt.map { Proof.isRecent($0, within: Self.arrival, at: browsers.clock.now) } ?? false
                },
                browsers: AccountView.browsers(of: holdings, current: browser.owner),
                devices: try await named(AccountDevice.all(of: holdings)),
                consents: try await named(holdings.consents)
            )
        }
    }

    private func named(_ devices: [AccountDevice]) async throws -> [AccountView.Device] {
        var named: [AccountView.Device] = []
        for device in devices {
            var names: [String] = []
            for client in device.clients { names.append(try await name(ofClient: client)) }
            named.append(AccountView.Device(device, names: names))
        }
        return named
    }

    private func named(_ consents: [GivenConsent]) async throws -> [AccountView.Consent] {
        let apis = authority.settings().apis
        var named: [AccountView.Consent] = []
        for consent in consents {
            let scopes = consent.scopes.compactMap { scope -> String? in
                let parts = scope.split(separator: "/", maxSplits: 1).map(String.init)
                return parts.count == 2
                    ? apis[parts[0]]?.scopes[parts[1]] ?? scope
                    : Self.personal.contains(scope) || scope.hasSuffix("/") ? scope : nil
            }
            named.append(
                AccountView.Consent(
                    client: consent.client,
                    name: try await name(ofClient: consent.client),
                    scopes: scopes,
                    given: consent.givenAt
                )
            )
        }
        return named
    }

    /// The scopes that belong to no API and that the account page can describe.
    private static let personal: Set<String> = [Scope.profile.name, Scope.email.name, Scope.offlineAccess.name]

    private func name(ofClient id: String) async throws -> String {
        try await authority.client(id)?.summary.name ?? id
    }

    private func end(device id: String, of user: UserID, _ caller: Caller) async throws {
        let devices = AccountDevice.all(of: try await store.users.account(of: user))
        guard let device = devices.first(where: { $0.id == id }) else { return }
        switch device.holder {
        case .client(let client):
            let event = AuditEvent(
                .familyRevoked,
                by: caller,
                user: user,
                client: client,
                detail: ["reason": "signed_out"]
            )
            _ = try await store.users.revoke(client: client, of: user, reason: "signed_out", events: [event])
        case .owner(let owner):
            let there = Caller(owner: owner, origin: caller.origin, correlationID: caller.correlationID)
            _ = try await authority.sessions.signOut(user: user, there)
        }
    }
}
