import AuthorityStore
import Credentials
import FlowModel
import Policies

struct FindSecondFactor {
    let evaluator: Evaluator

    /// Determines which of `checks` is used as the second factor.
    ///
    /// The candidates are the checks that the user has enrolled or, if there are none, the checks that the user can
    /// enrol. The first candidate is used, and the other candidates are returned as alternatives. If `device` is a
    /// known device of the user, no second factor is needed.
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
