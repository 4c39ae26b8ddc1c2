import OAuth
import Policies
import Testing

/// Tests public keys in the format that `openssl rsa -pubout` writes.
@Suite(.timeLimit(.minutes(1)))
struct RSAPublicKeyTests {
    /// An RSA public key of 2048 bits.
    static let pem = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApC9shV23mJkT6Z3HH2yj
        ZR3eJ58d84B9Q5XLEXmRL47EiktyZAqrHgkGaFEZicvMjEvscro/MRJy4HW0naRl
        aVjXzMcQ/yqD3sqkq13lEm5a6RFyVqcg7fGGDVVAeqFbez7ipCTvEs0tvN4ULiqb
        kGGKSgWdAW741ZxC1cN1BVrmP+s82DXnTb4i1YByEwh2jFemOIN2T4EirJeB8qg/
        sC1zQUGAXzubZtNmHokiCKTRDEhQ5yF0PEGUD4LuRlOqtImWixz5nipR4Vrwwr2b
        JDv3vVgWzVykrJnyc9PJ95Nl1itEoQXCO8mRWNB426Eo9+jPBYJDU37enWJrKZt5
        6QIDAQAB
        -----END PUBLIC KEY-----
        """

    @Test("a key is read as a JWK, regardless of line breaks") func read() throws {
        let key = try #require(RSAPublicKey(pem: Self.pem))
        #expect(key.jwk["n"]?.string?.hasPrefix("pC9shV23mJkT6Z3HH2yjZR3eJ58d84B9Q5XLEXmRL47") == true)
        #expect(key.jwk["n"]?.string?.utf8.count == 342 && key.jwk["e"] == "AQAB" && key.jwk["kty"] == "RSA")
        #expect(RSAPublicKey(pem: Self.pem.replacing("\n", with: " ")) == key)
        #expect(RSAPublicKey(pem: "\n\(Self.pem)\r\n") == key)
    }

    @Test(
        "any other text is rejected",
        arguments: [
            "", "-----BEGIN PUBLIC KEY----------END PUBLIC KEY-----", pem.replacing("PUBLIC", with: "PRIVATE"),
            pem.replacing("MIIBIj", with: "MIIBIT"), pem.replacing("AQAB\n", with: "AQ==\n"),
            pem.replacing("AQAB\n", with: "AQABAA==\n"), String(pem.dropFirst()), pem.replacing("ApC9", with: "A!C9"),
            // An RSA key of only 1024 bits.
            """
            -----BEGIN PUBLIC KEY-----
            MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDdGG6EGDUiPatt79M0JwUODpWX
            rXOI82y2ujD4rsa7yBikpCuytlYsfDPcI6J1xJEWMBkoEaK8KJIsOydxr2IYMMNl
            OGAxt3OXWemE6T5kSW7q9+egvNnCkJW1Wg06LChPxuKcZLJZaQlq7SuUumHATzD1
            cTPB8hic7MXcqH1XAQIDAQAB
            -----END PUBLIC KEY-----
            """,
            // An elliptic-curve key.
            """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEpjhvcUcE7+m6/gvdXFWpTNZERz8G
            DWuqaOXf09UaFzrIqBuJTTCTeNbYbfrfEU96QLEG/DRHUKodjAVDStkxkg==
            -----END PUBLIC KEY-----
            """,
        ]
    )
    func refused(_ text: String) { #expect(RSAPublicKey(pem: text) == nil) }
}
