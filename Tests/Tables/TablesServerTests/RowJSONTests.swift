import Localization
import NIOCore
import Tables
import Testing

@testable import TablesServer

@Suite(.timeLimit(.minutes(1)))
struct RowJSONTests {
    @Test(
        "a number that cannot be stored is rejected with its column",
        arguments: [
            (#"{"text":"a","duration":9223372036854775809}"#, "does not fit into 64 bits"),
            (#"{"duration":-18446744073709551617}"#, "does not fit into 64 bits"),
            (#"{"duration":1e999}"#, "does not fit into 64 bits"),
            (#"{"duration":9007199254740993}"#, "more digits than can be stored"),
        ]
    )
    func numbers(_ body: String, _ words: String) {
        let problem = #expect(throws: RequestProblem.self) { try RowJSON.members(ByteBuffer(string: body)) }
        #expect(problem?.column == "duration" && problem?.text.english.contains(words) == true, "\(body)")
    }

    @Test("whole numbers are accepted as JavaScript writes them, even beyond 64 bits") func exact() throws {
        let body = ByteBuffer(string: #"{"a":18446744073709551616,"b":100000000000000000000,"c":-0}"#)
        let members = try RowJSON.members(body)
        #expect(members == ["a": .number(18_446_744_073_709_551_616), "b": .number(1e20), "c": .number(0)])
    }
}
