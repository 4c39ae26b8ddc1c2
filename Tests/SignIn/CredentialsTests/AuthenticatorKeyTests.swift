import Foundation
import OAuth
import Testing

@testable import Credentials

@Suite(.timeLimit(.minutes(1)))
struct AuthenticatorKeyTests {
    private let key = AuthenticatorKey(Secret("12345678901234567890"))

    @Test(
        "RFC 6238 appendix B: the last six digits match",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)]
    )
    func vectors(_ seconds: Int64, _ code: String) {
        #expect(key.code(step: AuthenticatorKey.step(at: seconds * 1000)) == code)
    }

    @Test("a code is accepted in its time step and the adjacent ones, and in no other") func window() {
        let time: Int64 = 1_111_111_111_000
        let step = AuthenticatorKey.step(at: time)
        for offset in -1...1 as ClosedRange<Int64> {
            #expect(key.step(of: Secret(key.code(step: step + offset)), at: time) == step + offset)
        }
        for offset in [-2, 2] as [Int64] {
            #expect(key.step(of: Secret(key.code(step: step + offset)), at: time) == nil)
        }
        #expect(key.step(of: Secret("50471"), at: time) == nil)
    }

    @Test(
        "RFC 4648 §10: base32 is encoded without padding",
        arguments: [("f", "MY"), ("fo", "MZXQ"), ("foobar", "MZXW6YTBOI")]
    )
    func base32(_ text: String, _ encoded: String) {
        #expect(AuthenticatorKey(Secret(text)).base32 == encoded)
    }

    @Test("a recovery code is recognised in any case and spacing, and any other text is not") func recovery() throws {
        let code = RecoveryCode(random: Data([1, 2, 3, 4, 5, 6, 7]))
        #expect(code.shown.count == 11 && code.shown.contains("-"))
        #expect(RecoveryCode(Secret(" \(code.shown.lowercased()) ")) == code)
        #expect(RecoveryCode(Secret(code.folded.reveal())) == code)
        for other in ["", "ABCDE-FGHI", "ABCDE-FGHIJK", "ABCDE-FGHI1", "123456"] {
            #expect(RecoveryCode(Secret(other)) == nil, "\(other)")
        }
    }
}
