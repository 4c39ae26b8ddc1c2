public import AuthorityStore
public import FlowModel
import Foundation
import Moments
import OAuth

/// Creates users and sessions without running flows.
extension AuthorityFixture {
    /// Creates a proof that a password was entered now.
    public func password() -> Proof {
        Proof(check: "UserLogin", credential: .password, at: clock.now.wall, acr: "1", amr: ["pwd"])
    }

    /// Creates a proof that an emailed code was entered now.
    public func code() -> Proof {
        Proof(check: "EmailCode", credential: .email, at: clock.now.wall, acr: "2", amr: ["otp"])
    }

    /// Returns a user record with the display name Ada and the city London.
    public func ada(_ id: UserID, name: String = "ada@example.org") -> UserRecord {
        UserRecord(
            id: id,
            signInNames: [SignInName(.email, name)],
            attributes: ["displayName": "Ada", "city": "London"],
            createdAt: clock.now.wall
        )
    }

    /// Stores a completed flow in which the user signed in, and a session of 24 hours.
    ///
    /// - Parameters:
    ///   - user: The user's id.
    ///   - newUser: The account that the flow creates, or `nil` if it creates none.
    ///   - owner: The owner of the flow and the session.
    ///   - proofs: The checks that the user passed.
    ///   - policy: The flow's policy.
    ///   - client: The flow's client.
    ///   - scope: The policies that the session is valid for.
    ///   - ids: The ids of the flow and the session; random by default.
    ///   - pending: The request that waits for the flow.
    ///   - consented: Whether the user gave consent in the flow.
    ///   - isNewUser: Whether the flow reports a sign-up.
    /// - Returns: The session.
    /// - Throws: An error if the store cannot write.
    @discardableResult
    public func signedIn(
        _ user: UserID,
        making newUser: UserRecord? = nil,
        owner: Owner,
        proofs: [Proof],
        policy: String,
        client: String,
        scope: SessionScope = .tenant,
        ids: (flow: String, session: String)? = nil,
        pending: PendingRequest? = nil,
        consented: Bool = false,
        isNewUser: Bool = false
    ) async throws -> SessionRow {
        let ids = ids ?? (CorrelationID.random().description, CorrelationID.random().description)
        let now = clock.now
        let row = { (rev: Int, open: Bool) in
            FlowRow(
                idHash: ids.flow,
                owner: owner,
                client: client,
                policy: policy,
                state: Data("{}".utf8),
                rev: rev,
                isOpen: open,
                createdAt: now.wall,
                expires: Deadline(.seconds(900), after: now),
                keptUntil: Deadline(.seconds(1020), after: now)
            )
        }
        _ = try await store.flows.open(row(1, true), pending: pending)
        let session = SessionRow(
            id: ids.session,
            owner: owner,
            user: user,
            proofs: proofs,
            policy: policy,
            client: client,
            scope: scope,
            createdAt: now.wall,
            ends: Deadline(.seconds(86_400), after: now),
            absoluteEnd: Deadline(.seconds(7_776_000), after: now)
        )
        try await store.flows.commit(
            FlowCommit(
                flow: row(2, false),
                expectedRev: 1,
                authentication: Authentication(user: user, proofs: proofs, consented: consented, isNewUser: isNewUser),
                changes: newUser.map { [.createUser($0, needsInvitation: false)] } ?? [],
                pendingRequest: pending?.id,
                session: session
            )
        )
        return session
    }
}
