import FlowModel
import OAuth

/// The client is a confidential one: a public client proves nothing by its name (RFC 7662 §2.1).
struct ConfidentialClientCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        guard draft.client?.summary.type == .confidential else {
            let detail = "a public client proves nothing (RFC 7662 §2.1)"
            throw OAuthError.b2c(.invalidClient, 90058, "client authentication failed", detail: detail)
        }
    }
}
