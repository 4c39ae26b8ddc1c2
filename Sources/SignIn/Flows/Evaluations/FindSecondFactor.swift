import AuthorityStore
import Credentials
import FlowModel
import Policies

/// Looks up which second factor a person is to be asked for.
struct FindSecondFactor {
    let evaluator: Evaluator

    /// The device, if it is known; else the first check that the person has, and the first one to be set up if there is none;
    /// with it the others of that sort, of which the person may choose one instead.
    func run(
        _ person: UserID,
        _ checks: [Check],
        device: String?,
        _ record: FlowRecord
    ) async throws -> EvaluationOutcome {
        if let device, try await evaluator.store.devices.knows(device, of: person) {
            return EvaluationOutcome(finding: .secondFactor(.knownDevice))
        }
        var names: [String] = []
        for check in checks where try await has(check, person, record) { names.append(check.name) }
        if names.isEmpty { names = checks.filter(\.allowsEnrolment).map(\.name) }
        guard let first = names.first ?? checks.first?.name else { throw Refusals.noSecondFactor }
        return EvaluationOutcome(finding: .secondFactor(.check(first), others: Array(names.dropFirst())))
    }

    private func has(_ check: Check, _ person: UserID, _ record: FlowRecord) async throws -> Bool {
        if check.credential == .email { return record.known.person?.address != nil }
        guard let kind = CredentialKinds.enrolled(check.credential) else { return false }
        return try await kind.isEnrolled(person, record, evaluator)
    }
}
