import Attempts
import AuthorityStore
import Crypto
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Charges an attempt, verifies a statement that a provider of one's own has signed, and uses it up.
struct VerifyAssertion {
    let effects: Effects

    func run(_ statement: Secret, _ check: Check, _ state: FlowRunState) async throws -> EvaluationOutcome {
        guard let realms = effects.realms, let realm = check.assertion else { throw Refusals.noProvider }
        let subject = state.realmSubject(realm.people)
        let ticket = try await effects.charge(check, subject, origin: state.origin)
        let assertion: Assertion
        do {
            let audiences = realms.audiences(state.policy)
            assertion = try Assertion(statement, of: realm, audiences: audiences, now: effects.clock.now)
        } catch {
            return EvaluationOutcome(finding: try await effects.wrong(check, subject, origin: state.origin))
        }
        let isFirst = try await effects.store.spentIDs.spend(
            realm.people,
            // One without a name is known by itself.
            assertion.id ?? Base64URL.encode(Data(SHA256.hash(data: statement.revealBytes()))),
            of: .assertion,
            by: realm.people,
            until: assertion.expiresAt
        )
        guard isFirst else {
            return EvaluationOutcome(finding: try await effects.wrong(check, subject, origin: state.origin))
        }
        return try await effects.found(assertion.identity, of: realm.people, check, settled: ticket.settled)
    }
}
