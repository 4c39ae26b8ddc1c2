import FlowModel
import Policies

/// A check that the policy names must reach one of the requested authentication contexts; that check is then asked, too
/// (RFC 9470 §4).
struct AuthenticationContextCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard !draft.acrValues.isEmpty else { return }
        let catalogue = draft.catalogue
        let policy = draft.policy
        let asked = draft.acrValues
        let reached = { (names: [String]) in
            names.contains { name in catalogue[check: name].map { asked.contains($0.acr) } ?? false }
        }
        if reached(policy.baseChecks + draft.checks) { return }
        let others = catalogue.ordered(policy.secondFactor.checks + policy.scopeChecks).map(\.name)
        guard let extra = others.first(where: { reached([$0]) }) else {
            throw Refusal(
                .unmetAuthenticationRequirements,
                "policy \(policy.id) reaches none of the authentication contexts \(Self.names(draft.acrValues))"
            )
        }
        draft.checks = catalogue.ordered(draft.checks + [extra]).map(\.name)
    }

    private static func names(_ values: [String]) -> String {
        values.prefix(8).filter { $0.utf8.count <= 64 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
            .joined(separator: ", ")
    }
}
