import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import TestSupport
import Testing

@testable import Flows

/// Tests that denying consent to a client at the end of a flow affects only that client.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsConsentTests {
    private static let consent = ConsentRequest(
        client: "web1",
        clientName: "Web",
        scopes: [ConsentScope(scope: "tasks/tasks.read", description: "Read your tasks")]
    )

    /// The ways to deny consent.
    enum No: CaseIterable {
        case denied
        case cancelled
        case cancelledByProgram
    }

    private func refuse(_ flow: Flow, _ no: No, _ world: World) async throws -> FlowState {
        #expect(flow.step?.type == .consent)
        switch no {
        case .denied: return try await world.submit(flow, ["allow": false]).flow.state
        case .cancelled: return try await world.act(flow, "cancel").flow.state
        case .cancelledByProgram:
            return try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo)).state
        }
    }

    /// Starts a sign-in for a client that needs consent, and submits the right password.
    private func signIn(_ world: World) async throws -> Flow {
        let request = PendingRequest(
            id: "r-1",
            owner: World.jo,
            client: "web1",
            policy: "b2c_1_sign_in",
            body: Data("{}".utf8),
            expires: Deadline(.seconds(900), after: world.clock.now)
        )
        let flow = try await world.start(requirement: Requirement(consent: Self.consent), pending: request).flow
        return try await world.submit(flow, ["username": "jo@example.org", "password": "Secret123"]).flow
    }

    /// Denies consent at the end of a flow, and verifies that the flow changes only a credential.
    ///
    /// The audit event `change` records the change of the credential.
    private func refuse(_ flow: Flow, _ no: No, at world: World, keeping change: String) async throws {
        let sessions = try await world.store.sessions.live(owner: World.jo).map(\.id)
        let before = Int64(try await world.events().count)
        let expected: FlowState =
            switch no {
            case .denied: .failed(.denied)
            case .cancelled, .cancelledByProgram: .cancelled
            }
        #expect(try await refuse(flow, no, world) == expected)
        #expect(Set(try await world.store.sessions.live(owner: World.jo).map(\.id)).isSubset(of: sessions))
        let unmet = await #expect(throws: StoreError.self) {
            try await world.store.requests.peek("r-1", owner: World.jo)
        }
        #expect(unmet?.code == .notFound)
        let events = try await world.store.audit.all(since: before, limit: 100).map(\.event)
        let last =
            switch no {
            case .denied: ["consent.denied", "flow.failed"]
            case .cancelled, .cancelledByProgram: ["flow.cancelled"]
            }
        #expect(events == [change] + last)
    }

    @Test("a new password is kept when the user denies consent to the client", arguments: No.allCases)
    func password(_ no: No) async throws {
        let world = try World()
        let user = try await world.signUp().user
        try await world.store.users.requireNewPassword(of: user, events: [])
        let asked = try await signIn(world)
        let flow = try await world.submit(asked, ["newPassword": "Another456"]).flow
        try await refuse(flow, no, at: world, keeping: "password.changed")
        #expect(try await world.signIn("Secret123").verdict == .rejected)
        #expect(try await world.signIn("Another456").flow.state == .succeeded)
    }

    @Test("a new authenticator is kept when the user denies consent to the client", arguments: No.allCases)
    func authenticator(_ no: No) async throws {
        let asking = Policy(
            id: try PolicyID("b2c_1_sign_in"),
            kind: .signIn,
            attributes: Samples.attributeRules,
            secondFactor: SecondFactor(when: .always, checks: ["Authenticator"])
        )
        let checks = Samples.checks + [Check(name: "Authenticator", type: .totp)]
        let world = try World(policies: [asking, Samples.policy(.signUp)], checks: checks)
        let user = try await world.signUp().user
        let setup = try await signIn(world)
        let typed = try #require(setup.step?.data?["secret"]?.string)
        let key = AuthenticatorKey(Secret(bytes: Base32Text.decode(typed)))
        let code = key.code(step: AuthenticatorKey.step(at: world.clock.now.wall))
        let shown = try await world.submit(setup, ["code": .string(code)]).flow
        let flow = try await world.submit(shown, ["kept": true]).flow
        try await refuse(flow, no, at: world, keeping: "credential.enrolled")
        #expect(try await world.store.authenticators.find(user) != nil)
        #expect(try await world.signIn("Secret123").flow.step?.type == .totp)
    }

    @Test("a user who is disabled at the consent step changes nothing by answering it") func disabled() async throws {
        let world = try World()
        let user = try await world.signUp().user
        try await world.store.users.requireNewPassword(of: user, events: [])
        let asked = try await signIn(world)
        let flow = try await world.submit(asked, ["newPassword": "Another456"]).flow
        #expect(flow.step?.type == .consent)
        let before = try await world.store.users.get(user)?.passwordHash
        try await world.store.users.setEnabled(user, false)
        _ = try? await world.submit(flow, ["allow": false])
        #expect(try await world.store.users.get(user)?.passwordHash == before)
    }

    @Test("a user who signs up and denies consent has no account", arguments: No.allCases)
    func newAccount(_ no: No) async throws {
        let world = try World()
        let requirement = Requirement(consent: Self.consent)
        let flow = try await world.start(.signUp, requirement: requirement).flow
        let answers: [String: JSONValue] = ["email": "jo@example.org", "displayName": "Jo", "password": "Secret123"]
        let sent = try await world.submit(flow, answers).flow
        let code = try #require(try await world.code())
        let asked = try await world.submit(sent, ["code": .string(code)]).flow
        _ = try await refuse(asked, no, world)
        #expect(try await world.store.users.find(signInName: "jo@example.org") == nil)
    }
}
