import AuthorityStore
import Credentials
import FlowModel
import Policies

/// Looks up which second factor a person is to be asked for.
struct FindSecondFactor {
    let effects: Effects

    /// The device, if it is known; else the first check that the person has, and the first one to be set up if there is none.
    func run(_ person: UserID, _ checks: [Check], device: String?, _ state: FlowRunState) async throws -> Evaluated {
        if let device, try await effects.store.devices.knows(device, of: person) {
            return Evaluated(finding: .secondFactor(.knownDevice))
        }
        for check in checks where try await has(check, person, state) {
            return Evaluated(finding: .secondFactor(.check(check.name)))
        }
        guard let first = checks.first(where: \.allowsEnrolment) ?? checks.first else { throw Refusals.noSecondFactor }
        return Evaluated(finding: .secondFactor(.check(first.name)))
    }

    private func has(_ check: Check, _ person: UserID, _ state: FlowRunState) async throws -> Bool {
        switch check.credential {
        case .totp: try await effects.store.authenticators.find(person) != nil
        case .email: state.person?.address != nil
        default: try await effects.store.enrolments.find(check.credential, of: person, at: state.owner) != nil
        }
    }
}
