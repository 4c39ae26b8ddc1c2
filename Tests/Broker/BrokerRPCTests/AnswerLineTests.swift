import BrokerAPI
import OAuth
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct AnswerLineTests {
    private static func answer(_ id: JSONRPCID, _ size: Int) -> JSONRPCResponse {
        JSONRPCResponse(id: id, outcome: .success(["a": .string(String(repeating: "x", count: size))]))
    }

    @Test("the response to a batch has at most 1 MiB and an entry for every call, whatever its id") func batch() throws
    {
        // The id is as long as possible for 16 calls in one request line, and consists of characters that must be
        // escaped in the response.
        let escaped = String(repeating: "\u{8}", count: LineFramer.requestLimit / 2 / 16)
        let id = JSONRPCID.string(escaped)
        let memory = AnswerMemory(limit: 2 * LineFramer.responseLimit)
        var line = AnswerLine(batch: true, memory: memory)
        for _ in 0..<3 { line.append(Self.answer(id, 200_000)) }
        for _ in 0..<13 { line.append(Self.answer(id, 900_000)) }
        let bytes = try #require(line.finished())
        #expect(bytes.count <= LineFramer.responseLimit)
        #expect(memory.held == bytes.count)
        let answers = try #require(try StrictJSON.parse(bytes.dropLast()).array)
        #expect(answers.map { $0["id"] } == Array(repeating: .string(escaped), count: 16))
        #expect(
            answers.map { $0["error"]?["data"]?["limit"] } == Array(repeating: nil, count: 3)
                + Array(repeating: "responseBytes", count: 13)
        )
    }

    @Test("a response that does not fit into the peer's memory limit is replaced by an error") func memory() throws {
        let memory = AnswerMemory(limit: 1000)
        var first = AnswerLine(batch: false, memory: memory)
        first.append(Self.answer(.number("1"), 800))
        let held = try #require(first.finished()).count
        #expect(memory.held == held)
        var second = AnswerLine(batch: false, memory: memory)
        second.append(Self.answer(.number("2"), 800))
        let error = try StrictJSON.parse(try #require(second.finished()).dropLast())
        #expect(error["id"] == 2)
        #expect(error["error"]?["code"] == 1013)
        #expect(error["error"]?["data"]?["limit"] == "unreadBytes")
        memory.release(held)
        var third = AnswerLine(batch: false, memory: memory)
        third.append(Self.answer(.number("3"), 300))
        #expect(try StrictJSON.parse(try #require(third.finished()).dropLast())["result"] != nil)
    }

    @Test("without a response there is no line", arguments: [false, true]) func nothing(batch: Bool) {
        let memory = AnswerMemory(limit: 1000)
        #expect(AnswerLine(batch: batch, memory: memory).finished() == nil)
        #expect(memory.held == 0)
    }
}
