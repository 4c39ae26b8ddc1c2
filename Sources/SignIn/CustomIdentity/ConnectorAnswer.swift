public import OAuth
import OpenIDClient
import Policies

/// A response from an API connector.
public enum ConnectorAnswer: Hashable, Sendable {
    /// The flow continues with these claims, which replace or extend the claims that the flow already has.
    case proceed([String: JSONValue])
    /// The flow ends, and the user sees this message.
    case block(String)
    /// The user is prompted again and sees this message.
    case invalid(String)

    /// The claims in a response that continues the flow, or an empty dictionary for any other response.
    public var claims: [String: JSONValue] {
        switch self {
        case .proceed(let claims): claims
        case .block, .invalid: [:]
        }
    }

    /// The only supported version of the response format.
    static let version = "1.0.0"
    /// The HTTP status codes of valid responses, where 400 and 409 belong to `ValidationError` responses.
    static let statuses: Set = [200, 400, 409]
    /// The names of the response members that are not claims.
    private static let own: Set = ["version", "action", "status", "userMessage"]
    /// The maximum size of the claims in bytes, because they are stored in accounts and tokens.
    static let mostClaims = 2048

    /// Parses a connector's HTTP response, and removes control characters (see ``PlainText``).
    init(_ status: Int, _ json: JSONValue, at place: Connector.Place, name: String) throws(ProviderError) {
        func wrong(_ what: String) -> ProviderError { ProviderError(.protocolViolation, "\(name) \(what)") }
        guard let members = json.object else { throw wrong("did not respond with a JSON object") }
        guard (members["version"] ?? .string(Self.version)) == .string(Self.version) else {
            throw wrong("responded with a version other than \(Self.version)")
        }
        let message = members["userMessage"]?.string.map { PlainText.plain($0) }
        switch (status, members["action"]?.string) {
        case (200, "Continue"?):
            let claims = PlainText.plain(.object(members.filter { !Self.own.contains($0.key) && !$0.value.isNull }))
            guard claims.bytes.count <= Self.mostClaims else { throw wrong("sent more than \(Self.mostClaims) bytes") }
            self = .proceed(claims.object ?? [:])
        case (200, "ShowBlockPage"?):
            guard let message, !message.isEmpty else { throw wrong("sent ShowBlockPage without a userMessage") }
            self = .block(message)
        case (400, "ValidationError"?), (409, "ValidationError"?), (409, nil):
            guard members["status"] == .int(Int64(status)) else { throw wrong("sent a status other than \(status)") }
            guard let message, !message.isEmpty else { throw wrong("sent ValidationError without a userMessage") }
            self = .invalid(message)
        default: throw wrong("responded with \(status) and an unknown action")
        }
        switch (place, self) {
        case (.beforeToken, .block), (.beforeToken, .invalid):
            throw wrong("rejected a token: only Continue is valid before a token")
        case (.beforeToken, .proceed), (.afterFederation, _), (.beforeUserCreated, _): break
        }
    }
}
