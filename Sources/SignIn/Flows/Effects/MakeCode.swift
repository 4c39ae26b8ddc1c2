import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Makes a code for an address, and the mail that carries it.
///
/// For an address without a user, or one with an account already, all is done the same except that no code is sent.
struct MakeCode {
    let effects: Effects
    let check: Check

    func run(_ recipient: CodeRecipient, _ state: FlowRunState) async throws -> EvaluationOutcome {
        let code = OneTimeCode.generate()
        let letter: Letter
        switch recipient {
        case .newAddress(let address):
            let isKnown = try await effects.store.users.find(signInName: address) != nil
            let isInvited = try await isWelcome(address)
            let code = MailDraft.code(to: address, code: Secret(code.reveal()))
            letter = Letter(
                address: address,
                subject: .name(address),
                purpose: .verifyAddress,
                mail: isKnown ? .accountExists(to: address) : isInvited ? code : .notInvited(to: address)
            )
        case .attributeAddress(let address):
            letter = Letter(
                address: address,
                subject: .name(address),
                purpose: .verifyAddress,
                mail: .code(to: address, code: Secret(code.reveal()))
            )
        case .person(let person, let check):
            guard let address = person.address else { throw Refusals.noAddress }
            letter = Letter(
                address: address,
                subject: .user(person.user),
                purpose: .check(check),
                person: person,
                mail: .code(to: address, code: Secret(code.reveal()))
            )
        case .name(let name, let check, let forPassword):
            let found = try await effects.store.users.find(signInName: name)
            // An address that was never the way to a password must not become one.
            let user = found.flatMap { $0.enabled && (!forPassword || $0.passwordHash != nil) ? $0 : nil }
            let address = user?.email
            letter = Letter(
                address: address ?? name,
                chargedTo: name,
                subject: Subject(typed: name, of: found?.id),
                purpose: .check(check),
                person: address == nil ? nil : user.map { ProvenPerson($0) },
                mail: address.map { .code(to: $0, code: Secret(code.reveal())) }
            )
        }
        try await effects.requireAttempts(check, letter.subject, origin: state.origin)
        // Charged last, so that a refused mail is not charged.
        let charged = try await effects.attempts.chargeMail(
            to: letter.chargedTo ?? letter.address,
            for: letter.subject,
            provenBy: CheckType.all.map(\.credential),
            origin: state.origin
        )
        return EvaluationOutcome(finding: .codeMade(made(code, letter, state)), mailCharges: charged)
    }

    /// True if the holder of this address may sign up.
    private func isWelcome(_ address: String) async throws -> Bool {
        guard effects.signUp() == .invited else { return true }
        return try await effects.store.invitations.has(address)
    }

    /// The recipient of a code, and the mail that carries it.
    private struct Letter {
        let address: String
        /// The name whose budget of mails it is charged to, if not that of ``address``.
        var chargedTo: String?
        let subject: Subject
        let purpose: SentCode.Purpose
        var person: ProvenPerson?
        let mail: MailDraft?
    }

    private func made(
        _ code: OneTimeCode,
        _ letter: Letter,
        _ state: FlowRunState
    ) -> MadeCode {
        let context = "\(state.id) \(state.rev)"
        return MadeCode(
            address: letter.address,
            subject: letter.subject,
            purpose: letter.purpose,
            person: letter.person,
            mac: code.mac(key: effects.store.derived.pepper, context: context),
            context: context,
            mail: letter.mail
        )
    }
}
