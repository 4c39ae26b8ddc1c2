public import FlowModel
public import Foundation
import Localization
public import OAuth

/// A page for an error that cannot be reported to a client.
public struct ErrorPage: Sendable {
    /// The kinds of errors that the page distinguishes for the user.
    public enum Kind: String, CaseIterable, Sendable {
        /// The flow was completed elsewhere or has expired.
        case over
        /// The link has already been used or has expired.
        case link
        /// The request was denied by the user or by a rule.
        case denied
        /// A user other than the required user signed in.
        case wrongUser
        /// The client or its redirect URI is not registered.
        case client
        /// The request is malformed.
        case request
        /// The form's CSRF token is missing or outdated.
        case form
        /// Too many requests were sent.
        case busy
        /// An identity provider failed.
        case provider
        /// An internal error occurred.
        case unavailable
        /// There is no page at this address.
        case notFound
        /// The browser used a name of this machine that is not the name of the service.
        case address
    }

    /// The kind of error.
    public let kind: Kind
    /// The error code for administrators, such as `invalid_client` or `AADB2C90091`.
    public let code: String
    /// The reason, which is in English for an OAuth error, or `nil` if there is nothing to add.
    public let detail: Text?
    /// The id that an administrator can use to find the error in the log.
    public let correlation: CorrelationID
    /// When the error occurred.
    public let time: Date
    /// The address at which the user can start again, or `nil` if the user cannot start again.
    public let again: String?

    /// Creates an error page with the details that an administrator needs.
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
        case .over, .link, .client, .request, .notFound, .address: .link
        case .denied, .wrongUser: .shield
        case .form, .busy: .clock
        case .provider, .unavailable: .alert
        }
    }

    var hasErrors: Bool { true }

    private var againKey: String {
        switch kind {
        case .notFound, .address: "error.account"
        case .over, .link, .denied, .wrongUser, .client, .request, .form, .busy, .provider, .unavailable: "error.again"
        }
    }

    var tone: String? {
        switch kind {
        case .denied, .wrongUser: "plain"
        case .over, .link, .client, .request, .form, .busy, .provider, .unavailable, .notFound, .address: "warn"
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
