import Localization
import OAuth

/// The page that carries an answer to a client by a form (OAuth 2.0 Form Post Response Mode §2).
///
/// A script of one line sends it; without scripts its button does. It names the client's address in its form, so the
/// page's policy must allow that origin as a target of forms.
public struct AnswerPage: Sendable {
    /// The redirect URI.
    public let target: String
    /// The parameters of the answer, in order.
    public let parameters: [(name: String, value: String)]
    /// The name of the client.
    public let client: String

    /// True if it carries an error: nobody has signed in then.
    var isError: Bool { parameters.contains { $0.name == "error" } }

    /// A page that carries parameters to a redirect URI.
    public init(target: String, parameters: [(name: String, value: String)], client: String) {
        self.target = target
        self.parameters = parameters
        self.client = client
    }
}

extension AnswerPage: PageFace {
    static var template: String { "answer" }

    var icon: Icon? { isError ? .link : .check }

    func title(_ texts: PageTexts) -> String { texts.text("answer.title") }

    func lead(_ texts: PageTexts) -> Markup? {
        Markup(texts, isError ? "answer.error.lead" : "answer.lead", ["app": client])
    }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        [
            "form": [
                "action": .text(target),
                "hidden": .list(
                    parameters.map {
                        ["hiddenName": .text($0.name), "hiddenValue": .markup(Markup(exactly: $0.value))]
                    }
                ),
            ],
            "scriptPath": .text(frame.path(.script)),
            "submit": .text(frame.texts.text("answer.submit")),
        ]
    }
}
