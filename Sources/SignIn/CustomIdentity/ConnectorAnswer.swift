public import OAuth
import OpenIDClient
import Policies

/// The answer of an API connector.
public enum ConnectorAnswer: Hashable, Sendable {
    /// The flow goes on, with these claims over those that it had.
    case proceed([String: JSONValue])
    /// The flow ends, and the person reads this.
    case block(String)
    /// The person is asked again, and reads this.
    case invalid(String)

    /// The claims of an answer that lets go on.
    public var claims: [String: JSONValue] {
        switch self {
        case .proceed(let claims): claims
        case .block, .invalid: [:]
        }
    }

    /// The only version of answers.
    static let version = "1.0.0"
    /// The statuses of answers: those of `Continue` and `ShowBlockPage`, of `ValidationError`, and of the same in a custom
    /// policy.
    static let statuses: Set = [200, 400, 409]
    /// The members of an answer that are no claims.
    private static let own: Set = ["version", "action", "status", "userMessage"]
    /// The most that an answer may say, in bytes: it goes into accounts and tokens.
    static let mostClaims = 2048

    /// Reads an answer; what is shown or kept of it is plain.
    init(_ status: Int, _ json: JSONValue, at place: Connector.Place, name: String) throws(ProviderError) {
        func wrong(_ what: String) -> ProviderError { ProviderError(.protocolViolation, "\(name) \(what)") }
        guard let members = json.object else { throw wrong("answered no object") }
        guard (members["version"] ?? .string(Self.version)) == .string(Self.version) else {
            throw wrong("answers in another version than \(Self.version)")
        }
        let message = members["userMessage"]?.string.map { PlainText.plain($0) }
        switch (status, members["action"]?.string) {
        case (200, "Continue"?):
            let claims = PlainText.plain(.object(members.filter { !Self.own.contains($0.key) && !$0.value.isNull }))
            guard claims.bytes.count <= Self.mostClaims else { throw wrong("says more than \(Self.mostClaims) bytes") }
            self = .proceed(claims.object ?? [:])
        case (200, "ShowBlockPage"?):
            guard let message, !message.isEmpty else { throw wrong("shows a page without a userMessage") }
            self = .block(message)
        case (400, "ValidationError"?), (409, "ValidationError"?), (409, nil):
            guard members["status"] == .int(Int64(status)) else { throw wrong("says another status than \(status)") }
            guard let message, !message.isEmpty else { throw wrong("refuses without a userMessage") }
            self = .invalid(message)
        default: throw wrong("answered \(status) with an action that there is not")
        }
        switch (place, self) {
        case (.beforeToken, .block), (.beforeToken, .invalid):
            throw wrong("refuses a token: before it only Continue is an answer")
        case (.beforeToken, .proceed), (.afterFederation, _), (.beforeUserCreated, _): break
        }
    }
}
