import FlowModel
import Foundation
import Moments
import OAuth
import Storage
import TestSupport

@testable import AuthorityStore

/// A store in its own folder, with a clock that the test controls.
struct StoreFixture {
    static let owner = Owner.local(machine: "machine", uid: 1000)
    static let other = Owner.local(machine: "machine", uid: 1001)

    let folder: TemporaryFolder
    let clock = TestClock()
    let store: AuthorityStore

    init(tenant: String? = nil) throws {
        folder = try TemporaryFolder()
        store = try AuthorityStore.open(Self.options(folder, clock, tenant: tenant))
    }

    static func options(
        _ folder: TemporaryFolder,
        _ clock: TestClock,
        key: UInt8 = 1,
        tenant: String? = nil
    ) -> AuthorityStore.Options {
        AuthorityStore.Options(
            directory: folder.path("state"),
            key: Secret(bytes: [UInt8](repeating: key, count: 32)),
            tenant: tenant,
            clock: clock.clock
        )
    }

    func reopened() throws -> AuthorityStore {
        try store.close()
        return try AuthorityStore.open(Self.options(folder, clock))
    }

    func user(_ oid: String, _ names: String...) -> UserRecord {
        UserRecord(
            id: UserID(oid: oid),
            signInNames: names.map { SignInName(.email, $0) },
            attributes: ["displayName": .string("Ada")],
            passwordHash: Secret("$argon2id$planted"),
            createdAt: clock.now.wall
        )
    }

    func authentication(_ user: UserID) -> Authentication {
        Authentication(
            user: user,
            proofs: [Proof(check: "UserLogin", credential: .password, at: clock.now.wall, acr: "1", amr: ["pwd"])]
        )
    }

    func flow(
        _ id: String,
        owner: Owner = Self.owner,
        rev: Int = 1,
        isOpen: Bool = true,
        requestID: String? = nil,
        joinKey: String? = nil,
        user: UserID? = nil
    ) -> FlowRow {
        FlowRow(
            idHash: id,
            owner: owner,
            user: user,
            client: "tasks",
            policy: "b2c_1_sign_in",
            state: Data("state of \(id) at \(rev)".utf8),
            rev: rev,
            isOpen: isOpen,
            requestID: requestID,
            joinKey: joinKey,
            createdAt: clock.now.wall,
            expires: Deadline(.seconds(900), after: clock.now),
            keptUntil: Deadline(.seconds(1020), after: clock.now)
        )
    }

    func pending(_ id: String, owner: Owner = Self.owner) -> PendingRequest {
        PendingRequest(
            id: id,
            owner: owner,
            client: "tasks",
            policy: "b2c_1_sign_in",
            body: Data("body".utf8),
            expires: Deadline(.seconds(900), after: clock.now)
        )
    }

    func session(_ id: String, _ user: UserID, owner: Owner = Self.owner) -> SessionRow {
        SessionRow(
            id: id,
            owner: owner,
            user: user,
            proofs: authentication(user).proofs,
            policy: "b2c_1_sign_in",
            client: "tasks",
            scope: .tenant,
            createdAt: clock.now.wall,
            ends: Deadline(.seconds(3600), after: clock.now),
            absoluteEnd: Deadline(.seconds(7200), after: clock.now)
        )
    }

    func family(_ id: String, _ user: UserID, owner: Owner = Self.owner) -> FamilyRow {
        FamilyRow(
            id: id,
            owner: owner,
            user: user,
            client: "tasks",
            policy: "b2c_1_sign_in",
            scopes: ["tasks/read"],
            secret: Secret("family secret planted"),
            authentication: authentication(user),
            createdAt: clock.now.wall,
            expires: Deadline(.seconds(3600), after: clock.now),
            windowEnds: Deadline(.seconds(86_400), after: clock.now),
            sessionID: nil
        )
    }

    func code(_ hash: String, _ user: UserID, owner: Owner = Self.owner, session: String? = nil) -> CodeRow {
        CodeRow(
            hash: hash,
            owner: owner,
            client: "tasks",
            policy: "b2c_1_sign_in",
            body: Data("terms planted".utf8),
            authentication: authentication(user),
            sessionID: session,
            expires: Deadline(.seconds(60), after: clock.now)
        )
    }

    func device(_ hash: String) -> DeviceCodeRow {
        DeviceCodeRow(
            hash: hash,
            origin: "address:a",
            client: "tasks",
            policy: "b2c_1_sign_in",
            body: Data("request".utf8),
            interval: 5,
            expires: Deadline(.seconds(900), after: clock.now)
        )
    }

    func event(_ kind: AuditKind = .signInFailed) -> AuditEvent {
        AuditEvent(kind, owner: Self.owner, correlationID: .random(), detail: ["k": "v"])
    }

    /// Creates a user with a flow that ends successfully.
    ///
    /// Afterward, the store contains the session `s` and the completed request `r`.
    func signedIn(_ user: UserRecord) async throws {
        _ = try await store.flows.open(flow("f"), pending: pending("r"))
        try await store.flows.commit(
            FlowCommit(
                flow: flow("f", rev: 2, isOpen: false, user: user.id),
                expectedRev: 1,
                authentication: authentication(user.id),
                changes: [.createUser(user, needsInvitation: false)],
                pendingRequest: "r",
                session: session("s", user.id),
                mails: [OutboxMail(to: "a@example.org", subject: "hello", body: Secret("mail planted"))],
                events: [event(.accountCreated)]
            )
        )
    }

    /// Returns the description of a presented refresh token, with the token's family as it is stored now.
    func presentation(
        _ id: String,
        _ counter: Int64,
        _ holder: Owner = Self.owner,
        scopes: [String] = [],
        grace: Duration = .zero
    ) async throws -> AuthorityStore.Families.Presentation {
        guard let family = try await store.families.get(id) else { throw StoreError(.notFound, "there is no \(id)") }
        return AuthorityStore.Families.Presentation(
            family: family,
            counter: counter,
            holder: holder,
            successorEnds: Deadline(.seconds(3600), after: clock.now),
            scopes: scopes,
            grace: grace,
            correlationID: .random()
        )
    }
}

/// The type `Issue` of the store, under a name that differs from the `Issue` of the module `Testing`.
///
/// This file does not import `Testing`, so `Issue` is not ambiguous here.
typealias TokenIssue = Issue
