import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SecretTests {
    @Test("a secret is printed as <redacted> in every way") func redacted() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(["k": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: Optional(secret)), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("<redacted>"))
        }
    }

    @Test("secrets with equal bytes are equal, and the bytes can be read back") func equality() {
        #expect(Secret("a") == Secret(bytes: [97]))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("aa"))
        #expect(Secret("aé").reveal() == "aé")
        #expect(Secret("aé").count == 3)
    }
}
