import BrokerAPI
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct JSONRPCResponseTests {
    @Test(
        "a response survives an encoding round trip",
        arguments: [
            JSONRPCResponse(id: .number("1"), outcome: .success(["kind": "token"])),
            JSONRPCResponse(id: .string("a\"b"), outcome: .success([:])),
            JSONRPCResponse(
                id: .null,
                outcome: .failure(JSONRPCError(code: 1007, message: "Blocked.", data: ["reason": "blocked"]))
            ),
        ]
    )
    func roundTrip(_ response: JSONRPCResponse) throws {
        #expect(JSONRPCResponse(try StrictJSON.parse(response.bytes)) == response)
    }

    @Test("the members of a response are in the order of the specification") func order() {
        let response = JSONRPCResponse(id: .number("1"), outcome: .success(["a": 1]))
        #expect(String(decoding: response.bytes, as: UTF8.self) == #"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#)
    }

    @Test(
        "an invalid response is not decoded",
        arguments: [
            ["id": 1, "result": [:]], ["jsonrpc": "2.0", "result": [:]], ["jsonrpc": "2.0", "id": 1],
            ["jsonrpc": "2.0", "id": 1, "result": [:], "error": ["code": 1, "message": ""]],
            ["jsonrpc": "2.0", "id": 1, "error": ["code": "1", "message": ""]], 1,
        ] as [JSONValue]
    )
    func refused(_ value: JSONValue) {
        #expect(JSONRPCResponse(value) == nil)
    }
}
