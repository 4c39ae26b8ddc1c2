import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage

/// A grant by a person who has proved who they are: it gives tokens at once, or a code with which a client fetches them.
protocol ProvedGrant: Grant {
    /// The session that the tokens will belong to, if it is known.
    var sessionID: String? { get }

    /// The proof that is used up.
    func proof(_ source: Source, _ context: GrantContext) -> Issue.Source

    /// The code that stands for the grant.
    func code(_ context: GrantContext) -> Secret

    /// The scopes that the person consented to just now.
    func consented(_ basis: GrantDecision) -> [String]
}

extension ProvedGrant {
    func record(
        _ basis: GrantDecision,
        _ source: Source,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let (family, issue) = try await family(basis, source, event: event, context)
        try await context.store.grants.issue(issue)
        return family
    }

    /// The family of tokens that are given at once, and its issue, which uses the proof up.
    func family(
        _ basis: GrantDecision,
        _ source: Source,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> (FamilyRow, Issue) {
        let family = try await basis.family(context, session: sessionID)
        return (family, issue(.family(family), basis, source, events: [event], context))
    }

    /// A code, and its issue, which uses the proof up.
    func code(
        _ basis: GrantDecision,
        _ source: Source,
        _ terms: CodeTerms,
        _ context: GrantContext
    ) -> (Secret, Issue) {
        let code = code(context)
        let row = CodeRow(
            hash: OpaqueCode.hash(code),
            owner: context.caller.owner,
            client: basis.client.id,
            policy: basis.policy.id.description,
            body: Data(CodeBody(terms: terms, request: basis.request).json.bytes),
            authentication: basis.authentication,
            sessionID: sessionID,
            expires: Deadline(AuthorizationCodeGrant.lifetime, after: context.now)
        )
        return (code, issue(.code(row), basis, source, events: [], context))
    }

    /// The approval of a device's request, which uses the proof up.
    func approval(_ device: String, _ basis: GrantDecision, _ source: Source, _ context: GrantContext) -> Issue {
        let product = Issue.Product.device(device, client: basis.client.id, basis.authentication)
        return issue(product, basis, source, events: [], context)
    }

    private func issue(
        _ product: Issue.Product,
        _ basis: GrantDecision,
        _ source: Source,
        events: [AuditEvent],
        _ context: GrantContext
    ) -> Issue {
        Issue(
            source: proof(source, context),
            owner: context.caller.owner,
            user: basis.authentication.user,
            expectedEpoch: context.snapshot.epoch,
            product: product,
            consented: consented(basis),
            isToldOfSignOut: basis.tellsClientOfSignOut,
            events: events
        )
    }
}
