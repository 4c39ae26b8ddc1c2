import Authority
import OAuth

extension AuthorityEndpoint {
    /// The description of an endpoint for programs; nil for one that has a route of its own.
    var operation: RouteOperation? {
        switch self {
        case .token:
            RouteOperation(
                summary: "Gives tokens for a grant (RFC 6749 §3.2).",
                answer: .document(status: 200),
                parameters: .one("grant_type", of: GrantType.allCases.map(\.wireName))
                    .and(
                        .optional("code", "redirect_uri", "code_verifier", "refresh_token", "device_code", "assertion")
                    )
                    .and(.optional("scope", "resource", "client_info")).and(.clientProof),
                proof: .basic
            )
        case .pushedRequests:
            RouteOperation(
                summary: "Keeps an authorization request, to be named by the browser (RFC 9126 §2).",
                answer: .document(status: 201),
                parameters: .authorization.and(.clientProof),
                proof: .basic
            )
        case .deviceAuthorization:
            RouteOperation(
                summary: "Gives a device its code and the person's (RFC 8628 §3.1).",
                answer: .document(status: 200),
                parameters: .optional("scope", "resource").and(.clientProof),
                proof: .basic
            )
        case .revocation:
            RouteOperation(
                summary: "Ends a token (RFC 7009 §2).",
                answer: .empty,
                parameters: .required("token").and(.optional("token_type_hint")).and(.clientProof),
                proof: .basic
            )
        case .introspection:
            RouteOperation(
                summary: "Describes a token to a resource server (RFC 7662 §2).",
                answer: .document(status: 200),
                parameters: .required("token").and(.optional("token_type_hint")).and(.clientProof),
                proof: .basic
            )
        case .authorize, .logout, .userinfo, .keys: nil
        }
    }
}
