import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Makes a code for an address, and the mail that carries it.
///
/// For an address that nobody has, or that has an account already, everything happens but that the code is never sent.
struct MakeCode {
    let effects: Effects
    let check: Check

    func run(_ recipient: CodeRecipient, _ state: FlowRunState) async throws -> Evaluated {
        let code = OneTimeCode.generate()
        let made: MadeCode
        switch recipient {
        case .newAddress(let address):
            let isKnown = try await effects.store.users.find(signInName: address) != nil
            try await effects.attempts.chargeMail(to: address, for: .name(address), origin: state.owner)
            made = try await self.made(
                code,
                state,
                address: address,
                subject: .name(address),
                purpose: .verifyAddress,
                person: nil,
                mail: isKnown ? .accountExists(to: address) : .code(to: address, code: Secret(code.reveal()))
            )
        case .person(let person, let check):
            guard let address = person.address else { throw Refusals.noAddress }
            try await effects.attempts.chargeMail(to: address, for: .user(person.user), origin: state.owner)
            made = try await self.made(
                code,
                state,
                address: address,
                subject: .user(person.user),
                purpose: .check(check),
                person: person,
                mail: .code(to: address, code: Secret(code.reveal()))
            )
        case .name(let name, let check):
            let found = try await effects.store.users.find(signInName: name)
            let user = found.flatMap { $0.enabled ? $0 : nil }
            let address = user?.email
            let subject: SentCode.Subject = found.map { .user($0.id) } ?? .name(name)
            try await effects.attempts.chargeMail(to: name, for: Subject(subject), origin: state.owner)
            made = try await self.made(
                code,
                state,
                address: address ?? name,
                subject: subject,
                purpose: .check(check),
                person: address == nil ? nil : user.map { ProvenPerson($0) },
                mail: address.map { .code(to: $0, code: Secret(code.reveal())) }
            )
        }
        return Evaluated(outcome: .codeMade(made))
    }

    private func made(
        _ code: OneTimeCode,
        _ state: FlowRunState,
        address: String,
        subject: SentCode.Subject,
        purpose: SentCode.Purpose,
        person: ProvenPerson?,
        mail: MailDraft?
    ) async throws -> MadeCode {
        let status = try await effects.attempts.status(
            check: CheckBudget(check),
            subject: Subject(subject),
            origin: state.owner
        )
        guard status.retryAfterMs == 0 else {
            throw Refusals.blocked(check.name, retryAfterMs: status.retryAfterMs)
        }
        let context = "\(state.id) \(state.rev)"
        return MadeCode(
            address: address,
            subject: subject,
            purpose: purpose,
            person: person,
            mac: code.mac(key: effects.store.derived.pepper, context: context),
            context: context,
            attempts: AttemptsLeft(remaining: status.remaining, max: status.max),
            mail: mail
        )
    }
}

extension Subject {
    fileprivate init(_ subject: SentCode.Subject) {
        switch subject {
        case .user(let user): self = .user(user)
        case .name(let name): self = .name(name)
        }
    }
}
