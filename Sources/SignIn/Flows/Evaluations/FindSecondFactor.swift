import AuthorityStore
import Credentials
import FlowModel
import Policies

struct FindSecondFactor {
    let evaluator: Evaluator

    /// Determines the second factor, or that none is needed because `device` is a known device of the user.
    ///
    /// The second factor is the first of `checks` that the user has enrolled, and the other enrolled checks are
    /// alternatives. If the user has enrolled none, the checks that the user can enroll are used in the same way.
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
