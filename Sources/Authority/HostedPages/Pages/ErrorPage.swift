public import FlowModel
public import Foundation
import Localization
public import OAuth

/// A page for what went wrong and cannot be told to a client.
public struct ErrorPage: Sendable {
    /// The kinds of errors that a person can tell apart.
    public enum Kind: String, CaseIterable, Sendable {
        /// The flow has ended: answered elsewhere, or its time is over.
        case over
        /// A link that was used, or whose time is over.
        case link
        /// The person, or a rule, refused.
        case denied
        /// Somebody else signed in than was asked for.
        case wrongUser
        /// The client or its redirect URI is not registered.
        case client
        /// The request is malformed.
        case request
        /// The form's token is missing or old.
        case form
        /// Too many requests.
        case busy
        /// An identity provider failed.
        case provider
        /// An internal error.
        case unavailable
        /// There is no page at this address.
        case notFound
    }

    /// The kind of error.
    public let kind: Kind
    /// The word for administrators, such as `invalid_client` or `AADB2C90091`.
    public let code: String
    /// The reason, which the page says in its language; `nil` if there is nothing more to say.
    ///
    /// The description of an OAuth error is for the client's developer, and always English.
    public let detail: Text?
    /// The id that links the page with the log.
    public let correlation: CorrelationID
    /// The time of the error.
    public let time: Date
    /// The address at which the person can begin again, if there is one.
    public let again: String?

    /// An error with what an administrator needs to find it.
    public init(
        _ kind: Kind,
        code: String,
        detail: Text? = nil,
        correlation: CorrelationID,
        time: Date,
        again: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.correlation = correlation
        self.time = time
        self.again = again
    }
}

extension ErrorPage: PageFace {
    static var template: String { "error" }

    var icon: Icon? {
        switch kind {
        case .over, .link, .client, .request, .notFound: .link
        case .denied, .wrongUser: .shield
        case .form, .busy: .clock
        case .provider, .unavailable: .alert
        }
    }

    var hasErrors: Bool { true }

    /// The key of the words on the way on.
    private var againKey: String {
        switch kind {
        case .notFound: "error.account"
        case .over, .link, .denied, .wrongUser, .client, .request, .form, .busy, .provider, .unavailable: "error.again"
        }
    }

    var tone: String? {
        switch kind {
        case .denied, .wrongUser: "plain"
        case .over, .link, .client, .request, .form, .busy, .provider, .unavailable, .notFound: "warn"
        }
    }

    func title(_ texts: PageTexts) -> String { texts.text("error.\(kind.rawValue).title") }

    func lead(_ texts: PageTexts) -> Markup? { Markup(texts, "error.\(kind.rawValue).lead") }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        let shown = time.formatted(.iso8601.dateSeparator(.dash).dateTimeSeparator(.space).timeSeparator(.colon))
        let facts: [(key: String, value: String?)] = [
            ("error.time", shown.replacing("Z", with: " UTC")),
            ("error.code", code),
            ("error.detail", detail.map(texts.words)),
            ("error.correlation", correlation.description),
        ]
        return [
            "again": .text(again),
            "againLabel": .text(texts.text(againKey)),
            "facts": .list(
                facts.compactMap { fact in
                    fact.value.map { ["factLabel": .text(texts.text(fact.key)), "factValue": .text($0)] }
                }
            ),
            "send": .text(texts.text("error.send")),
        ]
    }
}
