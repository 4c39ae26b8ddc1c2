import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WWWAuthenticateTests {
    @Test("RFC 6750 §3: a Bearer challenge is written with its parameters") func examples() {
        #expect(WWWAuthenticate(#"Bearer realm="example""#) == WWWAuthenticate(realm: "example"))
        let field = """
            Bearer realm="example",
                               error="invalid_token",
                               error_description="The access token expired"
            """
        let folded = field.split(separator: "\n").joined(separator: " ")
        #expect(
            WWWAuthenticate(folded)
                == WWWAuthenticate(
                    realm: "example",
                    error: .invalidToken,
                    errorDescription: "The access token expired"
                )
        )
    }

    @Test("RFC 9470 §3: a challenge contains contexts and maximum age") func stepUp() {
        let field =
            #"Bearer error="insufficient_user_authentication", "#
            + #"error_description="A different authentication level is required", acr_values="myACR other""#
        let challenge = WWWAuthenticate(field)
        #expect(challenge?.error == .insufficientUserAuthentication)
        #expect(challenge?.acrValues == ["myACR", "other"])
        #expect(WWWAuthenticate(#"Bearer error="insufficient_user_authentication", max_age="5""#)?.maxAge == 5)
        #expect(WWWAuthenticate(#"Bearer max_age=5"#)?.maxAge == 5)
    }

    @Test("a written challenge is read back unchanged") func roundTrip() throws {
        let challenge = WWWAuthenticate(
            realm: "tables",
            error: .insufficientScope,
            errorDescription: "a PIN is needed",
            scopes: [try Scope("tasks.read"), try Scope("accessRestricted")],
            acrValues: ["2", "3"],
            maxAge: 300,
            resourceMetadata: "https://localhost:8421/.well-known/oauth-protected-resource"
        )
        #expect(WWWAuthenticate(challenge.description) == challenge)
        #expect(WWWAuthenticate().description == "Bearer")
        #expect(WWWAuthenticate("Bearer") == WWWAuthenticate())
    }

    @Test("no value can end its quotation or its line") func injection() {
        let challenge = WWWAuthenticate(errorDescription: "a\", scope=\"x\\\"\r\nSet-Cookie: a=b é")
        #expect(challenge.description == #"Bearer error_description="a', scope='x?'??Set-Cookie: a=b ?""#)
    }

    @Test(
        "the Bearer challenge is found among challenges of other schemes",
        arguments: [
            #"Basic realm="a, Bearer b", Bearer error="invalid_token""#,
            #"Negotiate YWJj/w==, Bearer error=invalid_token"#,
            #"Negotiate, bearer  ERROR = "invalid_token" , Basic realm=x"#, #", ,BEARER error="invalid\_token""#,
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Bearer error="invalid_token""#,
        ]
    )
    func amongOthers(_ field: String) {
        #expect(WWWAuthenticate(field)?.error == .invalidToken)
    }

    @Test(
        "malformed challenges, repeated parameters and other schemes are rejected",
        arguments: [
            "", "Basic realm=\"x\"", "Bearer realm=\"x", "Bearer realm=x, realm=y", "Bearer =x", "Bearer max_age=-1",
            "Bearer max_age=x", "Bearer scope=\"a  b\"", "Bearer @", String(repeating: "a", count: 5000),
        ]
    )
    func refused(_ field: String) {
        #expect(WWWAuthenticate(field) == nil)
    }

    @Test("an unregistered error code is read as nil") func unknownCode() {
        #expect(WWWAuthenticate(#"Bearer error="odd""#) == WWWAuthenticate())
    }
}
