import FlowModel
import HostedPages
import Localization
import Policies

/// Samples of steps after a rejected answer, and of steps in other languages.
extension PageSample {
    static let wrongPassword = Step(
        id: "st_7",
        type: .password,
        title: "Sign in",
        nodes: signIn.nodes,
        attempts: AttemptsLeft(remaining: 2, max: 3),
        messages: [
            Message(
                code: "credentials.wrong",
                level: .error,
                text: "The user name or password is incorrect.",
                node: "password"
            )
        ],
        actions: signIn.actions
    )

    static func states(_ policy: Policy) -> [PageSample] {
        let frame = PageFrame.sample(policy)
        let wrongSignIn = page(wrongPassword, policy) {
            $0.previous.kept = ["username": "ada@example.org"]
            $0.keepsSignedIn = true
            $0.offers = [.forgot]
        }
        let wrongSignUp = page(signUp, policy) {
            $0.previous.kept = [
                "email": "ada", "city": "Llanfairpwllgwyngyllgogerychwyrndrobwll", "extension_team": "Blue",
            ]
            $0.previous.problems = [
                NodeProblem(
                    name: "email",
                    code: .malformed,
                    text: "Enter a complete e-mail address, such as ada@example.org."
                ),
                NodeProblem(name: "displayName", code: .missing, text: "Display name is missing."),
                NodeProblem(name: "password", code: .tooShort, text: "New password must have at least 8 characters."),
            ]
        }
        let wrongCode = code(
            remaining: 1,
            messages: [Message(code: "code.wrong", level: .error, text: "That code is not correct.", node: "code")],
            availableAfter: 0
        )
        let wrongPIN = pin(
            remaining: 1,
            messages: [Message(code: "pin.wrong", level: .error, text: "That PIN is not correct.", node: "pin")]
        )
        return [
            PageSample("sign-in-wrong", wrongSignIn, in: frame),
            PageSample("sign-up-wrong", wrongSignUp, in: frame),
            PageSample("code-sent-again", page(code(), policy) { $0.previous.done = .resend }, in: frame),
            PageSample("code-wrong", page(wrongCode, policy), in: frame),
            PageSample("pin-last", page(wrongPIN, policy) { $0.person = "ada@example.org" }, in: frame),
            PageSample("sign-in-again", page(signIn, policy) { $0.person = "ada@example.org" }, in: frame),
        ]
    }

    static func languages(_ policy: Policy) -> [PageSample] {
        let german = PageFrame.sample(policy, .german)
        let full = page(wrongPassword, policy) {
            $0.previous.kept = ["username": "ada@example.org"]
            $0.keepsSignedIn = false
            $0.offers = [.forgot]
        }
        let arabic = LanguageTag(rawValue: "ar").map { [PageSample("sign-in-ar", full, in: .sample(policy, $0))] } ?? []
        let named = others(policy).filter { ["account", "device-confirm", "error"].contains($0.name) }
        return [
            PageSample("sign-in-de", full, in: german), PageSample("sign-up-de", page(signUp, policy), in: german),
            PageSample("consent-de", page(consent, policy), in: german),
        ]
            + named.map { PageSample("\($0.name)-de", $0.page, in: german) } + arabic
    }
}
