import FlowModel
import Foundation
import HostedPages
import OAuth
import Policies

/// Samples of the steps of flows, in their initial state.
extension PageSample {
    static let now = Date(timeIntervalSince1970: 1_772_460_137)
    static let form = PageForm(action: "/contoso/flow", csrf: "c-5u0Lx", submission: "s-9fB2")

    static let signIn = Step(
        id: "st_1",
        type: .password,
        title: "Sign in",
        nodes: [
            Node(name: "username", kind: .text, label: "E-mail address", required: true, maxLength: 254),
            Node(name: "password", kind: .secret, label: "Password", required: true, minLength: 1),
        ],
        actions: [Action(.create), Action(.cancel)]
    )

    static let signUp = Step(
        id: "st_2",
        type: .attributes,
        title: "Sign up",
        nodes: [
            Node(name: "email", kind: .email, label: "E-mail address", required: true, maxLength: 254),
            Node(name: "displayName", kind: .text, label: "Display name", required: true, maxLength: 256),
            Node(name: "city", kind: .text, label: "City", required: false, maxLength: 128),
            Node(name: "extension_team", kind: .select, label: "Team", required: false, options: ["Red", "Blue"]),
            Node(
                name: "password",
                kind: .secret,
                label: "New password",
                required: true,
                minLength: 8,
                maxLength: 64,
                hint: "A password has 8 to 64 characters."
            ),
        ],
        actions: [Action(.back)]
    )

    static let passwordChange = Step(
        id: "password_change",
        type: StepType(rawValue: "password_change"),
        title: "New password",
        nodes: [
            Node(name: "password", kind: .secret, label: "Password", required: true, minLength: 1),
            Node(
                name: "newPassword",
                kind: .secret,
                label: "New password",
                required: true,
                minLength: 8,
                maxLength: 64,
                hint: "A password has 8 to 64 characters."
            ),
        ]
    )

    static let reset = Step(
        id: "st_11",
        type: .identifier,
        title: "Forgot your password?",
        nodes: [Node(name: "username", kind: .text, label: "E-mail address", required: true)],
        actions: [Action(.back)],
        data: ["purpose": "password_reset"]
    )

    static func newPassword(_ messages: [Message] = []) -> Step {
        Step(
            id: "st_12",
            type: .newPassword,
            title: "Choose a new password",
            nodes: [
                Node(
                    name: "newPassword",
                    kind: .secret,
                    label: "New password",
                    required: true,
                    minLength: 8,
                    maxLength: 64,
                    hint: "A password has 8 to 64 characters."
                )
            ],
            messages: messages
        )
    }

    static let expired = Message(
        code: "password.expired",
        level: .info,
        text: "Your password has expired. Choose a new one to continue."
    )

    static let profile = Step(
        id: "st_13",
        type: .profile,
        title: "Edit your profile",
        nodes: [
            Node(name: "displayName", kind: .text, label: "Display name", required: true, value: "Ada Lovelace"),
            Node(name: "city", kind: .text, label: "City", required: false, value: "London"),
        ]
    )

    static func code(remaining: Int = 5, messages: [Message] = [], availableAfter seconds: Double = 24) -> Step {
        Step(
            id: "st_3",
            type: .code,
            title: "Enter the code from the e-mail",
            nodes: [
                Node(
                    name: "code",
                    kind: .code,
                    label: "Code",
                    required: true,
                    minLength: 6,
                    maxLength: 6,
                    pattern: "digits"
                )
            ],
            attempts: AttemptsLeft(remaining: remaining, max: 5),
            messages: messages,
            actions: [
                Action(.resend, availableAt: Int64((now.timeIntervalSince1970 + seconds) * 1000)), Action(.back),
                Action(.cancel),
            ],
            data: ["channel": "email", "hint": "a•••@example.org"]
        )
    }

    static func pin(remaining: Int, messages: [Message] = []) -> Step {
        Step(
            id: "st_4",
            type: StepType(rawValue: "pin"),
            title: "Enter PIN",
            nodes: [
                Node(
                    name: "pin",
                    kind: .secret,
                    label: "PIN",
                    required: true,
                    minLength: 4,
                    maxLength: 12,
                    pattern: "digits"
                )
            ],
            attempts: AttemptsLeft(remaining: remaining, max: 3),
            messages: messages,
            actions: [Action(.cancel)]
        )
    }

    static let totp = Step(
        id: "st_7",
        type: .totp,
        title: "Enter the code from your app",
        nodes: [
            Node(
                name: "code",
                kind: .code,
                label: "Code from your app",
                required: true,
                minLength: 6,
                hint: "Six digits, or one of your recovery codes."
            )
        ],
        attempts: AttemptsLeft(remaining: 4, max: 5),
        messages: [
            Message(
                code: "totp.wrong",
                level: .error,
                text: "That code is not correct, or it was already used.",
                node: "code"
            )
        ],
        actions: [Action(.cancel), Action(.choose)],
        data: [
            "choices": [
                ["value": "EmailCode", "label": "Send a code by e-mail"], ["value": "PIN", "label": "Use your PIN"],
            ]
        ]
    )

    static let totpSetup = Step(
        id: "st_8",
        type: .totpSetup,
        title: "Add an authenticator app",
        nodes: [
            Node(
                name: "uri",
                kind: .image,
                label: "Scan with the app",
                required: false,
                value: "otpauth://totp/Tokenbroker%3Aada%40example%2Eorg?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
                    + "&issuer=Tokenbroker&algorithm=SHA1&digits=6&period=30"
            ),
            Node(
                name: "secret",
                kind: .info,
                label: "Key for manual entry",
                required: false,
                value: "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP"
            ),
            Node(
                name: "code",
                kind: .code,
                label: "Code from your app",
                required: true,
                minLength: 6,
                maxLength: 6,
                pattern: "digits"
            ),
        ],
        actions: [Action(.cancel)]
    )

    static let recoveryCodes = Step(
        id: "st_9",
        type: .recoveryCodes,
        title: "Save your recovery codes",
        nodes: (1...8).map {
            Node(
                name: "recovery\($0)",
                kind: .info,
                label: "Recovery code \($0)",
                required: false,
                value: "ABCD\($0 % 6 + 2)-EFGHJ"
            )
        } + [Node(name: "kept", kind: .bool, label: "I have saved the codes", required: true)],
        actions: [Action(.cancel)]
    )

    static let external = Step(
        id: "st_10",
        type: .external,
        title: "Sign in with your organization",
        nodes: [
            Node(name: "username", kind: .text, label: "username", required: true, maxLength: 1024),
            Node(name: "password", kind: .secret, label: "password", required: true, maxLength: 1024),
        ],
        attempts: AttemptsLeft(remaining: 4, max: 5),
        messages: [Message(code: "realm.says", level: .info, text: "Enter username and password")],
        actions: [Action(.cancel)],
        data: ["realm": "corpRealm", "challenge": ["text": "Enter username and password"]]
    )

    /// A step with the prompt of a custom identity provider that names no fields.
    static let externalText = Step(
        id: "st_11",
        type: .external,
        title: "Sign in with your organization",
        nodes: [Node(name: "*", kind: .json, label: "Your answer, as a JSON object", required: true)],
        attempts: AttemptsLeft(remaining: 4, max: 5),
        messages: [Message(code: "realm.says", level: .info, text: "Enter username and password")],
        actions: [Action(.cancel)],
        data: ["realm": "corpRealm", "challenge": ["text": "Enter username and password"]]
    )

    static let consent = Step(
        id: "st_5",
        type: .consent,
        title: "Allow access",
        nodes: [
            Node(name: "tasks/read", kind: .info, label: "Read your tasks", required: false, value: "tasks/read"),
            Node(name: "tasks/write", kind: .info, label: "Change your tasks", required: false, value: "tasks/write"),
            Node(
                name: "offline_access",
                kind: .info,
                label: "Keep access while you are not using the app",
                required: false,
                value: "offline_access"
            ), Node(name: "allow", kind: .bool, label: "Allow", required: true),
        ],
        actions: [Action(.cancel)],
        data: ["clientName": "Web Planner"]
    )

    /// A step of an unknown type, with one node of each kind.
    static let everyKind = Step(
        id: "st_6",
        type: StepType(rawValue: "questionnaire"),
        title: "A few questions",
        nodes: [
            Node(name: "read", kind: .info, label: "Please read", required: false, value: "the rules of this service"),
            Node(name: "nickname", kind: .text, label: "Nickname", required: true, hint: "Other users can see it."),
            Node(name: "contact", kind: .email, label: "Contact", required: false),
            Node(name: "age", kind: .number, label: "Age", required: false),
            Node(name: "born", kind: .date, label: "Date of birth", required: false),
            Node(name: "word", kind: .secret, label: "Secret word", required: true),
            Node(name: "voucher", kind: .code, label: "Voucher", required: false),
            Node(name: "colour", kind: .select, label: "Colour", required: false, options: ["Red", "Blue"]),
            Node(name: "days", kind: .multiselect, label: "Days", required: false, options: ["Monday", "Friday"]),
            Node(name: "news", kind: .bool, label: "Send me news", required: false),
            Node(name: "adult", kind: .bool, label: "Are you an adult?", required: true, input: .radio),
            Node(
                name: "size",
                kind: .select,
                label: "Size",
                required: false,
                options: ["s", "l"],
                optionLabels: ["s": "Small", "l": "Large"],
                input: .radio
            ),
            Node(name: "about", kind: .text, label: "About you", required: false, maxLength: 250, input: .textArea),
            Node(name: "level", kind: .info, label: "Level", required: false, value: "Gold", input: .readonly),
            Node(name: "terms", kind: .link, label: "Terms of use", required: false, value: "https://a.example/terms"),
            Node(
                name: "key",
                kind: .image,
                label: "Key",
                required: false,
                value: "otpauth://totp/Tasks:ada?secret=JBSWY3DP"
            ),
        ],
        actions: [Action(.cancel)]
    )

    static func page(_ step: Step, _ policy: Policy, _ change: (inout StepPage) -> Void = { _ in }) -> HostedPage {
        var page = StepPage(step, policy: policy, form: form, now: now)
        page.client = "Tasks for the terminal"
        change(&page)
        return .step(page)
    }

    static func steps(_ policy: Policy) -> [PageSample] {
        let frame = PageFrame.sample(policy)
        let withProviders = page(signIn, policy) {
            $0.keepsSignedIn = false
            $0.offers = [.forgot]
            $0.providers = ["Google", "Microsoft", "Facebook", "GitHub"].map {
                .init(name: $0.lowercased(), displayName: $0)
            }
        }
        let allowing = page(consent, policy) {
            $0.returnsTo = "web.example"
            $0.accountPage = "/contoso/account"
            $0.offers = [.choose]
        }
        return [
            PageSample("sign-in", withProviders, in: frame),
            PageSample("sign-up", page(signUp, policy), in: frame),
            PageSample("code", page(code(), policy), in: frame),
            PageSample("pin", page(pin(remaining: 3), policy) { $0.person = "ada@example.org" }, in: frame),
            PageSample(
                "password-change",
                page(passwordChange, policy) { $0.person = "ada@example.org" },
                in: frame
            ),
            PageSample(
                "password-change-wrong",
                page(passwordChange, policy) {
                    $0.person = "ada@example.org"
                    $0.previous.problems = [NodeProblem(name: "password", code: .wrong, text: "wrong")]
                },
                in: frame
            ),
            PageSample("reset", page(reset, policy), in: frame),
            PageSample("new-password", page(newPassword(), policy), in: frame),
            PageSample("password-expired", page(newPassword([expired]), policy), in: frame),
            PageSample("profile", page(profile, policy), in: frame),
            PageSample("totp", page(totp, policy) { $0.person = "ada@example.org" }, in: frame),
            PageSample("totp-setup", page(totpSetup, policy) { $0.person = "ada@example.org" }, in: frame),
            PageSample("recovery-codes", page(recoveryCodes, policy) { $0.person = "ada@example.org" }, in: frame),
            PageSample("external", page(external, policy), in: frame),
            PageSample("external-text", page(externalText, policy), in: frame),
            PageSample("consent", allowing, in: frame),
            PageSample("every-kind", page(everyKind, policy), in: frame),
        ]
    }
}
