import OAuth
import Testing

@testable import Credentials

@Suite(.timeLimit(.minutes(2)))
struct PasswordHashTests {
    private static let salt = "c29tZXNhbHRzb21lc2FsdA"
    private static let tag = "RdescudvJCsgt3ub+b4dWRWJTmaaJObG"

    @Test("a PHC string is parsed and written unchanged") func roundTrip() throws {
        let text = Secret("$argon2id$v=19$m=65536,t=2,p=1$\(Self.salt)$\(Self.tag)")
        let hash = try PasswordHash(text)
        #expect(hash.parameters == Argon2Parameters(memory: 65536, passes: 2, lanes: 1))
        #expect(hash.text == text)
    }

    @Test(
        "a text that is not a PHC string of argon2id version 19 is rejected",
        arguments: [
            "", "plain", "$argon2i$v=19$m=65536,t=2,p=1$\(salt)$\(tag)",
            "$argon2id$v=16$m=65536,t=2,p=1$\(salt)$\(tag)",
            "$argon2id$v=19$m=65536,t=2$\(salt)$\(tag)", "$argon2id$v=19$t=2,m=65536,p=1$\(salt)$\(tag)",
            "$argon2id$v=19$m=+65536,t=2,p=1$\(salt)$\(tag)", "$argon2id$v=19$m=99999999,t=2,p=1$\(salt)$\(tag)",
            "$argon2id$v=19$m=65536,t=0,p=1$\(salt)$\(tag)", "$argon2id$v=19$m=65536,t=2,p=1$c2$\(tag)",
            "$argon2id$v=19$m=65536,t=2,p=1$\(salt)$", "$argon2id$v=19$m=65536,t=2,p=1$\(salt)==$\(tag)",
            "$argon2id$v=19$m=65536,t=2,p=1$\(salt)$\(tag)$", "x$argon2id$v=19$m=65536,t=2,p=1$\(salt)$\(tag)",
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: CredentialError.self) { try PasswordHash(Secret(text)) }
        #expect(error?.code == .malformedHash)
    }
}
