import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct IssuerURLTests {
    @Test(
        "an issuer in another spelling is refused with the right value",
        arguments: [
            (
                "https://Login.Example:8443/Contoso/v2.0",
                AddressProblem.capitals(
                    "https://Login.Example:8443/Contoso/v2.0",
                    corrected: "https://login.example:8443/Contoso/v2.0"
                )
            ),
            (
                "https://login.example/a/.well-known/openid-configuration",
                .metadataPath(
                    "https://login.example/a/.well-known/openid-configuration",
                    corrected: "https://login.example/a"
                )
            ),
            (
                "https://Login.example/.well-known/oauth-authorization-server/a?x=y",
                .metadataPath(
                    "https://Login.example/.well-known/oauth-authorization-server/a?x=y",
                    corrected: "https://login.example/a"
                )
            ),
            ("http://login.example", .unprotected),
        ]
    ) func refused(_ text: String, _ problem: AddressProblem) {
        #expect(IssuerURL.refusal(text) == problem)
    }

    @Test(
        "an issuer can have a path, a trailing slash and capitals in its path",
        arguments: ["https://login.example", "https://login.example/", "https://login.example/Contoso/v2.0"]
    ) func accepted(_ text: String) {
        #expect(IssuerURL.refusal(text) == nil)
    }

    @Test("the spellings of an issuer begin with the typed spelling, and contain no duplicates") func spellings() {
        #expect(IssuerURL.spellings(of: "https://a.example/") == ["https://a.example/", "https://a.example"])
        #expect(
            IssuerURL.spellings(of: "https://A.example/X/.well-known/openid-configuration")
                == ["https://A.example/X", "https://A.example/X/", "https://a.example/X", "https://a.example/X/"]
        )
    }
}
