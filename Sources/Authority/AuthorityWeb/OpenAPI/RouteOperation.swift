/// The description of a route, for developers and their tools (OpenAPI 3.1 §4.8.10).
struct RouteOperation: Sendable {
    /// A parameter: of the query where the method is GET, of the form where it is POST.
    struct Parameter: Sendable {
        let name: String
        var isRequired = false
        /// The only values; any text if there are none.
        var values: [String] = []
    }

    /// The answer of a route that did what it was asked for.
    enum Answer: Sendable {
        /// JSON with this status.
        case document(status: Int)
        /// Nothing but the status.
        case empty
        /// A page, or the way to the next address.
        case page
        /// A file of the pages.
        case file
    }

    /// The proof that a request carries in its `Authorization` field.
    enum Proof: String, Sendable, CaseIterable {
        /// None.
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
    /// Parameters without which a request is refused.
    static func required(_ names: String...) -> Self { names.map { .init(name: $0, isRequired: true) } }

    /// Parameters that may be left out.
    static func optional(_ names: String...) -> Self { names.map { .init(name: $0) } }

    /// A required parameter of a few values.
    static func one(_ name: String, of values: [String]) -> Self {
        [.init(name: name, isRequired: true, values: values)]
    }

    /// The client's proof in the body, instead of the `Authorization` field (RFC 6749 §2.3.1, RFC 7523 §2.2).
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

    /// These parameters and more.
    func and(_ more: Self) -> Self { self + more }
}
