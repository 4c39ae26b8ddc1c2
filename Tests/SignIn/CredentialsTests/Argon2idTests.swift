import Foundation
import OAuth
import Testing

@testable import Credentials

@Suite(.timeLimit(.minutes(2)))
struct Argon2idTests {
    @Test(
        "the test vectors of the reference implementation match, version 19",
        arguments: [
            (UInt32(256), UInt32(1), "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
            (UInt32(256), UInt32(2), "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
            (UInt32(65536), UInt32(1), "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"),
        ]
    )
    func vector(_ memory: UInt32, _ lanes: UInt32, _ expected: String) throws {
        let tag = try Argon2id.tag(
            password: Array("password".utf8),
            salt: Array("somesalt".utf8),
            parameters: Argon2Parameters(memory: memory, passes: 2, lanes: lanes)
        )
        #expect(tag.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
    }

    @Test("invalid parameters are an error with the reason") func refused() {
        let error = #expect(throws: CredentialError.self) {
            try Argon2id.tag(
                password: [],
                salt: [1],
                parameters: Argon2Parameters(memory: 8, passes: 1, lanes: 1)
            )
        }
        #expect(error?.code == .failed)
        #expect(error?.description.contains("Salt is too short") == true)
    }
}
