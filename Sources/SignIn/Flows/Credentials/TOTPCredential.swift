import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A user's authenticator app, with its recovery codes.
///
/// During setup, the flow stores only the time step of the code that confirmed the app. The key and the recovery codes
/// are derived from the flow's seed.
struct TOTPCredential: EnrolledCredentialKind {
    let credential = Credential.totp

    func change(setting secret: Data, of person: UserID, _ record: FlowRecord, at now: Moment) -> AccountChange {
        let step = Int64(String(decoding: secret, as: UTF8.self)) ?? 0
        let authenticator = Authenticator(user: person, key: record.newKey.secret, step: step, enrolledAt: now.wall)
        return .addAuthenticator(authenticator, recoveryCodes: record.newRecoveryCodes.map(\.folded))
    }

    func isEnrolled(_ person: UserID, _ record: FlowRecord, _ evaluator: Evaluator) async throws -> Bool {
        try await evaluator.store.authenticators.find(person) != nil
    }

    /// Prepares the comparison of a code, which is marked as used in the transaction that writes the outcome.
    func verify(_ answer: Secret, _ use: CredentialUse, _ evaluator: Evaluator) async throws -> PreparedEvaluation {
        .attempt(use.charge) { ticket in
            let authenticators = evaluator.store.authenticators
            guard let stored = try await authenticators.find(use.person) else {
                // The user no longer has an authenticator.
                return EvaluationOutcome(finding: .enrolled(false))
            }
            var used: UsedAnswer?
            if let code = OneTimeCode(answer) {
                let step = AuthenticatorKey(stored.key).step(of: Secret(code.reveal()), at: evaluator.clock.now.wall)
                if let step, step > stored.step { used = .timeStep(step, of: stored) }
            } else if let code = RecoveryCode(answer)?.folded {
                let isRight = try await authenticators.has(recoveryCode: code, of: use.person)
                if isRight { used = .recoveryCode(code, of: use.person) }
            }
            if let used { return use.right(ticket, using: used) }
            return EvaluationOutcome(finding: try await evaluator.wrong(use.check, use.subject, origin: use.origin))
        }
    }
}

extension FlowRecord {
    fileprivate var newKey: AuthenticatorKey { AuthenticatorKey(Secret(bytes: bytes("authenticator").prefix(20))) }

    fileprivate var newRecoveryCodes: [RecoveryCode] {
        (0..<RecoveryCode.count).map { RecoveryCode(random: bytes("recovery code \($0)")) }
    }
}

/// The step that prompts for a code from the user's authenticator app, or for a recovery code.
struct TOTPStep: StepKind {
    let type = StepType.totp
    let checkType: CheckType? = .totp
    let texts = StepTexts(title: .totpTitle, wrong: .totpWrong, wrongNode: "code", choice: .totpChoice)

    func begin(_ run: inout FlowRun) -> Bool {
        guard let check = run.plan.nextCheck, check.type == checkType, let person = run.plan.person else {
            return false
        }
        switch run.record.known.enrolled[.totp] {
        case nil: run.evaluate(.find(person, check))
        case true?: run.open(self, check: check.name)
        case false?: return false
        }
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        [
            Node(
                name: "code",
                kind: .code,
                label: view.texts[.totpCode],
                required: true,
                minLength: AuthenticatorKey.digits,
                hint: view.texts[.totpHint]
            )
        ]
    }

    func budget(_ plan: FlowPlan) -> StepBudget? { plan.personBudget }

    /// Reads an authenticator code or a recovery code, and charges no attempt for any other answer.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> EnrolledAnswer {
        var answers = answers
        let text = answers.text("code", most: 32).map { Secret($0) }
        if let text, OneTimeCode(text) == nil, RecoveryCode(text) == nil { answers.note("code", .malformed) }
        try answers.finish()
        return try EnrolledAnswer(text, run.plan)
    }

    func take(_ answer: EnrolledAnswer, _ run: inout FlowRun) { run.evaluate(answer.evaluation) }
}

/// The step that shows the key of a new authenticator and prompts for a code that confirms that an app has the key.
struct TOTPSetupStep: StepKind {
    let type = StepType.totpSetup
    let enrols: CheckType? = .totp
    let texts = StepTexts(title: .totpSetupTitle, wrong: .totpSetupWrong, wrongNode: "code")

    func begin(_ run: inout FlowRun) -> Bool {
        guard run.record.known.enrolled[.totp] == false, run.record.inHand.secrets[.totp] == nil,
            let check = run.plan.nextCheck, check.type == .totp
        else { return false }
        if run.plan.mayEnrol(check) {
            run.open(self, check: check.name)
        } else {
            let removes = run.record.order.requirement.change == .remove(.totp)
            run.fail(with: removes ? Refusals.nothing(toRemove: .totp) : Refusals.noAuthenticator(check))
        }
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        let (texts, record) = (view.texts, view.record)
        return [
            Node(name: "uri", kind: .image, label: texts[.totpPicture], required: false, value: Self.uri(record)),
            Node(name: "secret", kind: .info, label: texts[.totpKey], required: false, value: Self.key(record)),
            Node(
                name: "code",
                kind: .code,
                label: texts[.totpCode],
                required: true,
                minLength: AuthenticatorKey.digits,
                maxLength: AuthenticatorKey.digits,
                pattern: "digits"
            ),
        ]
    }

    /// Returns the `otpauth` URI and the key, for a client program that adds the key to an app.
    func data(_ record: FlowRecord) -> JSONValue? {
        ["uri": .string(Self.uri(record)), "secret": .string(record.newKey.base32)]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Secret {
        var answers = answers
        let text = answers.text("code", most: 32)
        let code = text.flatMap { OneTimeCode(Secret($0)) }
        if text != nil, code == nil { answers.note("code", .malformed) }
        try answers.finish()
        guard let code else { throw .malformed([]) }
        return Secret(code.reveal())
    }

    /// Verifies the code, which costs no attempt, because the user was shown the key and need not guess.
    func take(_ code: Secret, _ run: inout FlowRun) {
        guard let step = run.record.newKey.step(of: code, at: run.now.wall) else { return run.evaluated(.wrong) }
        run.record.inHand.secrets[.totp] = Data("\(step)".utf8)
        run.advance()
    }

    private static func key(_ record: FlowRecord) -> String {
        let letters = Array(record.newKey.base32)
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: " ")
    }

    private static func uri(_ record: FlowRecord) -> String {
        let name = record.known.person?.username ?? record.inHand.draft?.name ?? ""
        let issuer = "Tokenbroker"
        let label = "\(issuer):\(name)".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? issuer
        return "otpauth://totp/\(label)?secret=\(record.newKey.base32)&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(AuthenticatorKey.digits)&period=\(AuthenticatorKey.period)"
    }
}

/// The step that shows a new authenticator's recovery codes, which are never shown again.
struct RecoveryCodesStep: StepKind {
    let type = StepType.recoveryCodes
    let enrols: CheckType? = .totp
    let mayBeSwapped = false
    let texts = StepTexts(title: .recoveryTitle)

    func begin(_ run: inout FlowRun) -> Bool {
        guard run.record.inHand.secrets[.totp] != nil, let check = run.plan.nextCheck, check.type == .totp else {
            return false
        }
        run.open(self, check: check.name)
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        let codes = view.record.newRecoveryCodes.enumerated().map { index, code in
            Node(
                name: "recovery\(index + 1)",
                kind: .info,
                label: view.texts[.recoveryCode, ["number": "\(index + 1)"]],
                required: false,
                value: code.shown
            )
        }
        return codes + [Node(name: "kept", kind: .bool, label: view.texts[.recoveryKept], required: true)]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) {
        var answers = answers
        switch answers.take("kept") {
        case .bool(true): break
        case nil, .bool(false): answers.note("kept", .missing)
        default: answers.note("kept", .wrongType)
        }
        try answers.finish()
    }

    /// Counts the authenticator check as passed, and enrolls the authenticator only when the flow succeeds.
    func take(_ answer: Void, _ run: inout FlowRun) {
        guard let check = run.plan.check else { return run.fail(.internal) }
        run.record.known.enrolled[.totp] = true
        run.credit(nil, names: [], by: check)
    }
}
