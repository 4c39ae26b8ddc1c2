import BrokerAPI
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct JSONRPCInputTests {
    @Test("a request is decoded with all its members") func request() {
        let line = #"{"jsonrpc":"2.0","id":7,"method":"token.acquire","params":{"scopes":["tasks.read"]}}"#
        let expected = JSONRPCRequest(id: .number("7"), method: "token.acquire", params: ["scopes": ["tasks.read"]])
        #expect(JSONRPCInput(line.utf8) == .single(.success(expected)))
        #expect(String(decoding: expected.bytes, as: UTF8.self) == line)
    }

    @Test(
        "a number as the id is returned as it was written",
        arguments: ["1.0", "1e3", "-0", "18446744073709551615", "1.50E-7", String(repeating: "9", count: 64)]
    ) func numbers(_ number: String) throws {
        let line = #"{"jsonrpc":"2.0","id":\#(number),"method":"m"}"#
        #expect(JSONRPCInput(line.utf8) == .single(.success(JSONRPCRequest(id: .number(number), method: "m"))))
        let response = JSONRPCResponse(id: .number(number), outcome: .success([:]))
        #expect(String(decoding: response.bytes, as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(number),"result":{}}"#)
        let batch = #"[{"jsonrpc":"2.0","method":"m"}, {"jsonrpc":"2.0","id" : \#(number),"method":"m"},1]"#
        guard case .batch(let elements) = JSONRPCInput(batch.utf8) else {
            Issue.record("was no batch")
            return
        }
        #expect(elements[0] == .success(JSONRPCRequest(id: nil, method: "m")))
        #expect(elements[1] == .success(JSONRPCRequest(id: .number(number), method: "m")))
    }

    @Test("a request without an id is a notification") func notification() {
        let expected = JSONRPCRequest(id: nil, method: "m")
        #expect(JSONRPCInput(#"{"jsonrpc":"2.0","method":"m"}"#.utf8) == .single(.success(expected)))
    }

    @Test(
        "an invalid request is rejected with the code for the cause",
        arguments: [
            ("", -32_700, JSONRPCID.null), ("{", -32_700, .null), ("nonsense", -32_700, .null),
            (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, -32_700, .null),
            (#"{"jsonrpc":"2.0","id":1,"method":"m"} {}"#, -32_700, .null),
            ("1", -32_600, .null), ("[]", -32_600, .null),
            (#"{"id":1,"method":"m"}"#, -32_600, .number("1")),
            (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, -32_600, .number("1")),
            (#"{"jsonrpc":"2.0","id":"a"}"#, -32_600, .string("a")),
            (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32_600, .number("1")),
            (#"{"jsonrpc":"2.0","id":\#(String(repeating: "1", count: 65)),"method":"m"}"#, -32_600, .null),
            (#"{"jsonrpc":"2.0","id":01,"method":"m"}"#, -32_700, .null),
            (#"{"jsonrpc":"2.0","id":1.,"method":"m"}"#, -32_700, .null),
            (#"{"jsonrpc":"2.0","id":-,"method":"m"}"#, -32_700, .null),
            (#"{"jsonrpc":"1.0","id":1.50,"method":"m"}"#, -32_600, .number("1.50")),
            (#"{"jsonrpc":"2.0","id":1e3,"id":2,"method":"m"}"#, -32_700, .null),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":18446744073709551615}}"#, -32_700, .null),
            (#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, -32_600, .null),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":3}"#, -32_600, .number("1")),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[3]}"#, -32_602, .number("1")),
        ]
    )
    func refused(line: String, code: Int, id: JSONRPCID) throws {
        guard case .single(.failure(let refused)) = JSONRPCInput(line.utf8) else {
            Issue.record("was taken")
            return
        }
        #expect(refused.error.code == code)
        #expect(refused.id == id)
    }

    @Test("bytes that are not UTF-8 are not JSON") func notUTF8() {
        let line = Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8) + [0xFF, 0x22, 0x7D]
        guard case .single(.failure(let refused)) = JSONRPCInput(line) else {
            Issue.record("was taken")
            return
        }
        #expect(refused.error.code == -32_700)
    }

    @Test("nesting deeper than the parser allows is rejected") func deep() {
        let line =
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"#
            + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}}"
        guard case .single(.failure(let refused)) = JSONRPCInput(line.utf8) else {
            Issue.record("was taken")
            return
        }
        #expect(refused.error.code == -32_700)
    }

    @Test("the elements of a batch of 16 are decoded one by one; a batch of 17 is rejected as a whole") func batches() {
        let call = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#
        let batch = "[" + ([String](repeating: call, count: 15) + ["1"]).joined(separator: ",") + "]"
        guard case .batch(let elements) = JSONRPCInput(batch.utf8) else {
            Issue.record("was no batch")
            return
        }
        #expect(elements.count == 16)
        #expect(elements[0] == .success(JSONRPCRequest(id: .number("1"), method: "m")))
        guard case .failure = elements[15] else {
            Issue.record("the last element was taken")
            return
        }
        let large = "[" + [String](repeating: call, count: 17).joined(separator: ",") + "]"
        guard case .single(.failure(let refused)) = JSONRPCInput(large.utf8) else {
            Issue.record("was taken")
            return
        }
        #expect(refused.error.code == -32_600)
    }
}
