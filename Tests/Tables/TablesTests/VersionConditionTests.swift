import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct VersionConditionTests {
    private let row = RowID("a").map {
        TableRow(id: $0, values: [:], createdAt: 1, updatedAt: 2, isDeleted: false)
    }

    @Test("a tag, a list and * match the row that they name") func holds() throws {
        let row = try #require(row)
        let tag = row.version.entityTag
        for field in [tag, " \(tag) ", "\"x\", \(tag)", "*"] {
            #expect(VersionCondition(ifMatch: field)?.holds(for: row) == true)
        }
        for field in ["\"x\"", "W/\(tag)", "\"\(tag)\"".replacing("\"\"", with: "\"")] where field != tag {
            #expect(VersionCondition(ifMatch: field)?.holds(for: row) == false)
        }
        #expect(VersionCondition.none.holds(for: row))
    }

    @Test("* does not match a deleted row") func star() throws {
        let id = try #require(RowID("a"))
        let dead = TableRow(id: id, values: [:], createdAt: 1, updatedAt: 2, isDeleted: true)
        #expect(!VersionCondition.exists.holds(for: dead))
    }

    @Test("malformed fields are rejected", arguments: ["", "abc", "\"a", "\"a\" \"b\"", "\"a\",", "W/", "*,\"a\""])
    func malformed(_ field: String) {
        #expect(VersionCondition(ifMatch: field) == nil)
    }

    @Test("clients escape quotation marks inside a tag") func escaped() {
        #expect(VersionCondition(ifMatch: "\"a\\\"b\"") == .oneOf([RowVersion("a\"b")]))
    }
}
