import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Shows a person who has no authenticator the key of a new one, and asks for a code that proves that an app has it.
struct TOTPSetupStep: StepKind {
    let type = StepType.totpSetup
    let mayBeSwapped = true
    let texts = StepTexts(title: .totpSetupTitle, wrong: .totpSetupWrong, wrongNode: "code")

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.hasAuthenticator == false, run.state.newAuthenticatorStep == nil,
            let check = run.context.nextCheck, check.type == .totp
        else { return nil }
        guard run.context.mayEnrol(check) else {
            let removes = run.state.requirement.change == .remove(.totp)
            return run.end(with: removes ? Refusals.nothing(toRemove: .totp) : Refusals.noAuthenticator(check))
        }
        return run.open(self, check: check.name)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        let texts = context.texts
        return [
            Node(
                name: "uri",
                kind: .image,
                label: texts[.totpPicture],
                required: false,
                value: Self.uri(context.state)
            ),
            Node(name: "secret", kind: .info, label: texts[.totpKey], required: false, value: Self.key(context.state)),
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

    /// The address and the key, for a program that adds them itself.
    func data(_ state: FlowRunState) -> JSONValue? {
        ["uri": .string(Self.uri(state)), "secret": .string(state.newKey.base32)]
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

    /// Compares with the key that is on the screen, so that nothing can be guessed.
    func take(_ code: Secret, _ run: inout FlowRun) -> [FlowEffect] {
        guard let step = run.state.newKey.step(of: code, at: run.now.wall) else {
            return run.evaluated(.wrong)
        }
        run.state.newAuthenticatorStep = step
        return run.advance()
    }

    /// The key in groups of four, as one types it.
    private static func key(_ state: FlowRunState) -> String {
        let letters = Array(state.newKey.base32)
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: " ")
    }

    /// The address that apps read from the picture.
    private static func uri(_ state: FlowRunState) -> String {
        let name = state.person?.username ?? state.draft?.name ?? ""
        let issuer = "Tokenbroker"
        let label = "\(issuer):\(name)".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? issuer
        return "otpauth://totp/\(label)?secret=\(state.newKey.base32)&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(AuthenticatorKey.digits)&period=\(AuthenticatorKey.period)"
    }
}
