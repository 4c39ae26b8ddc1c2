import Moments
import Testing

@testable import OpenIDClient

@Suite(.timeLimit(.minutes(1)))
struct RetryAfterTests {
    /// The example date of RFC 9110 §5.6.7, which is Sunday, 6 November 1994, 08:49:37 GMT.
    private static let date: Int64 = 784_111_777

    private func pause(_ field: String?, before date: Int64 = 0) -> Duration? {
        RetryAfter.pause(field, at: Moment(wall: (Self.date - date) * 1000, boot: 1, bootID: "b"))
    }

    @Test("RFC 9110 §10.2.3: seconds are a pause of at most ten minutes") func seconds() {
        #expect(pause("120") == .seconds(120))
        #expect(pause("86400") == .seconds(600) && pause("9223372036854775807") == .seconds(600))
        #expect(pause("99999999999999999999") == .seconds(600))
    }

    @Test(
        "RFC 9110 §5.6.7: a date in any of its formats is a pause until then, of at most ten minutes",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    )
    func dates(_ field: String) {
        #expect(pause(field, before: 90) == .seconds(90))
        #expect(pause(field, before: 86_400) == .seconds(600))
        #expect(pause(field) == nil && pause(field, before: -90) == nil)
    }

    @Test(
        "any other value is ignored",
        arguments: [
            nil, "", "0", "-5", "+30", "1e2", "٣٠", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 06 Nov 199499999999 08:49:37 GMT", "1994-11-06T08:49:37Z",
        ]
    )
    func others(_ field: String?) {
        #expect(pause(field, before: 90) == nil)
    }
}
