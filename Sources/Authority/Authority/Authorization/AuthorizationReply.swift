public import OAuth

/// The ways in which an answer is brought to the client's redirect URI.
public enum ResponseMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// In the query of the redirect URI (OAuth 2.0 Multiple Response Type Encoding Practices §2.1).
    case query
    /// In its fragment.
    case fragment
    /// As a form that the browser posts there (OAuth 2.0 Form Post Response Mode §2).
    case formPost = "form_post"
}

/// The place of an authorization answer: a redirect URI that the client registered, and the way there.
public struct AuthorizationReply: Hashable, Sendable, Codable {
    /// The client.
    public let client: String
    /// The redirect URI as the client sent it.
    public let redirectURI: String
    /// The way the answer goes.
    public let mode: ResponseMode
    /// The value that is given back unchanged (RFC 6749 §4.1.1).
    public let state: String?
    /// The issuer, which every answer names (RFC 9207).
    public let issuer: String

    /// The answer with a code (RFC 6749 §4.1.2).
    public func granting(code: Secret) -> AuthorizationAnswer {
        answer([("code", code.reveal())])
    }

    /// The answer with an error (RFC 6749 §4.1.2.1).
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - note: Follows the error's description.
    /// - Returns: The answer.
    public func refusing(_ error: OAuthError, note: String = "") -> AuthorizationAnswer {
        let description = Self.shown(error.description + note)
        return answer([("error", error.code.rawValue), ("error_description", description)])
    }

    private func answer(_ parameters: [(String, String)]) -> AuthorizationAnswer {
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        return AuthorizationAnswer(
            client: client,
            redirectURI: redirectURI,
            mode: mode,
            parameters: all.map { AuthorizationAnswer.Parameter(name: $0.0, value: $0.1) }
        )
    }

    /// A description with the characters that it may have (RFC 6749 §4.1.2.1).
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

/// An answer on its way to a client by the person's browser.
public struct AuthorizationAnswer: Hashable, Sendable {
    /// One parameter of the answer.
    public struct Parameter: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: String
    }

    /// The client.
    public let client: String
    /// The client's redirect URI.
    public let redirectURI: String
    /// The way the answer goes.
    public let mode: ResponseMode
    /// The parameters, in their order.
    public let parameters: [Parameter]

    /// The address that the browser is sent to; nil for an answer that is posted.
    public var location: String? {
        let encoded = Form.encoded(parameters.map { ($0.name, $0.value) })
        switch mode {
        case .query: return redirectURI + (redirectURI.contains("?") ? "&" : "?") + encoded
        case .fragment: return redirectURI + "#" + encoded
        case .formPost: return nil
        }
    }
}
