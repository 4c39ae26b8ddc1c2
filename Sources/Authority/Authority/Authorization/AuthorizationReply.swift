public import OAuth

/// How a response reaches the client's redirect URI (`response_mode`).
public enum ResponseMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The response is in the query of the redirect URI (OAuth 2.0 Multiple Response Type Encoding Practices §2.1).
    case query
    /// The response is in the fragment of the redirect URI.
    case fragment
    /// The response is a form that the browser posts to the redirect URI (OAuth 2.0 Form Post Response Mode §2).
    case formPost = "form_post"
}

/// The destination of an authorization response, which is a registered redirect URI with a response mode.
public struct AuthorizationReply: Hashable, Sendable, Codable {
    /// The client's display name.
    public let clientName: String
    /// The redirect URI exactly as the client sent it.
    public let redirectURI: String
    /// How the response reaches the client.
    public let mode: ResponseMode
    /// The request's `state`, which is returned unchanged (RFC 6749 §4.1.1), or `nil` if the request has none.
    public let state: String?
    /// The issuer identifier, included in every response as `iss` (RFC 9207).
    public let issuer: String

    /// Returns a response that contains an authorization code (RFC 6749 §4.1.2).
    public func granting(code: Secret) -> AuthorizationAnswer {
        answer([("code", code.reveal())])
    }

    /// Returns an error response (RFC 6749 §4.1.2.1), with `note` appended to the error's description.
    public func refusing(_ error: OAuthError, note: String = "") -> AuthorizationAnswer {
        let description = Self.shown(error.description + note)
        return answer([("error", error.code.rawValue), ("error_description", description)])
    }

    private func answer(_ parameters: [(String, String)]) -> AuthorizationAnswer {
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        return AuthorizationAnswer(
            clientName: clientName,
            redirectURI: redirectURI,
            mode: mode,
            parameters: all.map { AuthorizationAnswer.Parameter(name: $0.0, value: $0.1) }
        )
    }

    /// Replaces the characters that RFC 6749 §4.1.2.1 does not allow in an error description.
    private static func shown(_ text: String) -> String {
        String(
            decoding: text.utf8.map { byte in
                switch byte {
                case 0x22, 0x5C: UInt8(ascii: "'")
                case 0x20...0x7E: byte
                default: UInt8(ascii: "?")
                }
            },
            as: UTF8.self
        )
    }
}

/// An authorization response that the user's browser delivers to the client.
public struct AuthorizationAnswer: Hashable, Sendable {
    /// One parameter of the response.
    public struct Parameter: Hashable, Sendable {
        /// The parameter's name, for example `code`.
        public let name: String
        /// The parameter's value, which is not percent-encoded.
        public let value: String
    }

    /// The client's display name.
    public let clientName: String
    /// The client's redirect URI.
    public let redirectURI: String
    /// How the response reaches the client.
    public let mode: ResponseMode
    /// The parameters, in the order in which they appear in the response.
    public let parameters: [Parameter]

    /// The URL to redirect the browser to, or `nil` if the response is posted.
    public var location: String? {
        let encoded = Form.encoded(parameters.map { ($0.name, $0.value) })
        switch mode {
        case .query: return redirectURI + (redirectURI.contains("?") ? "&" : "?") + encoded
        case .fragment: return redirectURI + "#" + encoded
        case .formPost: return nil
        }
    }
}
