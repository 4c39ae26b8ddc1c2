import Foundation
import Tables
import Testing

@testable import TablesClient

@Suite(.timeLimit(.minutes(1)))
struct DateTextTests {
    @Test(
        "a date outside the years 1 to 9999 is sent as the nearest date in these years",
        arguments: [
            (Date.distantPast.timeIntervalSince1970 * 1e6, "0001-01-01T00:00:00.000Z"),
            (1e300, "9999-12-31T23:59:59.999Z"), (0.0004, "1970-01-01T00:00:00.000Z"),
            (0.0006, "1970-01-01T00:00:00.001Z"),
        ]
    )
    func range(_ seconds: Double, _ expected: String) {
        #expect(TableDate.text(Date(timeIntervalSince1970: seconds)) == expected)
    }
}
