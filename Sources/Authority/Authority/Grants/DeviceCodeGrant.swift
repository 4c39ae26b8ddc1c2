import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies

/// The device code grant, for a device's request that a user approved in a browser (RFC 8628 §3.4).
struct DeviceCodeGrant: Grant {
    static let name = "device_code"
    static let event = AuditKind.tokenIssued

    let row: DeviceCodeRow
    let approval: DeviceCodeRow.Approval
    let request: ResolvedRequest

    func basis(_ context: GrantContext) async throws -> (GrantDecision, Void) {
        let basis = GrantDecision(
            request: request,
            authentication: approval.authentication,
            policy: try PolicyCheck.policy(row.policy, in: context.catalogue),
            client: try ClientCheck.client(row.client, clients: context.snapshot.clients)
        )
        return (basis, ())
    }

    func record(
        _ basis: GrantDecision,
        _ source: Void,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let family = basis.newFamily(context, session: nil)
        let isFirst = try await context.store.deviceCodes.redeem(
            row.hash,
            family: family,
            expectedEpoch: context.snapshot.epoch,
            events: [event],
            correlationID: context.caller.correlationID
        )
        guard isFirst else { throw OAuthError.invalidGrant(90129, "the device code was used before") }
        return family
    }
}

extension DeviceCodeGrant: WireGrant {
    static var grantType: GrantType { .deviceCode }

    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        let code = Secret(try call.request.required("device_code"))
        let poll = try await call.authority.store.deviceCodes.poll(
            OpaqueCode.hash(code),
            client: call.client.id,
            policy: call.policy.id.description,
            correlationID: call.request.correlationID
        )
        switch poll {
        case .pending: throw error(.authorizationPending, "the user has not decided yet")
        case .tooOften: throw error(.slowDown, "wait longer between two requests")
        case .denied: throw OAuthError.b2c(.accessDenied, 90091, "the user denied the request")
        case .expired: throw error(.expiredToken, "the device code has expired")
        case .reused: throw OAuthError.invalidGrant(90129, "the device code was used before")
        case .unknown: throw OAuthError.invalidGrant(90080, "the device code is not valid")
        case .approved(let row):
            guard let approval = row.approval else {
                throw OAuthError.serverError(detail: "an approved device code has no approval row")
            }
            let request = try JSONDecoder().decode(ResolvedRequest.self, from: row.body)
            let grant = DeviceCodeGrant(row: row, approval: approval, request: request)
            let issued = try await call.authority.tokens.issue(grant, call.request.caller(approval.owner))
            return TokenResponse(issued, granted: request.spelledScopes, call)
        }
    }

    private static func error(_ code: OAuthError.Code, _ description: String) -> OAuthError {
        OAuthError(code: code, description: description)
    }
}
