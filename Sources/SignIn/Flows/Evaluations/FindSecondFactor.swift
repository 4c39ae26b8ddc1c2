import AuthorityStore
import Credentials
import FlowModel
import Policies

struct FindSecondFactor {
    let evaluator: Evaluator

    /// Determines which of `checks` is used as the second factor, or that a known `device` of the user needs none.
    ///
    /// The first enrolled check or, if there is none, the first check that the user can enroll is used. The other
    /// enrolled or other possible checks are returned as alternatives.
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
