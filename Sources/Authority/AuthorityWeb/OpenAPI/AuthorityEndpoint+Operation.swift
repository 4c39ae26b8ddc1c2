import Authority
import OAuth

extension AuthorityEndpoint {
    /// The description of an endpoint that programs call, or `nil` if the endpoint's own route provides it.
    var operation: RouteOperation? {
        switch self {
        case .token:
            RouteOperation(
                summary: "Get tokens for a grant (RFC 6749 §3.2).",
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
                summary: "Push an authorization request (RFC 9126 §2).",
                answer: .document(status: 201),
                parameters: .authorization.and(.clientProof),
                proof: .basic
            )
        case .deviceAuthorization:
            RouteOperation(
                summary: "Get a device code and a user code (RFC 8628 §3.1).",
                answer: .document(status: 200),
                parameters: .optional("scope", "resource").and(.clientProof),
                proof: .basic
            )
        case .revocation:
            RouteOperation(
                summary: "Revoke a token (RFC 7009 §2).",
                answer: .empty,
                parameters: .required("token").and(.optional("token_type_hint")).and(.clientProof),
                proof: .basic
            )
        case .introspection:
            RouteOperation(
                summary: "Introspect a token (RFC 7662 §2).",
                answer: .document(status: 200),
                parameters: .required("token").and(.optional("token_type_hint")).and(.clientProof),
                proof: .basic
            )
        case .authorize, .logout, .userinfo, .keys: nil
        }
    }
}
