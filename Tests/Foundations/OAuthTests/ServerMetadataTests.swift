import Foundation
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerMetadataTests {
    private func sample() -> ServerMetadata {
        var metadata = ServerMetadata(issuer: "http://localhost:8420/b2c_1_sign_in/v2.0/", responseTypes: ["code"])
        metadata.jwksURI = "http://localhost:8420/discovery/v2.0/keys"
        metadata.scopes = ["openid"]
        metadata.idTokenSigningAlgorithms = ["ES256"]
        metadata.answersWithIssuer = true
        metadata.additional = ["tfp": "b2c_1_sign_in"]
        return metadata
    }

    @Test("the document is sorted and omits missing members (RFC 8414 §3.2)") func text() {
        let expected =
            #"{"authorization_response_iss_parameter_supported":true,"id_token_signing_alg_values_supported":["ES256"],"#
            + #""issuer":"http://localhost:8420/b2c_1_sign_in/v2.0/","#
            + #""jwks_uri":"http://localhost:8420/discovery/v2.0/keys","#
            + #""response_types_supported":["code"],"scopes_supported":["openid"],"tfp":"b2c_1_sign_in"}"#
        #expect(sample().json.text == expected)
    }

    @Test("a written document is read back unchanged") func roundTrip() throws {
        #expect(try ServerMetadata(json: sample().json) == sample())
        let encoded = try JSONEncoder().encode(sample())
        #expect(try StrictJSON.parse(encoded) == sample().json)
    }

    @Test(
        "a missing issuer and members of the wrong type are rejected by name",
        arguments: [
            ("[]", "issuer"), ("{}", "issuer"), (#"{"issuer":1}"#, "issuer"),
            (#"{"issuer":"a","jwks_uri":[]}"#, "jwks_uri"),
            (#"{"issuer":"a","scopes_supported":["a",1]}"#, "scopes_supported"),
            (
                #"{"issuer":"a","authorization_response_iss_parameter_supported":"yes"}"#,
                "authorization_response_iss_parameter_supported"
            ),
        ]
    )
    func refused(_ text: String, _ member: String) throws {
        let json = try StrictJSON.parse(text.utf8)
        let error = #expect(throws: ServerMetadata.Invalid.self) { try ServerMetadata(json: json) }
        #expect(error?.member == member)
    }
}
