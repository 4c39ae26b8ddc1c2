import Localization
import OAuth

/// The page that posts a response to a client as a form (OAuth 2.0 Form Post Response Mode §2).
///
/// A script or the user submits the form. The page's Content-Security-Policy must have no `form-action`, because
/// Chromium also applies it to the redirects of the client's response.
public struct AnswerPage: Sendable {
    /// The redirect URI that the form is posted to.
    public let target: String
    /// The parameters of the response, in the order in which the form posts them.
    public let parameters: [(name: String, value: String)]
    /// The display name of the client.
    public let client: String

    var isError: Bool { parameters.contains { $0.name == "error" } }

    /// Creates a page that posts parameters to a redirect URI.
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
