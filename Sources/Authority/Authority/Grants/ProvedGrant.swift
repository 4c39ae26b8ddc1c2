import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage

/// A grant that is based on a user's authentication.
///
/// It yields tokens, an authorization code or the approval of a device.
protocol ProvedGrant: Grant {
    /// The id of the session that the tokens will belong to, or `nil` if the id is unknown.
    var sessionID: String? { get }

    func proof(_ source: Source, _ context: GrantContext) -> Issue.Source

    func code(_ context: GrantContext) -> Secret

    /// Returns the scopes that the user consented to in the flow, or an empty array if the grant had no flow.
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

    func family(
        _ basis: GrantDecision,
        _ source: Source,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> (FamilyRow, Issue) {
        let family = try await basis.family(context, session: sessionID)
        return (family, issue(.family(family), basis, source, events: [event], context))
    }

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
