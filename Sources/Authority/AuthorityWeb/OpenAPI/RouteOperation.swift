/// The description of a route in the OpenAPI document (OpenAPI 3.1 §4.8.10).
struct RouteOperation: Sendable {
    /// A parameter in the query string of a GET request or the form body of a POST request.
    struct Parameter: Sendable {
        let name: String
        var isRequired = false
        /// The allowed values, or an empty array if any value is allowed.
        var values: [String] = []
    }

    enum Answer: Sendable {
        case document(status: Int)
        case empty
        /// A page, or a redirect to another address.
        case page
        case file
    }

    /// The kind of credentials in a request's `Authorization` field.
    enum Proof: String, Sendable, CaseIterable {
        case none
        /// The client's id and secret (RFC 6749 §2.3.1).
        case basic
        /// An access token (RFC 6750 §2.1).
        case bearer
    }

    let summary: String
    let answer: Answer
    var parameters: [Parameter] = []
    var proof = Proof.none
}

extension [RouteOperation.Parameter] {
    static func required(_ names: String...) -> Self { names.map { .init(name: $0, isRequired: true) } }

    static func optional(_ names: String...) -> Self { names.map { .init(name: $0) } }

    static func one(_ name: String, of values: [String]) -> Self {
        [.init(name: name, isRequired: true, values: values)]
    }

    /// The parameters with which a client authenticates in the body (RFC 6749 §2.3.1, RFC 7523 §2.2).
    static var clientProof: Self {
        optional("client_id", "client_secret", "client_assertion_type", "client_assertion")
    }

    /// The parameters of an authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
    static var authorization: Self {
        required("client_id", "response_type", "redirect_uri", "scope", "code_challenge", "code_challenge_method")
            .and(
                optional(
                    "response_mode",
                    "state",
                    "nonce",
                    "prompt",
                    "max_age",
                    "acr_values",
                    "claims",
                    "login_hint",
                    "domain_hint",
                    "ui_locales",
                    "id_token_hint",
                    "resource"
                )
            )
    }

    func and(_ more: Self) -> Self { self + more }
}
