import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TableDateTests {
    @Test(
        "dates are read in every form of RFC 3339 and written with three digits in UTC",
        arguments: [
            ("2026-11-21T09:00:00.000Z", "2026-11-21T09:00:00.000Z"),
            ("2026-11-21T09:00:00Z", "2026-11-21T09:00:00.000Z"),
            ("2026-11-21T09:00:00.123456789+02:30", "2026-11-21T06:30:00.123Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
            ("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900Z"),
            ("0001-01-01", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T22:59:59.999-01:00", "9999-12-31T23:59:59.999Z"),
        ]
    )
    func readAndWritten(_ text: String, _ expected: String) throws {
        let milliseconds = try #require(TableDate.milliseconds(text))
        #expect(TableDate.text(milliseconds) == expected)
    }

    @Test(
        "text that is not a date is rejected",
        arguments: [
            "", "today", "2023-02-29", "2026-13-01", "2026-1-1", "2026-11-21T25:00:00Z", "2026-11-21T09:00:00",
            "2026-11-21T09:00:00.Z", "2026-11-21T09:00:00Zx", "0000-01-01", "2026-11-21T09:00:00+2",
            "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.999-00:01", "9999-12-31T23:00:00-23:59",
        ]
    )
    func refused(_ text: String) {
        #expect(TableDate.milliseconds(text) == nil)
    }

    @Test("1970 is zero and every later day counts") func days() {
        #expect(TableDate.milliseconds("1970-01-01") == 0)
        #expect(TableDate.milliseconds("2000-03-01T00:00:00.001Z") == 951_868_800_001)
    }
}
