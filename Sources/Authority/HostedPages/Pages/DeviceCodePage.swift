import Localization
import OAuth

/// The page on which a user enters the code that a device shows (RFC 8628 §3.3).
public struct DeviceCodePage: Sendable {
    /// The form that submits the code, in the field `user_code`.
    public let form: PageForm
    /// The code from the link or the last attempt, which the page fills in but does not submit, or `nil` for none.
    public let userCode: String?
    /// Whether the user entered a code that belongs to no waiting device.
    public let isUnknown: Bool
    /// The number of seconds until the user can try again, or `nil` if the user can try now.
    public let retryAfter: Int?

    /// The name of the form field, which is also the query parameter of the link (RFC 8628 §3.3.1).
    public static let field = "user_code"

    /// Creates a page that prompts for a user code.
    public init(form: PageForm, userCode: String? = nil, isUnknown: Bool = false, retryAfter: Int? = nil) {
        self.form = form
        self.userCode = userCode
        self.isUnknown = isUnknown
        self.retryAfter = retryAfter
    }
}

extension DeviceCodePage: PageFace {
    static var template: String { "device" }

    var icon: Icon? { .screen }

    var hasErrors: Bool { isUnknown || retryAfter != nil }

    func title(_ texts: PageTexts) -> String { texts.text("device.title") }

    func lead(_ texts: PageTexts) -> Markup? { Markup(texts, "device.lead") }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        let wrong = retryAfter.map { texts.text("device.wait", ["seconds": "\($0)"]) } ?? texts.text("device.unknown")
        var input: [(name: StaticString, value: String?)] = [
            ("id", "code"), ("name", Self.field), ("class", "code upper"), ("type", "text"), ("dir", "ltr"),
            ("autocomplete", "off"), ("autocapitalize", "characters"), ("spellcheck", "false"),
            ("enterkeyhint", "go"), ("required", nil),
            ("aria-describedby", hasErrors ? "wrong code-hint" : "code-hint"),
        ]
        if let userCode { input.append(("value", userCode)) }
        if hasErrors { input.append(("aria-invalid", "true")) } else { input.append(("autofocus", nil)) }
        return [
            "form": .object(form.values(step: nil)),
            "wrong": hasErrors ? .text(wrong) : false,
            "alert": .markup(Icon.alert.markup),
            "codeLabel": .text(texts.text("device.label")),
            "codeInput": .markup(Markup(attributes: input)),
            "codeHint": .text(texts.text("device.hint")),
            "submit": .text(texts.text("device.submit")),
        ]
    }
}
